//! What a fault-free run has to say: as text and as JSON.

mod json;
mod metrics;
mod text;

use upset_apps::Verdict;
use upset_chip::ChipSpec;
use upset_device::{Mode, Stats};

/// A finished run.
pub struct Report<'a> {
    /// The application.
    pub app: &'a str,
    /// Size of its input.
    pub scale: &'a str,
    /// The chip.
    pub chip: &'a ChipSpec,
    /// How it ran.
    pub mode: Mode,
    /// What the kernels did.
    pub stats: &'a Stats,
    /// Seconds it took here.
    pub wall: f64,
    /// Whether the result is right.
    pub verdict: &'a Verdict,
    /// Digest of the bytes copied to the host.
    pub output_digest: &'a str,
    /// Digest of memory, cycles and statistics.
    pub digest: &'a str,
}

impl Report<'_> {
    /// `n` per second of this machine's time.
    fn rate(&self, n: u64) -> f64 {
        if self.wall > 0.0 { n as f64 / self.wall } else { 0.0 }
    }
}
