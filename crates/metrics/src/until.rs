//! Stopping as soon as a rate is known within a margin.
//!
//! The results are looked at after numbers of runs that are fixed beforehand,
//! each a tenth more than the one before. The first look after which both limits
//! of Clopper and Pearson's interval are within the margin of the share is the
//! last. A rate near zero takes a small part of the runs that a half takes.
//!
//! Limits that are looked at more than once cover less than limits that are
//! looked at once; here they had room to lose, being exact: [`Looks::promise`]
//! is the probability, computed over all ways that runs can go, that the last
//! look's interval holds the true rate.

use libm::{exp, log, log1p};

use crate::coverage::ln_ways;
use crate::interval::{Interval, clopper_pearson};

/// How much later the next look is: a tenth.
const LATER: u64 = 10;
/// More runs than this are no plan.
const MOST: u64 = 1_000_000_000;

/// When to look, and what must be seen to stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    confidence: f64,
    looks: Vec<Look>,
}

/// One look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Runs until then.
    pub runs: u64,
    /// With so few failures, or so few runs that do not fail, the margin is
    /// reached; `None`: with none.
    pub few: Option<u64>,
}

/// What a rule promises where a rate is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// Probability that the last look's interval holds the rate.
    pub covered: f64,
    /// Runs that it takes on average.
    pub runs: f64,
    /// The share of failures that it ends with on average.
    pub share: f64,
}

impl Looks {
    /// Looks for a margin; `None` where that makes no sense or needs more than
    /// 10^9 runs.
    pub fn for_margin(margin: f64, confidence: f64) -> Option<Looks> {
        let sensible = |share: f64| share > 0.0 && share < 1.0;
        if !sensible(margin) || !sensible(confidence) {
            return None;
        }
        // Without a failure the upper limit is 1 - tail^(1/n).
        let tail = (1.0 - confidence) / 2.0;
        let first = (log(tail) / log1p(-margin)).ceil().max(1.0);
        let mut looks = Vec::new();
        let mut runs = first as u64;
        while runs < MOST {
            let few = few(runs, margin, confidence);
            looks.push(Look { runs, few });
            if few == Some(runs / 2) {
                return Some(Looks { confidence, looks });
            }
            runs += runs.div_ceil(LATER);
        }
        None
    }

    /// All of them, in order. The last one ends in any case.
    pub fn all(&self) -> &[Look] {
        &self.looks
    }

    /// Most runs that it can take.
    pub fn most(&self) -> u64 {
        self.looks.last().map_or(0, |look| look.runs)
    }

    /// Whether a look is the last, with so many failures until then.
    pub fn ends(&self, look: Look, failures: u64) -> bool {
        look.runs == self.most() || look.reached(failures)
    }

    /// The look after `done` runs that is expected to be the last if failures go
    /// on as they did: its runs. Before the first look that is the first.
    pub fn expected(&self, done: u64, failures: u64) -> u64 {
        let to_come = |look: &&Look| look.runs > done;
        let ends = |look: &&Look| match done {
            0 => true,
            _ => {
                let then = u128::from(failures) * u128::from(look.runs) / u128::from(done);
                self.ends(**look, then as u64)
            }
        };
        self.looks.iter().filter(to_come).find(ends).map_or(self.most(), |look| look.runs)
    }

    /// Runs that are known to count and runs that may count, when `failed` lists
    /// the numbers of runs that failed and `missing` of those that are to come:
    /// the looks after which it may have ended and must have ended.
    pub fn span(&self, failed: &[u64], missing: &[u64]) -> (u64, u64) {
        let before = |list: &[u64], runs: u64| list.partition_point(|n| *n < runs) as u64;
        let mut least = None;
        for &look in &self.looks {
            let fewest = before(failed, look.runs);
            let most = fewest + before(missing, look.runs);
            if self.ends(look, fewest) || self.ends(look, most) {
                least = least.or(Some(look.runs));
            }
            // In between the margin is wider, most of all at a half.
            let widest = (look.runs / 2).clamp(fewest, most);
            if [fewest, most, widest].into_iter().all(|failures| self.ends(look, failures)) {
                return (least.unwrap_or(look.runs), look.runs);
            }
        }
        (least.unwrap_or(self.most()), self.most())
    }

