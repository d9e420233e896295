//! The performance-monitoring unit: what can be counted, and readings of it.
//!
//! A counter is one row of [`COUNTERS`], from which [`Counter`] is made. Cores
//! count into a [`Counts`] of their own, where somebody wants to know; the
//! machine reads it at the end of each period of a launch.

use serde::{Deserialize, Serialize};

/// What a counter depends on, and so how a fault-free run may vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depends {
    /// What was launched alone: the same in every fault-free run of a launch.
    Launch,
    /// What the code does with its input, in whatever time.
    Work,
    /// Time too: who waits for whom.
    Time,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in files and options.
    pub name: &'static str,
    /// What it counts, for people.
    pub what: &'static str,
    /// What it depends on.
    pub depends: Depends,
    /// The metric of NVIDIA's profiler that counts the same, where there is one.
    pub metric: Option<&'static str>,
}

macro_rules! counters {
    ($($counter:ident: $name:literal, $depends:ident, $metric:expr, $what:literal;)*) => {
        /// Something that is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Counter {
            $(#[doc = $what] $counter,)*
        }

        impl Counter {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Counter] = &[$(Counter::$counter,)*];
        }

        /// The table, in the order of [`Counter::ALL`].
        pub const COUNTERS: &[About] = &[$(
            About { name: $name, what: $what, depends: Depends::$depends, metric: $metric },
        )*];
    };
}

counters! {
    WarpInsts: "warp_insts", Work, Some("smsp__inst_executed"), "instructions issued by warps";
    ThreadInsts: "thread_insts", Work, Some("smsp__thread_inst_executed"), "active lanes of them";
    Inactive: "inactive_lanes", Work, None, "lanes of them without an active thread (INACT)";
    Branches: "branches", Work, None, "jumps issued";
    Diverged: "diverged", Work, None, "jumps that divided a group of threads";
    ConvOpened: "conv_opened", Work, None, "convergence barriers opened";
    ConvArrived: "conv_arrived", Work, None, "groups that arrived at a convergence barrier";
    ConvReleased: "conv_released", Work, None, "releases of a convergence barrier";
    ConvBroken: "conv_broken", Work, None, "groups that left a convergence barrier before its end";
    ConvLanesIn: "conv_lanes_in", Work, None, "threads that arrived at a convergence barrier";
    ConvLanesOut: "conv_lanes_out", Work, None, "threads that a convergence barrier released";
    SyncLanesIn: "sync_lanes_in", Work, None, "threads that arrived at a WARPSYNC";
    SyncLanesOut: "sync_lanes_out", Work, None, "threads that a WARPSYNC let go on";
    Switched: "path_switches", Work, None, "another group of a warp's threads became the active one";
    CtasLaunched: "ctas_launched", Launch, None, "CTAs that began";
    CtasExited: "ctas_exited", Launch, None, "CTAs that ended";
    WarpsLaunched: "warps_launched", Launch, Some("smsp__warps_launched"), "warps that began";
    WarpsExited: "warps_exited", Launch, None, "warps that ended";
    ThreadsLaunched: "threads_launched", Launch, None, "threads that began";
    ThreadsExited: "threads_exited", Launch, None, "threads that ended";
    BarArrived: "bar_arrived", Work, None, "threads that arrived at a CTA barrier to wait";
    BarReleased: "bar_released", Work, None, "threads that a CTA barrier released";
    Fma: "inst_fma", Work, None, "instructions of the FP32 multiply-add unit";
    Alu: "inst_alu", Work, None, "instructions of the integer unit";
    Fp64: "inst_fp64", Work, None, "instructions of the double-precision unit";
    Half: "inst_half", Work, None, "instructions of the half-precision unit";
    Mufu: "inst_mufu", Work, None, "instructions of the transcendental unit";
    Tensor: "inst_tensor", Work, None, "instructions of the tensor unit";
    Uniform: "inst_uniform", Work, None, "instructions of the uniform datapath";
    Branch: "inst_branch", Work, None, "instructions of the branch unit";
    LoadStore: "inst_lsu", Work, None, "instructions of the load/store unit";
    Texture: "inst_texture", Work, None, "texture fetches";
    System: "inst_system", Work, None, "instructions of the SM's control logic";
    IssueCycles: "issue_cycles", Time, Some("smsp__issue_active"), "scheduler cycles that issued";
    StallNoWarp: "stall_no_warp", Time, None, "scheduler cycles without a warp";
    StallFetch: "stall_fetch", Time, None, "scheduler cycles that waited for instructions";
    StallCount: "stall_count", Time, None, "scheduler cycles that waited for stall counts";
    StallScoreboard: "stall_scoreboard", Time, None, "scheduler cycles that waited for scoreboards";
    StallBarrier: "stall_barrier", Time, None, "scheduler cycles that waited at barriers";
    StallUnit: "stall_unit", Time, None, "scheduler cycles that waited for a unit";
    StallMemoryQueue: "stall_memory_queue", Time, None, "scheduler cycles that waited for the memory queue";
    StallConstant: "stall_constant", Time, None, "scheduler cycles that waited for constants";
    StallFence: "stall_fence", Time, None, "scheduler cycles that waited at fences";
    StallRegisters: "stall_registers", Time, None, "scheduler cycles that waited for register banks";
    StallDrain: "stall_drain", Time, None, "scheduler cycles that waited for last results";
}

