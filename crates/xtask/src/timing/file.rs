//! Files of bytes, with errors that name them.

use std::path::Path;

use crate::Outcome;

/// What a file holds.
pub fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// Makes or replaces a file.
pub fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
