//! What follows from a launch's counters on a given chip.

use upset_chip::ChipSpec;
use upset_device::{FirstLevelCounters, LaunchCounters, MemoryCounters, Reason};

/// `a / b`, unless there is nothing to divide by.
pub fn ratio(a: u64, b: u64) -> Option<f64> {
    (b > 0).then(|| a as f64 / b as f64)
}

/// Counters of one kernel, or sums of several, with the chip they ran on.
#[derive(Clone, Copy)]
pub struct Metrics<'a> {
    /// The chip.
    pub chip: &'a ChipSpec,
    /// The counters.
    pub of: &'a LaunchCounters,
}

/// What all caches count, first level or not.
pub struct CacheCounts {
    /// Its name in the chip file.
    pub name: &'static str,
    /// Accesses that look for bytes.
    pub lookups: u64,
    /// Served from the line.
    pub hits: u64,
    /// That waited for a fetch under way.
    pub merged: u64,
    /// That had to fetch.
    pub misses: u64,
    /// Stores.
    pub writes: u64,
    /// Atomics.
    pub atomics: u64,
    /// Lines that left for another.
    pub evictions: u64,
    /// Dirty lines or packets sent below.
    pub write_backs: u64,
}

impl CacheCounts {
    /// Share of the lookups served at once.
    pub fn hit_rate(&self) -> Option<f64> {
        ratio(self.hits, self.lookups)
    }
}

impl<'a> Metrics<'a> {
    /// Counters on a chip.
    pub fn new(chip: &'a ChipSpec, of: &'a LaunchCounters) -> Metrics<'a> {
        Metrics { chip, of }
    }

    /// Warp instructions per cycle, over the chip.
    pub fn ipc(&self) -> Option<f64> {
        ratio(self.of.cores.sm.warp_insts, self.of.cycles)
    }

    /// Thread instructions per cycle, over the chip.
    pub fn thread_ipc(&self) -> Option<f64> {
        ratio(self.of.cores.sm.thread_insts, self.of.cycles)
    }

    /// Resident warps over the warp slots of the SMs that had work.
    pub fn occupancy(&self) -> Option<f64> {
        let slots = self.of.cores.sm.active_cycles.saturating_mul(u64::from(self.chip.warps()));
        ratio(self.of.cores.sm.warp_cycles, slots)
    }

    /// Warps resident on an SM that had work, on average.
    pub fn mean_warps(&self) -> Option<f64> {
        ratio(self.of.cores.sm.warp_cycles, self.of.cores.sm.active_cycles)
    }

    /// Threads resident on an SM that had work, on average.
    pub fn mean_threads(&self) -> Option<f64> {
        ratio(self.of.cores.sm.thread_cycles, self.of.cores.sm.active_cycles)
    }

    /// CTAs resident on an SM that had work, on average.
    pub fn mean_ctas(&self) -> Option<f64> {
        ratio(self.of.cores.sm.cta_cycles, self.of.cores.sm.active_cycles)
    }

    /// Cycles of all schedulers of the chip: each issues or has a reason not to.
    pub fn scheduler_cycles(&self) -> u64 {
        self.of.cores.sm.warp_insts + self.of.cores.sm.stalls.iter().sum::<u64>()
    }

    /// Share of the scheduler cycles lost to a reason.
    pub fn stalled(&self, reason: Reason) -> Option<f64> {
        ratio(self.of.cores.sm.stalls[reason as usize], self.scheduler_cycles())
    }

    /// Share of the scheduler cycles in which an instruction issued.
    pub fn issued(&self) -> Option<f64> {
        ratio(self.of.cores.sm.warp_insts, self.scheduler_cycles())
    }

    /// The chip's caches, nearest first.
    pub fn caches(&self) -> Vec<CacheCounts> {
        let c = self.of;
        let mut all = vec![
            first("l1d", &c.cores.l1d),
            first("l1v", &c.cores.l1d),
            first("l1t", &c.cores.l1t),
            first("l1c", &c.cores.l1c),
            first("l1s", &c.cores.l1c),
            first("l1i", &c.cores.l1i),
            second("l2", &c.memory),
        ];
        all.retain(|cache| self.chip.cache(cache.name).is_some());
        all
    }

    /// Share of the DRAM accesses that found their row open.
    pub fn row_hit_rate(&self) -> Option<f64> {
        let m = &self.of.memory;
        ratio(m.dram_row_hits, m.dram_reads + m.dram_writes)
    }

    /// Bytes moved by DRAM over what it could have moved in these cycles.
    pub fn dram_share_of_peak(&self) -> Option<f64> {
        let could = self.seconds() * self.chip.dram_bytes_per_second();
        (could > 0.0).then(|| self.of.memory.dram_bytes as f64 / could)
    }

    /// Time that passed on the chip.
    pub fn seconds(&self) -> f64 {
        self.of.cycles as f64 / (self.chip.clock.core_mhz * 1e6)
    }
}

