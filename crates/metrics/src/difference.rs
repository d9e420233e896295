//! Two shares compared: their difference and their ratio.
//!
//! Of plain counts with the score intervals that are made for them, of weighted
//! sums (AVF, FIT) from the intervals that both already have, also where these are
//! not independent.

use crate::dist::two_sided_z;
use crate::interval::wilson;
use crate::weighted::Estimate;

/// First share minus second, `k1` of `n1` and `k2` of `n2`, with Newcombe's hybrid
/// score interval (Statistics in Medicine 17, 1998, 873, method 10). `None` without
/// runs on both sides.
pub fn difference(k1: u64, n1: u64, k2: u64, n2: u64, confidence: f64) -> Option<Estimate> {
    let share = |k: u64, n: u64| {
        let interval = wilson(k, n, confidence);
        (n > 0 && k <= n).then(|| Estimate {
            value: Some(k as f64 / n as f64),
            low: interval.low,
            high: interval.high,
        })
    };
    Some(difference_of(share(k1, n1)?, share(k2, n2)?))
}

/// First share over second, `k1` of `n1` and `k2` of `n2`, with Koopman's score
/// interval (Biometrics 40, 1984, 513). Without a single one in the second there is
/// no value and no upper limit (infinity). `None` without runs on both sides.
pub fn ratio(k1: u64, n1: u64, k2: u64, n2: u64, confidence: f64) -> Option<Estimate> {
    if n1 == 0 || n2 == 0 || k1 > n1 || k2 > n2 {
        return None;
    }
    let score = Score { k: (k1 as f64, k2 as f64), n: (n1 as f64, n2 as f64) };
    let z2 = two_sided_z(confidence).powi(2);
    let value = (k2 > 0).then(|| score.k.0 / score.n.0 / (score.k.1 / score.n.1));
    // Where one side has none, the ratio that fits best is at the end of the scale.
    let middle = match (k1, k2) {
        (0, _) => SMALLEST,
        (_, 0) => LARGEST,
        _ => value.unwrap_or(1.0),
    };
    Some(Estimate {
        value,
        low: if k1 == 0 { 0.0 } else { score.limit(middle, SMALLEST, z2) },
        high: if k2 == 0 { f64::INFINITY } else { score.limit(middle, LARGEST, z2) },
    })
}

/// Ratios beyond these are not looked at: counts are below 2⁶⁴.
const SMALLEST: f64 = 1e-30;
const LARGEST: f64 = 1e30;

/// Two counts, of so many runs each.
pub(crate) struct Score {
    pub(crate) k: (f64, f64),
    pub(crate) n: (f64, f64),
}

impl Score {
    /// How badly a ratio fits: chi-square with one degree of freedom around the
    /// likeliest shares that have this ratio.
    pub(crate) fn misfit(&self, ratio: f64) -> f64 {
        let ((x, y), (m, n)) = (self.k, self.n);
        let b = ratio * (m + y) + x + n;
        let square = (b * b - 4.0 * ratio * (m + n) * (x + y)).max(0.0);
        // Of the two forms of the root the one without cancellation.
        let second = (2.0 * (x + y) / (b + square.sqrt())).min(1.0);
        let first = (ratio * second).min(1.0);
        let part = |k: f64, n: f64, p: f64| {
            let room = n * p * (1.0 - p);
            let off = k - n * p;
            if room > 0.0 {
                off * off / room
            } else if off.abs() < 1e-9 {
                0.0
            } else {
                f64::INFINITY
            }
        };
        part(x, m, first) + part(y, n, second)
    }

    /// The ratio towards `end` that just fits, bisected on a scale of powers.
    fn limit(&self, middle: f64, end: f64, z2: f64) -> f64 {
        let (mut fits, mut not) = (middle.ln(), end.ln());
        if self.misfit(end) <= z2 {
            return if end < 1.0 { 0.0 } else { f64::INFINITY };
        }
        for _ in 0..200 {
            let half = (fits + not) / 2.0;
            match self.misfit(half.exp()) <= z2 {
                true => fits = half,
                false => not = half,
            }
        }
        fits.exp()
    }
}

/// `a` minus `b`, two independent estimates whatever they were made from: the
/// distances to the limits that matter add up as standard deviations do (MOVER:
/// Zou & Donner, Statistics in Medicine 27, 2008, 1693). Where one of them has no
/// value there are limits alone, and these add up as they are.
pub fn difference_of(a: Estimate, b: Estimate) -> Estimate {
    difference_with(a, b, 0.0)
}

