//! The experiments of one stratum, from one store or pooled from several.

use std::collections::BTreeMap;

use upset_metrics::{Class, Counts, Method, Rate};
use upset_store::{Experiment, Results, Stratum, Subject};

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

/// The experiments of one seed.
struct Sample<'a> {
    seed: u64,
    planned: u64,
    stop_at: u64,
    by_number: BTreeMap<u64, &'a Experiment>,
}

impl<'a> Sample<'a> {
    /// The experiments that count, and whether the stopping rule ended them.
    fn counted(&self) -> (Vec<&'a Experiment>, bool) {
        if self.stop_at > 0 {
            let mut failures = 0;
            let gapless =
                self.by_number.iter().zip(0..).take_while(|((number, _), i)| **number == *i);
            for ((number, experiment), _) in gapless {
                failures += u64::from(experiment.class.is_failure());
                if failures == self.stop_at {
                    return (self.by_number.range(..=number).map(|(_, e)| *e).collect(), true);
                }
            }
        }
        (self.by_number.values().copied().collect(), false)
    }
}

impl Sample<'_> {
    /// Experiments that are missing among those that were begun.
    ///
    /// Proofs are quick and simulations are slow: what a campaign has found so
    /// far has too many masked runs, and the holes are not holes by chance. A
    /// shard has every n-th number, and no holes.
    fn missing(&self) -> u64 {
        let numbers: Vec<u64> = self.by_number.keys().copied().collect();
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return 0 };
        if self.counted().1 {
            return 0;
        }
        let step = numbers.windows(2).fold(0, |step, pair| divisor(step, pair[1] - pair[0]));
        let begun = (last - first) / step.max(1) + 1;
        let holes = begun - numbers.len() as u64;
        match (holes, self.stop_at) {
            (0, _) => 0,
            // The proofs of a fixed plan are all there: whatever is not is a hole.
            (_, 0) => self.planned.max(last + 1) - numbers.len() as u64,
            _ => holes,
        }
    }
}

/// Greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { divisor(b % a, a) }
}

/// Some share of a cell's runs, however many of them there are yet.
pub struct Shares<'c, 'a> {
    /// The runs that tell something.
    pub valid: Vec<&'a Experiment>,
    /// Runs that are still to come and not missing by chance.
    pub missing: u64,
    cell: &'c Cell<'a>,
    method: Method,
    confidence: f64,
}

impl Shares<'_, '_> {
    /// Share of runs that are so.
    pub fn of(&self, so: impl Fn(&Experiment) -> bool) -> Option<Rate> {
        let k = self.valid.iter().filter(|e| so(e)).count() as u64;
        let n = self.valid.len() as u64;
        if self.missing == 0 {
            return Rate::fixed(k, n, self.method, self.confidence);
        }
        // What was proved is all there; of the rest, what was simulated speaks
        // for what is missing. The limits trust nothing: missing runs are none
        // of them so in the lower one, all of them in the upper one.
        let all = n + self.missing;
        let (mut proved, mut proved_k) = (0, 0);
        let ran = |how: &str| how == "simulated" || how.starts_with("converged");
        for e in self.valid.iter().filter(|e| !ran(&e.how)) {
            proved += 1;
            proved_k += u64::from(so(e));
        }
        let (simulated, simulated_k) = (n - proved, k - proved_k);
        let rest = if simulated == 0 { 0.0 } else { simulated_k as f64 / simulated as f64 };
        let limits = |k| self.method.interval(k, all, self.confidence);
        Some(Rate {
            k,
            n,
            value: (proved_k as f64 + (all - proved) as f64 * rest) / all as f64,
            low: limits(k).low,
            high: limits(k + self.missing).high,
        })
    }

    /// Rate of failures, by the rule that ended the runs.
    pub fn failures(&self) -> Option<Rate> {
        let failures = self.valid.iter().filter(|e| e.class.is_failure()).count() as u64;
        if self.cell.stopped() {
            return Rate::sequential(failures, self.valid.len() as u64, self.confidence);
        }
        self.of(|e| e.class.is_failure())
    }

    /// How the interval of the failures is made.
    pub fn method(&self) -> &'static str {
        match (self.cell.stopped(), self.missing) {
            (true, _) => "inverse",
            (false, 0) => self.method.name(),
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
        self.samples.iter().flat_map(|s| s.counted().0).collect()
    }

    /// Whether the r-th failure ended it.
    pub fn stopped(&self) -> bool {
        !self.samples.is_empty() && self.samples.iter().all(|s| s.counted().1)
    }

    /// Whether nothing is left to run.
    pub fn complete(&self) -> bool {
        self.samples.iter().all(|s| {
            let (experiments, stopped) = s.counted();
            stopped || experiments.len() as u64 >= s.planned
        })
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
            let sample = sample(cell, store.header.seed, stratum);
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
        notes.push(format!("{twice} experiments are in more than one store; each counts once."));
    }
    if differ > 0 {
        notes.push(format!(
            "{differ} experiments are in more than one store with different results. \
             That must not happen: run `upset verify` on the stores. The last store counts."
        ));
    }
    if orphans > 0 {
        notes.push(format!("{orphans} experiments belong to no stratum or subject; left out."));
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

fn sample<'c, 'a>(cell: &'c mut Cell<'a>, seed: u64, stratum: &Stratum) -> &'c mut Sample<'a> {
    let at = cell.samples.iter().position(|s| s.seed == seed).unwrap_or_else(|| {
        cell.samples.push(Sample { seed, planned: 0, stop_at: 0, by_number: BTreeMap::new() });
        cell.samples.len() - 1
    });
    let sample = &mut cell.samples[at];
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
