//! What a run of a program may use.

use std::time::Duration;

use upset_launcher::Limits;

/// Bytes of a fault-free run's standard output that are kept.
pub(super) const STDOUT: usize = 64 << 20;
/// Processor time that a fault-free run may take: what hangs is told some day.
pub(super) const GOLDEN_SECONDS: u64 = 24 * 3600;
/// Hosts that wait for ever are ended after this many times the processor time
/// that they may use.
const WALL: u32 = 10;
/// Bytes of a run's standard error that are kept.
const STDERR: usize = 2000;

/// What a run may use.
pub(super) fn limits(processor_seconds: u64, stdout: usize) -> Limits {
    Limits { processor_seconds, wall: wall(processor_seconds), stdout, stderr: STDERR }
}

/// Time on the clock for a run that may use that much processor time.
fn wall(processor_seconds: u64) -> Duration {
    Duration::from_secs(processor_seconds).saturating_mul(WALL)
}
