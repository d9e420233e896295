//! Runs that hit some part of a structure, and the rates that follow.

use serde::Serialize;
use upset_metrics::{Class, End, Estimate, Method, Part, Rate, weighted_sum};
use upset_store::{Experiment, Hit};

use crate::cell::Cell;
use crate::scope::cycles_of;

/// What became of the runs that hit one part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slot {
    /// Which part.
    pub label: String,
    /// Runs that tell something.
    pub n: u64,
    /// Silent corruptions among them.
    pub sdc_runs: u64,
    /// Crashes and timeouts among them.
    pub due_runs: u64,
    /// Rate of silent corruptions of hits there.
    pub sdc: Estimate,
    /// Rate of crashes and timeouts of hits there.
    pub due: Estimate,
    /// Rate of both together.
    pub failures: Estimate,
    /// Its part of all failures of the structure; 0 where there are none.
    pub share: f64,
}

/// What happened to the runs of one stratum that hit one part.
#[derive(Clone, Copy, Default)]
struct Tally {
    sdc: u64,
    due: u64,
    /// All that tell something.
    n: u64,
    /// Failures of ours.
    lost: u64,
}

impl Tally {
    fn add(&mut self, class: Class) {
        match class {
            Class::Sdc => self.sdc += 1,
            Class::Crash | Class::Timeout => self.due += 1,
            Class::ToolError => self.lost += 1,
            Class::Masked | Class::Performance => {}
        }
        self.n += u64::from(class != Class::ToolError);
    }

    fn all(&self) -> u64 {
        self.n + self.lost
    }
}

/// The runs of a structure, stratum by stratum.
pub struct Drawn<'a> {
    strata: Vec<Sample<'a>>,
    method: Method,
    confidence: f64,
}

struct Sample<'a> {
    /// What its bits x cycles count for among those of all strata.
    weight: f64,
    runs: Vec<&'a Experiment>,
}

impl<'a> Drawn<'a> {
    /// Runs whose place is not known are left out: hits of old stores.
    pub fn new(cells: &[&Cell<'a>], method: Method, confidence: f64) -> Drawn<'a> {
        let strata = cells
            .iter()
            .map(|c| {
                let mut runs = c.drawn();
                runs.retain(|e| !e.hit.structure.is_empty());
                Sample { weight: cycles_of(c) as f64 * c.stratum.derating, runs }
            })
            .filter(|s| !s.runs.is_empty() && s.weight > 0.0);
        Drawn { strata: strata.collect(), method, confidence }
    }

    /// All hits.
    pub fn hits(&self) -> impl Iterator<Item = &'a Hit> {
        self.strata.iter().flat_map(|s| &s.runs).map(|e| &e.hit)
    }

    /// Runs that tell something.
    pub fn n(&self) -> u64 {
        let tells = |e: &&&Experiment| e.class != Class::ToolError;
        self.strata.iter().flat_map(|s| &s.runs).filter(tells).count() as u64
    }

    /// The runs sorted into `count` parts.
    ///
    /// A stratum's hits fall evenly on its bits and cycles, so a part's share of
    /// them is its share of these. Within a part, each stratum's rate counts for
    /// the stratum's weight times that share.
    pub fn slots(
        &self,
        count: usize,
        of: impl Fn(&Hit) -> Option<usize>,
        label: impl Fn(usize) -> String,
    ) -> Vec<Slot> {
        let mut tallies = vec![vec![Tally::default(); self.strata.len()]; count];
        for (k, stratum) in self.strata.iter().enumerate() {
            for e in &stratum.runs {
                if let Some(slot) = of(&e.hit).and_then(|i| tallies.get_mut(i)) {
                    slot[k].add(e.class);
                }
            }
        }
        let part_of_failures = |tallies: &[Tally]| -> f64 {
            let one = |(s, t): (&Sample<'_>, &Tally)| {
                s.weight * (t.sdc + t.due) as f64 / s.runs.len() as f64
            };
            self.strata.iter().zip(tallies).map(one).sum()
        };
        let whole: Vec<Tally> = self
            .strata
            .iter()
            .map(|s| {
                let mut all = Tally::default();
                s.runs.iter().for_each(|e| all.add(e.class));
                all
            })
            .collect();
        let whole = part_of_failures(&whole);
        let slot = |(i, tallies): (usize, &Vec<Tally>)| Slot {
            label: label(i),
            n: tallies.iter().map(|t| t.n).sum(),
            sdc_runs: tallies.iter().map(|t| t.sdc).sum(),
            due_runs: tallies.iter().map(|t| t.due).sum(),
            sdc: self.rate(tallies, |t| t.sdc),
            due: self.rate(tallies, |t| t.due),
            failures: self.rate(tallies, |t| t.sdc + t.due),
            share: if whole > 0.0 { part_of_failures(tallies) / whole } else { 0.0 },
        };
        tallies.iter().enumerate().map(slot).collect()
    }

    fn rate(&self, tallies: &[Tally], of: impl Fn(&Tally) -> u64) -> Estimate {
        let weights: Vec<f64> = self
            .strata
            .iter()
            .zip(tallies)
            .map(|(s, t)| s.weight * t.all() as f64 / s.runs.len() as f64)
            .collect();
        let all: f64 = weights.iter().sum();
        if all <= 0.0 {
            return Estimate { value: None, low: 0.0, high: 1.0 };
        }
        let end = |k: u64, n: u64| End { k, n, stopped: false };
        weighted_sum(tallies.iter().zip(weights).filter(|(t, _)| t.all() > 0).map(|(t, weight)| {
            let k = of(t);
            let ends = (end(k, t.all()), end(k + t.lost, t.all()));
            let rate = Rate::between(end(k, t.n), t.n > 0, ends, self.method, self.confidence);
            Part { weight: weight / all, rate }
        }))
    }
}
