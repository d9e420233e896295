//! The normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

use super::numeric::bisect;

/// Probability that a standard normal variable is at most `x`.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The x that a standard normal variable stays below with probability `p`.
pub fn normal_quantile(p: f64) -> f64 {
    if p.is_nan() || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.5 {
        return 0.0;
    }
    if p > 0.5 {
        // The lower tail is where the function keeps its digits.
        return -normal_quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    bisect(-40.0, 0.0, p, normal_cdf)
}

/// The z with a share `confidence` of the distribution between -z and z:
/// 1.96 for 0.95.
pub fn two_sided_z(confidence: f64) -> f64 {
    -normal_quantile((1.0 - confidence) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values to ten digits and more: Abramowitz & Stegun, table 26.5, and
    /// Odeh & Evans (1974).
    #[test]
    fn published_quantiles() {
        for (p, x) in [
            (0.9, 1.281_551_565_544_600_4),
            (0.95, 1.644_853_626_951_472_2),
            (0.975, 1.959_963_984_540_054),
            (0.99, 2.326_347_874_040_841),
            (0.995, 2.575_829_303_548_900_4),
            (0.999, 3.090_232_306_167_813_5),
            (1e-10, -6.361_340_902_404_056),
        ] {
            let got = normal_quantile(p);
            assert!((got - x).abs() < 1e-12, "{p}: {got}");
        }
        assert!((two_sided_z(0.95) - 1.959_963_984_540_054).abs() < 1e-12);
    }

    #[test]
    fn ends_and_nonsense() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(1.5).is_nan() && normal_quantile(f64::NAN).is_nan());
    }
}
