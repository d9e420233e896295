//! Which groups of SMs give another output for the same program.
//!
//! The program runs on three sets of groups that share none. Outputs must be
//! equal; where one set differs from the two others, it is wrong by vote, and
//! halves of it are compared with as many good groups until single groups are
//! left. Sets are only ever compared with sets of the same size: a program may
//! divide its work by how much of the chip it has.

use std::collections::{BTreeMap, BTreeSet};

/// Sets that vote.
const VOTERS: u32 = 3;

/// A program that runs on some of the driver's groups of SMs.
pub trait Subject {
    /// Why a run cannot be had.
    type Trouble;
    /// Runs it on these groups. Equal numbers stand for equal outputs.
    fn run(&mut self, groups: &[u32]) -> Result<usize, Self::Trouble>;
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// There are too few groups for three sets.
    TooFew,
    /// Two runs on the same groups differ: the program's output hangs on more
    /// than its input, or the set fails now and then.
    NotDeterministic(Vec<u32>),
    /// The output is the same on all these sets, which hold every group.
    Same(Vec<Vec<u32>>),
    /// No two of these sets agree.
    NoMajority(Vec<Vec<u32>>),
    /// These parts give another output than as many good groups do. A part of
    /// several groups could not be narrowed further: its halves are good.
    Bad(Vec<Vec<u32>>),
}

/// Compares and narrows.
pub fn replay<S: Subject>(groups: u32, subject: &mut S) -> Result<Answer, S::Trouble> {
    let each = groups / VOTERS;
    if each == 0 {
        return Ok(Answer::TooFew);
    }
    let mut sets: Vec<Vec<u32>> =
        (0..VOTERS).map(|i| (i * each..(i + 1) * each).collect()).collect();
    let first = subject.run(&sets[0])?;
    if subject.run(&sets[0])? != first {
        return Ok(Answer::NotDeterministic(sets.remove(0)));
    }
    let mut outputs = vec![first];
    for set in &sets[1..] {
        outputs.push(subject.run(set)?);
    }
    let Some(right) = majority(&outputs) else { return Ok(Answer::NoMajority(sets)) };
    // What does not divide by three is looked at as well, with some that were.
    let mut asked = VOTERS * each;
    while asked < groups {
        asked = groups.min(asked + each);
        let rest: Vec<u32> = (asked - each..asked).collect();
        outputs.push(subject.run(&rest)?);
        sets.push(rest);
    }
    if outputs.iter().all(|o| *o == right) {
        return Ok(Answer::Same(sets));
    }
    let agree = |wanted: bool| {
        let pairs = sets.iter().zip(&outputs).filter(move |(_, o)| (**o == right) == wanted);
        pairs.map(|(set, _)| set.clone())
    };
    let mut pool: Vec<u32> = agree(true).flatten().collect();
    pool.sort_unstable();
    pool.dedup();
    let right = BTreeMap::from([(each as usize, right)]);
    let good = pool.iter().copied().collect();
    let mut search = Search { subject, pool, good, right, bad: Vec::new() };
    for set in agree(false).collect::<Vec<_>>() {
        // A set with the rest shares groups with the one before it: those that
        // were found good or bad there are known.
        let is_bad = |g: &u32| search.bad.iter().any(|part| part.contains(g));
        let explained = set.iter().any(is_bad);
        let known = |g: &u32| search.good.contains(g) || is_bad(g);
        let suspects: Vec<u32> = set.into_iter().filter(|g| !known(g)).collect();
        if suspects.is_empty() || (explained && search.is_good(&suspects)?) {
            continue;
        }
        search.narrow(suspects)?;
    }
    search.bad.sort();
    Ok(Answer::Bad(search.bad))
}

/// The output of two voters or more.
fn majority(outputs: &[usize]) -> Option<usize> {
    let votes = |o: usize| outputs.iter().filter(|other| **other == o).count();
    outputs.iter().copied().find(|o| votes(*o) >= 2)
}

struct Search<'s, S> {
    subject: &'s mut S,
    /// Groups that agreed with most: enough to compare any part with.
    pool: Vec<u32>,
    /// Those, and groups of parts that were found good.
    good: BTreeSet<u32>,
    /// What that many good groups give.
    right: BTreeMap<usize, usize>,
    bad: Vec<Vec<u32>>,
}

