//! The experiments of one stratum, from one store or pooled from several.

use std::collections::BTreeMap;

use upset_metrics::until::Looks;
use upset_metrics::{Class, Counts, End, Method, Rate};
use upset_store::{Experiment, Header, Results, Stratum, Subject};

use crate::sample::Sample;

/// Experiments that differ in nothing but chance.
pub struct Cell<'a> {
    /// The application on its chip.
    pub subject: &'a Subject,
    /// What was done to it.
    pub stratum: &'a Stratum,
    /// Number of the specification; two with the same one asked for the same.
    pub asked: usize,
    /// Numbers of the stores.
    pub sources: Vec<usize>,
    /// One for each seed.
    samples: Vec<Sample<'a>>,
}

/// Some share of a cell's runs, however many of them there are yet.
pub struct Shares<'c, 'a> {
    /// The runs that tell something.
    pub valid: Vec<&'a Experiment>,
    /// Runs that are still to come.
    pub missing: u64,
    cell: &'c Cell<'a>,
    method: Method,
    confidence: f64,
}

impl Shares<'_, '_> {
    /// Share of runs that are so. `None` without a run, made or planned.
    pub fn of(&self, so: impl Fn(&Experiment) -> bool) -> Option<Rate> {
        self.perhaps(|e| Some(so(e)))
    }

    /// A rate where it cannot be told of each run (`None`): such runs are
    /// none of them so in the lower limit and all of them in the upper one, as are
    /// missing ones and failures of ours. The value is of the runs that tell.
    pub fn perhaps(&self, so: impl Fn(&Experiment) -> Option<bool>) -> Option<Rate> {
        let (mut fewest, mut most) = (End::default(), End::default());
        let (mut k, mut n) = (0, 0);
        for sample in &self.cell.samples {
            let span = sample.span();
            (fewest.n, most.n) = (fewest.n + span.most, most.n + span.least);
            most.k += sample.missing();
            for (number, e) in sample.counted() {
                let answer = if e.class == Class::ToolError { None } else { so(e) };
                k += u64::from(answer == Some(true));
                n += u64::from(answer.is_some());
                // A sample that stops early leaves out what comes after.
                fewest.k += u64::from(answer == Some(true) && number < span.least);
                most.k += u64::from(answer != Some(false));
            }
        }
        most.k = most.k.min(most.n);
        let known = End { k, n, stopped: false };
        self.between(known, (fewest, most))
    }

    /// Rate of failures, by the rule that ends the runs.
    pub fn failures(&self) -> Option<Rate> {
        let (mut fewest, mut most) = (End::default(), End::default());
        let mut stops = (true, true);
        let mut known = End::default();
        for sample in &self.cell.samples {
            let span = sample.span();
            let (mut failures, mut sure, mut tells) = (0, 0, 0);
            for (number, e) in sample.counted() {
                failures += u64::from(e.class.is_failure());
                sure += u64::from(e.class.is_failure() && number < span.least);
                tells += u64::from(e.class != Class::ToolError);
            }
            known.k += failures;
            known.n += tells;
            fewest.k += if sample.looks.is_some() { sure } else { failures };
            fewest.n += span.most;
            most.n += span.least;
            most.k += match span.stops.0 {
                true => sample.stop_at,
                false => (failures + span.most - tells).min(span.least),
            };
            stops = (stops.0 && span.stops.0, stops.1 && span.stops.1);
        }
        (most.stopped, fewest.stopped) = stops;
        known.stopped = fewest.stopped;
        self.between(known, (fewest, most))
    }

    fn between(&self, known: End, ends: (End, End)) -> Option<Rate> {
        if ends.0.n == 0 {
            return None;
        }
        let ended = self.missing == 0;
        Some(Rate::between(known, ended, ends, self.way(), self.confidence))
    }

    /// Intervals of what was looked at more than once are exact ones: of these it
    /// is known how often they hold.
    fn way(&self) -> Method {
        match self.cell.samples.iter().any(|s| s.looks.is_some()) {
            true => Method::ClopperPearson,
            false => self.method,
        }
    }

    /// How the interval of the failures is made.
    pub fn method(&self) -> &'static str {
        match (self.missing, self.cell.stopped()) {
            (0, true) => "inverse",
            (0, false) => self.way().name(),
            _ => "unfinished",
        }
    }
}

impl<'a> Cell<'a> {
    /// Shares of this cell's runs.
    pub fn shares(&self, method: Method, confidence: f64) -> Shares<'_, 'a> {
        let mut valid = self.experiments();
        valid.retain(|e| e.class != Class::ToolError);
        let missing = self.samples.iter().map(Sample::missing).sum();
        Shares { valid, missing, cell: self, method, confidence }
    }

    /// Everything that counts, by store and number.
    pub fn experiments(&self) -> Vec<&'a Experiment> {
        self.samples.iter().flat_map(|s| s.counted().map(|(_, e)| e)).collect()
    }

    /// A sample of the stratum's bits and cycles, for shares of any part of it. Where
    /// a failure ended the runs, that one is no draw of chance: without it k of n is
    /// (r-1)/(n-1), which is unbiased.
    pub fn drawn(&self) -> Vec<&'a Experiment> {
        self.samples.iter().flat_map(Sample::drawn).collect()
    }

    /// Whether the r-th failure ended it.
    pub fn stopped(&self) -> bool {
        !self.samples.is_empty()
            && self.samples.iter().all(|s| s.missing() == 0 && s.span().stops.1)
    }

    /// Whether nothing is left to run.
    pub fn complete(&self) -> bool {
        self.samples.iter().all(|s| s.missing() == 0)
    }

    /// Experiments that were planned.
    pub fn planned(&self) -> u64 {
        self.samples.iter().map(|s| s.planned).sum()
    }
}

