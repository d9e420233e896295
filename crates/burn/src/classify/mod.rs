//! What a set of wrong results has in common.

pub mod count;
pub mod spread;
pub mod tally;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use count::Count;
pub use tally::Tally;

use crate::topology::Tpcs;

/// The smallest part of the chip that explains all findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// One lane, or lanes of one physical lane, of one sub-core.
    Lane,
    /// One half of the lanes of one sub-core.
    HalfWarp,
    /// One sub-core.
    SubCore,
    /// One SM, its units or its own storage.
    Sm,
    /// SMs that share a TPC.
    Tpc,
    /// Addresses of one memory channel.
    Channel,
    /// One address or one word.
    Word,
    /// No part of the chip explains them.
    Scattered,
}

/// What the wrong results have in common, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The smallest part of the chip that explains them.
    pub class: Class,
    /// SMs concerned.
    pub sms: Vec<u32>,
    /// Sub-cores concerned, where one SM is.
    pub sub_cores: Vec<u32>,
    /// Logical lanes concerned, where one SM is.
    pub lanes: Vec<u32>,
    /// Lanes repeat with this period, where they do: one physical lane serves
    /// all of them.
    pub period: Option<u32>,
    /// The pipe of the unit, or the SM's array, where it can be told.
    pub pipe: Option<String>,
    /// Addresses concerned, at most eight.
    pub addresses: Vec<u64>,
    /// Bits that were wrong.
    pub bits: u64,
    /// Wrong results.
    pub errors: u64,
    /// How probable it is that unrelated errors look like this, at most, where
    /// the class rests on their pattern alone.
    pub luck: Option<f64>,
    /// In words.
    pub evidence: String,
}

impl Verdict {
    fn new(class: Class, evidence: String) -> Verdict {
        Verdict {
            class,
            sms: Vec::new(),
            sub_cores: Vec::new(),
            lanes: Vec::new(),
            period: None,
            pipe: None,
            addresses: Vec::new(),
            bits: 0,
            errors: 0,
            luck: None,
            evidence,
        }
    }
}

/// Addresses that a verdict names.
const NAMED: usize = 8;
/// Lines of an SM's array from which on a lane that reads all of them is more
/// probable than as many broken cells. A single broken cell of a cache shows at
/// one line for each walk, which are fewer.
const LINES: usize = 32;

/// Classifies wrong results; `None` when there are none.
pub fn classify(tally: &Tally, tpcs: &Tpcs) -> Option<Verdict> {
    let total = tally.total();
    if total.errors == 0 {
        return None;
    }
    let sms: Vec<u32> = tally.concerned().into_iter().collect();
    let memory = !tally.memory.is_empty();
    let mut verdict = match sms[..] {
        _ if tally.elsewhere.errors > 0 => scattered(tally, &sms),
        [] => of_memory(tally),
        [sm] => of_one_sm(tally, sm),
        _ if !memory => of_several(&sms, tpcs),
        _ => scattered(tally, &sms),
    };
    if memory && !matches!(sms[..], []) && verdict.class != Class::Scattered {
        let words = tally.memory.len();
        verdict.evidence +=
            &format!("; {words} wrong words of device memory, which it may have written");
    }
    (verdict.errors, verdict.bits) = (total.errors, total.bits);
    Some(verdict)
}

fn scattered(tally: &Tally, sms: &[u32]) -> Verdict {
    let words = tally.memory.len();
    let evidence = format!(
        "{} SMs, {words} addresses of device memory, {} places unknown",
        sms.len(),
        tally.elsewhere.errors
    );
    let sms = sms.to_vec();
    let addresses = tally.memory.lowest(NAMED);
    Verdict { sms, addresses, ..Verdict::new(Class::Scattered, evidence) }
}

fn of_several(sms: &[u32], tpcs: &Tpcs) -> Verdict {
    let shared = |group: &Vec<u32>| sms.iter().all(|sm| group.contains(sm));
    let (class, why) = match tpcs {
        Some(groups) if groups.iter().any(shared) => (Class::Tpc, "which share a TPC"),
        Some(_) => (Class::Scattered, "which share no TPC"),
        None => (Class::Scattered, "and which SMs share a TPC is not known"),
    };
    let evidence = format!("SMs {}, {why}", words(sms));
    Verdict { sms: sms.to_vec(), ..Verdict::new(class, evidence) }
}

