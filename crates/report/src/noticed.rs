//! Would performance counters have noticed the faults?

use std::collections::BTreeMap;

use serde::Serialize;
use upset_metrics::cover::{Set, smallest};
use upset_metrics::{Class, Method, Noticed, Rate};
use upset_store::Experiment;

use crate::cell::Cell;

/// Share of what all counters notice that the smallest set keeps.
const KEPT: f64 = 0.98;
/// Counters that sets are made of: those that notice most, where there are more.
const COUNTERS: usize = 64;

/// What counters noticed in watched campaigns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Watched {
    /// One for each application, chip, structure and model, and one for all.
    pub rows: Vec<WatchedRow>,
    /// The fewest counters that keep most of it.
    pub smallest: Option<Smallest>,
}

/// Runs that differ in nothing but kernel and chance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedRow {
    /// Application; empty for all.
    pub app: String,
    /// Chip.
    pub chip: String,
    /// Structure.
    pub structure: String,
    /// Fault model.
    pub model: String,
    /// By class, those that have runs.
    pub classes: Vec<OfClass>,
    /// SDC, crash and timeout together.
    pub failures: Share,
    /// The same by the published method alone.
    pub failures_paper: Share,
    /// Median cycles from the first broken bit to the first alarm, of failures.
    pub latency: Option<u64>,
    /// Layers by how many failures they noticed first.
    pub first: BTreeMap<String, u64>,
}

/// Runs of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfClass {
    /// The class.
    pub class: Class,
    /// Runs with an alarm.
    pub noticed: Share,
    /// Runs with an alarm before the host could copy the launch's results.
    pub before_output: u64,
    /// Runs that the published method notices.
    pub paper: u64,
}

/// So many of so many, with limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// So many.
    pub k: u64,
    /// Of so many.
    pub n: u64,
    /// Lower limit of the share.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

/// A set of counters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Smallest {
    /// Their names.
    pub counters: Vec<String>,
    /// Failures that they notice.
    pub noticed: u64,
    /// Failures that all counters notice.
    pub all: u64,
    /// No smaller set notices as many.
    pub exact: bool,
}

type Run<'a> = (&'a Experiment, &'a Noticed);

/// What counters noticed; none where nobody watched them.
pub fn watched(cells: &[Cell<'_>], method: Method, confidence: f64) -> Option<Watched> {
    let mut groups: BTreeMap<[String; 4], Vec<Run<'_>>> = BTreeMap::new();
    for cell in cells {
        let key = [
            cell.subject.app.clone(),
            cell.subject.chip.clone(),
            cell.stratum.structure.clone(),
            cell.stratum.model.clone(),
        ];
        let runs = cell.experiments().into_iter();
        let watched = runs.filter_map(|e| Some((e, e.noticed.as_ref()?)));
        let mut watched = watched.peekable();
        if watched.peek().is_some() {
            groups.entry(key).or_default().extend(watched);
        }
    }
    let all: Vec<Run<'_>> = groups.values().flatten().copied().collect();
    if all.is_empty() {
        return None;
    }
    let share = |k, n| share(k, n, method, confidence);
    let mut rows: Vec<WatchedRow> =
        groups.iter().map(|(key, runs)| row(key, runs, &share)).collect();
    if rows.len() > 1 {
        rows.push(row(&Default::default(), &all, &share));
    }
    Some(Watched { rows, smallest: fewest(&all) })
}

fn share(k: u64, n: u64, method: Method, confidence: f64) -> Share {
    let rate = Rate::fixed(k, n, method, confidence).unwrap_or_else(Rate::unknown);
    Share { k, n, low: rate.low, high: rate.high }
}

fn row(
    [app, chip, structure, model]: &[String; 4],
    runs: &[Run<'_>],
    share: &impl Fn(u64, u64) -> Share,
) -> WatchedRow {
    let count = |list: &[Run<'_>], so: &dyn Fn(&Noticed) -> bool| {
        list.iter().filter(|(_, noticed)| so(noticed)).count() as u64
    };
    let of_class = |class: Class| {
        let own: Vec<Run<'_>> = runs.iter().copied().filter(|(e, _)| e.class == class).collect();
        let early = |n: &Noticed| n.first.as_ref().is_some_and(|f| f.before_output);
        (!own.is_empty()).then(|| OfClass {
            class,
            noticed: share(count(&own, &Noticed::is_alarm), own.len() as u64),
            before_output: count(&own, &early),
            paper: count(&own, &|n| !n.paper.is_empty()),
        })
    };
    let failed: Vec<Run<'_>> = runs.iter().copied().filter(|(e, _)| e.class.is_failure()).collect();
    let first = || failed.iter().filter_map(|(e, n)| Some((e, n.first.as_ref()?)));
    let mut latencies: Vec<u64> =
        first().map(|(e, f)| f.cycle.saturating_sub(e.hit.cycle)).collect();
    latencies.sort_unstable();
    let mut layers: BTreeMap<String, u64> = BTreeMap::new();
    first().for_each(|(_, f)| *layers.entry(f.layer.clone()).or_default() += 1);
    WatchedRow {
        app: app.clone(),
        chip: chip.clone(),
        structure: structure.clone(),
        model: model.clone(),
        classes: Class::ALL.into_iter().filter_map(of_class).collect(),
        failures: share(count(&failed, &Noticed::is_alarm), failed.len() as u64),
        failures_paper: share(count(&failed, &|n| !n.paper.is_empty()), failed.len() as u64),
        latency: latencies.get(latencies.len() / 2).copied(),
        first: layers,
    }
}

/// The fewest counters that keep most of the failures that all notice.
fn fewest(runs: &[Run<'_>]) -> Option<Smallest> {
    let failed: Vec<&Noticed> = runs
        .iter()
        .filter(|(e, n)| e.class.is_failure() && n.is_alarm())
        .map(|(_, n)| *n)
        .collect();
    let mut uses: BTreeMap<&str, u64> = BTreeMap::new();
    for noticed in &failed {
        let named: std::collections::BTreeSet<&str> =
            noticed.ways.iter().flatten().map(String::as_str).collect();
        named.into_iter().for_each(|c| *uses.entry(c).or_default() += 1);
    }
    let mut names: Vec<(&str, u64)> = uses.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    names.truncate(COUNTERS);
    let bit = |counter: &String| names.iter().position(|(name, _)| name == counter);
    let set = |way: &Vec<String>| -> Option<Set> {
        way.iter().try_fold(0, |set, counter| Some(set | 1 << bit(counter)?))
    };
    let faults: Vec<Vec<Set>> =
        failed.iter().map(|n| n.ways.iter().filter_map(set).collect()).collect();
    let cover = smallest(&faults, KEPT);
    (cover.all > 0).then(|| Smallest {
        counters: cover.counters.iter().map(|&i| names[i].0.to_string()).collect(),
        noticed: cover.noticed,
        all: cover.all,
        exact: cover.exact,
    })
}
