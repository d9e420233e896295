//! The model against a real H200: instructions and whole applications.

mod applications;
mod instructions;

use std::path::PathBuf;

use upset_chip::ChipSpec;

/// A recording in `oracles/`.
fn oracle(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../oracles").join(path);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The chip that was recorded.
fn chip() -> ChipSpec {
    ChipSpec::preset("h200").expect("a preset")
}
