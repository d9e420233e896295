//! A run's readings, each with its place in the run, without what no layer
//! asks for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upset_machine::pmu::{Counter, Counts, Reading};

use crate::between::farthest;

/// Which launch: the n-th of its kernel, from 0. A run that launches one kernel
/// less often than others still has the others' launches in their places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Kernel.
    pub kernel: String,
    /// Its launches before.
    pub nth: u64,
}

/// Grid and block.
pub type Shape = ([u32; 3], [u32; 3]);

/// A launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Launched {
    /// Which it is.
    pub key: Key,
    /// Number in its run.
    pub launch: u64,
    /// Cycle in which it began.
    pub start: u64,
    /// Grid and block.
    pub shape: Shape,
    /// It came to its end.
    pub ended: bool,
    /// Cycles it took; 0 without timing.
    pub cycles: u64,
    /// Sums over SMs of what was counted up to the end of each period, with its
    /// cycle in the launch.
    pub so_far: Vec<(u64, Counts)>,
    /// The SM farthest from the others, for each counter of work.
    pub farthest: Vec<(Counter, f64, u32)>,
}

impl Launched {
    /// All that was counted.
    pub fn total(&self) -> Counts {
        self.so_far.last().map(|(_, counts)| *counts).unwrap_or_default()
    }

    /// Counts of whole periods of `every` cycles, in order. The last period of a
    /// launch, which is shorter, is not among them, nor is anything where
    /// readings were taken at other times, or without time (`every` 0).
    pub fn whole_periods(&self, every: u64) -> Vec<Counts> {
        let is_whole =
            |&(i, &(to, _)): &(u64, &(u64, Counts))| every > 0 && Some(to) == every.checked_mul(i);
        let mut before = Counts::default();
        let wholes = (1..).zip(&self.so_far).take_while(is_whole);
        wholes.map(|(_, (_, now))| now.since(&std::mem::replace(&mut before, *now))).collect()
    }
}

/// Takes from a run what layers ask for.
pub fn launches(run: &[Reading]) -> Vec<Launched> {
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all = Vec::with_capacity(run.len());
    for reading in run {
        let count = counted.entry(&reading.kernel).or_default();
        let mut sum = Counts::default();
        let so_far = reading.periods.iter().map(|period| {
            sum = period.sms.iter().fold(sum, |s, c| s.plus(c));
            (period.to, sum)
        });
        all.push(Launched {
            key: Key { kernel: reading.kernel.clone(), nth: *count },
            launch: reading.launch,
            start: reading.start,
            shape: (reading.grid, reading.block),
            ended: reading.ended,
            cycles: reading.cycles,
            so_far: so_far.collect(),
            farthest: farthest(&reading.by_sm()),
        });
        *count += 1;
    }
    all
}

/// Readings for tests.
#[cfg(test)]
pub(crate) mod testing {
    use upset_machine::pmu::Period;

    use super::*;

    /// A launch of 4 CTAs of 32 threads with such counts: periods of SMs.
    pub(crate) fn reading(
        kernel: &str,
        every: u64,
        periods: &[&[&[(Counter, u64)]]],
        cycles: u64,
    ) -> Reading {
        let counts = |list: &[(Counter, u64)]| {
            let mut c = Counts::default();
            list.iter().for_each(|&(counter, n)| c.set(counter, n));
            c
        };
        let period = |(i, sms): (u64, &&[&[(Counter, u64)]])| Period {
            to: (every * (i + 1)).min(cycles),
            sms: sms.iter().map(|list| counts(list)).collect(),
        };
        Reading {
            launch: 0,
            kernel: kernel.into(),
            grid: [4, 1, 1],
            block: [32, 1, 1],
            lanes: 32,
            schedulers: 0,
            ended: true,
            cut: false,
            start: 0,
            cycles,
            periods: (0..).zip(periods).map(period).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use upset_machine::pmu::Counter::Fma;

    use super::testing::reading;
    use super::*;

    #[test]
    fn launches_are_counted_by_kernel() {
        let r = |kernel, start| Reading { start, ..reading(kernel, 10, &[&[&[(Fma, 1)]]], 4) };
        let run = [r("a", 0), r("b", 5), r("a", 12)];
        let found: Vec<(String, u64, u64)> =
            launches(&run).into_iter().map(|p| (p.key.kernel, p.key.nth, p.start)).collect();
        let expected = [("a", 0, 0), ("b", 0, 5), ("a", 1, 12)];
        assert_eq!(found, expected.map(|(k, n, s)| (k.to_string(), n, s)));
    }

    #[test]
    fn the_last_period_is_whole_only_if_it_is() {
        let periods: &[&[&[(_, u64)]]] =
            &[&[&[(Fma, 1)], &[(Fma, 2)]], &[&[(Fma, 4)], &[]], &[&[(Fma, 8)], &[]]];
        let of = |cycles, every| {
            let run = [reading("a", 10, periods, cycles)];
            let wholes = launches(&run)[0].whole_periods(every);
            wholes.iter().map(|c| c.get(Fma)).collect::<Vec<_>>()
        };
        assert_eq!(of(25, 10), [3, 4]);
        assert_eq!(of(30, 10), [3, 4, 8]);
        assert_eq!(of(30, 7), [] as [u64; 0]);
        // Without time, all readings are in cycle 0.
        assert_eq!(of(0, 0), [] as [u64; 0]);
        let run = [reading("a", 10, periods, 25)];
        let launched = &launches(&run)[0];
        let sums: Vec<(u64, u64)> =
            launched.so_far.iter().map(|(to, c)| (*to, c.get(Fma))).collect();
        assert_eq!(sums, [(10, 3), (20, 7), (25, 15)]);
        assert_eq!(launched.total().get(Fma), 15);
    }
}
