//! The method of Guerrero-Balaguera, Rodriguez Condia and Sonza Reorda (ICECS
//! 2021), to compare with: two ratios, each of whose samples must lie between
//! the least and the largest of all samples of five inputs.
//!
//! INACT is the share of lanes without an active thread among those of all
//! issued warps. STACK, on machines with a stack, is its pushes and pops by
//! divergences; today's convergence barriers are opened, arrived at, released
//! and broken instead. A sample without divergences has no such ratio; the
//! published tables have values there, so that the divisor is taken as 1, and
//! such samples are counted.

use serde::{Deserialize, Serialize};
use upset_machine::pmu::{Counter, Counts};

use crate::alarm::{Alarm, Layer, in_order};
use crate::run::Launched;

/// Inputs of the published method.
pub const INPUTS: usize = 5;
/// Samples of a launch.
pub const SAMPLES: u64 = 10;

/// The two ratios.
const RATIOS: [Ratio; 2] = [
    Ratio { name: "INACT", counters: &[Counter::Inactive, Counter::WarpInsts], of: inact },
    Ratio {
        name: "STACK",
        counters: &[
            Counter::ConvOpened,
            Counter::ConvArrived,
            Counter::ConvReleased,
            Counter::ConvBroken,
            Counter::Diverged,
        ],
        of: stack,
    },
];

struct Ratio {
    name: &'static str,
    counters: &'static [Counter],
    /// Its value, and whether the divisor was 0.
    of: fn(&Counts) -> (f64, bool),
}

/// Inactive lanes by lanes of issued instructions.
pub fn inact(counts: &Counts) -> (f64, bool) {
    let lanes = 32 * counts.get(Counter::WarpInsts);
    (counts.get(Counter::Inactive) as f64 / lanes.max(1) as f64, lanes == 0)
}

/// Uses of convergence barriers by divergences.
pub fn stack(counts: &Counts) -> (f64, bool) {
    let uses =
        [Counter::ConvOpened, Counter::ConvArrived, Counter::ConvReleased, Counter::ConvBroken];
    let uses: u64 = uses.iter().map(|&c| counts.get(c)).sum();
    let divergences = counts.get(Counter::Diverged);
    (uses as f64 / divergences.max(1) as f64, divergences == 0)
}

/// What was learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paper {
    /// Inputs.
    pub inputs: u64,
    /// Samples of all of them.
    pub samples: u64,
    /// INACT and STACK.
    pub ranges: Vec<Range>,
}

/// The range of a ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// INACT or STACK.
    pub name: String,
    /// Least sample.
    pub low: f64,
    /// Largest sample.
    pub high: f64,
    /// Samples whose divisor was 0 and taken as 1.
    pub without_divisor: u64,
}

/// Samples of a launch, differences to the sample before: number, cycle, counts.
fn samples(launched: &Launched) -> impl Iterator<Item = (u64, u64, Counts)> {
    let mut before = Counts::default();
    (0..)
        .zip(&launched.so_far)
        .map(move |(i, (to, now))| (i, *to, now.since(&std::mem::replace(&mut before, *now))))
}

impl Default for Paper {
    fn default() -> Paper {
        let nothing =
            |r: &Ratio| Range { name: r.name.into(), low: 0.0, high: 0.0, without_divisor: 0 };
        Paper { inputs: 0, samples: 0, ranges: RATIOS.iter().map(nothing).collect() }
    }
}

impl Paper {
    /// Learns from a run.
    pub fn add(&mut self, run: &[Launched]) {
        self.inputs += 1;
        for (_, _, counts) in run.iter().flat_map(samples) {
            let first = self.samples == 0;
            self.samples += 1;
            for (ratio, range) in RATIOS.iter().zip(&mut self.ranges) {
                let (value, without) = (ratio.of)(&counts);
                range.low = if first { value } else { range.low.min(value) };
                range.high = if first { value } else { range.high.max(value) };
                range.without_divisor += u64::from(without);
            }
        }
    }

