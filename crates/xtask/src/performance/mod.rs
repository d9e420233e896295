//! `docs/performance.md`: how fast the simulator and campaigns are, measured.
//!
//! `bench --page`, `speedup --page` and `scaling --page` each make one table of
//! the page, under a line that says on what and with which build. `--against
//! PROGRAM` measures another build in turn with this one and gives ratios: that
//! is what can be compared between machines and days.

mod ask;
mod bench;
mod memory;
mod scaling;
mod speedup;
mod table;
mod took;

pub use bench::command as bench;
pub use scaling::command as scaling;
pub use speedup::command as speedup;
