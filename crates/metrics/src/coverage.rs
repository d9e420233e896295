//! How often an interval holds the truth: summed over all outcomes of n runs,
//! not sampled.

use libm::{exp, lgamma, log};

use crate::interval::{Interval, Method};

/// Logarithm of the number of ways in which `k` of `n` runs fail.
pub(crate) fn ln_ways(n: u64, k: u64) -> f64 {
    let of = |k: u64| lgamma(k as f64 + 1.0);
    of(n) - of(k) - of(n - k)
}

/// The intervals of all outcomes of `n` runs.
pub struct Coverage {
    n: u64,
    limits: Vec<Interval>,
    /// Logarithms of the numbers of ways to fail k times.
    ways: Vec<f64>,
}

impl Coverage {
    /// Of a way to make intervals.
    pub fn new(method: Method, n: u64, confidence: f64) -> Coverage {
        let limits = (0..=n).map(|k| method.interval(k, n, confidence)).collect();
        let ways = (0..=n).map(|k| ln_ways(n, k)).collect();
        Coverage { n, limits, ways }
    }

    /// Probability that the interval holds `p` when every run fails with
    /// probability `p`.
    pub fn at(&self, p: f64) -> f64 {
        let holding = (0..=self.n).zip(&self.limits).filter(|(_, i)| i.contains(p));
        holding.map(|(k, _)| self.probability(k, p)).sum()
    }

    /// Mean width of the interval at `p`.
    pub fn width(&self, p: f64) -> f64 {
        let widths = self.limits.iter().map(|i| i.high - i.low);
        widths.zip(0..).map(|(width, k)| width * self.probability(k, p)).sum()
    }

    fn probability(&self, k: u64, p: f64) -> f64 {
        match (p <= 0.0, p >= 1.0) {
            (true, _) => f64::from(u8::from(k == 0)),
            (_, true) => f64::from(u8::from(k == self.n)),
            _ => {
                exp(self.ways[k as usize] + k as f64 * log(p) + (self.n - k) as f64 * log(1.0 - p))
            }
        }
    }

    /// The least coverage for an expected number of failures from `from` to `to`,
    /// and where it is. A grid of `steps`, and the ends of all intervals between:
    /// coverage jumps there and is smooth elsewhere.
    pub fn least(&self, from: f64, to: f64, steps: u32) -> (f64, f64) {
        let n = self.n as f64;
        let grid = (0..=steps).map(|i| from + (to - from) * f64::from(i) / f64::from(steps));
        let ends = self.limits.iter().flat_map(|i| [i.low, i.high]);
        // On both sides of a jump.
        let beside = ends.flat_map(|p| [n * (p - 1e-12), n * (p + 1e-12)]);
        grid.chain(beside.filter(|np| from <= *np && *np <= to))
            .map(|np| (self.at((np / n).clamp(0.0, 1.0)), np))
            .fold((f64::INFINITY, from), |least, next| if next.0 < least.0 { next } else { least })
    }
}

/// Expected failures, from and to; the last row goes to n.
const RANGES: [(f64, f64); 7] =
    [(0.0, 0.1), (0.1, 0.5), (0.5, 1.5), (1.5, 3.0), (3.0, 10.0), (10.0, 30.0), (30.0, f64::MAX)];

/// The least coverage of 95 % intervals by the expected number of failures, as
/// docs/metrics.md shows it.
pub fn table() -> String {
    let mut rows = String::from(
        "| n | np | Clopper-Pearson | at np | Wilson | at np | width, Clopper-Pearson / Wilson |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for n in [30, 400, 3000] {
        let both = [Method::ClopperPearson, Method::Wilson].map(|m| Coverage::new(m, n, 0.95));
        for (from, to) in RANGES {
            let to = to.min(n as f64);
            if from >= to {
                continue;
            }
            let least = both.each_ref().map(|c| c.least(from, to, 200));
            let middle = (from + to) / 2.0 / n as f64;
            let [exact, wilson] = both.each_ref().map(|c| c.width(middle));
            rows += &format!(
                "| {n} | {from} to {to} | {:.1} % | {:.3} | {:.1} % | {:.3} | {:.2} |\n",
                100.0 * least[0].0,
                least[0].1,
                100.0 * least[1].0,
                least[1].1,
                exact / wilson,
            );
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reports use unless they are told otherwise holds the truth in 94 of
    /// 100 cases at least, however rare failures are.
    #[test]
    fn the_default_covers_everywhere() {
        for n in [30, 100, 400, 1000] {
            let coverage = Coverage::new(Method::default(), n, 0.95);
            let (least, np) = coverage.least(0.0, n as f64, 400);
            assert!(least >= 0.94, "{least} at np = {np} of {n}");
        }
    }

    /// Wilson's does not: the outside check's figures at n = 400.
    #[test]
    fn wilson_does_not_where_failures_are_rare() {
        let wilson = Coverage::new(Method::Wilson, 400, 0.95);
        assert!((wilson.at(0.175 / 400.0) - 0.839).abs() < 5e-4, "{}", wilson.at(0.175 / 400.0));
        assert!(wilson.least(0.5, 1.5, 200).0 < 0.94);
    }

    #[test]
    fn the_page_shows_this_table() {
        let page = include_str!("../../../docs/metrics.md");
        assert!(page.contains(&table()), "docs/metrics.md should have\n{}", table());
    }

    /// By hand: of two runs with p = 1/2, 0 and 2 failures have 1/4 each.
    #[test]
    fn two_runs_by_hand() {
        let coverage = Coverage::new(Method::ClopperPearson, 2, 0.4);
        // Limits at 40 %: 0 to 1 - sqrt(0.3) = 0.452; 1 - sqrt(0.7) to sqrt(0.7).
        assert!((coverage.at(0.5) - 0.5).abs() < 1e-12);
        assert!((coverage.at(0.3) - (0.49 + 0.42)).abs() < 1e-12);
        assert_eq!((coverage.at(0.0), coverage.at(1.0)), (1.0, 1.0));
    }
}
