//! What a fault-free run has to say: as text and as JSON.

mod json;
mod metrics;
mod name;
mod program;
mod text;

use upset_apps::Verdict;
use upset_chip::ChipSpec;
use upset_device::{Mode, Stats};

pub use name::short_name;
pub use program::Program;

/// A finished run.
pub struct Report<'a> {
    /// What ran.
    pub subject: Subject<'a>,
    /// The chip.
    pub chip: &'a ChipSpec,
    /// How it ran.
    pub mode: Mode,
    /// What the kernels did.
    pub stats: &'a Stats,
    /// Seconds it took here.
    pub wall: f64,
    /// Digest of the bytes copied to the host.
    pub output_digest: Option<&'a str>,
    /// Digest of memory, cycles and statistics.
    pub digest: Option<&'a str>,
}

/// What ran, and what is to be said about it alone.
pub enum Subject<'a> {
    /// A built-in application.
    App {
        /// Its name.
        name: &'a str,
        /// Size of its input.
        scale: &'a str,
        /// Whether the result is right.
        verdict: &'a Verdict,
    },
    /// Somebody's program.
    Program(Program<'a>),
}

impl Report<'_> {
    /// `n` per second of this machine's time.
    fn rate(&self, n: u64) -> f64 {
        if self.wall > 0.0 { n as f64 / self.wall } else { 0.0 }
    }
}