/// Counts of some experiments.
pub fn count(experiments: &[&Experiment]) -> Counts {
    let mut counts = Counts::default();
    for e in experiments {
        counts.add(e.class);
    }
    counts
}

/// So many experiments are something.
fn are(n: u64) -> String {
    match n {
        1 => "1 experiment is".into(),
        n => format!("{n} experiments are"),
    }
}

/// Sorts the experiments of all stores into cells, and says what it did.
pub fn gather<'a>(stores: &'a [Results], notes: &mut Vec<String>) -> Vec<Cell<'a>> {
    let mut asked: Vec<String> = Vec::new();
    let mut cells: Vec<Cell<'a>> = Vec::new();
    let (mut twice, mut differ, mut orphans) = (0u64, 0u64, 0u64);
    for (source, store) in stores.iter().enumerate() {
        let spec = without_seed(&store.header.spec);
        let number = asked.iter().position(|s| *s == spec).unwrap_or_else(|| {
            asked.push(spec);
            asked.len() - 1
        });
        let mut by_stratum: BTreeMap<u32, Vec<&Experiment>> = BTreeMap::new();
        for e in &store.experiments {
            by_stratum.entry(e.stratum).or_default().push(e);
        }
        for stratum in &store.strata {
            let experiments = by_stratum.remove(&stratum.id).unwrap_or_default();
            let Some(subject) = store.subjects.iter().find(|s| s.id == stratum.subject) else {
                orphans += experiments.len() as u64;
                continue;
            };
            let cell = find(&mut cells, subject, stratum, number);
            if !cell.sources.contains(&source) {
                cell.sources.push(source);
            }
            let sample = sample(cell, &store.header, stratum);
            for e in experiments {
                match sample.by_number.insert(e.number, e) {
                    Some(old) if old.class != e.class || old.cycles != e.cycles => differ += 1,
                    Some(_) => twice += 1,
                    None => {}
                }
            }
        }
        orphans += by_stratum.values().map(|v| v.len() as u64).sum::<u64>();
    }
    if twice > 0 {
        notes.push(format!("{} in more than one store; each counts once.", are(twice)));
    }
    if differ > 0 {
        notes.push(format!(
            "{} in more than one store with different results. \
             That must not happen: run `upset verify` on the stores. The last store counts.",
            are(differ)
        ));
    }
    if orphans > 0 {
        notes.push(format!("{} of no stratum or subject; left out.", are(orphans)));
    }
    for cell in &cells {
        if cell.samples.len() > 1 {
            notes.push(format!(
                "{}: {} samples with different seeds are pooled.",
                label(cell),
                cell.samples.len()
            ));
        }
    }
    cells
}

fn find<'c, 'a>(
    cells: &'c mut Vec<Cell<'a>>,
    subject: &'a Subject,
    stratum: &'a Stratum,
    asked: usize,
) -> &'c mut Cell<'a> {
    let at = cells.iter().position(|c| {
        c.asked == asked && same_stratum(c.stratum, stratum) && same_subject(c.subject, subject)
    });
    let at = at.unwrap_or_else(|| {
        cells.push(Cell { subject, stratum, asked, sources: Vec::new(), samples: Vec::new() });
        cells.len() - 1
    });
    &mut cells[at]
}

fn sample<'c, 'a>(
    cell: &'c mut Cell<'a>,
    header: &Header,
    stratum: &Stratum,
) -> &'c mut Sample<'a> {
    let seed = header.seed;
    let at = cell.samples.iter().position(|s| s.seed == seed).unwrap_or_else(|| {
        cell.samples.push(Sample::new(seed));
        cell.samples.len() - 1
    });
    let sample = &mut cell.samples[at];
    let looks = stratum.stop_at_margin.and_then(|m| Looks::for_margin(m, header.confidence));
    // Of several, those that take more runs.
    sample.looks = [sample.looks.take(), looks].into_iter().flatten().max_by_key(Looks::most);
    sample.planned = sample.planned.max(stratum.planned);
    sample.stop_at = sample.stop_at.max(stratum.stop_at_failures);
    sample
}

/// The specification but for the seed: what was asked, not with which dice.
fn without_seed(spec: &str) -> String {
    let is_seed = |line: &&str| {
        line.trim_start()
            .strip_prefix("seed")
            .is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    spec.lines().filter(|l| !is_seed(l)).collect::<Vec<_>>().join("\n")
}

/// The same application, binaries, chip and fault-free run.
pub fn same_subject(a: &Subject, b: &Subject) -> bool {
    std::ptr::eq(a, b) || *a == Subject { id: a.id, ..b.clone() }
}

fn same_stratum(a: &Stratum, b: &Stratum) -> bool {
    *a == Stratum {
        id: a.id,
        subject: a.subject,
        planned: a.planned,
        stop_at_failures: a.stop_at_failures,
        stop_at_margin: a.stop_at_margin,
        ..b.clone()
    }
}

/// What a cell is called in notes.
pub fn label(cell: &Cell<'_>) -> String {
    let (s, t) = (cell.subject, cell.stratum);
    let kernel = t.kernel.as_deref().map_or("whole run".into(), crate::name::short_name);
    format!("{} on {}, {kernel}, {} ({} bit)", s.app, s.chip, t.structure, t.bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_no_question() {
        let a = without_seed("app = \"hs\"\nseed = 1\nruns = 3");
        assert_eq!(a, without_seed("app = \"hs\"\n  seed=2\nruns = 3"));
        assert_ne!(a, without_seed("app = \"hs\"\nseeds = 1\nruns = 3"));
    }
}
