//! The smallest set of counters that still notices most of what all notice.
//!
//! A fault is noticed in several ways; a way needs all counters of it (a law
//! compares two, a learned region looks at one). A set of counters notices a
//! fault when it contains some way of it.

use std::collections::BTreeMap;

/// Counters up to which the answer is the smallest one; beyond, it is what
/// always taking the best next counter gives.
pub const EXACT: usize = 20;

/// A set of counters, bit i for counter i.
pub type Set = u64;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// Counters, ascending.
    pub counters: Vec<usize>,
    /// Faults that they notice.
    pub noticed: u64,
    /// Faults that all together notice.
    pub all: u64,
    /// No smaller set does.
    pub exact: bool,
}

/// The smallest set that notices at least a share of what all counters notice;
/// of several, the one that notices most, then the first in order. Each fault
/// is a list of ways.
pub fn smallest(faults: &[Vec<Set>], share: f64) -> Cover {
    // Faults that can be noticed in the same ways are one, with a weight.
    let mut weights: BTreeMap<Vec<Set>, u64> = BTreeMap::new();
    for ways in faults.iter().filter(|ways| !ways.is_empty()) {
        *weights.entry(minimal(ways)).or_default() += 1;
    }
    let groups: Vec<(Vec<Set>, u64)> = weights.into_iter().collect();
    let all: u64 = groups.iter().map(|(_, n)| n).sum();
    let wanted = (share * all as f64 - 1e-9).ceil().max(0.0) as u64;
    let used: Set = groups.iter().flat_map(|(ways, _)| ways).fold(0, |set, way| set | way);
    let counters: Vec<usize> = (0..64).filter(|i| used >> i & 1 == 1).collect();
    let found = match counters.len() <= EXACT {
        true => exact(&groups, &counters, wanted),
        false => greedy(&groups, &counters, wanted),
    };
    Cover {
        counters: (0..64).filter(|i| found >> i & 1 == 1).collect(),
        noticed: noticed(&groups, found),
        all,
        exact: counters.len() <= EXACT,
    }
}

/// Ways that contain no other.
fn minimal(ways: &[Set]) -> Vec<Set> {
    let inside = |a: Set, b: Set| a & b == a && a != b;
    let mut kept: Vec<Set> =
        ways.iter().copied().filter(|&w| !ways.iter().any(|&v| inside(v, w))).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

fn noticed(groups: &[(Vec<Set>, u64)], set: Set) -> u64 {
    let has = |ways: &[Set]| ways.iter().any(|&w| w & !set == 0);
    groups.iter().filter(|(ways, _)| has(ways)).map(|(_, n)| n).sum()
}

/// Branch and bound: counters are taken or left in order; a branch that could
/// not reach what is wanted with all counters that are left ends.
fn exact(groups: &[(Vec<Set>, u64)], counters: &[usize], wanted: u64) -> Set {
    let all = counters.iter().fold(0, |set, i| set | 1 << i);
    for size in 0..=counters.len() {
        let mut best: Option<(u64, Set)> = None;
        search(groups, counters, wanted, size, 0, &mut best);
        if let Some((_, set)) = best {
            return set;
        }
    }
    all
}

fn search(
    groups: &[(Vec<Set>, u64)],
    rest: &[usize],
    wanted: u64,
    size: usize,
    taken: Set,
    best: &mut Option<(u64, Set)>,
) {
    if size == 0 {
        let n = noticed(groups, taken);
        if n >= wanted && best.is_none_or(|(most, _)| n > most) {
            *best = Some((n, taken));
        }
        return;
    }
    let possible = rest.iter().fold(taken, |set, i| set | 1 << i);
    let bound = noticed(groups, possible);
    if rest.len() < size || bound < wanted || best.is_some_and(|(most, _)| bound <= most) {
        return;
    }
    search(groups, &rest[1..], wanted, size - 1, taken | 1 << rest[0], best);
    search(groups, &rest[1..], wanted, size, taken, best);
}

fn greedy(groups: &[(Vec<Set>, u64)], counters: &[usize], wanted: u64) -> Set {
    let mut taken: Set = 0;
    while noticed(groups, taken) < wanted {
        // Ways of two counters gain nothing by the first: whole ways are taken too.
        let singles = counters.iter().map(|i| 1 << i);
        let steps = singles.chain(groups.iter().flat_map(|(ways, _)| ways.iter().copied()));
        let now = noticed(groups, taken);
        let mut best: Option<(f64, Set)> = None;
        for step in steps.filter(|s| s & !taken != 0) {
            let gain = (noticed(groups, taken | step) - now) as f64;
            let value = gain / f64::from((step & !taken).count_ones());
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, step));
            }
        }
        match best {
            Some((_, step)) => taken |= step,
            None => break,
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_would_take_three_where_two_suffice() {
        // Counter 2 notices most, but 0 and 1 together notice all six.
        let faults: Vec<Vec<Set>> =
            [0b101, 0b101, 0b001, 0b110, 0b110, 0b010].iter().map(|&s| singles(s)).collect();
        let cover = smallest(&faults, 1.0);
        assert_eq!((cover.counters, cover.noticed, cover.exact), (vec![0, 1], 6, true));
    }

    fn singles(set: Set) -> Vec<Set> {
        (0..64).map(|i| 1 << i).filter(|w| w & set != 0).collect()
    }

    #[test]
    fn a_share_needs_fewer() {
        let mut faults = vec![singles(0b001); 98];
        faults.extend([singles(0b010), singles(0b100)]);
        assert_eq!(smallest(&faults, 0.98).counters, [0]);
        assert_eq!(smallest(&faults, 0.981).counters, [0, 1]);
        assert_eq!(smallest(&faults, 1.0).counters, [0, 1, 2]);
    }

    #[test]
    fn a_law_needs_both_of_its_counters() {
        let faults = vec![vec![0b0011], vec![0b0011, 0b0100], vec![0b1100, 0b0110]];
        let cover = smallest(&faults, 1.0);
        assert_eq!((cover.counters, cover.noticed), (vec![0, 1, 2], 3));
        // Not noticed by anything: not to be covered.
        assert_eq!(smallest(&[vec![], vec![]], 1.0).counters, [] as [usize; 0]);
    }

    /// Against all subsets of eight counters.
    #[test]
    fn the_smallest_is_the_smallest() {
        let mut state = 17u64;
        let mut word = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for round in 0..60 {
            let mut way = || 1 << (word() % 8) | 1 << (word() % 8);
            let faults: Vec<Vec<Set>> =
                (0..12).map(|i| (0..=i % 3).map(|_| way()).collect()).collect();
            let cover = smallest(&faults, 0.8);
            let count = |set: Set| {
                faults.iter().filter(|ways| ways.iter().any(|w| w & set == *w)).count() as u64
            };
            let enough = |set: &Set| count(*set) * 10 >= 12 * 8;
            let least = (0..256).filter(enough).map(|s: Set| s.count_ones()).min();
            assert_eq!(Some(cover.counters.len() as u32), least, "round {round}");
            let set = cover.counters.iter().fold(0, |s, i| s | 1 << i);
            assert!(enough(&set) && cover.noticed == count(set), "round {round}");
        }
    }

    #[test]
    fn many_counters_are_covered_greedily() {
        let faults: Vec<Vec<Set>> = (0..40).map(|i| vec![1 << i, 1 << (i / 8 + 48)]).collect();
        let cover = smallest(&faults, 1.0);
        assert_eq!((cover.counters, cover.exact), (vec![48, 49, 50, 51, 52], false));
    }
}
