//! The table of docs/metrics.md: how often 95 % intervals hold the truth, exactly.
//!
//! `cargo run --release -p upset-metrics --example coverage`

use upset_metrics::Method;
use upset_metrics::coverage::Coverage;

/// Expected failures, from and to; the last row goes to n.
const RANGES: [(f64, f64); 7] =
    [(0.0, 0.1), (0.1, 0.5), (0.5, 1.5), (1.5, 3.0), (3.0, 10.0), (10.0, 30.0), (30.0, f64::MAX)];
const METHODS: [Method; 2] = [Method::ClopperPearson, Method::Wilson];

fn main() {
    println!(
        "| n | np | Clopper-Pearson | at np | Wilson | at np | width, Clopper-Pearson / Wilson |"
    );
    println!("|---|---|---|---|---|---|---|");
    for n in [30, 100, 400, 1000, 3000] {
        let all = METHODS.map(|m| Coverage::new(m, n, 0.95));
        for (from, to) in RANGES {
            let to = to.min(n as f64);
            if from >= to {
                continue;
            }
            let least = all.each_ref().map(|c| c.least(from, to, 200));
            let middle = (from + to) / 2.0 / n as f64;
            let [exact, wilson] = all.each_ref().map(|c| c.width(middle));
            println!(
                "| {n} | {from} to {to} | {:.1} % | {:.3} | {:.1} % | {:.3} | {:.2} |",
                100.0 * least[0].0,
                least[0].1,
                100.0 * least[1].0,
                least[1].1,
                exact / wilson,
            );
        }
    }
}
