//! Campaigns that are disturbed end as if they had not been: a few rounds of
//! `cargo xtask kills`.

use std::path::Path;

use upset_testkit::kills::{Harness, Tally};

const SEED: u64 = 5;
const ROUNDS: u64 = 12;

#[test]
fn disturbed_campaigns_end_with_the_results_of_undisturbed_ones() {
    let dir = tempfile::tempdir().expect("a folder");
    let upset = Path::new(env!("CARGO_BIN_EXE_upset"));
    let harness = Harness::small(upset, dir.path(), SEED, 3).expect("undisturbed campaigns");
    let mut tally = Tally::default();
    for n in 0..ROUNDS {
        match harness.round(n, dir.path()) {
            Ok(more) => tally.add(&more),
            Err(e) => panic!("round {n} of seed {SEED}: {e}"),
        }
    }
    assert!(tally.times() >= ROUNDS, "{tally:?}");
    assert!(tally.resumed > 0, "{tally:?}");
}
