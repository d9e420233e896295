//! The experiments of one stratum and seed, and where they end.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use upset_metrics::Class;
use upset_metrics::until::Looks;
use upset_store::Experiment;

/// The experiments of one seed.
pub struct Sample<'a> {
    pub seed: u64,
    pub planned: u64,
    /// Failures that end it, or 0.
    pub stop_at: u64,
    /// Looks that end it when the rate is known within a margin.
    pub looks: Option<Looks>,
    pub by_number: BTreeMap<u64, &'a Experiment>,
    /// Found once, when all of them are there.
    span: OnceLock<Span>,
}

/// How many runs of a sample count in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// At least: with a number of failures to stop at, if every run without a
    /// result is one.
    pub least: u64,
    /// At most: if none is.
    pub most: u64,
    /// Whether the number of failures ends it, in each case.
    pub stops: (bool, bool),
}

impl<'a> Sample<'a> {
    /// Without experiments yet.
    pub fn new(seed: u64) -> Sample<'a> {
        let (by_number, span) = (BTreeMap::new(), OnceLock::new());
        Sample { seed, planned: 0, stop_at: 0, looks: None, by_number, span }
    }

    /// How many runs count. To be asked when all experiments are there.
    pub fn span(&self) -> Span {
        *self.span.get_or_init(|| self.found_span())
    }

    /// Runs that are not there and failures of ours are the ones without a result.
    fn found_span(&self) -> Span {
        let last = self.by_number.last_key_value().map_or(0, |(number, _)| number + 1);
        let end = self.planned.max(last);
        let mut span = Span { least: end, most: end, stops: (false, false) };
        if let Some(looks) = &self.looks {
            (span.least, span.most) = self.looked_at(looks);
            return span;
        }
        if self.stop_at == 0 {
            return span;
        }
        // Where the failures come to their number if those without a result are some:
        // `so_far` before run `from`, at most one in each of `more` runs.
        let reached = |so_far: u64, from: u64, more: u64| {
            let left = self.stop_at.saturating_sub(so_far);
            (left > 0 && left <= more).then_some(from + left)
        };
        let (mut failures, mut open, mut next, mut least) = (0, 0, 0, None);
        for (number, experiment) in &self.by_number {
            least = least.or_else(|| reached(failures + open, next, number - next));
            open += number - next;
            next = number + 1;
            let failed = u64::from(experiment.class.is_failure());
            let ours = u64::from(experiment.class == Class::ToolError);
            least = least.or_else(|| reached(failures + open, *number, failed + ours));
            failures += failed;
            open += ours;
            if failures == self.stop_at {
                (span.most, span.stops.1) = (next, true);
                break;
            }
        }
        if !span.stops.1 {
            least = least.or_else(|| reached(failures + open, next, end - next));
        }
        if let Some(least) = least {
            (span.least, span.stops.0) = (least, true);
        }
        span
    }

    /// The looks that may be the last one, and must be. A run that we failed at is
    /// no failure there, and keeps its place.
    fn looked_at(&self, looks: &Looks) -> (u64, u64) {
        let failures = self.by_number.iter().filter(|(_, e)| e.class.is_failure());
        let failed: Vec<u64> = failures.map(|(number, _)| *number).collect();
        let missing: Vec<u64> =
            (0..looks.most()).filter(|number| !self.by_number.contains_key(number)).collect();
        looks.span(&failed, &missing)
    }

    /// The experiments that count.
    pub fn counted(&self) -> impl Iterator<Item = (u64, &'a Experiment)> {
        self.by_number.range(..self.span().most).map(|(number, e)| (*number, *e))
    }

    /// The experiments that count, but for the one whose failure ended them.
    pub fn drawn(&self) -> impl Iterator<Item = &'a Experiment> {
        let end = self.span();
        let last = end.most - u64::from(end.stops.1);
        self.by_number.range(..last).map(|(_, e)| *e)
    }

    /// Runs that are not there and may count.
    pub fn missing(&self) -> u64 {
        self.span().most - self.counted().count() as u64
    }
}
