//! Counters of cores.

use std::fmt;

use serde::{Deserialize, Serialize};

use upset_mem::FirstLevelCounters;

use crate::counters::Tally;

/// Why a scheduler did not issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No warp is resident.
    NoWarp,
    /// The instruction is not there yet.
    Fetch,
    /// The last instruction's stall count.
    Stall,
    /// A scoreboard.
    Scoreboard,
    /// A CTA barrier or another thread of the warp.
    Barrier,
    /// The execution unit is busy.
    Unit,
    /// The memory queue is full.
    MemoryQueue,
    /// A constant is not there yet.
    Constant,
    /// A fence waits for stores.
    Fence,
    /// Register banks.
    Registers,
    /// All its threads have exited; results are outstanding.
    Drain,
}

impl Reason {
    /// All of them, in the order of the counters.
    pub const ALL: [Reason; 11] = [
        Reason::NoWarp,
        Reason::Fetch,
        Reason::Stall,
        Reason::Scoreboard,
        Reason::Barrier,
        Reason::Unit,
        Reason::MemoryQueue,
        Reason::Constant,
        Reason::Fence,
        Reason::Registers,
        Reason::Drain,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Reason::NoWarp => "no-warp",
            Reason::Fetch => "fetch",
            Reason::Stall => "stall-count",
            Reason::Scoreboard => "scoreboard",
            Reason::Barrier => "barrier",
            Reason::Unit => "unit-busy",
            Reason::MemoryQueue => "memory-queue",
            Reason::Constant => "constant",
            Reason::Fence => "fence",
            Reason::Registers => "register-banks",
            Reason::Drain => "drain",
        }
    }
}

/// What a core counts: an SM, or a group of compute units.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CoreCounters {
    /// Warp instructions issued.
    pub warp_insts: u64,
    /// Active lanes of them.
    pub thread_insts: u64,
    /// Lanes that were switched off by divergence when a warp issued.
    pub inactive_lanes: u64,
    /// Branches that split a warp.
    pub diverged: u64,
    /// Scheduler cycles without issue, by [`Reason`].
    pub stalls: [u64; Reason::ALL.len()],
    /// Resident warps, summed over cycles.
    pub warp_cycles: u64,
    /// Resident threads, summed over cycles.
    pub thread_cycles: u64,
    /// Resident CTAs, summed over cycles.
    pub cta_cycles: u64,
    /// Cycles with a CTA resident.
    pub active_cycles: u64,
    /// CTAs finished.
    pub ctas: u64,
    /// Extra shared-memory passes because of bank conflicts.
    pub bank_conflicts: u64,
    /// Reads of a register whose fixed-latency result was on its way (debug
    /// builds): the code's stall counts were too small for this chip.
    pub hazards: u64,
}

/// Digests of runs take this text in: it stays as it is.
impl fmt::Debug for CoreCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmCounters")
            .field("warp_insts", &self.warp_insts)
            .field("thread_insts", &self.thread_insts)
            .field("inactive_lanes", &self.inactive_lanes)
            .field("diverged", &self.diverged)
            .field("stalls", &self.stalls)
            .field("warp_cycles", &self.warp_cycles)
            .field("thread_cycles", &self.thread_cycles)
            .field("cta_cycles", &self.cta_cycles)
            .field("active_cycles", &self.active_cycles)
            .field("ctas", &self.ctas)
            .field("bank_conflicts", &self.bank_conflicts)
            .field("hazards", &self.hazards)
            .finish()
    }
}

macro_rules! each_field {
    ($a:ident, $b:ident, $op:ident) => {
        CoreCounters {
            warp_insts: $a.warp_insts.$op($b.warp_insts),
            thread_insts: $a.thread_insts.$op($b.thread_insts),
            inactive_lanes: $a.inactive_lanes.$op($b.inactive_lanes),
            diverged: $a.diverged.$op($b.diverged),
            stalls: std::array::from_fn(|i| $a.stalls[i].$op($b.stalls[i])),
            warp_cycles: $a.warp_cycles.$op($b.warp_cycles),
            thread_cycles: $a.thread_cycles.$op($b.thread_cycles),
            cta_cycles: $a.cta_cycles.$op($b.cta_cycles),
            active_cycles: $a.active_cycles.$op($b.active_cycles),
            ctas: $a.ctas.$op($b.ctas),
            bank_conflicts: $a.bank_conflicts.$op($b.bank_conflicts),
            hazards: $a.hazards.$op($b.hazards),
        }
    };
}

impl CoreCounters {
    /// Sums.
    pub fn plus(&self, o: &CoreCounters) -> CoreCounters {
        each_field!(self, o, wrapping_add)
    }
    /// Differences.
    pub fn minus(&self, o: &CoreCounters) -> CoreCounters {
        each_field!(self, o, wrapping_sub)
    }
}

/// What a core and its caches count, or sums of that over cores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// The core.
    pub sm: CoreCounters,
    /// First-level data cache; of compute units the vector cache.
    pub l1d: FirstLevelCounters,
    /// Texture cache.
    pub l1t: FirstLevelCounters,
    /// Constant cache; of compute units the scalar cache.
    pub l1c: FirstLevelCounters,
    /// Instruction cache.
    pub l1i: FirstLevelCounters,
}

impl Tally for Sums {
    fn plus(&self, o: &Sums) -> Sums {
        let add = |a: FirstLevelCounters, b: FirstLevelCounters| {
            let mut sum = a;
            sum += b;
            sum
        };
        Sums {
            sm: self.sm.plus(&o.sm),
            l1d: add(self.l1d, o.l1d),
            l1t: add(self.l1t, o.l1t),
            l1c: add(self.l1c, o.l1c),
            l1i: add(self.l1i, o.l1i),
        }
    }

    fn minus(&self, o: &Sums) -> Sums {
        Sums {
            sm: self.sm.minus(&o.sm),
            l1d: self.l1d - o.l1d,
            l1t: self.l1t - o.l1t,
            l1c: self.l1c - o.l1c,
            l1i: self.l1i - o.l1i,
        }
    }

    fn issued(&self) -> u64 {
        self.sm.warp_insts
    }

    fn active_cycles(&self) -> u64 {
        self.sm.active_cycles
    }

    fn show(&self, caches: bool, to: &mut fmt::DebugStruct<'_, '_>) {
        let Sums { sm, l1d, l1t, l1c, l1i } = self;
        match caches {
            false => to.field("sm", sm),
            true => to.field("l1d", l1d).field("l1t", l1t).field("l1c", l1c).field("l1i", l1i),
        };
    }
}
