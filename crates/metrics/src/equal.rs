//! Are two shares equal? Tests of independent samples.
//!
//! Of plain counts an exact one. Of everything that has an interval, the one that
//! the interval makes: p is the level at which the interval of the difference just
//! reaches zero.

use crate::coverage::ln_ways;
use crate::difference::Score;
use crate::interval::{Interval, clopper_pearson};

/// No p-value is smaller: what is called so is this or less.
pub const SMALLEST: f64 = 1e-9;

/// Values of the common share that are tried.
const TRIED: u32 = 200;

/// p-value, two-sided, of "the first share is `ratio` times the second", `k1` of
/// `n1` and `k2` of `n2` (ratio 1: they are equal). `None` without runs on both
/// sides, or with a ratio that is none.
///
/// An exact unconditional test: the largest probability, over all values of the
/// shares that this may be about, of counts that fit at most as well as these, by
/// the score statistic (Suissa & Shuster, JRSS A 148, 1985, 317; Chan, Statistics
/// in Medicine 17, 1998, 1403, for ratios). Values that the counts themselves rule
/// out at 10^-9 are not tried and that is added (Berger & Boos, JASA 89, 1994,
/// 1012).
pub fn p_of_ratio(k1: u64, n1: u64, k2: u64, n2: u64, ratio: f64) -> Option<f64> {
    if n1 == 0 || n2 == 0 || k1 > n1 || k2 > n2 || !ratio.is_finite() || ratio <= 0.0 {
        return None;
    }
    let test = Test { n: (n1, n2), ratio, seen: misfit((k1, k2), (n1, n2), ratio) * (1.0 - 1e-9) };
    if test.seen <= 0.0 {
        return Some(1.0);
    }
    // The second share, as far as both samples allow.
    let confidence = 1.0 - SMALLEST / 2.0;
    let (first, second) =
        (clopper_pearson(k1, n1, confidence), clopper_pearson(k2, n2, confidence));
    let low = (first.low / ratio).max(second.low);
    let high = (first.high / ratio).min(second.high).min(1.0 / ratio);
    if low > high {
        return Some(SMALLEST);
    }
    Some((test.largest(low, high) + SMALLEST).min(1.0))
}

/// How badly counts fit a ratio.
fn misfit(k: (u64, u64), n: (u64, u64), ratio: f64) -> f64 {
    let both = |(a, b): (u64, u64)| (a as f64, b as f64);
    Score { k: both(k), n: both(n) }.misfit(ratio)
}

struct Test {
    n: (u64, u64),
    ratio: f64,
    /// How badly fits what was seen.
    seen: f64,
}

impl Test {
    /// The largest probability of counts that fit so badly, with the second share
    /// between two values. On the scale of arcs its variance is the same everywhere.
    fn largest(&self, low: f64, high: f64) -> f64 {
        let arc = |p: f64| p.clamp(0.0, 1.0).sqrt().asin();
        let (from, to) = (arc(low), arc(high));
        let shares: Vec<f64> = (0..=TRIED)
            .map(|i| (from + (to - from) * f64::from(i) / f64::from(TRIED)).sin().powi(2))
            .collect();
        let samples: Vec<[Sample; 2]> = shares
            .iter()
            .map(|p| [Sample::new(self.n.0, (p * self.ratio).min(1.0)), Sample::new(self.n.1, *p)])
            .collect();
        let first = samples.iter().map(|[s, _]| s.first).min().unwrap_or(0);
        let last = samples.iter().map(|[s, _]| s.last()).max().unwrap_or(0);
        let fitting: Vec<(u64, u64)> = (first..=last).map(|k| self.fitting(k)).collect();
        let of = |[one, two]: &[Sample; 2]| -> f64 {
            let chances = one.shares.iter().zip(one.first - first..);
            chances
                .map(|(share, at)| {
                    let (from, to) = fitting[at as usize];
                    share * (1.0 - two.between(from, to))
                })
                .sum()
        };
        samples.iter().map(of).fold(0.0, f64::max)
    }