fn of_one_sm(tally: &Tally, sm: u32) -> Verdict {
    let arrays: Vec<&str> = tally.storage.keys().map(|(_, array)| array.as_str()).collect();
    if arrays.is_empty() && tally.sms.is_empty() {
        let readers = tally.lanes.keys().map(|k| (k.1, k.2));
        return of_lanes(sm, readers.collect());
    }
    if tally.storage.is_empty() {
        return Verdict { sms: vec![sm], ..Verdict::new(Class::Sm, format!("only SM {sm}")) };
    }
    // A lane that reads wrongly does so wherever it reads.
    let lines: BTreeSet<(&str, u64)> = tally
        .storage
        .iter()
        .flat_map(|((_, array), cells)| cells.addresses.iter().map(|a| (array.as_str(), a / 128)))
        .collect();
    let known = tally.sms.is_empty()
        && tally.storage.values().all(|cells| cells.readers.keys().all(Option::is_some));
    let of_storage = tally.storage.values().flat_map(|c| c.readers.keys().flatten().copied());
    let readers = of_storage.chain(tally.lanes.keys().map(|k| (k.1, k.2)));
    let lane = of_lanes(sm, readers.collect());
    if known && lines.len() >= LINES && lane.class == Class::Lane && lane.sub_cores.len() == 1 {
        let evidence = format!("{}; {} lines of its storage", lane.evidence, lines.len());
        return Verdict { evidence, ..lane };
    }
    let addresses: BTreeSet<u64> =
        tally.storage.values().flat_map(|cells| cells.addresses.iter().copied()).collect();
    let mut evidence = match tally.lanes.is_empty() && tally.sms.is_empty() {
        true => format!("storage of SM {sm}: {}", arrays[..arrays.len().min(4)].join(", ")),
        false => format!("only SM {sm}, its storage among it: {}", arrays.join(", ")),
    };
    evidence += &match addresses.len() {
        1 => format!(", address {:#x}", addresses.iter().next().copied().unwrap_or(0)),
        n => format!(", {n} addresses in {} lines", lines.len()),
    };
    Verdict {
        sms: vec![sm],
        pipe: match arrays[..] {
            [array] => Some(array.to_string()),
            _ => None,
        },
        // Who read it, where that is known.
        sub_cores: lane.sub_cores,
        lanes: lane.lanes,
        addresses: addresses.into_iter().take(NAMED).collect(),
        ..Verdict::new(Class::Sm, evidence)
    }
}

fn of_lanes(sm: u32, places: BTreeSet<(u32, u32)>) -> Verdict {
    let sub_cores: BTreeSet<u32> = places.iter().map(|p| p.0).collect();
    let lanes: BTreeSet<u32> = places.iter().map(|p| p.1).collect();
    let sub_cores: Vec<u32> = sub_cores.into_iter().collect();
    let lanes: Vec<u32> = lanes.into_iter().collect();
    let period = period(&lanes);
    let halves = lanes.iter().all(|l| *l < 16) || lanes.iter().all(|l| *l >= 16);
    let class = match (sub_cores.len(), lanes.len(), period) {
        // A unit that all sub-cores share has lanes of its own.
        (_, 1, _) | (_, _, Some(_)) => Class::Lane,
        (1, 9..=16, None) if halves => Class::HalfWarp,
        (1, ..) => Class::SubCore,
        _ => Class::Sm,
    };
    let mut evidence = format!("SM {sm}, sub-core {}, lane {}", words(&sub_cores), words(&lanes));
    if let Some(p) = period {
        evidence += &format!(": one physical lane of {p}");
    }
    if sub_cores.len() > 1 && class == Class::Lane {
        evidence += "; the same in several sub-cores: a unit that they share";
    }
    Verdict { sms: vec![sm], sub_cores, lanes, period, ..Verdict::new(class, evidence) }
}

/// The period of lanes that are all those equal modulo it: 16 for 5 and 21.
fn period(lanes: &[u32]) -> Option<u32> {
    let first = *lanes.first()?;
    [16, 8, 4, 2]
        .into_iter()
        .find(|p| lanes.iter().copied().eq((0..32).filter(|l| l % p == first % p)))
}

fn of_memory(tally: &Tally) -> Verdict {
    let memory = &tally.memory;
    let addresses = memory.lowest(NAMED);
    let first = addresses.first().copied().unwrap_or(0);
    let mut evidence = format!(
        "{} addresses from {first:#x} on; they differ in bits {:#x}",
        memory.len(),
        memory.differ()
    );
    let rule = memory.one_channel();
    let class = match &rule {
        _ if memory.is_one_word() => Class::Word,
        Some(rule) => {
            evidence += &format!("; {}", rule.words);
            Class::Channel
        }
        None => Class::Scattered,
    };
    let luck = rule.filter(|_| class == Class::Channel).map(|rule| rule.luck);
    Verdict { addresses, luck, ..Verdict::new(class, evidence) }
}

fn words(numbers: &[u32]) -> String {
    let all: Vec<String> = numbers.iter().map(|n| n.to_string()).collect();
    if all.len() == 32 { "0-31".to_string() } else { all.join(" ") }
}

#[cfg(test)]
mod tests;
