//! What a set of wrong results has in common.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Place;

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
    /// One SM.
    Sm,
    /// Two SMs that share a TPC.
    Tpc,
    /// Addresses of one memory channel.
    Channel,
    /// One address or one word.
    Word,
    /// No part of the chip explains them.
    Scattered,
}

/// Wrong results of one place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// How many.
    pub errors: u64,
    /// Bits that were wrong in any of them.
    pub bits: u64,
}

impl Count {
    fn add(&mut self, errors: u64, bits: u64) {
        self.errors += errors;
        self.bits |= bits;
    }
}

/// Lanes and addresses with wrong results, all of them, kept or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// By SM, sub-core and lane.
    pub lanes: BTreeMap<(u32, u32, u32), Count>,
    /// By SM, where the lane is not known.
    pub sms: BTreeMap<u32, Count>,
    /// By address, where there is one and no lane; at most [`ADDRESSES`].
    pub addresses: BTreeMap<u64, Count>,
    /// The rest.
    pub elsewhere: Count,
}

/// Addresses that are told apart.
pub const ADDRESSES: usize = 4096;

impl Tally {
    /// One wrong result.
    pub fn add(&mut self, place: &Place, bits: u64) {
        match (place.sm, place.sub_core, place.lane, place.address) {
            (Some(sm), Some(sub), Some(lane), None) => {
                self.lanes.entry((sm, sub, lane)).or_default().add(1, bits);
            }
            (_, _, _, Some(address))
                if self.addresses.len() < ADDRESSES || self.addresses.contains_key(&address) =>
            {
                self.addresses.entry(address).or_default().add(1, bits);
            }
            (Some(sm), ..) => self.sms.entry(sm).or_default().add(1, bits),
            _ => self.elsewhere.add(1, bits),
        }
    }

    /// Joins another.
    pub fn join(&mut self, other: &Tally) {
        for (place, count) in &other.lanes {
            self.lanes.entry(*place).or_default().add(count.errors, count.bits);
        }
        for (sm, count) in &other.sms {
            self.sms.entry(*sm).or_default().add(count.errors, count.bits);
        }
        for (address, count) in &other.addresses {
            self.addresses.entry(*address).or_default().add(count.errors, count.bits);
        }
        self.elsewhere.add(other.elsewhere.errors, other.elsewhere.bits);
    }

    /// Wrong results in all.
    pub fn errors(&self) -> u64 {
        let sum =
            |counts: &mut dyn Iterator<Item = &Count>| -> u64 { counts.map(|c| c.errors).sum() };
        sum(&mut self.lanes.values())
            + sum(&mut self.sms.values())
            + sum(&mut self.addresses.values())
            + self.elsewhere.errors
    }
}

/// What the wrong results have in common, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Addresses concerned, at most eight.
    pub addresses: Vec<u64>,
    /// Bits that were wrong.
    pub bits: u64,
    /// Wrong results.
    pub errors: u64,
    /// In words.
    pub evidence: String,
}

/// Classifies wrong results; `None` when there are none.
pub fn classify(tally: &Tally) -> Option<Verdict> {
    let errors = tally.errors();
    if errors == 0 {
        return None;
    }
    let in_lanes: u64 = tally.lanes.values().map(|c| c.errors).sum();
    let in_addresses: u64 = tally.addresses.values().map(|c| c.errors).sum();
    let mut verdict = match (in_lanes, in_addresses) {
        (n, _) if n == errors => of_lanes(tally),
        (_, n) if n == errors => of_addresses(tally),
        _ => of_sms(tally),
    };
    verdict.errors = errors;
    verdict.bits = tally
        .lanes
        .values()
        .chain(tally.sms.values())
        .chain(tally.addresses.values())
        .fold(tally.elsewhere.bits, |all, c| all | c.bits);
    Some(verdict)
}

fn empty(class: Class) -> Verdict {
    Verdict {
        class,
        sms: Vec::new(),
        sub_cores: Vec::new(),
        lanes: Vec::new(),
        period: None,
        addresses: Vec::new(),
        bits: 0,
        errors: 0,
        evidence: String::new(),
    }
}

/// Whether SMs are the two of a TPC: 2k and 2k+1, as measured on an H200 and
/// printed for the chips before it.
fn one_tpc(sms: &[u32]) -> bool {
    matches!(sms, [a, b] if a / 2 == b / 2)
}

fn of_sms(tally: &Tally) -> Verdict {
    let mut sms: Vec<u32> =
        tally.lanes.keys().map(|k| k.0).chain(tally.sms.keys().copied()).collect();
    sms.sort_unstable();
    sms.dedup();
    let known = tally.elsewhere.errors == 0 && tally.addresses.is_empty();
    let class = match sms.len() {
        1 if known => Class::Sm,
        2 if known && one_tpc(&sms) => Class::Tpc,
        _ => Class::Scattered,
    };
    let evidence = match class {
        Class::Scattered => format!("{} SMs, {} places unknown", sms.len(), tally.elsewhere.errors),
        _ => format!("only SM {}", words(&sms)),
    };
    Verdict { sms, evidence, ..empty(class) }
}

fn of_lanes(tally: &Tally) -> Verdict {
    let sms: BTreeSet<u32> = tally.lanes.keys().map(|k| k.0).collect();
    if sms.len() > 1 {
        return of_sms(tally);
    }
    let sub_cores: BTreeSet<u32> = tally.lanes.keys().map(|k| k.1).collect();
    let lanes: BTreeSet<u32> = tally.lanes.keys().map(|k| k.2).collect();
    let (sms, sub_cores): (Vec<u32>, Vec<u32>) =
        (sms.into_iter().collect(), sub_cores.into_iter().collect());
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
    let mut evidence =
        format!("SM {}, sub-core {}, lane {}", words(&sms), words(&sub_cores), words(&lanes));
    if let Some(p) = period {
        evidence += &format!(": one physical lane of {p}");
    }
    if sub_cores.len() > 1 && class == Class::Lane {
        evidence += "; the same in several sub-cores: a unit that they share";
    }
    Verdict { sms, sub_cores, lanes, period, evidence, ..empty(class) }
}

/// The period of lanes that are all those equal modulo it: 16 for 5 and 21.
fn period(lanes: &[u32]) -> Option<u32> {
    let first = *lanes.first()?;
    [16, 8, 4, 2]
        .into_iter()
        .find(|p| lanes.iter().copied().eq((0..32).filter(|l| l % p == first % p)))
}

fn of_addresses(tally: &Tally) -> Verdict {
    let addresses: Vec<u64> = tally.addresses.keys().copied().collect();
    let first = addresses[0];
    let differ = addresses.iter().fold(0, |all, a| all | (a ^ first));
    let class = if addresses.len() == 1 || differ < 32 { Class::Word } else { Class::Scattered };
    let evidence = format!(
        "{} addresses from {first:#x} on; they differ in bits {differ:#x}",
        addresses.len()
    );
    Verdict { addresses: addresses.into_iter().take(8).collect(), evidence, ..empty(class) }
}

fn words(numbers: &[u32]) -> String {
    let all: Vec<String> = numbers.iter().map(|n| n.to_string()).collect();
    if all.len() == 32 { "0-31".to_string() } else { all.join(" ") }
}