impl<S: Subject> Search<'_, S> {
    /// Whether groups give what as many good ones do.
    fn is_good(&mut self, groups: &[u32]) -> Result<bool, S::Trouble> {
        let size = groups.len();
        let right = match self.right.get(&size) {
            Some(right) => *right,
            None => {
                let right = self.subject.run(&self.pool[..size])?;
                self.right.insert(size, right);
                right
            }
        };
        Ok(self.subject.run(groups)? == right)
    }

    /// Finds the groups that make `part` wrong.
    fn narrow(&mut self, part: Vec<u32>) -> Result<(), S::Trouble> {
        if part.len() == 1 {
            self.bad.push(part);
            return Ok(());
        }
        let mut wrong = Vec::new();
        for half in part.chunks(part.len().div_ceil(2)) {
            match self.is_good(half)? {
                true => self.good.extend(half),
                false => wrong.push(half.to_vec()),
            }
        }
        if wrong.is_empty() {
            self.bad.push(part);
        }
        wrong.into_iter().try_for_each(|half| self.narrow(half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose output says which bad groups it met, and how many groups
    /// it had.
    struct Chip {
        bad: Vec<u32>,
        /// Bad groups do harm together alone.
        together: bool,
        runs: usize,
    }

    impl Subject for Chip {
        type Trouble = ();
        fn run(&mut self, groups: &[u32]) -> Result<usize, ()> {
            self.runs += 1;
            let met = self.bad.iter().filter(|b| groups.contains(b));
            let wrong = met.fold(0, |sum, b| sum + (1 << (b % 31)));
            let is_wrong = !self.together || self.bad.iter().all(|b| groups.contains(b));
            Ok(groups.len() << 32 | if is_wrong { wrong } else { 0 })
        }
    }

    fn chip(bad: &[u32]) -> Chip {
        Chip { bad: bad.to_vec(), together: false, runs: 0 }
    }

    #[test]
    fn a_good_chip_gives_the_same_and_every_group_was_asked() {
        for n in 3..32 {
            let Ok(Answer::Same(sets)) = replay(n, &mut chip(&[])) else { panic!("{n}") };
            let mut all: Vec<u32> = sets.concat();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
        assert_eq!(replay(2, &mut chip(&[])), Ok(Answer::TooFew));
    }

    #[test]
    fn one_bad_group_is_found_wherever_it_is() {
        for n in 3..32 {
            for bad in 0..n {
                let mut chip = chip(&[bad]);
                assert_eq!(replay(n, &mut chip), Ok(Answer::Bad(vec![vec![bad]])), "{n}");
                assert!(chip.runs <= 24, "{n} {bad}: {} runs", chip.runs);
            }
        }
        // An H200, as docs/replay.md says.
        let runs = |bad| {
            let mut chip = Chip { bad: vec![bad], together: false, runs: 0 };
            assert_eq!(replay(66, &mut chip), Ok(Answer::Bad(vec![vec![bad]])));
            chip.runs
        };
        assert_eq!((0..66).map(runs).max(), Some(20));
    }

    #[test]
    fn of_two_bad_groups_no_good_one_is_blamed() {
        for n in 3..24 {
            for a in 0..n {
                for b in a + 1..n {
                    match replay(n, &mut chip(&[a, b])) {
                        Ok(Answer::Bad(parts)) => assert_eq!(parts, [vec![a], vec![b]], "{n}"),
                        Ok(Answer::NoMajority(_)) => {}
                        other => panic!("{n} {a} {b}: {other:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn groups_that_fail_only_together_are_named_together() {
        let mut chip = Chip { bad: vec![8, 11], together: true, runs: 0 };
        let Ok(Answer::Bad(parts)) = replay(12, &mut chip) else { panic!("found") };
        assert!(parts.len() == 1 && parts[0].contains(&8) && parts[0].contains(&11), "{parts:?}");
    }

    #[test]
    fn a_program_of_chance_is_told() {
        struct Chance(usize);
        impl Subject for Chance {
            type Trouble = ();
            fn run(&mut self, _: &[u32]) -> Result<usize, ()> {
                self.0 += 1;
                Ok(self.0)
            }
        }
        assert_eq!(replay(6, &mut Chance(0)), Ok(Answer::NotDeterministic(vec![0, 1])));
    }
}