/// `a` minus `b`, two estimates that go together by a correlation `r` (0:
/// independent). Of two shares of the same runs with Wilson's limits this is
/// Newcombe's interval for pairs (Statistics in Medicine 17, 1998, 2635, method 10).
pub fn difference_with(a: Estimate, b: Estimate, r: f64) -> Estimate {
    let (Some(x), Some(y)) = (a.value, b.value) else {
        return Estimate { value: None, low: a.low - b.high, high: a.high - b.low };
    };
    let value = x - y;
    Estimate {
        value: Some(value),
        low: value - together(x - a.low, b.high - y, r),
        high: value + together(a.high - x, y - b.low, r),
    }
}

/// Two distances added up as standard deviations of what is correlated do.
fn together(a: f64, b: f64, r: f64) -> f64 {
    (a * a - 2.0 * r * a * b + b * b).max(0.0).sqrt()
}

/// `a` over `b`, two independent estimates that are not negative (MOVER-R: Donner &
/// Zou, Statistical Methods in Medical Research 21, 2012, 347). The upper limit is
/// infinity where `b` may be zero; there is no value where `b` is. Where one of them
/// has no value there are limits alone, and these divide as they are.
pub fn ratio_of(a: Estimate, b: Estimate) -> Estimate {
    ratio_with(a, b, 0.0)
}