/// Instructions of each class, which are those of a unit, in the order of the
/// units' numbers: together they are all that are issued.
pub const CLASSES: &[Counter] = &[
    Counter::Alu,
    Counter::Fma,
    Counter::Fp64,
    Counter::Half,
    Counter::Mufu,
    Counter::Tensor,
    Counter::Uniform,
    Counter::Branch,
    Counter::LoadStore,
    Counter::Texture,
    Counter::System,
];

/// Scheduler cycles without an issue, in the order of
/// [`Reason`](crate::Reason).
pub const STALLS: &[Counter] = &[
    Counter::StallNoWarp,
    Counter::StallFetch,
    Counter::StallCount,
    Counter::StallScoreboard,
    Counter::StallBarrier,
    Counter::StallUnit,
    Counter::StallMemoryQueue,
    Counter::StallConstant,
    Counter::StallFence,
    Counter::StallRegisters,
    Counter::StallDrain,
];

impl Counter {
    /// Its row.
    pub fn about(self) -> &'static About {
        &COUNTERS[self as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// The counter with a name.
    pub fn named(name: &str) -> Option<Counter> {
        Counter::ALL.iter().copied().find(|c| c.name() == name)
    }
}

/// How many there are.
const COUNT: usize = Counter::ALL.len();

/// A value of every counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counts([u64; COUNT]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; COUNT])
    }
}

impl Counts {
    /// One counter's value.
    pub fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }

    /// Counts.
    #[inline]
    pub fn add(&mut self, counter: Counter, n: u64) {
        self.0[counter as usize] = self.0[counter as usize].wrapping_add(n);
    }

    /// Sets one counter's value.
    pub fn set(&mut self, counter: Counter, value: u64) {
        self.0[counter as usize] = value;
    }

    /// What was counted since `before`.
    pub fn since(&self, before: &Counts) -> Counts {
        Counts(std::array::from_fn(|i| self.0[i].wrapping_sub(before.0[i])))
    }

    /// Sums.
    pub fn plus(&self, other: &Counts) -> Counts {
        Counts(std::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    /// Sum of some of them.
    pub fn sum(&self, of: &[Counter]) -> u64 {
        of.iter().fold(0, |sum, &c| sum.wrapping_add(self.get(c)))
    }

    /// Counters and values, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, u64)> {
        Counter::ALL.iter().map(|&c| (c, self.get(c)))
    }
}

/// Kept by name, so that files outlive the table's order; a counter that is
/// not there is 0.
impl Serialize for Counts {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.iter().map(|(counter, n)| (counter.name(), n)))
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Counts, D::Error> {
        let by_name = std::collections::BTreeMap::<String, u64>::deserialize(d)?;
        let mut counts = Counts::default();
        for (name, n) in by_name {
            match Counter::named(&name) {
                Some(counter) => counts.set(counter, n),
                None => return Err(serde::de::Error::custom(format!("no counter `{name}`"))),
            }
        }
        Ok(counts)
    }
}

/// When counters are read during a launch; they are always read at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sampling {
    /// At the end alone.
    #[default]
    AtEnd,
    /// Every so many cycles, counted from the launch's start; at least 1.
    Every(u64),
    /// In so many equal parts of each launch, the last of which may be shorter:
    /// every ceil(cycles / parts) cycles. How long a launch takes is found out
    /// by running it on a copy of the machine first, where nobody watches and
    /// no bit is stuck.
    Parts(u64),
}

/// What was counted from one reading to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// Cycle of the reading, from the launch's start; 0 without timing.
    pub to: u64,
    /// What each SM has counted since the reading before, in order of SMs.
    /// SMs that had nothing to do are there too.
    pub sms: Vec<Counts>,
}

