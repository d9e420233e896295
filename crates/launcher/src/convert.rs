//! Who turns PTX into machine code here.

use std::env;
use std::path::PathBuf;

use upset_chip::ChipSpec;
use upset_ptx::{KEPT, PtxError, Request};

use crate::error::LaunchError;
use crate::paths::caches;

/// The converter for a compute capability, if one is installed.
pub fn converter(sm: u32) -> Option<PathBuf> {
    upset_ptx::find(&upset_toolkit::prefixes(), sm)
}

/// The compute capability of a chip; none of AMD's.
pub(crate) fn capability(chip: &ChipSpec) -> Option<u32> {
    chip.chip.arch.strip_prefix("sm_")?.parse().ok()
}

/// The folder that keeps converted code.
pub(crate) fn kept() -> Option<PathBuf> {
    let named = env::var_os(KEPT).filter(|v| !v.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(caches().ok()?.join("ptx")))
}

/// The machine code of a text, and who made it: name and release.
pub fn machine_code(text: &[u8], sm: u32) -> Result<(String, Vec<u8>), LaunchError> {
    let converter = converter(sm);
    let kept = kept().unwrap_or_else(|| env::temp_dir().join("upset-ptx"));
    let wanted = Request { sm, converter: converter.as_deref(), kept: &kept, options: &[] };
    let failed = |e: PtxError| match e.is_lacking() {
        true => LaunchError::lacking(e.to_string()),
        false => LaunchError::input(e.to_string()),
    };
    let code = upset_ptx::machine_code(text, &wanted).map_err(failed)?;
    let (by, _) = code.made_by.unwrap_or_default();
    Ok((by, code.image.into_owned()))
}
