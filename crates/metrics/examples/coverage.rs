//! The table of docs/metrics.md: how often 95 % intervals hold the truth, exactly.
//!
//! `cargo run --release -p upset-metrics --example coverage`

fn main() {
    print!("{}", upset_metrics::coverage::table());
}
