//! What became of the campaigns' faults, and who noticed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upset_metrics::cover::{Set, smallest};

use super::csv::Row;
use crate::Outcome;

/// Share of what all counters notice that the smallest set keeps.
const SHARE: f64 = 0.98;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// These.
    pub k: u64,
    /// Of these.
    pub n: u64,
}

impl Share {
    fn add(&mut self, is: bool) {
        self.k += u64::from(is);
        self.n += 1;
    }
}

/// Faults of one sort: of an application, of a structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Noticed of those that change the output.
    pub sdc: Share,
    /// Noticed of those that hang.
    pub hang: Share,
    /// Noticed of both, by the paper's two counters.
    pub paper: Share,
    /// Noticed of those that trap, which the driver tells of anyway.
    pub crash: Share,
    /// Noticed of those that change neither the output nor its end.
    pub harmless: Share,
    /// Failures noticed before the host could copy results.
    pub before_output: Share,
    /// Cycles from the beginning to the first alarm, of noticed failures.
    pub latency: Vec<u64>,
    /// Failures that each counter alone notices.
    pub counters: BTreeMap<String, u64>,
}

impl Tally {
    /// Noticed of those that change the output or hang.
    pub fn failures(&self) -> Share {
        Share { k: self.sdc.k + self.hang.k, n: self.sdc.n + self.hang.n }
    }

    fn add(&mut self, fault: &Fault) {
        let failed = match fault.class.as_str() {
            "sdc" => Some(&mut self.sdc),
            "timeout" => Some(&mut self.hang),
            _ => None,
        };
        let Some(failed) = failed else {
            let other = if fault.class == "crash" { &mut self.crash } else { &mut self.harmless };
            return other.add(fault.noticed);
        };
        failed.add(fault.noticed);
        self.paper.add(fault.paper);
        if fault.noticed {
            self.before_output.add(fault.before_output);
            self.latency.push(fault.cycle);
        }
        for way in fault.ways.iter().filter(|way| way.len() == 1) {
            *self.counters.entry(way[0].clone()).or_default() += 1;
        }
    }
}

/// One experiment.
pub struct Fault {
    /// Application.
    pub app: String,
    /// Structure, and the spread where it is a column.
    pub structure: String,
    class: String,
    noticed: bool,
    paper: bool,
    before_output: bool,
    cycle: u64,
    ways: Vec<Vec<String>>,
}

impl Fault {
    /// Takes a line of an export apart.
    pub fn read(row: &Row) -> Outcome<Fault> {
        let field = |name: &str| row.get(name).ok_or_else(|| format!("no column {name}"));
        let column = field("spread")? == "column";
        let ways = field("noticed_ways")?.split(';').map(str::trim).filter(|w| !w.is_empty());
        Ok(Fault {
            app: field("app")?.clone(),
            structure: format!("{}{}", field("structure")?, if column { " column" } else { "" }),
            class: field("class")?.clone(),
            noticed: field("noticed")? == "true",
            paper: !field("noticed_paper")?.is_empty(),
            before_output: field("noticed_before_output")? == "true",
            cycle: field("noticed_cycle")?.parse().unwrap_or(0),
            ways: ways.map(|way| way.split_whitespace().map(String::from).collect()).collect(),
        })
    }

    fn failed(&self) -> bool {
        matches!(self.class.as_str(), "sdc" | "timeout")
    }
}

/// Faults put together by what a name says of them.
pub fn tallies(faults: &[Fault], by: impl Fn(&Fault) -> String) -> BTreeMap<String, Tally> {
    let mut all: BTreeMap<String, Tally> = BTreeMap::new();
    for fault in faults {
        all.entry(by(fault)).or_default().add(fault);
    }
    for tally in all.values_mut() {
        tally.latency.sort_unstable();
    }
    all
}

/// The fewest counters that notice nearly as many failures as all do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fewest {
    /// Their names.
    pub counters: Vec<String>,
    /// Failures that they notice, of those that all notice.
    pub noticed: Share,
    /// Proved to be the fewest.
    pub exact: bool,
}

/// The fewest counters for the failures among `faults`.
pub fn fewest(faults: &[Fault]) -> Fewest {
    let failed: Vec<&Fault> = faults.iter().filter(|f| f.failed()).collect();
    let mut names: Vec<&str> =
        failed.iter().flat_map(|f| f.ways.iter().flatten()).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let bit = |name: &String| names.binary_search(&name.as_str()).map_or(0, |i| 1 << (i % 64));
    let set = |way: &Vec<String>| way.iter().map(bit).fold(0, |all: Set, one: Set| all | one);
    let sets: Vec<Vec<Set>> = failed.iter().map(|f| f.ways.iter().map(set).collect()).collect();
    let cover = smallest(&sets, SHARE);
    Fewest {
        counters: cover.counters.iter().map(|&i| names[i].to_string()).collect(),
        noticed: Share { k: cover.noticed, n: cover.all },
        exact: cover.exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(structure: &str, class: &str, ways: &str, paper: &str) -> Fault {
        let noticed = if ways.is_empty() { "false" } else { "true" };
        let fields = [
            ("app", "a"),
            ("structure", structure),
            ("spread", "entry"),
            ("class", class),
            ("noticed", noticed),
            ("noticed_paper", paper),
            ("noticed_before_output", noticed),
            ("noticed_cycle", "7"),
            ("noticed_ways", ways),
        ];
        Fault::read(&fields.map(|(k, v)| (k.to_string(), v.to_string())).into()).unwrap()
    }

    #[test]
    fn every_fault_is_in_one_place() {
        let faults = [
            fault("div", "sdc", "x; y", "INACT"),
            fault("div", "timeout", "", ""),
            fault("div", "crash", "", ""),
            fault("mask", "masked", "x", ""),
            fault("mask", "sdc", "z y", ""),
        ];
        let by = tallies(&faults, |f| f.structure.clone());
        let div = &by["div"];
        assert_eq!((div.sdc, div.hang), (Share { k: 1, n: 1 }, Share { k: 0, n: 1 }));
        assert_eq!((div.failures(), div.paper), (Share { k: 1, n: 2 }, Share { k: 1, n: 2 }));
        assert_eq!((div.crash, div.latency.as_slice()), (Share { k: 0, n: 1 }, &[7][..]));
        assert_eq!(div.counters, BTreeMap::from([("x".into(), 1), ("y".into(), 1)]));
        assert_eq!(by["mask"].harmless, Share { k: 1, n: 1 });
        // Both counters of a way are needed.
        assert_eq!(by["mask"].counters, BTreeMap::new());
        let few = fewest(&faults);
        assert_eq!(
            (few.counters, few.noticed),
            (vec!["y".into(), "z".into()], Share { k: 2, n: 2 })
        );
    }
}
