//! Few tests that find what all of them find.

use serde::Serialize;

/// A test of the set, in the order in which it is best run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// Number of the test.
    pub test: usize,
    /// Faults that it finds and those before it do not.
    pub adds: u64,
    /// Faults that all so far find.
    pub found: u64,
    /// Seconds that all so far take.
    pub seconds: f64,
}

/// Always takes the test that adds most faults per second, until all that any
/// test finds are found, then leaves out those that later ones made needless.
///
/// `found[t]` says of each fault whether test `t` finds it, `seconds[t]` how
/// long the test takes.
pub fn smallest(found: &[Vec<bool>], seconds: &[f64]) -> Vec<Step> {
    let faults = found.iter().map(Vec::len).max().unwrap_or(0);
    let finds = |test: usize, fault: usize| found[test].get(fault).copied().unwrap_or(false);
    let any = |tests: &[usize], fault: usize| tests.iter().any(|&t| finds(t, fault));
    let adds =
        |tests: &[usize], test| (0..faults).filter(|&f| finds(test, f) && !any(tests, f)).count();
    let mut taken: Vec<usize> = Vec::new();
    while let Some(best) = best(&taken, found.len(), |t| adds(&taken, t), seconds) {
        taken.push(best);
    }
    // The last ones first: what was taken early is cheap.
    for at in (0..taken.len()).rev() {
        let mut rest = taken.clone();
        let test = rest.remove(at);
        if adds(&rest, test) == 0 {
            taken = rest;
        }
    }
    let mut steps = Vec::new();
    let (mut sum, mut time) = (0, 0.0);
    for (i, &test) in taken.iter().enumerate() {
        let new = adds(&taken[..i], test) as u64;
        sum += new;
        time += seconds.get(test).copied().unwrap_or(0.0);
        steps.push(Step { test, adds: new, found: sum, seconds: time });
    }
    steps
}

/// The test that adds most per second; `None` when none adds any. Of equals the
/// first.
fn best(
    taken: &[usize],
    tests: usize,
    adds: impl Fn(usize) -> usize,
    seconds: &[f64],
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for test in (0..tests).filter(|t| !taken.contains(t)) {
        let new = adds(test);
        let rate = new as f64 / seconds.get(test).copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        if new > 0 && best.is_none_or(|(_, most)| rate > most) {
            best = Some((test, rate));
        }
    }
    best.map(|(test, _)| test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_best_per_second_comes_first() {
        let found = [
            vec![true, true, false, false],
            vec![true, true, true, false],
            vec![false, false, false, false],
        ];
        let steps = smallest(&found, &[1.0, 10.0, 0.1]);
        // The second finds all that the first finds, which is then left out.
        assert_eq!(steps, [Step { test: 1, adds: 3, found: 3, seconds: 10.0 }]);
        let apart = [vec![true, false], vec![false, true]];
        let steps = smallest(&apart, &[2.0, 1.0]);
        assert_eq!(steps.iter().map(|s| s.test).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(smallest(&[], &[]), []);
    }

    proptest! {
        /// The set finds what all tests find, and none of it can be left out.
        #[test]
        fn nothing_is_lost_and_nothing_is_needless(
            found in prop::collection::vec(prop::collection::vec(any::<bool>(), 12), 1..7),
            seconds in prop::collection::vec(0.1f64..9.0, 7),
        ) {
            let steps = smallest(&found, &seconds);
            let by = |tests: &[usize], f: usize| tests.iter().any(|&t| found[t][f]);
            let all: Vec<usize> = (0..found.len()).collect();
            let set: Vec<usize> = steps.iter().map(|s| s.test).collect();
            for f in 0..12 {
                prop_assert_eq!(by(&all, f), by(&set, f));
            }
            for i in 0..set.len() {
                let mut rest = set.clone();
                rest.remove(i);
                prop_assert!((0..12).any(|f| by(&set, f) && !by(&rest, f)));
            }
            let last = steps.last().map_or(0, |s| s.found);
            prop_assert_eq!(last, (0..12).filter(|&f| by(&all, f)).count() as u64);
            prop_assert!(steps.iter().all(|s| s.adds > 0));
        }
    }
}
