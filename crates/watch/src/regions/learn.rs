//! Learns ranges, run by run.

use std::collections::{BTreeMap, BTreeSet};

use upset_machine::pmu::{Counter, Depends};

use super::types::{LaunchRegions, Regions};
use crate::constants::LaunchConstants;
use crate::region::Range;
use crate::run::{Key, Launched, Shape};

/// The least unit of counts.
const COUNT: f64 = 1.0;
/// The least unit of what depends on time, by its value: periods do not begin
/// and end with the code.
const OF_TIME: f64 = 0.005;

/// Learns ranges.
#[derive(Clone, Debug, Default)]
pub struct Learner {
    runs: u64,
    launches: BTreeMap<String, Range>,
    seen: BTreeMap<Key, Seen>,
    /// Cycles between readings, by launch of the run.
    every: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    runs: u64,
    shapes: BTreeSet<Shape>,
    every: u64,
    cycles: Range,
    totals: BTreeMap<Counter, Range>,
    periods: Vec<Periods>,
    between: BTreeMap<Counter, (u64, Range)>,
}

#[derive(Clone, Debug, Default)]
struct Periods {
    runs: u64,
    counters: BTreeMap<Counter, Range>,
}

impl Learner {
    /// A learner of runs that are read so often in each launch.
    pub fn new(every: Vec<u64>) -> Learner {
        Learner { every, ..Learner::default() }
    }

    /// Adds the run of the next input.
    pub fn add(&mut self, run: &[Launched]) {
        let number = self.runs;
        self.runs += 1;
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for (i, launched) in run.iter().enumerate() {
            *counts.entry(&launched.key.kernel).or_default() += 1;
            let every = self.every.get(i).copied().unwrap_or(0);
            let seen = self
                .seen
                .entry(launched.key.clone())
                .or_insert_with(|| Seen { every, ..Seen::default() });
            seen.add(number, launched);
        }
        for (kernel, n) in counts {
            let range = self.launches.entry(kernel.to_string()).or_insert_with(|| {
                // Inputs before this one did not launch it.
                let mut range = Range::default();
                (0..number.min(2)).for_each(|i| range.add(i, 0.0));
                range
            });
            range.add(number, n as f64);
        }
        for (kernel, range) in &mut self.launches {
            if !run.iter().any(|l| l.key.kernel == *kernel) {
                range.add(number, 0.0);
            }
        }
    }

    /// What was learned. Launches and periods that some inputs lack are left
    /// out, and what is checked as a constant is not checked twice.
    pub fn regions(self, constants: &[LaunchConstants]) -> Regions {
        let constants = crate::constants::by_key(constants);
        let mut regions = Regions::default();
        for (kernel, range) in self.launches {
            regions.launches.extend(range.region(COUNT).map(|r| (kernel, r)));
        }
        for (key, seen) in self.seen.into_iter().filter(|(_, s)| s.runs == self.runs) {
            let proved =
                |c: Counter| constants.get(&key).is_some_and(|l| l.values.contains_key(c.name()));
            let absent = |c: Counter| {
                constants.get(&key).is_some_and(|l| l.values.get(c.name()) == Some(&0))
            };
            let totals = seen
                .totals
                .iter()
                .filter(|(c, _)| !proved(**c))
                .filter_map(|(c, r)| Some((c.name().to_string(), r.region(least(*c, r))?)));
            let whole = seen.periods.iter().take_while(|p| p.runs == self.runs);
            let periods = whole.map(|p| {
                let counters = p.counters.iter().filter(|(c, _)| !absent(**c));
                let named = counters
                    .filter_map(|(c, r)| Some((c.name().to_string(), r.region(of_time(r))?)));
                named.collect()
            });
            let common = seen.between.iter().filter(|(_, (runs, _))| *runs == self.runs);
            let between =
                common.filter_map(|(c, (_, r))| Some((c.name().to_string(), r.region(COUNT)?)));
            regions.list.push(LaunchRegions {
                shapes: seen.shapes.iter().copied().collect(),
                every: seen.every,
                cycles: seen.cycles.region(of_time(&seen.cycles)).filter(|r| r.high > 0.0),
                totals: totals.collect(),
                periods: periods.collect(),
                between: between.collect(),
                key: key.clone(),
            });
        }
        regions
    }
}

impl Seen {
    fn add(&mut self, number: u64, launched: &Launched) {
        self.runs += 1;
        self.shapes.insert(launched.shape);
        self.cycles.add(number, launched.cycles as f64);
        for (counter, n) in launched.total().iter() {
            self.totals.entry(counter).or_default().add(number, n as f64);
        }
        for (i, counts) in launched.whole_periods(self.every).iter().enumerate() {
            if self.periods.len() == i {
                self.periods.push(Periods::default());
            }
            self.periods[i].runs += 1;
            for (counter, n) in counts.iter() {
                self.periods[i].counters.entry(counter).or_default().add(number, n as f64);
            }
        }
        for &(counter, distance, _) in &launched.farthest {
            let (runs, range) = self.between.entry(counter).or_default();
            *runs += 1;
            range.add(number, distance);
        }
    }
}

fn least(counter: Counter, range: &Range) -> f64 {
    match counter.about().depends {
        Depends::Launch | Depends::Work => COUNT,
        Depends::Time => of_time(range),
    }
}

fn of_time(range: &Range) -> f64 {
    range.region(COUNT).map_or(COUNT, |r| COUNT.max(OF_TIME * r.high))
}