fn first(name: &'static str, c: &FirstLevelCounters) -> CacheCounts {
    CacheCounts {
        name,
        lookups: c.reads,
        hits: c.hits,
        merged: c.merged,
        misses: c.misses,
        writes: c.writes,
        atomics: c.atomics,
        evictions: c.evictions,
        write_backs: c.write_backs,
    }
}

/// Every packet looks for its line in L2, stores and atomics too.
fn second(name: &'static str, c: &MemoryCounters) -> CacheCounts {
    CacheCounts {
        name,
        lookups: c.l2_reads + c.l2_writes + c.l2_atomics,
        hits: c.l2_hits,
        merged: c.l2_merged,
        misses: c.l2_misses,
        writes: c.l2_writes,
        atomics: c.l2_atomics,
        evictions: c.l2_evictions,
        write_backs: c.l2_write_backs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_scheduler_cycles_add_up() {
        let chip = ChipSpec::preset("rtx2060").expect("a preset");
        let mut of = LaunchCounters { cycles: 10, ..LaunchCounters::default() };
        of.cores.sm.warp_insts = 300;
        of.cores.sm.stalls[Reason::Barrier as usize] = 900;
        let m = Metrics::new(&chip, &of);
        let all: f64 = Reason::ALL.iter().filter_map(|r| m.stalled(*r)).sum();
        assert_eq!(m.issued().map(|i| i + all), Some(1.0));
        assert_eq!(m.stalled(Reason::Barrier), Some(0.75));
        assert_eq!(m.ipc(), Some(30.0));
    }

    #[test]
    fn nothing_is_no_share() {
        let chip = ChipSpec::preset("titan").expect("a preset");
        let of = LaunchCounters::default();
        let m = Metrics::new(&chip, &of);
        assert_eq!(m.ipc(), None);
        assert_eq!(m.occupancy(), None);
        assert_eq!(m.dram_share_of_peak(), None);
        let names: Vec<_> = m.caches().iter().map(|c| c.name).collect();
        assert_eq!(names, ["l1t", "l1c", "l1i", "l2"]);
        let chip = ChipSpec::preset("hd7970").expect("a preset");
        let mut of = LaunchCounters::default();
        of.cores.l1d.hits = 7;
        of.cores.l1c.hits = 5;
        let caches = Metrics::new(&chip, &of).caches();
        let hits: Vec<_> = caches.iter().map(|c| (c.name, c.hits)).collect();
        assert_eq!(hits, [("l1v", 7), ("l1s", 5), ("l1i", 0), ("l2", 0)]);
    }

    #[test]
    fn a_full_bus_is_the_peak() {
        let chip = ChipSpec::preset("rtx2060").expect("a preset");
        // 336 GB/s at 1365 MHz.
        let mut of = LaunchCounters { cycles: 1_365_000, ..LaunchCounters::default() };
        of.memory.dram_bytes = 336_000_000;
        let share = Metrics::new(&chip, &of).dram_share_of_peak().unwrap_or_default();
        assert!((share - 1.0).abs() < 1e-9, "{share}");
    }
}
