//! What is told to people, and to who started the program.

use std::io::Write;

use crate::{Line, REFUSED, REPORT};

/// Ends the program: it would run on bad SMs.
pub fn refuse(why: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "upset: quarantine: {why}");
    note(&Line::Refused(why.to_string()));
    // SAFETY: ends the process at once. Handlers of the program's are left out on
    // purpose: they may call the driver, in the middle of whose call this is.
    unsafe { libc::_exit(REFUSED) }
}

/// Notes what was done.
pub fn note(line: &Line) {
    let Some(path) = std::env::var_os(REPORT) else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    // One write: several processes may note at once.
    let _ = file.and_then(|mut file| file.write_all(format!("{}\n", line.written()).as_bytes()));
}
