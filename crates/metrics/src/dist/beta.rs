//! The beta distribution.

use super::numeric::{bisect, continued_fraction};

/// Regularised incomplete beta function I_x(a, b), for a, b > 0.
///
/// Continued fraction: NIST Digital Library of Mathematical Functions, 8.17.22.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side only.
    if x <= (a + 1.0) / (a + b + 2.0) {
        lower(x, 1.0 - x, a, b)
    } else {
        1.0 - lower(1.0 - x, x, b, a)
    }
}

fn lower(x: f64, not_x: f64, a: f64, b: f64) -> f64 {
    let ln_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log(not_x) - ln_beta) / a;
    let fraction = continued_fraction(1.0, |n| {
        let m = f64::from(n / 2);
        let term = if n % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        (term, 1.0)
    });
    (front / fraction).min(1.0)
}

/// The x with I_x(a, b) = `p`.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    // Close to 1 the function's own digits run out; the mirror image has them.
    if p > 0.5 {
        return 1.0 - beta_quantile_low(1.0 - p, b, a);
    }
    beta_quantile_low(p, a, b)
}

fn beta_quantile_low(p: f64, a: f64, b: f64) -> f64 {
    bisect(0.0, 1.0, p, |x| beta_cdf(x, a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(n: u32, k: u32) -> f64 {
        (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1))
    }

    /// I_x(k, n-k+1) is the upper tail of a binomial: summed term by term.
    #[test]
    fn equals_the_binomial_tail() {
        for n in [1u32, 5, 20, 40] {
            for k in 1..=n {
                for x in [0.01, 0.2, 0.5, 0.77, 0.999] {
                    let tail: f64 = (k..=n)
                        .map(|i| {
                            choose(n, i)
                                * f64::powi(x, i as i32)
                                * f64::powi(1.0 - x, (n - i) as i32)
                        })
                        .sum();
                    let got = beta_cdf(x, f64::from(k), f64::from(n - k + 1));
                    assert!((got - tail).abs() < 1e-12, "{n} {k} {x}: {got} {tail}");
                }
            }
        }
    }

    #[test]
    fn quantile_turns_the_function_around() {
        for (a, b) in [(0.5, 0.5), (1.0, 3000.0), (17.0, 2984.0), (1e5, 9e5), (3.0, 2.0)] {
            for p in [0.001, 0.025, 0.5, 0.975, 0.999] {
                let x = beta_quantile(p, a, b);
                assert!((beta_cdf(x, a, b) - p).abs() < 1e-8, "{a} {b} {p}");
            }
        }
    }
}