    /// The interval after the last look.
    pub fn interval(&self, failures: u64, runs: u64) -> Interval {
        clopper_pearson(failures, runs, self.confidence)
    }

    /// What can be said of it beforehand where the rate is `p`.
    pub fn promise(&self, p: f64) -> Promise {
        let mut promise = Promise { covered: 0.0, runs: 0.0, share: 0.0 };
        // Probability of each number of failures without having stopped.
        let mut open = vec![1.0];
        let mut before = 0;
        for &look in &self.looks {
            open = later(&open, look.runs - before, p);
            before = look.runs;
            for (failures, share) in open.iter_mut().enumerate().filter(|(_, s)| **s > 0.0) {
                if self.ends(look, failures as u64) {
                    promise.runs += *share * look.runs as f64;
                    promise.share += *share * failures as f64 / look.runs as f64;
                    if self.interval(failures as u64, look.runs).contains(p) {
                        promise.covered += *share;
                    }
                    *share = 0.0;
                }
            }
        }
        promise
    }
}

impl Look {
    /// Whether the margin is reached.
    pub fn reached(self, failures: u64) -> bool {
        self.few.is_some_and(|few| failures.min(self.runs.saturating_sub(failures)) <= few)
    }
}

/// Most failures, up to a half, with which both limits are within the margin.
fn few(runs: u64, margin: f64, confidence: f64) -> Option<u64> {
    let within = |failures: u64| {
        let Interval { low, high } = clopper_pearson(failures, runs, confidence);
        let share = failures as f64 / runs as f64;
        high - share <= margin && share - low <= margin
    };
    if !within(0) {
        return None;
    }
    let (mut low, mut high) = (0, runs / 2);
    if within(high) {
        return Some(high);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if within(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// Probabilities of numbers of failures after `more` runs.
fn later(now: &[f64], more: u64, p: f64) -> Vec<f64> {
    // What is less than this share of one is nobody's.
    const NOTHING: f64 = 1e-15;
    let (fails, not) = (log(p), log1p(-p));
    let of = |k: u64| exp(ln_ways(more, k) + k as f64 * fails + (more - k) as f64 * not);
    let shares: Vec<(usize, f64)> =
        (0..=more).map(|k| (k as usize, of(k))).filter(|(_, s)| *s > NOTHING).collect();
    let mut all = vec![0.0; now.len() + more as usize];
    for (k, share) in now.iter().enumerate().filter(|(_, s)| **s > NOTHING) {
        for (more, next) in &shares {
            all[k + more] += share * next;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_near_zero_take_a_small_part_of_a_half() {
        let looks = Looks::for_margin(0.005, 0.95).unwrap();
        // 1 - 0.025^(1/736) is just within half a percent.
        assert_eq!(looks.all()[0], Look { runs: 736, few: Some(0) });
        // The usual formula at p = 0.5 says 38,416.
        assert!((38_416..42_500).contains(&looks.most()), "{}", looks.most());
        let runs = looks.promise(0.01).runs;
        assert!(runs < 3_841.0, "a tenth of it at a rate of 1 %: {runs}");
    }

    #[test]
    fn the_last_look_is_within_the_margin_whatever_was_seen() {
        let looks = Looks::for_margin(0.03, 0.95).unwrap();
        for look in looks.all() {
            for failures in 0..=look.runs {
                let Interval { low, high } = looks.interval(failures, look.runs);
                let share = failures as f64 / look.runs as f64;
                let within = high - share <= 0.03 && share - low <= 0.03;
                assert_eq!(look.reached(failures), within, "{failures} of {}", look.runs);
            }
        }
        let last = *looks.all().last().unwrap();
        assert!((0..=last.runs).all(|failures| looks.ends(last, failures)));
    }

    /// Exact, over all ways that runs can go: never less than 94 of 100 where 95
    /// are asked for.
    #[test]
    fn the_interval_holds_the_rate_as_often_as_it_says_or_nearly() {
        for margin in [0.05, 0.02] {
            let looks = Looks::for_margin(margin, 0.95).unwrap();
            for part in [0.02, 0.3, 1.0, 1.7, 2.0, 2.6, 3.5, 5.0, 7.0, 9.9] {
                let p = margin * part;
                let Promise { covered, share, .. } = looks.promise(p);
                assert!(covered >= 0.94, "{margin} at {p}: {covered}");
                // Stopping early bends the share by a small part of the margin.
                assert!((share - p).abs() < margin / 8.0, "{margin} at {p}: {share}");
            }
        }
    }

    #[test]
    fn the_next_question_is_the_one_that_should_be_the_last() {
        let looks = Looks::for_margin(0.005, 0.95).unwrap();
        assert_eq!(looks.expected(0, 0), 736);
        // None failed: had it been looked at, it would have ended.
        assert_eq!(looks.expected(736, 0), 810);
        // One of a hundred: it ends there if it goes on so.
        let runs = looks.expected(810, 8);
        assert!((2_000..2_600).contains(&runs), "{runs}");
        let look = *looks.all().iter().find(|l| l.runs == runs).unwrap();
        assert!(looks.ends(look, 8 * runs / 810));
        assert_eq!(looks.expected(810, 405), looks.most());
        assert_eq!(looks.expected(looks.most(), 0), looks.most());
    }

    /// The span against every way that missing runs can go.
    #[test]
    fn the_span_holds_every_way_it_may_end() {
        let looks = Looks::for_margin(0.2, 0.9).unwrap();
        let most = looks.most();
        let mut dice = 1u64;
        let mut roll = |n: u64| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) % n
        };
        for _ in 0..300 {
            let (rate, gaps) = (roll(100), 1 + roll(8));
            let fails: Vec<bool> = (0..most).map(|_| roll(100) < rate).collect();
            let mut missing: Vec<u64> = (0..gaps).map(|_| roll(most)).collect();
            missing.sort_unstable();
            missing.dedup();
            let known = |n: &u64| missing.binary_search(n).is_err();
            let failed: Vec<u64> = (0..most).filter(|n| fails[*n as usize]).filter(known).collect();
            let span = looks.span(&failed, &missing);
            let ends = (0..1u32 << missing.len()).map(|way| {
                let bad = missing.iter().enumerate().filter(|(i, _)| way >> i & 1 == 1);
                let mut all: Vec<u64> = bad.map(|(_, n)| *n).chain(failed.clone()).collect();
                all.sort_unstable();
                let (least, most) = looks.span(&all, &[]);
                assert_eq!(least, most, "without a gap there is one end");
                least
            });
            let ends: Vec<u64> = ends.collect();
            assert!(ends.iter().all(|end| (span.0..=span.1).contains(end)), "{span:?} {ends:?}");
            assert!(ends.contains(&span.0), "{span:?} {ends:?}");
        }
    }

    /// Two looks by hand: 3 runs, of which none may fail; then 4.
    #[test]
    fn coverage_by_hand() {
        let looks = Looks {
            confidence: 0.95,
            looks: vec![Look { runs: 3, few: None }, Look { runs: 4, few: Some(2) }],
        };
        let Promise { covered, runs, share } = looks.promise(0.5);
        assert!((share - 0.5).abs() < 1e-12);
        // Of 4 runs, 0 and 4 failures give [0, 0.6024] and its mirror image.
        assert!((covered - 1.0).abs() < 1e-12, "{covered}");
        assert!((runs - 4.0).abs() < 1e-12);
        let covered = looks.promise(0.7).covered;
        // 0 failures: 0.3^4; their upper limit is below 0.7.
        assert!((covered - (1.0 - 0.0081)).abs() < 1e-12, "{covered}");
    }

    #[test]
    fn questions_without_sense() {
        for (margin, confidence) in [(0.0, 0.95), (1.0, 0.95), (0.1, 1.0), (f64::NAN, 0.9)] {
            assert_eq!(Looks::for_margin(margin, confidence), None);
        }
        assert_eq!(Looks::for_margin(1e-6, 0.95), None);
    }
}