    /// Second counts that fit better than what was seen, from and to (exclusive),
    /// beside a first one. The farther from the best one, the worse they fit.
    fn fitting(&self, k: u64) -> (u64, u64) {
        let better = |second: u64| misfit((k, second), self.n, self.ratio) < self.seen;
        let best = k as f64 / self.n.0 as f64 / self.ratio * self.n.1 as f64;
        let best = (best as u64).min(self.n.1);
        // The best one lies between two whole numbers.
        let Some(best) = [best, best + 1].into_iter().find(|b| *b <= self.n.1 && better(*b)) else {
            return (best, best);
        };
        let edge = |mut inside: u64, mut outside: u64| {
            while inside.abs_diff(outside) > 1 {
                let middle = inside.min(outside) + inside.abs_diff(outside) / 2;
                if better(middle) { inside = middle } else { outside = middle }
            }
            inside
        };
        let from = if better(0) { 0 } else { edge(best, 0) };
        let to = if better(self.n.1) { self.n.1 } else { edge(best, self.n.1) };
        (from, to + 1)
    }
}

/// The counts that a sample may have, as far as they matter, and how probable each is.
struct Sample {
    first: u64,
    shares: Vec<f64>,
    /// Sums of the shares before each.
    before: Vec<f64>,
}

impl Sample {
    fn new(n: u64, p: f64) -> Sample {
        /// Less probable than this matters to no p-value.
        const NEVER: f64 = 1e-20;
        let (first, shares) = if p <= 0.0 {
            (0, vec![1.0])
        } else if p >= 1.0 {
            (n, vec![1.0])
        } else {
            let middle = (((n + 1) as f64 * p) as u64).min(n);
            let (k, m) = (middle as f64, n as f64);
            let peak = libm::exp(ln_ways(n, middle) + k * libm::log(p) + (m - k) * libm::log1p(-p));
            let odds = p / (1.0 - p);
            let mut shares = vec![peak];
            let mut share = peak;
            for k in (1..=middle).rev() {
                share *= k as f64 / (n - k + 1) as f64 / odds;
                if share < NEVER {
                    break;
                }
                shares.push(share);
            }
            let first = middle + 1 - shares.len() as u64;
            shares.reverse();
            share = peak;
            for k in middle..n {
                share *= (n - k) as f64 / (k + 1) as f64 * odds;
                if share < NEVER {
                    break;
                }
                shares.push(share);
            }
            (first, shares)
        };
        let mut before = vec![0.0];
        let mut sum = 0.0;
        before.extend(shares.iter().map(|share| {
            sum += share;
            sum
        }));
        Sample { first, shares, before }
    }

    fn last(&self) -> u64 {
        self.first + self.shares.len() as u64 - 1
    }

    /// Probability of a count from `from` to `to` (exclusive).
    fn between(&self, from: u64, to: u64) -> f64 {
        let at = |k: u64| (k.saturating_sub(self.first) as usize).min(self.shares.len());
        (self.before[at(to)] - self.before[at(from)]).clamp(0.0, 1.0)
    }
}

/// Levels of a decade at which intervals are looked at.
const PER_DECADE: u32 = 20;
/// The last level: that of [`SMALLEST`].
const LAST: u32 = 9 * PER_DECADE;

/// The confidence of a level: 0 at the first, 90 % after a decade, 99 % after two.
pub fn confidence_at(level: u32) -> f64 {
    1.0 - libm::exp10(-f64::from(level) / f64::from(PER_DECADE))
}

/// The p-value that an interval of a difference makes: one minus the confidence at
/// which the interval just reaches zero. `at` gives the interval of a level (see
/// [`confidence_at`]), which must not become narrower from one to the next. It is
/// asked for about ten of them; between two levels the logarithm of p is taken as
/// linear.
pub fn p_of_interval(mut at: impl FnMut(u32) -> Interval) -> f64 {
    // How far zero is outside.
    let mut outside = |level: u32| {
        let interval = at(level);
        interval.low.max(-interval.high)
    };
    let (mut out, mut inside) = ((0, outside(0)), (LAST, outside(LAST)));
    if out.1 <= 0.0 {
        return 1.0;
    }
    if inside.1 > 0.0 {
        return SMALLEST;
    }
    while inside.0 - out.0 > 1 {
        let middle = (inside.0 + out.0) / 2;
        match outside(middle) {
            by if by > 0.0 => out = (middle, by),
            by => inside = (middle, by),
        }
    }
    let part = out.1 / (out.1 - inside.1);
    libm::exp10(-(f64::from(out.0) + part) / f64::from(PER_DECADE))
}

#[cfg(test)]
mod tests;
