//! Somebody looks at a campaign again and again while it runs. The limits hold at
//! all looks together: they only close in on those of the finished campaign.

use proptest::prelude::*;
use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::{Experiment, Results};

use crate::fixture::{Dice, experiment};
use crate::unfinished::{End, campaign, ends};

/// Limits of the AVF of every row.
fn limits(results: &Results) -> Vec<(f64, f64)> {
    let report = Report::new(std::slice::from_ref(results), &Options::default());
    let rows = report.panels.iter().flat_map(|p| &p.rows);
    rows.map(|r| (r.avf_low.unwrap(), r.avf_high.unwrap())).collect()
}

/// Results as they arrive: what is masked first, but for some.
fn arriving(all: &[Experiment], dice: &mut Dice) -> Vec<Experiment> {
    let mut list: Vec<(u64, Experiment)> = all
        .iter()
        .map(|e| (dice.roll(1000) + if e.class == Class::Masked { 0 } else { 600 }, e.clone()))
        .collect();
    list.sort_by_key(|(time, _)| *time);
    list.into_iter().map(|(_, e)| e).collect()
}

fn with(results: &Results, mut experiments: Vec<Experiment>) -> Results {
    experiments.sort_by_key(|e| (e.stratum, e.number));
    Results { experiments, ..results.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn limits_only_close_in(
        seed in any::<u64>(),
        end in ends(),
    ) {
        let finished = campaign(seed, end);
        let arriving = arriving(&finished.experiments, &mut Dice(!seed));
        let mut before: Vec<(f64, f64)> = vec![(0.0, 1.0); finished.strata.len()];
        for tenth in 0..=10 {
            let there = arriving[..arriving.len() * tenth / 10].to_vec();
            let now = limits(&with(&finished, there));
            for (b, n) in before.iter().zip(&now) {
                prop_assert!(b.0 <= n.0 + 1e-12 && n.1 <= b.1 + 1e-12, "{b:?} then {n:?}");
            }
            before = now;
        }
    }
}

/// 400 campaigns of 60 runs, each run failing with a known probability, looked at
/// after every result, the masked ones first. Intervals at 95 % may miss in one of
/// twenty campaigns, at whatever look.
#[test]
fn looking_all_the_time_misses_no_more_than_looking_once() {
    let (campaigns, truth) = (400, 150);
    let mut dice = Dice(7);
    let mut frame = campaign(1, End::Number);
    frame.strata.truncate(1);
    frame.strata[0].planned = 60;
    let mut missed = 0;
    for _ in 0..campaigns {
        let runs: Vec<Experiment> = (0..60)
            .map(|n| {
                let fails = dice.roll(1000) < truth;
                let class = if fails { Class::Sdc } else { Class::Masked };
                experiment(0, n, class, String::new())
            })
            .collect();
        let arriving = arriving(&runs, &mut dice);
        let p = truth as f64 / 1000.0;
        let out = |n: usize| {
            let (low, high) = limits(&with(&frame, arriving[..n].to_vec()))[0];
            p < low || p > high
        };
        missed += u32::from((0..=60).any(out));
    }
    // Clopper-Pearson is careful: about 3 % here. None at all would be no interval.
    assert!((1..=20).contains(&missed), "{missed} of {campaigns}");
}