    /// Samples that lie outside, in order of time.
    pub fn judge(&self, run: &[Launched]) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        for launched in run {
            for (period, to, counts) in samples(launched) {
                for (ratio, range) in RATIOS.iter().zip(&self.ranges) {
                    let (value, _) = (ratio.of)(&counts);
                    if value < range.low || value > range.high {
                        alarms.push(Alarm {
                            layer: Layer::Paper,
                            what: ratio.name.into(),
                            counters: ratio.counters.iter().map(|c| c.name().into()).collect(),
                            launch: launched.launch,
                            kernel: launched.key.kernel.clone(),
                            period: Some(period),
                            sm: None,
                            value,
                            allowed: (range.low, range.high),
                            cycle: launched.start + to,
                            before_output: true,
                        });
                    }
                }
            }
        }
        in_order(&mut alarms);
        alarms
    }
}

#[cfg(test)]
mod tests {
    use upset_machine::pmu::Counter::{
        ConvArrived, ConvBroken, ConvOpened, ConvReleased, Diverged, Inactive, WarpInsts,
    };

    use super::*;
    use crate::run::launches;
    use crate::run::testing::reading;

    fn run(samples: &[&[(Counter, u64)]]) -> Vec<Launched> {
        let periods: Vec<[&[(Counter, u64)]; 1]> = samples.iter().map(|&s| [s]).collect();
        let periods: Vec<&[&[(Counter, u64)]]> = periods.iter().map(|p| &p[..]).collect();
        launches(&[reading("k", 10, &periods, 10 * samples.len() as u64)])
    }

    fn learn(runs: &[Vec<Launched>]) -> Paper {
        let mut paper = Paper::default();
        runs.iter().for_each(|run| paper.add(run));
        paper
    }

    #[test]
    fn ratios_are_those_of_lanes_and_of_divergences() {
        let one = run(&[&[
            (WarpInsts, 100),
            (Inactive, 100),
            (ConvOpened, 3),
            (ConvArrived, 6),
            (ConvReleased, 3),
            (ConvBroken, 1),
            (Diverged, 4),
        ]]);
        let paper = learn(&[one]);
        let found: Vec<(f64, u64)> =
            paper.ranges.iter().map(|r| (r.low, r.without_divisor)).collect();
        // One lane of 32 in every instruction is the published +0.031.
        assert_eq!(found, [(1.0 / 32.0, 0), (13.0 / 4.0, 0)]);
        assert_eq!(paper.samples, 1);
    }

    #[test]
    fn a_sample_outside_the_range_of_all_samples_is_an_alarm() {
        let a: &[(Counter, u64)] = &[(WarpInsts, 10), (Inactive, 0)];
        let b: &[(Counter, u64)] = &[(WarpInsts, 10), (Inactive, 16), (ConvOpened, 2)];
        let paper = learn(&[run(&[a, b]), run(&[b])]);
        assert_eq!((paper.inputs, paper.samples), (2, 3));
        assert_eq!((paper.ranges[0].low, paper.ranges[0].high), (0.0, 0.05));
        // No divergence: two uses by one, and all three samples are counted.
        assert_eq!((paper.ranges[1].high, paper.ranges[1].without_divisor), (2.0, 3));
        assert!(paper.judge(&run(&[b, a, a])).is_empty());
        let c: &[(Counter, u64)] = &[(WarpInsts, 10), (Inactive, 17), (ConvOpened, 3)];
        let alarms = paper.judge(&run(&[a, c]));
        let told: Vec<(&str, Option<u64>, u64)> =
            alarms.iter().map(|a| (a.what.as_str(), a.period, a.cycle)).collect();
        assert_eq!(told, [("INACT", Some(1), 20), ("STACK", Some(1), 20)]);
        assert_eq!(alarms[0].counters, ["inactive_lanes", "warp_insts"]);
    }

    #[test]
    fn nothing_learned_is_a_range_of_nothing() {
        let paper = learn(&[]);
        assert_eq!(paper.ranges.iter().map(|r| r.high).collect::<Vec<_>>(), [0.0, 0.0]);
    }
}
