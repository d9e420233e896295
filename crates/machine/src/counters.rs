//! What launches count.

use std::fmt;

use serde::{Deserialize, Serialize};
use upset_mem::MemoryCounters;

/// What a core counts.
pub trait Tally: Clone + Default {
    /// Sums.
    fn plus(&self, other: &Self) -> Self;
    /// Differences.
    fn minus(&self, other: &Self) -> Self;
    /// Instructions issued.
    fn issued(&self) -> u64;
    /// Cycles with work.
    fn active_cycles(&self) -> u64;
    /// Writes what the cores themselves counted, and then what their caches did.
    fn show(&self, caches: bool, to: &mut fmt::DebugStruct<'_, '_>);
}

/// What one launch did.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounters<K> {
    /// Cycles.
    pub cycles: u64,
    /// First cycle (of the first launch, in sums).
    pub start: u64,
    /// Sums over the cores.
    pub cores: K,
    /// Most cycles that any one core had work (sums: over launches).
    pub busiest: u64,
    /// Cores that had work (the most of any launch, in sums).
    pub sms_used: u64,
    /// L2, DRAM, crossbar.
    pub memory: MemoryCounters,
}

/// Digests of runs take this text in: it stays as it is.
impl<K: Tally> fmt::Debug for LaunchCounters<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaunchCounters { cycles, start, cores, busiest, sms_used, memory } = self;
        let mut to = f.debug_struct("LaunchCounters");
        to.field("cycles", cycles).field("start", start);
        cores.show(false, &mut to);
        to.field("busiest", busiest).field("sms_used", sms_used);
        cores.show(true, &mut to);
        to.field("memory", memory).finish()
    }
}

impl<K: Tally> std::ops::AddAssign<&LaunchCounters<K>> for LaunchCounters<K> {
    fn add_assign(&mut self, o: &LaunchCounters<K>) {
        if self.cycles == 0 {
            self.start = o.start;
        }
        self.cycles += o.cycles;
        self.busiest += o.busiest;
        self.cores = self.cores.plus(&o.cores);
        self.sms_used = self.sms_used.max(o.sms_used);
        self.memory += o.memory;
    }
}
