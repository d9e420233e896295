//! Parts of a campaign: what each store is meant to hold, and which are not there.

use std::collections::{BTreeMap, BTreeSet};

use upset_store::Results;

/// Experiments that a store is meant to hold, as far as is known: kernels of an
/// application that was not begun are counted as one.
pub fn planned(results: &Results) -> u64 {
    let mut sum = 0;
    let subjects: BTreeSet<u32> = results
        .strata
        .iter()
        .map(|s| s.subject)
        .chain(results.intents.iter().map(|i| i.subject))
        .collect();
    for subject in subjects {
        let part = match &results.shard {
            None => None,
            Some(shard) => match shard.parts.iter().find(|p| p.subject == subject) {
                None => continue,
                part => part,
            },
        };
        let own = |index: usize, planned: u64, sequential: bool| match part {
            None => planned,
            Some(part) => {
                part.numbers(index, planned, sequential).iter().map(|r| r.end - r.start).sum()
            }
        };
        let strata: Vec<_> = results.strata.iter().filter(|s| s.subject == subject).collect();
        sum += match strata.is_empty() {
            false => strata
                .iter()
                .enumerate()
                .map(|(i, s)| own(i, s.planned, s.is_sequential()))
                .sum::<u64>(),
            true => {
                let intents = results.intents.iter().filter(|i| i.subject == subject);
                intents.enumerate().map(|(i, t)| own(i, t.planned, t.is_sequential())).sum()
            }
        };
    }
    sum
}

/// Shards that are not there, of every number of shards of which some are; none
/// where a store of the whole is.
pub fn missing<'a>(stores: impl Iterator<Item = &'a Results>) -> Vec<String> {
    let mut there: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for store in stores {
        match &store.shard {
            None => return Vec::new(),
            Some(shard) => there.entry(shard.count).or_default().insert(shard.number),
        };
    }
    let gaps = |(count, numbers): (u32, BTreeSet<u32>)| {
        let missing: Vec<u32> = (1..=count).filter(|n| !numbers.contains(n)).collect();
        missing.into_iter().map(move |n| format!("{n}/{count}"))
    };
    there.into_iter().flat_map(gaps).collect()
}
