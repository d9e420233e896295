//! By which doors the wrong bits of a store's experiments left their arrays.
//!
//! One fault-free run per subject tells it for all experiments: nothing is run
//! with a fault again.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use upset_fault::{Experiment, Names};
use upset_metrics::Class;
use upset_state::kind;
use upset_store::{Experiment as Row, Results, Stratum};
use upset_trial::{Door, Doors, Passage, Sample, doors};

use crate::CampaignError;
use crate::golden::{Bench, Golden};
use crate::progress::Observer;
use crate::spec::Spec;
use crate::workload::Workload;

/// The doors of one experiment, in order of time. `None` where uses are not
/// told: tags, states, control, faults that stay.
pub type Ways = Option<Vec<Passage>>;

/// Which failures of caches count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Those of bits that a load took out, by whatever other doors they went.
    Loaded,
    /// Those of bits that nothing but loads took out.
    OnlyLoaded,
}

impl Rule {
    /// Whether an experiment in a cache may fail under the rule. What a wrong
    /// tag or state leads to is no wrong value that a load takes.
    pub fn admits(self, ways: &Ways) -> bool {
        let Some(ways) = ways else { return false };
        let is_load = |p: &Passage| p.door.is_load();
        match self {
            Rule::Loaded => ways.iter().any(is_load),
            Rule::OnlyLoaded => !ways.is_empty() && ways.iter().all(is_load),
        }
    }

    /// The same results, in which failures of caches that the rule does not
    /// admit are Masked. `ways` is what [`ways`] gave for them.
    pub fn apply(self, results: &Results, ways: &[Ways]) -> Results {
        let caches: BTreeSet<u32> =
            results.strata.iter().filter(|s| is_cache(s)).map(|s| s.id).collect();
        let mut results = results.clone();
        for (row, ways) in results.experiments.iter_mut().zip(ways) {
            if row.class.is_failure() && caches.contains(&row.stratum) && !self.admits(ways) {
                row.class = Class::Masked;
                row.cause = String::new();
                row.sdc = None;
            }
        }
        results
    }
}

/// Whether experiments of a stratum break nothing but caches.
pub fn is_cache(stratum: &Stratum) -> bool {
    let of_cache = |structure: &str| structure.split('.').next().is_some_and(kind::is_cache);
    stratum.structure.split('+').all(of_cache)
}

/// The first door of an experiment.
pub fn first(ways: &Ways) -> Option<Door> {
    ways.as_ref()?.first().map(|p| p.door)
}

/// The doors of every experiment of a store, in the order of the store.
pub fn ways(
    results: &Results,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<Ways>, CampaignError> {
    let spec = Spec::parse(&results.header.spec)?;
    spec.check()?;
    let mut all: Vec<Ways> = vec![None; results.experiments.len()];
    for subject in &results.subjects {
        let own: BTreeSet<u32> =
            results.strata.iter().filter(|s| s.subject == subject.id).map(|s| s.id).collect();
        let rows = results.experiments.iter().enumerate();
        let rows = rows.filter(|(_, row)| own.contains(&row.stratum));
        let rows: Vec<(usize, &Row)> = rows.collect();
        if rows.is_empty() {
            continue;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(CampaignError::Interrupted);
        }
        let id = subject.id as usize;
        let (app, chip) = (id / spec.chips.len(), id % spec.chips.len());
        let mut target = Workload::open(&spec, app, chip)?;
        observer.stage(&target.name(), "fault-free run");
        let golden = target.golden(&mut Vec::new(), stop)?;
        target.is_still(subject, &golden, spec.limit)?;
        let Workload::App(bench) = &target else {
            return Err(CampaignError::Spec(format!(
                "{} is a program of its own: doors are told for applications and folders with an \
                 app.toml; `upset inject` tells the story of one fault",
                target.name()
            )));
        };
        observer.stage(&bench.name(), "doors");
        let names = Names::new(&golden.registry);
        let experiments: Vec<Experiment> =
            rows.iter().map(|(_, row)| names.parse(&row.fault)).collect::<Result<_, _>>()?;
        let found = of_experiments(bench, &golden, &experiments)?;
        for ((place, _), ways) in rows.into_iter().zip(found) {
            all[place] = ways;
        }
    }
    Ok(all)
}

/// One watched fault-free run, for experiments of one subject.
fn of_experiments(
    bench: &Bench,
    golden: &Golden,
    experiments: &[Experiment],
) -> Result<Vec<Ways>, CampaignError> {
    let mut samples = Vec::new();
    // By experiment: its samples, where doors can be told.
    let mut own = Vec::new();
    for experiment in experiments {
        let start = samples.len();
        if experiment.is_transient() {
            let changes = experiment.changes();
            samples.extend(
                changes.iter().map(|(c, change)| Sample { site: change.site(), cycle: *c }),
            );
        }
        own.push(start..samples.len());
    }
    let (watch, seen) = doors::watch(Doors::new(&golden.registry, samples));
    let again = bench.golden(Some(watch))?;
    golden.is_again(&again, &bench.name())?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(own.into_iter().map(|range| together(&seen.passages()[range])).collect())
}

/// The doors of several bits: the first time by each.
fn together(bits: &[Ways]) -> Ways {
    if bits.is_empty() {
        return None;
    }
    let mut all: Vec<Passage> = Vec::new();
    for ways in bits {
        for passage in ways.as_ref()? {
            match all.iter_mut().find(|p| p.door == passage.door) {
                Some(known) if known.cycle <= passage.cycle => {}
                Some(known) => *known = *passage,
                None => all.push(*passage),
            }
        }
    }
    all.sort_by_key(|p| p.cycle);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::By;

    fn passage(door: Door, cycle: u64) -> Passage {
        Passage { door, cycle, by: By::Machine }
    }

    #[test]
    fn a_rule_looks_at_all_doors() {
        let load = passage(Door::Load, 5);
        let host = passage(Door::Host, 9);
        let ways = |list: &[Passage]| Some(list.to_vec());
        let admits = |w: &Ways| (Rule::Loaded.admits(w), Rule::OnlyLoaded.admits(w));
        assert_eq!(admits(&ways(&[load])), (true, true));
        assert_eq!(admits(&ways(&[host, load])), (true, false));
        assert_eq!(admits(&ways(&[host])), (false, false));
        assert_eq!(admits(&ways(&[])), (false, false));
        assert_eq!(admits(&None), (false, false));
    }

    #[test]
    fn several_bits_have_the_earliest_passage_by_each_door() {
        let first = Some(vec![passage(Door::Load, 7), passage(Door::Host, 8)]);
        let second = Some(vec![passage(Door::Load, 3)]);
        let both = together(&[first.clone(), second]).unwrap();
        assert_eq!(both, [passage(Door::Load, 3), passage(Door::Host, 8)]);
        // One bit whose uses are not told hides what the others did.
        assert_eq!(together(&[first, None]), None);
        assert_eq!(together(&[]), None);
    }

    #[test]
    fn caches_are_told_from_the_rest() {
        let stratum = |structure: &str| Stratum {
            id: 0,
            subject: 0,
            kernel: None,
            window: String::new(),
            structure: structure.into(),
            bits: 1,
            model: "flip".into(),
            spread: String::new(),
            sampling: "physical".into(),
            cycles: 1,
            structure_bits: 1,
            derating: 1.0,
            occupancy: None,
            planned: 1,
            stop_at_failures: 0,
            stop_at_margin: None,
        };
        let found = ["l2", "l1d.tag", "l1t", "rf", "smem", "rf+l2"].map(|s| is_cache(&stratum(s)));
        assert_eq!(found, [true, true, true, false, false, false]);
    }
}
