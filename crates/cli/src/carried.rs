//! Libraries inside the program.

use std::sync::OnceLock;

static PRELOAD: OnceLock<&'static [u8]> = OnceLock::new();

/// Says what the bytes are of the stand-in for NVIDIA's runtime, and of what keeps
/// unmodified programs off bad SMs. Empty ones are none.
pub fn carry(cudart: &'static [u8], preload: &'static [u8]) {
    upset_launcher::carry(cudart);
    let _ = PRELOAD.set(preload);
}

/// The second of them.
pub fn preload() -> Option<&'static [u8]> {
    PRELOAD.get().copied()
}
