use proptest::prelude::*;

use super::*;
use crate::difference::difference_of;
use crate::dist::{normal_cdf, two_sided_z};
use crate::{Method, Part, Rate, weighted_sum};

fn near(got: f64, want: f64, within: f64) {
    assert!((got - want).abs() <= within, "{got} is not {want}");
}

/// All of n against none of n: as unlikely are that and its mirror image alone,
/// p^n (1-p)^n each, at most at p = 1/2.
#[test]
fn all_against_none() {
    for n in 2..=12 {
        near(p_of_ratio(n, n, 0, n, 1.0).unwrap(), 2.0 * 0.25f64.powi(n as i32), 1.1e-9);
    }
    assert_eq!(p_of_ratio(3, 10, 3, 10, 1.0), Some(1.0));
    assert_eq!(p_of_ratio(0, 10, 0, 900, 1.0), Some(1.0));
    assert_eq!(p_of_ratio(0, 0, 1, 2, 1.0), None);
    assert_eq!(p_of_ratio(1, 2, 1, 2, 0.0), None);
}

fn choose(n: u64, k: u64) -> f64 {
    (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64)
}

/// Probability of k of n, term by term.
fn term(n: u64, k: u64, p: f64) -> f64 {
    choose(n, k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
}

/// Pearson's chi-square of a table, as textbooks write it.
fn pearson(k1: u64, n1: u64, k2: u64, n2: u64) -> f64 {
    let (a, b, c, d) = (k1 as f64, (n1 - k1) as f64, k2 as f64, (n2 - k2) as f64);
    let product = (a + b) * (c + d) * (a + c) * (b + d);
    if product == 0.0 { 0.0 } else { (a + b + c + d) * (a * d - b * c).powi(2) / product }
}

/// The test by its definition: all tables, a fine grid of shares, Pearson's statistic.
fn by_definition(k1: u64, n1: u64, k2: u64, n2: u64) -> f64 {
    let seen = pearson(k1, n1, k2, n2) - 1e-9;
    let tables = || (0..=n1).flat_map(|x| (0..=n2).map(move |y| (x, y)));
    let region: Vec<_> = tables().filter(|(x, y)| pearson(*x, n1, *y, n2) >= seen).collect();
    (1..2000)
        .map(|i| f64::from(i) / 2000.0)
        .map(|p| region.iter().map(|(x, y)| term(n1, *x, p) * term(n2, *y, p)).sum())
        .fold(0.0, f64::max)
}

#[test]
fn as_defined() {
    for (k1, n1, k2, n2) in [(7, 15, 12, 15), (0, 20, 4, 12), (9, 10, 3, 10), (1, 30, 5, 25)] {
        let (got, want) = (p_of_ratio(k1, n1, k2, n2, 1.0).unwrap(), by_definition(k1, n1, k2, n2));
        // The grid is coarser here, and where the counts rule a share out it is not tried.
        assert!((got - want).abs() < 2e-4 * want, "{k1}/{n1} {k2}/{n2}: {got} {want}");
    }
}

/// Sums over all tables by SciPy's binomials and beta quantiles, on a finer grid of
/// the shares that the counts allow.
#[test]
fn as_computed_elsewhere() {
    for (k1, n1, k2, n2, want) in [
        (7, 15, 12, 15, 0.068_218_30),
        (5, 100, 0, 100, 0.023_377_18),
        (13, 400, 4, 400, 0.027_719_20),
        (31, 250, 18, 400, 0.000_212_289_5),
    ] {
        near(p_of_ratio(k1, n1, k2, n2, 1.0).unwrap(), want, 2e-4 * want);
    }
}

/// Whatever the shares are, p is at most `alpha` in at most so many cases: summed
/// over all outcomes, at other shares than the test tries.
#[test]
fn never_wrong_more_often_than_it_says() {
    for (n1, n2, ratio) in [(12, 12, 1.0), (25, 9, 1.0), (14, 20, 0.4), (10, 16, 2.5)] {
        let p_values: Vec<Vec<f64>> = (0..=n1)
            .map(|x| (0..=n2).map(|y| p_of_ratio(x, n1, y, n2, ratio).unwrap()).collect())
            .collect();
        for alpha in [0.1, 0.05, 0.01] {
            let mut worst: f64 = 0.0;
            for i in 1..300 {
                let second = f64::from(i) / 300.0 / f64::max(1.0, ratio);
                let first = second * ratio;
                let wrong: f64 = (0..=n1)
                    .flat_map(|x| (0..=n2).map(move |y| (x, y)))
                    .filter(|(x, y)| p_values[*x as usize][*y as usize] <= alpha)
                    .map(|(x, y)| term(n1, x, first) * term(n2, y, second))
                    .sum();
                worst = worst.max(wrong);
            }
            assert!(worst <= alpha + 1e-4, "{n1} {n2} {ratio}: {worst} at {alpha}");
            // And not for want of trying.
            assert!(worst > 0.3 * alpha, "{n1} {n2} {ratio}: {worst} at {alpha}");
        }
    }
}

/// A normal estimate: the p-value of its z.
#[test]
fn an_interval_of_a_normal_estimate() {
    for (d, sd) in [(1.0, 1.0), (-2.0, 1.0), (0.4, 0.1), (5.0, 1.0)] {
        let p = p_of_interval(|level| {
            let half = sd * two_sided_z(confidence_at(level));
            Interval { low: d - half, high: d + half }
        });
        let want = 2.0 * normal_cdf(-f64::abs(d) / sd);
        assert!((p / want - 1.0).abs() < 1e-3, "{p} {want}");
    }
    assert_eq!(p_of_interval(|_| Interval { low: 0.0, high: 0.1 }), 1.0);
    assert_eq!(p_of_interval(|_| Interval { low: -0.2, high: -0.1 }), SMALLEST);
}

/// Sums of two strata, tested by their interval: how often they are said to differ
/// when they do not, over all outcomes.
#[test]
fn sums_are_said_to_differ_no_more_often_than_the_level() {
    const N: u64 = 14;
    for alpha in [0.05, 0.01] {
        let rates: Vec<Rate> = (0..=N)
            .map(|k| Rate::fixed(k, N, Method::ClopperPearson, 1.0 - alpha).unwrap())
            .collect();
        let outcomes: Vec<(u64, u64, _)> = (0..=N)
            .flat_map(|x| (0..=N).map(move |y| (x, y)))
            .map(|(x, y)| {
                let part = |weight, k: u64| Part { weight, rate: rates[k as usize] };
                (x, y, weighted_sum([part(0.7, x), part(0.3, y)]))
            })
            .collect();
        for (p, q) in [(0.1, 0.1), (0.02, 0.3), (0.4, 0.05), (0.5, 0.5), (0.03, 0.03)] {
            let chance = |x, y| term(N, x, p) * term(N, y, q);
            let mut wrong = 0.0;
            for (x, y, first) in &outcomes {
                for (v, w, second) in &outcomes {
                    let d = difference_of(*first, *second);
                    if !d.interval().contains(0.0) {
                        wrong += chance(*x, *y) * chance(*v, *w);
                    }
                }
            }
            assert!(wrong <= alpha, "{wrong} at {alpha}, {p} {q}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The other way round is the same; farther apart is no likelier; the same
    /// shares of more runs are no likelier either.
    #[test]
    fn laws(n1 in 1u64..300, n2 in 1u64..300, s1 in 0.0f64..=1.0, s2 in 0.0f64..=1.0) {
        let (k1, k2) = ((s1 * n1 as f64).round() as u64, (s2 * n2 as f64).round() as u64);
        let p = p_of_ratio(k1, n1, k2, n2, 1.0).unwrap();
        prop_assert!((SMALLEST..=1.0).contains(&p));
        let back = p_of_ratio(k2, n2, k1, n1, 1.0).unwrap();
        prop_assert!((p / back - 1.0).abs() < 1e-3, "{p} {back}");
        let none = p_of_ratio(n1 - k1, n1, n2 - k2, n2, 1.0).unwrap();
        prop_assert!((p / none - 1.0).abs() < 1e-2, "{p} {none}");
        if k1 * n2 > k2 * n1 && k1 < n1 {
            let farther = p_of_ratio(k1 + 1, n1, k2, n2, 1.0).unwrap();
            prop_assert!(farther <= p * 1.02 + 1e-9, "{p} {farther}");
        }
    }

    /// Counts fit worse the farther they are from those that fit best.
    #[test]
    fn what_fits_is_in_one_piece(
        n1 in 1u64..60, n2 in 1u64..60, s in 0.0f64..=1.0, ratio in 0.05f64..20.0,
    ) {
        let k = (s * n1 as f64).round() as u64;
        let of: Vec<f64> = (0..=n2).map(|y| misfit((k, y), (n1, n2), ratio)).collect();
        let least = (0..of.len()).min_by(|a, b| of[*a].total_cmp(&of[*b])).unwrap();
        prop_assert!(of[..=least].windows(2).all(|w| w[0] >= w[1] - 1e-9), "{of:?}");
        prop_assert!(of[least..].windows(2).all(|w| w[0] <= w[1] + 1e-9), "{of:?}");
    }
}