/// `a` over `b`, two estimates that are not negative and go together by a
/// correlation `r` (0: independent).
pub fn ratio_with(a: Estimate, b: Estimate, r: f64) -> Estimate {
    let over = |above: f64, below: f64| if below > 0.0 { above / below } else { f64::INFINITY };
    let (Some(x), Some(y)) = (a.value, b.value) else {
        let low = if b.high > 0.0 { a.low / b.high } else { 0.0 };
        return Estimate { value: None, low, high: over(a.high, b.low) };
    };
    let product = x * y;
    let (down, up) = (a.low * (2.0 * x - a.low), a.high * (2.0 * x - a.high));
    let (least, most) = (b.low * (2.0 * y - b.low), b.high * (2.0 * y - b.high));
    // What goes together is never more than the product itself.
    let middle = |a: f64, b: f64| (product - r * a * b).max(0.0);
    let (lower, upper) = (middle(x - a.low, b.high - y), middle(a.high - x, y - b.low));
    let root = |middle: f64, a: f64, b: f64| (middle * middle - a * b).max(0.0).sqrt();
    // The lower limit with its numerator made rational: `most` may be zero.
    let low = if down > 0.0 { down / (lower + root(lower, down, most)) } else { 0.0 };
    Estimate {
        value: (y > 0.0).then(|| x / y),
        low: if low.is_finite() { low } else { 0.0 },
        high: over(upper + root(upper, up, least), least),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval::Method;
    use crate::rate::Rate;
    use crate::weighted::{Part, weighted_sum};

    fn near(got: f64, want: f64, within: f64) {
        assert!((got - want).abs() < within, "{got} is not {want}");
    }

    /// Newcombe 1998, table II, method 10: four digits as printed.
    #[test]
    fn published_differences() {
        for (k1, n1, k2, n2, low, high) in [
            (56, 70, 48, 80, 0.0524, 0.3339),
            (9, 10, 3, 10, 0.1705, 0.8090),
            (6, 7, 2, 7, 0.0582, 0.8062),
            (5, 56, 0, 29, -0.0381, 0.1926),
            (0, 10, 0, 20, -0.1611, 0.2775),
            (0, 10, 0, 10, -0.2775, 0.2775),
            (10, 10, 0, 20, 0.6791, 1.0000),
            (10, 10, 0, 10, 0.6075, 1.0000),
        ] {
            let got = difference(k1, n1, k2, n2, 0.95).unwrap();
            near(got.low, low, 5.1e-5);
            near(got.high, high, 5.1e-5);
        }
        assert_eq!(difference(0, 0, 1, 2, 0.95), None);
    }

    /// Koopman 1984, the example of section 4: 36 of 40 and 16 of 80.
    #[test]
    fn a_published_ratio() {
        let got = ratio(36, 40, 16, 80, 0.95).unwrap();
        near(got.value.unwrap(), 4.5, 1e-12);
        near(got.low, 2.94, 0.005);
        near(got.high, 7.15, 0.005);
    }

    #[test]
    fn ratios_at_the_ends() {
        let none = ratio(0, 100, 10, 100, 0.95).unwrap();
        assert_eq!((none.value, none.low), (Some(0.0), 0.0));
        assert!(none.high > 0.1 && none.high < 0.6, "{none:?}");
        let over_none = ratio(10, 100, 0, 100, 0.95).unwrap();
        assert_eq!((over_none.value, over_none.high), (None, f64::INFINITY));
        near(over_none.low, 1.0 / none.high, 1e-6);
        let nothing = ratio(0, 5, 0, 7, 0.95).unwrap();
        assert_eq!((nothing.value, nothing.low, nothing.high), (None, 0.0, f64::INFINITY));
        let all = ratio(20, 20, 20, 20, 0.95).unwrap();
        assert!(all.low < 1.0 && all.high > 1.0 && all.low > 0.8, "{all:?}");
        assert_eq!(ratio(1, 2, 0, 0, 0.95), None);
    }

    #[test]
    fn limits_without_a_value_stay_limits() {
        let a = Estimate { value: None, low: 0.1, high: 0.4 };
        let b = Estimate { value: Some(0.3), low: 0.2, high: 0.5 };
        let d = difference_of(a, b);
        assert_eq!((d.value, d.low, d.high), (None, 0.1 - 0.5, 0.4 - 0.2));
        let r = ratio_of(a, b);
        assert_eq!((r.value, r.low, r.high), (None, 0.1 / 0.5, 0.4 / 0.2));
        let zero = ratio_of(b, Estimate::ZERO);
        assert_eq!((zero.value, zero.low, zero.high), (None, 0.0, f64::INFINITY));
    }

    /// Shares of samples whose intervals hold the truth: difference and ratio of
    /// counts, then of weighted sums.
    fn coverage(p: (f64, f64), n: u64, times: u32) -> [f64; 4] {
        let mut state = 7u64;
        let mut unit = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut draw = |p: f64| (0..n).filter(|_| unit() < p).count() as u64;
        let sum = |k: [u64; 2]| {
            let part = |weight, k| {
                let rate = Rate::fixed(k, n, Method::Wilson, 0.95).unwrap();
                Part { weight, rate }
            };
            weighted_sum([part(0.7, k[0]), part(0.3, k[1])])
        };
        let mut covered = [0u32; 4];
        for _ in 0..times {
            let a = [draw(p.0), draw(2.0 * p.0)];
            let b = [draw(p.1), draw(2.0 * p.1)];
            let (sa, sb) = (sum(a), sum(b));
            let (d, r) = (p.0 - p.1, p.0 / p.1);
            for (count, (of, truth)) in covered.iter_mut().zip([
                (difference(a[0], n, b[0], n, 0.95).unwrap(), d),
                (ratio(a[0], n, b[0], n, 0.95).unwrap(), r),
                (difference_of(sa, sb), 1.3 * d),
                (ratio_of(sa, sb), r),
            ]) {
                *count += u32::from(of.interval().contains(truth));
            }
        }
        covered.map(|k| f64::from(k) / f64::from(times))
    }

    #[test]
    fn intervals_cover() {
        for (p, n) in [((0.3, 0.2), 200), ((0.05, 0.05), 400), ((0.02, 0.01), 1000)] {
            let shares = coverage(p, n, 2000);
            for share in shares {
                assert!((0.935..=0.985).contains(&share), "{p:?}: {shares:?}");
            }
        }
    }

    proptest! {
        /// The other way round is the mirror image; the value lies within; large
        /// samples of the same shares are known better.
        #[test]
        fn laws(n1 in 1u64..2000, n2 in 1u64..2000, s1 in 0.0f64..=1.0, s2 in 0.0f64..=1.0) {
            let (k1, k2) = ((s1 * n1 as f64).round() as u64, (s2 * n2 as f64).round() as u64);
            let d = difference(k1, n1, k2, n2, 0.95).unwrap();
            let back = difference(k2, n2, k1, n1, 0.95).unwrap();
            prop_assert!((d.low + back.high).abs() < 1e-12 && (d.high + back.low).abs() < 1e-12);
            prop_assert!(d.interval().contains(d.value.unwrap()));
            prop_assert!(-1.0 - 1e-12 <= d.low && d.high <= 1.0 + 1e-12);
            let r = ratio(k1, n1, k2, n2, 0.95).unwrap();
            let inverse = ratio(k2, n2, k1, n1, 0.95).unwrap();
            if k1 > 0 && k2 > 0 {
                prop_assert!((r.low * inverse.high - 1.0).abs() < 1e-6, "{r:?} {inverse:?}");
                prop_assert!(r.low <= r.value.unwrap() && r.value.unwrap() <= r.high);
            }
            // Both ways of asking whether the shares differ mostly agree; never
            // do they contradict each other.
            let contradict = (d.low > 0.0 && r.high < 1.0) || (d.high < 0.0 && r.low > 1.0);
            prop_assert!(!contradict, "{d:?} {r:?}");
            let e = |k, n| Estimate::from(Rate::fixed(k, n, Method::ClopperPearson, 0.95).unwrap());
            let of = ratio_of(e(k1, n1), e(k2, n2));
            prop_assert!(of.low >= 0.0 && of.low <= of.high, "{of:?}");
            if let Some(value) = of.value {
                prop_assert!(of.low <= value * (1.0 + 1e-9) && value <= of.high * (1.0 + 1e-9));
            }
        }
    }
}
