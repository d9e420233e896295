//! Which part of a campaign a shard is.
//!
//! Subjects stay whole where that balances, since every piece of one repeats its
//! fault-free runs; what is larger than a fair share is cut. All of it follows
//! from the specification, so that shards agree without knowing each other.

use std::collections::BTreeMap;
use std::str::FromStr;

use upset_store::{Intent, Shard, ShardPart};

use crate::costs::{Cost, cost, kernels};
use crate::spec::Spec;

/// Most shards of a campaign.
const MOST: u32 = 100_000;

/// A shard as it is asked for: `3/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardOf {
    /// Which one, from 1.
    pub number: u32,
    /// Of how many.
    pub count: u32,
}

impl FromStr for ShardOf {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardOf, String> {
        let parsed = text.split_once('/').and_then(|(number, count)| {
            Some(ShardOf { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        match parsed {
            Some(s) if (1..=s.count).contains(&s.number) && s.count <= MOST => Ok(s),
            _ => Err(format!("a shard is 1/8 to 8/8, of at most {MOST}")),
        }
    }
}

/// A subject cut into pieces, and where each piece goes.
#[derive(Clone, Debug, PartialEq)]
struct Cut {
    subject: u32,
    pieces: u32,
    each: f64,
}

/// What a shard holds.
pub fn shard(spec: &Spec, intents: &[Intent], which: ShardOf) -> Shard {
    let mut parts = all(spec, intents, which.count);
    let own = parts.remove(&which.number).unwrap_or_default();
    Shard { number: which.number, count: which.count, parts: own.parts }
}

/// What a shard holds, and what that is expected to cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// By subject.
    pub parts: Vec<ShardPart>,
    /// In instructions that are simulated.
    pub cost: f64,
}

/// The loads of all shards by their numbers, from 1; those with nothing to do
/// are left out.
pub fn all(spec: &Spec, intents: &[Intent], count: u32) -> BTreeMap<u32, Load> {
    let mut cuts = cut(&costs(spec, intents), count, &limits(intents));
    // The largest first, each to whoever has least: among equals the first.
    cuts.sort_by(|a, b| b.each.total_cmp(&a.each).then(a.subject.cmp(&b.subject)));
    let mut loads: Vec<Load> = vec![Load::default(); count as usize];
    for cut in &cuts {
        for piece in 0..cut.pieces {
            let least = (0..loads.len()).min_by(|a, b| loads[*a].cost.total_cmp(&loads[*b].cost));
            let Some(load) = least.map(|i| &mut loads[i]) else { continue };
            load.cost += cut.each;
            match load.parts.iter_mut().find(|p| p.subject == cut.subject) {
                Some(part) => part.pieces.push(piece),
                None => load.parts.push(ShardPart {
                    subject: cut.subject,
                    pieces: vec![piece],
                    of: cut.pieces,
                }),
            }
        }
    }
    let used = loads.into_iter().zip(1..).filter(|(load, _)| !load.parts.is_empty());
    used.map(|(mut load, number)| {
        load.parts.sort_by_key(|p| p.subject);
        (number, load)
    })
    .collect()
}

/// Cost of each subject.
pub(crate) fn costs(spec: &Spec, intents: &[Intent]) -> BTreeMap<u32, Cost> {
    let mut experiments: BTreeMap<u32, (Option<&str>, u64)> = BTreeMap::new();
    for intent in intents {
        let app = spec.program.is_empty().then_some(intent.app.as_str());
        let runs = intent.planned * strata(spec, intent).unwrap_or(1);
        experiments.entry(intent.subject).or_insert((app, 0)).1 += runs;
    }
    experiments.into_iter().map(|(id, (app, runs))| (id, cost(spec, app, runs))).collect()
}

/// Strata that a row of the plan becomes, where that is known beforehand: one
/// for each kernel, or one.
pub(crate) fn strata(spec: &Spec, intent: &Intent) -> Option<u64> {
    match intent.kernel.as_str() {
        "each" if spec.program.is_empty() => kernels(&intent.app),
        "each" => None,
        _ => Some(1),
    }
}

/// Experiments of a shard's parts, as far as they are known beforehand.
pub(crate) fn experiments(spec: &Spec, intents: &[Intent], parts: &[ShardPart]) -> u64 {
    let of = |part: &ShardPart| {
        let own = intents.iter().filter(|i| i.subject == part.subject);
        let strata = own.flat_map(|i| (0..strata(spec, i).unwrap_or(1)).map(move |_| i));
        let runs = |(index, i): (usize, &Intent)| {
            let numbers = part.numbers(index, i.planned, i.is_sequential());
            numbers.into_iter().map(|r| r.end - r.start).sum::<u64>()
        };
        strata.enumerate().map(runs).sum::<u64>()
    };
    parts.iter().map(of).sum()
}

/// Most pieces that a subject can be cut into: no piece without an experiment.
fn limits(intents: &[Intent]) -> BTreeMap<u32, u64> {
    let mut limits: BTreeMap<u32, u64> = BTreeMap::new();
    for intent in intents {
        let most = limits.entry(intent.subject).or_insert(0);
        match intent.is_sequential() {
            false => *most = (*most).max(intent.planned),
            // Whole strata: there is at least one for each.
            true => *most += 1,
        }
    }
    limits
}

/// How much larger than a fair share a piece may be before it is cut, from best
/// balanced to cheapest.
const LARGER: [f64; 4] = [1.0, 1.15, 1.3, 1.5];
/// What cutting may add to the cost of everything, as long as there is a way.
const ADDED: f64 = 0.03;

/// Cuts what is larger than a fair share: as evenly as costs next to nothing, or
/// where shards are so many that every way costs, as evenly as can be.
fn cut(costs: &BTreeMap<u32, Cost>, count: u32, limits: &BTreeMap<u32, u64>) -> Vec<Cut> {
    let whole: f64 = costs.values().map(|c| c.of_piece(1)).sum();
    let fair = whole / f64::from(count.max(1));
    let ways = LARGER.map(|larger| pieces(costs, (fair * larger, count), limits));
    let cost = |cuts: &[Cut]| cuts.iter().map(|c| c.each * f64::from(c.pieces)).sum::<f64>();
    let [even, ..] = &ways;
    let cheap = ways.iter().find(|cuts| cost(cuts) <= whole * (1.0 + ADDED));
    cheap.unwrap_or(even).clone()
}

/// Subjects in pieces of at most that cost, as far as they can be cut.
fn pieces(
    costs: &BTreeMap<u32, Cost>,
    (largest, count): (f64, u32),
    limits: &BTreeMap<u32, u64>,
) -> Vec<Cut> {
    let pieces = |id: &u32, cost: &Cost| {
        let most = limits.get(id).copied().unwrap_or(1).clamp(1, count.into()) as u32;
        // A piece has its fixed part whatever its size.
        let room = (largest - cost.fixed).max(largest / 4.0);
        let wanted = (cost.shared / room).ceil().max(1.0);
        if cost.of_piece(1) <= largest { 1 } else { (wanted.min(f64::from(most)) as u32).max(1) }
    };
    let cut = |(id, cost): (&u32, &Cost)| {
        let pieces = pieces(id, cost);
        Cut { subject: *id, pieces, each: cost.of_piece(pieces) }
    };
    costs.iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intents::intents;

    fn papers() -> Spec {
        let apps = ["va", "sp", "hs", "km", "srad1", "srad2", "lud", "bfs", "pathf", "nw", "ge"];
        Spec {
            apps: apps.map(String::from).into(),
            chips: vec!["rtx2060".into(), "gv100".into()],
            scale: upset_apps::Scale::Paper,
            runs: Some(3000),
            structures: ["rf", "smem", "l1d", "l1t", "l2"].map(String::from).into(),
            ..Spec::default()
        }
    }

    /// Every piece of every subject is somewhere, once.
    fn whole(spec: &Spec, count: u32) -> BTreeMap<u32, Load> {
        let intents = intents(spec);
        let loads = all(spec, &intents, count);
        let mut pieces: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for part in loads.values().flat_map(|l| &l.parts) {
            pieces.entry((part.subject, part.of)).or_default().extend(&part.pieces);
        }
        let subjects = spec.apps.len().max(1) * spec.chips.len();
        assert_eq!(pieces.len(), subjects, "one way to cut each subject");
        for ((subject, of), mut found) in pieces {
            found.sort_unstable();
            assert_eq!(found, (0..of).collect::<Vec<_>>(), "subject {subject} of {count} shards");
        }
        loads
    }

    #[test]
    fn any_number_of_shards_is_everything_once() {
        for count in (1..=70).chain([500, 10_000]) {
            whole(&papers(), count);
            whole(&Spec { runs: Some(3), ..papers() }, count);
            whole(&Spec { runs: None, relative: Some(0.1), ..papers() }, count);
            whole(&Spec { apps: vec![], program: vec!["./app".into()], ..papers() }, count);
        }
    }

    #[test]
    fn shards_are_balanced_and_repeat_little() {
        for (chips, runs) in [(2, 3000), (2, 30), (1, 3000), (1, 300), (1, 30)] {
            let mut spec = Spec { runs: Some(runs), ..papers() };
            spec.chips.truncate(chips);
            let alone = all(&spec, &intents(&spec), 1)[&1].cost;
            let loads = whole(&spec, 8);
            let costs: Vec<f64> = loads.values().map(|l| l.cost).collect();
            let largest = costs.iter().copied().fold(0.0, f64::max);
            let sum: f64 = costs.iter().sum();
            assert!(sum / alone < 1.03, "{chips} chips, {runs} runs: {}", sum / alone);
            let uneven = largest * 8.0 / sum;
            assert!(uneven < 1.4, "{chips} chips, {runs} runs: {uneven}");
        }
    }

    #[test]
    fn shards_are_named_in_one_way() {
        assert_eq!("3/8".parse(), Ok(ShardOf { number: 3, count: 8 }));
        for wrong in ["0/8", "9/8", "8", "1/0", "-1/8", "1/8/2", "", "1/1000000"] {
            assert!(wrong.parse::<ShardOf>().is_err(), "{wrong}");
        }
    }
}
