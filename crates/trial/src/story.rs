//! What a run has to tell of the bits that were changed in it.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use upset_device::{Device, Hit, Instruction, Strikes};
use upset_fault::Names;
use upset_state::{By, Change, Registry, Site};

use crate::Follow;
use crate::follow::What;

/// Wrong bits that are listed.
pub const STILL_WRONG: usize = 1024;

/// What was hit, and what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// The first changes of bits, with what they belonged to.
    pub hits: Vec<Hit>,
    /// How many changes there were.
    pub hits_total: u64,
    /// Of all of them, those of bits that belonged to somebody.
    pub hits_allocated: u64,
    /// Of all of them, those that gave a bit another value.
    pub hits_effective: u64,
    /// What happened to the wrong bits, the first steps.
    pub steps: Vec<Told>,
    /// How many steps there were.
    pub steps_total: u64,
    /// Bits that were wrong at the end, the first [`STILL_WRONG`].
    pub still_wrong: Vec<String>,
    /// How many there were.
    pub still_wrong_total: u64,
}

/// A step in the life of a wrong bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// When.
    pub cycle: u64,
    /// The bit, or a copy of it.
    pub site: String,
    /// Bits of its row that it happened to.
    pub bits: u32,
    /// What happened to it.
    pub what: What,
    /// On whose behalf.
    pub by: By,
    /// The instruction, where one did it.
    pub instruction: Option<Instruction>,
}

impl Story {
    /// Puts numbers into words. The device must have been told to record hits;
    /// `registry` has the names.
    pub fn of(device: &mut Device, follow: &Follow, registry: &Registry) -> Story {
        let names = Names::new(registry);
        let name = |site: Site| {
            let layout = names.layout(site.array);
            layout.map_or_else(|| format!("{site:?}"), |l| l.name(site.bit))
        };
        let steps = follow.steps().iter().map(|s| Told {
            cycle: s.cycle,
            site: name(s.site),
            bits: s.bits,
            what: s.what,
            by: s.by,
            instruction: match s.by {
                By::Warp { pc, .. } => device.instruction_at(s.cycle, pc),
                _ => None,
            },
        });
        let steps: Vec<Told> = steps.collect();
        let hits = device.hits();
        let none = Strikes::default();
        let strikes = device.strikes().unwrap_or(&none);
        let right = held_where_they_were(&strikes.all);
        let is_wrong = |(site, resisted): &(Site, bool)| *resisted || !right.contains(site);
        let wrong: Vec<Site> = follow.still_wrong().filter(is_wrong).map(|(s, _)| s).collect();
        Story {
            steps,
            steps_total: follow.total(),
            still_wrong: wrong.iter().take(STILL_WRONG).map(|site| name(*site)).collect(),
            still_wrong_total: wrong.len() as u64,
            hits,
            hits_total: strikes.all.len() as u64,
            hits_allocated: strikes.allocated,
            hits_effective: strikes.all.iter().filter(|s| is_effective(s)).count() as u64,
        }
    }
}

/// Whether a change gave a bit another value.
fn is_effective((change, before): &(Change, Option<bool>)) -> bool {
    match change {
        Change::Flip(_) => before.is_some(),
        // A wire has no value until it is driven.
        Change::Hold(force) => {
            force.array.kind.about().wire || before.is_some_and(|before| before != force.value)
        }
        // What misbehaves does so at its next use.
        Change::LetGo(_) | Change::Begin(_) | Change::End(_) => false,
    }
}

/// Bits of which all that was done to them was to hold them at the value that
/// they had.
fn held_where_they_were(strikes: &[(Change, Option<bool>)]) -> HashSet<Site> {
    let mut right = HashMap::new();
    for (change, before) in strikes {
        let unchanged = match change {
            Change::Flip(_) => false,
            Change::Hold(force) => *before == Some(force.value),
            // Following tells whether a use of it was wrong.
            Change::Begin(_) => false,
            Change::LetGo(_) | Change::End(_) => true,
        };
        *right.entry(change.site()).or_insert(true) &= unchanged;
    }
    right.into_iter().filter(|(_, right)| *right).map(|(site, _)| site).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{ArrayId, Force, Kind};

    #[test]
    fn holding_a_bit_where_it_is_makes_nothing_wrong() {
        let (array, bit) = (ArrayId::data(Kind::Rf, 0), 1);
        let hold = |value, before| (Change::Hold(Force { array, bit, value }), Some(before));
        let go = (Change::LetGo(Force { array, bit, value: true }), Some(true));
        let flip = (Change::Flip(Site { array, bit }), Some(true));
        let right = |strikes: &[(Change, Option<bool>)]| {
            held_where_they_were(strikes).contains(&Site { array, bit })
        };
        assert!(right(&[hold(true, true), go]));
        assert!(!right(&[hold(true, true), hold(true, false)]));
        assert!(!right(&[flip]));
        assert!(!right(&[]));
        let effective = [flip, hold(true, true), hold(true, false), go].map(|s| is_effective(&s));
        assert_eq!(effective, [true, false, true, false]);
    }
}
