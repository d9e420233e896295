use super::*;
use crate::difference::{difference_with, ratio_with};
use crate::{Estimate, Method, Rate, interval::wilson};

fn pairs(both: u64, first: u64, second: u64, neither: u64) -> Pairs {
    Pairs { both, first, second, neither, unknown: 0 }
}

/// Tails of a fair coin, by counting.
#[test]
fn mcnemar_by_hand() {
    for (p, want) in [
        (pairs(3, 5, 0, 90), 2.0 / 32.0),
        (pairs(0, 2, 10, 7), 2.0 * (1.0 + 12.0 + 66.0) / 4096.0),
        (pairs(9, 4, 4, 9), 1.0),
        (pairs(9, 0, 0, 9), 1.0),
        (pairs(1, 1, 0, 1), 1.0),
        // One pair without a result may have been the one that weighs most.
        (Pairs { unknown: 1, ..pairs(3, 6, 0, 90) }, 2.0 * 8.0 / 128.0),
        (Pairs { unknown: 9, ..pairs(3, 6, 0, 90) }, 1.0),
    ] {
        assert!((p.mcnemar() - want).abs() < 1e-12, "{p:?}: {} {want}", p.mcnemar());
    }
}

#[test]
fn pairs_are_counted() {
    let mut p = Pairs::default();
    for (a, b) in [(1, 1), (1, 0), (0, 1), (0, 1), (0, 0), (2, 0), (1, 2)] {
        let answer = |x| [Some(false), Some(true), None][x as usize];
        p.add(answer(a), answer(b));
    }
    assert_eq!(p, Pairs { unknown: 2, ..pairs(1, 1, 2, 1) });
    assert_eq!(p.n(), 5);
}

/// Newcombe's own formula for 43, 8, 1, 17 of 69, with his correction.
#[test]
fn newcombe_by_hand() {
    let p = pairs(43, 8, 1, 17);
    let n: f64 = 69.0;
    let phi = (43.0 * 17.0 - 8.0 - n / 2.0) / f64::sqrt(51.0 * 18.0 * 44.0 * 25.0);
    let r = correlation([(1.0, 1.0, p)]);
    assert!((r - phi).abs() < 1e-12, "{r} {phi}");
    let (a, b) = (wilson(51, 69, 0.95), wilson(44, 69, 0.95));
    let (x, y) = (51.0 / n, 44.0 / n);
    let (down, up) = (x - a.low, b.high - y);
    let low = x - y - (down * down - 2.0 * phi * down * up + up * up).sqrt();
    let rate = |k| Estimate::from(Rate::fixed(k, 69, Method::Wilson, 0.95).unwrap());
    let d = difference_with(rate(51), rate(44), r);
    assert!((d.low - low).abs() < 1e-12 && d.low > 0.0, "{d:?} {low}");
}

#[test]
fn correlations() {
    let same = pairs(500, 0, 0, 500);
    assert!(correlation([(2.0, 2.0, same)]) > 0.99);
    assert_eq!(correlation([(1.0, 1.0, pairs(0, 0, 0, 50))]), 0.0);
    assert_eq!(correlation([]), 0.0);
    assert_eq!(correlation([(1.0, 1.0, Pairs { unknown: 1, ..same })]), 0.0);
    // Two parts alike are as one; a part that is weighed in one sum alone has none.
    let some = pairs(30, 20, 10, 40);
    let (one, two) = (correlation([(1.0, 1.0, some)]), correlation([(0.5, 0.5, some); 2]));
    assert!((one - two).abs() < 1e-12 && one > 0.0);
    assert_eq!(correlation([(1.0, 0.0, some), (0.0, 1.0, some)]), 0.0);
}

/// How often the intervals of difference and ratio hold the truth, summed over all
/// outcomes of `n` pairs.
fn coverage(method: Method, n: u64, p: [f64; 3]) -> [f64; 2] {
    let rates: Vec<Estimate> =
        (0..=n).map(|k| Rate::fixed(k, n, method, 0.95).unwrap().into()).collect();
    let ln = |k: u64| libm::lgamma(k as f64 + 1.0);
    let logs = [p[0], p[1], p[2], 1.0 - p.iter().sum::<f64>()].map(libm::log);
    let difference = p[1] - p[2];
    let ratio = (p[0] + p[1]) / (p[0] + p[2]);
    let mut covered = [0.0; 2];
    for both in 0..=n {
        for first in 0..=n - both {
            for second in 0..=n - both - first {
                let neither = n - both - first - second;
                let counts = [both, first, second, neither];
                let ways = ln(n) - counts.iter().map(|k| ln(*k)).sum::<f64>();
                let powers: f64 = counts
                    .iter()
                    .zip(logs)
                    .filter(|(k, _)| **k > 0)
                    .map(|(k, l)| *k as f64 * l)
                    .sum();
                let chance = libm::exp(ways + powers);
                let found = pairs(both, first, second, neither);
                let r = correlation([(1.0, 1.0, found)]);
                let (a, b) = (rates[(both + first) as usize], rates[(both + second) as usize]);
                let d = difference_with(a, b, r).interval();
                // A difference that is there to the last bit is not what is asked about.
                if d.low <= difference + 1e-12 && difference - 1e-12 <= d.high {
                    covered[0] += chance;
                }
                let q = ratio_with(a, b, r).interval();
                if q.low <= ratio + 1e-12 && ratio - 1e-12 <= q.high {
                    covered[1] += chance;
                }
            }
        }
    }
    covered
}

/// Rare and common failures, mostly the same ones in both or not.
const TRUTHS: [[f64; 3]; 9] = [
    [0.02, 0.01, 0.01],
    [0.05, 0.02, 0.0],
    [0.10, 0.05, 0.05],
    [0.10, 0.10, 0.01],
    [0.30, 0.02, 0.02],
    [0.30, 0.20, 0.05],
    [0.50, 0.10, 0.02],
    [0.01, 0.20, 0.20],
    [0.00, 0.30, 0.10],
];

/// The report's own limits never cover less than they say, Wilson's hardly ever.
#[test]
fn pairs_are_covered() {
    for n in [20, 40] {
        for p in TRUTHS {
            let exact = coverage(Method::ClopperPearson, n, p);
            assert!(exact.iter().all(|share| *share >= 0.95), "{n} {p:?}: {exact:?}");
            let score = coverage(Method::Wilson, n, p);
            assert!(score.iter().all(|share| *share >= 0.945), "{n} {p:?}: {score:?}");
        }
    }
}

/// What pairs are for: the same failures in both leave little room for a difference.
#[test]
fn pairs_know_more() {
    let rate = |k| Estimate::from(Rate::fixed(k, 1000, Method::ClopperPearson, 0.95).unwrap());
    let r = correlation([(1.0, 1.0, pairs(95, 5, 12, 888))]);
    let width = |r| difference_with(rate(100), rate(107), r).interval().half_width();
    assert!(width(r) < 0.45 * width(0.0), "{} {}", width(r), width(0.0));
    let q = |r| ratio_with(rate(100), rate(107), r).interval().half_width();
    assert!(q(r) < 0.45 * q(0.0), "{} {}", q(r), q(0.0));
}