/// What was counted in one launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Number of the launch in its run, from 0.
    pub launch: u64,
    /// Kernel.
    pub kernel: String,
    /// CTAs of each dimension.
    pub grid: [u32; 3],
    /// Threads of each.
    pub block: [u32; 3],
    /// Lanes of a warp: 32, or 64 of AMD's waves.
    pub lanes: u32,
    /// Schedulers of an SM; 0 without timing.
    pub schedulers: u32,
    /// It came to its end; otherwise a trap or a limit stopped it.
    pub ended: bool,
    /// There were more readings than can be kept: what is left of them is in
    /// the last period.
    pub cut: bool,
    /// First cycle, from the machine's start; 0 without timing.
    pub start: u64,
    /// Cycles it took; 0 without timing.
    pub cycles: u64,
    /// In order; the last ends with the launch.
    pub periods: Vec<Period>,
}

impl Reading {
    /// Sum over all SMs and periods.
    pub fn total(&self) -> Counts {
        let all = self.periods.iter().flat_map(|p| &p.sms);
        all.fold(Counts::default(), |sum, counts| sum.plus(counts))
    }

    /// CTAs of the grid.
    pub fn ctas(&self) -> u128 {
        self.grid.iter().map(|&n| u128::from(n)).product()
    }

    /// Threads of a CTA.
    pub fn threads(&self) -> u128 {
        self.block.iter().map(|&n| u128::from(n)).product()
    }

    /// Warps of a CTA.
    pub fn warps(&self) -> u128 {
        self.threads().div_ceil(u128::from(self.lanes.max(1)))
    }

    /// Sum over all periods of each SM.
    pub fn by_sm(&self) -> Vec<Counts> {
        let sms = self.periods.iter().map(|p| p.sms.len()).max().unwrap_or(0);
        let of = |sm: usize| {
            let all = self.periods.iter().filter_map(|p| p.sms.get(sm));
            all.fold(Counts::default(), |sum, counts| sum.plus(counts))
        };
        (0..sms).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_counter_has_its_row_and_its_name() {
        assert_eq!(Counter::ALL.len(), COUNTERS.len());
        let names: BTreeSet<&str> = COUNTERS.iter().map(|a| a.name).collect();
        assert_eq!(names.len(), COUNTERS.len());
        for (i, &c) in Counter::ALL.iter().enumerate() {
            assert_eq!((c as usize, Counter::named(c.name())), (i, Some(c)));
        }
        assert_eq!(Counter::named("none"), None);
    }

    #[test]
    fn stalls_are_in_the_order_of_their_reasons() {
        assert_eq!(STALLS.len(), crate::Reason::ALL.len());
        for (i, reason) in crate::Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, i);
            let of = STALLS[i].name().trim_start_matches("stall_").replace('_', "-");
            let name = reason.name().trim_start_matches("stall-");
            let (name, _) = name.split_once("-bu").unwrap_or((name, ""));
            assert_eq!(of, name.trim_end_matches("-banks").replace("register", "registers"));
        }
    }

    #[test]
    fn counts_are_kept_by_name() {
        let mut counts = Counts::default();
        counts.add(Counter::Inactive, 3);
        counts.add(Counter::Inactive, 4);
        counts.set(Counter::StallDrain, u64::MAX);
        let json = serde_json::to_string(&counts).unwrap();
        assert!(json.contains("\"inactive_lanes\":7"), "{json}");
        assert_eq!(serde_json::from_str::<Counts>(&json).unwrap(), counts);
        let few: Counts = serde_json::from_str(r#"{"inactive_lanes":7}"#).unwrap();
        assert_eq!((few.get(Counter::Inactive), few.get(Counter::Fma)), (7, 0));
        assert!(serde_json::from_str::<Counts>(r#"{"inactive":7}"#).is_err());
    }

    #[test]
    fn readings_add_up_over_periods_and_sms() {
        let counts = |n| {
            let mut c = Counts::default();
            c.set(Counter::Fma, n);
            c
        };
        let reading = Reading {
            launch: 0,
            kernel: "k".into(),
            grid: [1; 3],
            block: [32, 1, 1],
            lanes: 32,
            schedulers: 4,
            ended: true,
            cut: false,
            start: 0,
            cycles: 20,
            periods: vec![
                Period { to: 10, sms: vec![counts(1), counts(2)] },
                Period { to: 20, sms: vec![counts(10), counts(20)] },
            ],
        };
        assert_eq!(reading.total(), counts(33));
        assert_eq!(reading.by_sm(), [counts(11), counts(22)]);
        assert_eq!(counts(11).since(&counts(1)), counts(10));
    }
}
