//! Several stores.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, subject};

/// One stratum of register-file experiments with the given classes.
fn store(seed: u64, numbers: std::ops::Range<u64>, failing: u64) -> Results {
    let subject = subject(0, "hs", "rtx2060");
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    stratum.planned = 100;
    let experiments = numbers
        .map(|n| {
            let class = if n < failing { Class::Sdc } else { Class::Masked };
            experiment(0, n, class, format!("rf:sm0.sub0.row{n}.lane0.bit0@1"))
        })
        .collect();
    Results {
        shard: None,
        file: format!("{seed}.db"),
        complete: false,
        intents: vec![],
        header: header(seed),
        subjects: vec![subject],
        strata: vec![stratum],
        experiments,
    }
}

fn rows(stores: &[Results]) -> (Vec<(u64, u64, bool)>, String) {
    let report = Report::new(stores, &Options::default());
    let rows = report.panels.iter().flat_map(|p| &p.rows).map(|r| (r.runs, r.failures, r.complete));
    (rows.collect(), report.notes.join(" "))
}

#[test]
fn other_seeds_of_the_same_question_are_pooled() {
    let (rows, notes) = rows(&[store(1, 0..100, 10), store(2, 0..100, 20)]);
    assert_eq!(rows, [(200, 30, true)]);
    assert!(notes.contains("2 samples with different seeds"), "{notes}");
}

#[test]
fn shards_of_one_sample_are_joined_and_counted_once() {
    let (joined, _) = rows(&[store(1, 0..60, 10), store(1, 60..100, 10)]);
    assert_eq!(joined, [(100, 10, true)]);
    let (twice, notes) = rows(&[store(1, 0..100, 10), store(1, 0..100, 10)]);
    assert_eq!(twice, [(100, 10, true)]);
    assert!(notes.contains("100 experiments are in more than one store"), "{notes}");
}

#[test]
fn results_that_disagree_are_told() {
    let (_, notes) = rows(&[store(1, 0..100, 10), store(1, 0..100, 12)]);
    assert!(notes.contains("2 experiments are in more than one store with different"), "{notes}");
}

#[test]
fn another_question_is_kept_apart() {
    let mut other = store(2, 0..50, 5);
    other.header.spec.push_str("runs = 50\n");
    other.strata[0].planned = 50;
    let (rows, notes) = rows(&[store(1, 0..100, 10), other]);
    assert_eq!(rows, [(100, 10, true), (50, 5, true)]);
    assert!(notes.contains("kept apart"), "{notes}");
}

#[test]
fn another_structure_joins_the_sums() {
    let mut other = store(1, 0..100, 50);
    other.header.spec.push_str("structure = \"smem\"\n");
    other.strata[0].structure = "smem".into();
    let report = Report::new(&[store(1, 0..100, 10), other], &Options::default());
    assert_eq!(report.panels.len(), 1);
    let avf = report.panels[0].total.as_ref().unwrap().avf.unwrap();
    // Both have the bits of the register file here.
    assert!((avf.value.unwrap() - 0.3).abs() < 1e-12, "{avf:?}");
}

#[test]
fn parts_of_a_structure_count_once() {
    let mut results = store(1, 0..100, 10);
    let mut part = results.strata[0].clone();
    (part.id, part.structure) = (1, "rf.data".into());
    results.strata.push(part);
    let more: Vec<_> = (0..100).map(|n| experiment(1, n, Class::Crash, "x".into())).collect();
    results.experiments.extend(more);
    let report = Report::new(&[results], &Options::default());
    let avf = report.panels[0].total.as_ref().unwrap().avf.unwrap();
    assert!((avf.value.unwrap() - 0.1).abs() < 1e-12, "{avf:?}");
}

#[test]
fn a_window_that_all_share_has_sums_of_its_own() {
    let mut results = store(1, 0..100, 10);
    results.strata[0].window = "launch 1".into();
    results.strata[0].cycles = 700;
    let report = Report::new(&[results.clone()], &Options::default());
    let total = report.panels[0].total.as_ref().unwrap();
    assert_eq!((total.window.as_str(), total.kernels[0].cycles), ("launch 1", 700));
    // Beside the whole kernel it is in no sum.
    let mut whole = results.strata[0].clone();
    (whole.id, whole.window) = (1, String::new());
    results.strata.push(whole);
    let more: Vec<_> = (0..100).map(|n| experiment(1, n, Class::Masked, "x".into())).collect();
    results.experiments.extend(more);
    let report = Report::new(&[results], &Options::default());
    assert_eq!(report.panels[0].total.as_ref().unwrap().avf.unwrap().value, Some(0.0));
}

#[test]
fn each_structure_may_spread_its_bits_in_its_own_way() {
    let mut results = store(1, 0..100, 10);
    let mut other = results.strata[0].clone();
    (other.id, other.structure, other.spread) = (1, "l2".into(), "2x2".into());
    results.strata.push(other);
    for s in &mut results.strata {
        s.bits = 3;
    }
    let report = Report::new(&[results], &Options::default());
    assert_eq!(report.panels.len(), 1);
    assert_eq!(report.panels[0].variant.label(), "3 bits");
    assert!(report.text().contains("SPREAD"), "{}", report.text());
}
