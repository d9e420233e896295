//! Confidence intervals of a share: k of n.

use serde::{Deserialize, Serialize};

use crate::dist::{beta_quantile, two_sided_z};

/// Two limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

impl Interval {
    /// Both limits times a factor that is not negative.
    pub fn scaled(self, factor: f64) -> Interval {
        Interval { low: self.low * factor, high: self.high * factor }
    }

    /// Half its width.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether `x` lies in it.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
}

/// How an interval of a share is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Wilson's score interval: covers on average what it says, and much less
    /// where failures are rare.
    Wilson,
    /// Clopper and Pearson's: never covers less than it says.
    #[default]
    ClopperPearson,
}

impl Method {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Wilson => "wilson",
            Method::ClopperPearson => "clopper-pearson",
        }
    }

    /// The method of a name.
    pub fn parse(name: &str) -> Option<Method> {
        [Method::Wilson, Method::ClopperPearson].into_iter().find(|m| m.name() == name)
    }

    /// The interval for `k` of `n`. Nothing known (`n` = 0): from 0 to 1.
    pub fn interval(self, k: u64, n: u64, confidence: f64) -> Interval {
        match self {
            Method::Wilson => wilson(k, n, confidence),
            Method::ClopperPearson => clopper_pearson(k, n, confidence),
        }
    }
}

/// Wilson's score interval (JASA 22, 1927).
pub fn wilson(k: u64, n: u64, confidence: f64) -> Interval {
    if n == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let k = k.min(n);
    let (x, m) = (k as f64, n as f64);
    let z = two_sided_z(confidence);
    let centre = (x + z * z / 2.0) / (m + z * z);
    let half = z / (m + z * z) * (x * (m - x) / m + z * z / 4.0).sqrt();
    // At the ends one limit is the estimate itself; rounding must not say otherwise.
    Interval {
        low: if k == 0 { 0.0 } else { (centre - half).max(0.0) },
        high: if k == n { 1.0 } else { (centre + half).min(1.0) },
    }
}

/// Clopper and Pearson's exact interval (Biometrika 26, 1934), by quantiles of
/// the beta distribution.
pub fn clopper_pearson(k: u64, n: u64, confidence: f64) -> Interval {
    if n == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let k = k.min(n);
    let tail = (1.0 - confidence) / 2.0;
    let (x, m) = (k as f64, n as f64);
    Interval {
        low: if k == 0 { 0.0 } else { beta_quantile(tail, x, m - x + 1.0) },
        high: if k == n { 1.0 } else { beta_quantile(1.0 - tail, x + 1.0, m - x) },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 5e-5, "{got} is not {want}");
    }

    /// Newcombe (Statistics in Medicine 17, 1998), table I, methods 3 and 5:
    /// four digits as printed.
    #[test]
    fn published_intervals() {
        for (k, n, w, cp) in [
            (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
            (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
            (0, 20, (0.0000, 0.1611), (0.0000, 0.1684)),
            (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
        ] {
            let got = wilson(k, n, 0.95);
            near(got.low, w.0);
            near(got.high, w.1);
            let got = clopper_pearson(k, n, 0.95);
            near(got.low, cp.0);
            near(got.high, cp.1);
        }
    }

    /// By arithmetic with 40 digits (mpmath's incomplete beta function, bisected).
    #[test]
    fn many_digits() {
        for (k, n, c, low, high) in [
            (81, 263, 0.95, 0.252_736_745_585_271_2, 0.367_621_922_601_351_4),
            (15, 148, 0.95, 0.057_844_010_083_448_56, 0.161_650_490_349_479),
            (3, 3000, 0.99, 0.000_112_652_341_246_493_1, 0.003_654_297_218_011_316),
            (1500, 3000, 0.95, 0.481_948_769_326_985, 0.518_051_230_673_015),
        ] {
            let got = clopper_pearson(k, n, c);
            assert!((got.low / low - 1.0).abs() < 1e-9, "{k}/{n}: {got:?}");
            assert!((got.high / high - 1.0).abs() < 1e-9, "{k}/{n}: {got:?}");
        }
    }

    /// Where the limits have a closed form: k = 0, k = n, and k = n/2 of 2.
    #[test]
    fn closed_forms() {
        for n in [1u64, 7, 3000, 1_000_000] {
            for c in [0.9, 0.95, 0.99] {
                let tail: f64 = (1.0 - c) / 2.0;
                let edge = 1.0 - tail.powf(1.0 / n as f64);
                let none = clopper_pearson(0, n, c);
                assert_eq!(none.low, 0.0);
                assert!((none.high - edge).abs() < 1e-9 * edge, "{n} {c}");
                let all = clopper_pearson(n, n, c);
                assert_eq!(all.high, 1.0);
                assert!((all.low - (1.0 - edge)).abs() < 1e-9, "{n} {c}");
                let z = two_sided_z(c);
                let w = wilson(0, n, c);
                assert_eq!(w.low, 0.0);
                assert!((w.high - z * z / (n as f64 + z * z)).abs() < 1e-12);
            }
        }
        // I_x(1, 2) = 1 - (1-x)^2 and I_x(2, 1) = x^2.
        let half = clopper_pearson(1, 2, 0.95);
        assert!((half.low - (1.0 - 0.975f64.sqrt())).abs() < 1e-12);
        assert!((half.high - 0.975f64.sqrt()).abs() < 1e-12);
    }

    /// Coverage of an interval at p, summed over all outcomes of n runs.
    fn coverage(method: Method, n: u64, p: f64, c: f64) -> f64 {
        let mut probability = (1.0 - p).powi(n as i32);
        let mut covered = 0.0;
        for k in 0..=n {
            if method.interval(k, n, c).contains(p) {
                covered += probability;
            }
            probability *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
        }
        covered
    }

    #[test]
    fn coverage_is_what_it_says() {
        let mut wilson_mean = 0.0;
        for i in 1..100 {
            let p = f64::from(i) / 100.0;
            let exact = coverage(Method::ClopperPearson, 50, p, 0.95);
            assert!(exact >= 0.95 - 1e-12, "{p}: {exact}");
            wilson_mean += coverage(Method::Wilson, 50, p, 0.95) / 99.0;
        }
        assert!((wilson_mean - 0.95).abs() < 0.01, "{wilson_mean}");
    }

    proptest! {
        #[test]
        fn laws(n in 1u64..5000, share in 0.0f64..=1.0, c in 0.5f64..0.999) {
            let k = (share * n as f64).round() as u64;
            let p = k as f64 / n as f64;
            for method in [Method::Wilson, Method::ClopperPearson] {
                let i = method.interval(k, n, c);
                prop_assert!(0.0 <= i.low && i.high <= 1.0 && i.low < i.high);
                prop_assert!(i.contains(p), "{i:?} {p}");
                // The same share of more runs is known better; more confidence needs more room.
                let more = method.interval(4 * k, 4 * n, c);
                prop_assert!(more.half_width() < i.half_width());
                let surer = method.interval(k, n, c + (1.0 - c) / 2.0);
                prop_assert!(surer.low <= i.low && surer.high >= i.high);
                // Failures and survivals are each other's mirror image.
                let other = method.interval(n - k, n, c);
                prop_assert!((other.low - (1.0 - i.high)).abs() < 1e-9);
            }
        }
    }
}
