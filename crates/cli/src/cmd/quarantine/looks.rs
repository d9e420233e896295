//! Commands that look at a source or at machine code.

use std::fmt::Write;
use std::path::Path;

use upset_quarantine::machine_code::{self, CodeError, Looked};

use crate::failure::{self, Failure, print};

/// Obstacles that are shown; the rest is counted.
const SHOWN: usize = 8;

/// `upset quarantine wrap`.
pub fn wrap(path: &Path) -> Result<(), Failure> {
    let source = std::fs::read_to_string(path).map_err(|e| Failure::read(path, &e))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let wrapped = upset_quarantine::wrap(&file, &source).map_err(|e| {
        Failure::new(failure::BAD_INPUT, format!("{} cannot be wrapped: {e}", path.display()))
    })?;
    print(&wrapped)
}

/// `upset quarantine ticket-check`.
pub fn tickets(path: &Path) -> Result<(), Failure> {
    look(path, machine_code::tickets, "no kernel asks the hardware for its block")
}

/// `upset quarantine lane-check`.
pub fn lanes(path: &Path) -> Result<(), Failure> {
    look(path, machine_code::lane_skipping, "lanes may be skipped: no thread depends on its warp")
}

fn look(
    path: &Path,
    rule: fn(&[u8]) -> Result<Looked, CodeError>,
    good: &str,
) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::read(path, &e))?;
    let looked = rule(&bytes).map_err(|e| {
        let failure = match e {
            CodeError::Container(e) => Failure::from(e),
            CodeError::Arch(_) => Failure::new(failure::LACKING, e.to_string()),
        };
        Failure::new(failure.code, format!("{}: {}", path.display(), failure.message))
    })?;
    let mut text =
        format!("{}, sm_{}: {}\n", path.display(), looked.sm, looked.functions.join(" "));
    if looked.obstacles.is_empty() {
        let _ = writeln!(text, "{good}");
        return print(&text);
    }
    for found in looked.obstacles.iter().take(SHOWN) {
        let place = format!("{}+{:#x}", found.function, found.offset);
        let _ = writeln!(text, "  {place}  {}  {}", found.text, found.why);
    }
    if let Some(more) = looked.obstacles.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let _ = writeln!(text, "  and {more} more");
    }
    print(&text)?;
    Err(Failure::new(failure::NO, ""))
}
