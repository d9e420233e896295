//! Strata that end with a number of failures.

use upset_metrics::interval::clopper_pearson;
use upset_metrics::until::Looks;
use upset_metrics::{Class, Method, sequential};
use upset_report::{Options, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, subject};

fn store(classes: &[(u64, Class)]) -> Results {
    let subject = subject(0, "hs", "rtx2060");
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    (stratum.planned, stratum.stop_at_failures) = (1000, 3);
    let experiments = classes.iter().map(|(n, c)| experiment(0, *n, *c, String::new())).collect();
    Results {
        shard: None,
        file: "a.db".into(),
        complete: false,
        intents: vec![],
        header: header(1),
        subjects: vec![subject],
        strata: vec![stratum],
        experiments,
    }
}

fn every_fourth_fails(n: u64) -> Vec<(u64, Class)> {
    (0..n).map(|i| (i, if i % 4 == 3 { Class::Crash } else { Class::Masked })).collect()
}

#[test]
fn what_comes_after_the_last_failure_does_not_count() {
    let report = Report::new(&[store(&every_fourth_fails(14))], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.failures, row.complete, row.interval), (12, 3, true, "inverse"));
    // Haldane: (3 - 1) / (12 - 1).
    assert!((row.avf.unwrap() - 2.0 / 11.0).abs() < 1e-12);
}

/// Two failures in 9 of at most 1000 runs: the third is the next one or never comes.
#[test]
fn unfinished_is_anything_from_never_to_the_next_run() {
    let report = Report::new(&[store(&every_fourth_fails(9))], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.failures, row.complete, row.avf), (9, 2, false, None));
    assert_eq!((row.missing, row.interval), (991, "unfinished"));
    assert_eq!(row.avf_low.unwrap(), clopper_pearson(2, 1000, 0.95).low);
    assert_eq!(row.avf_high.unwrap(), clopper_pearson(3, 10, 0.95).high);
}

/// 14 runs with a hole: the third failure is number 11 or, if the hole is one, number 7.
#[test]
fn with_a_gap_nobody_knows_which_failure_is_the_third() {
    let mut classes = every_fourth_fails(14);
    classes.remove(5);
    let report = Report::new(&[store(&classes)], &Options::default());
    let row = &report.panels[0].rows[0];
    // What comes after number 11 counts in neither case.
    assert_eq!((row.runs, row.missing, row.complete), (11, 1, false));
    assert_eq!((row.interval, row.avf), ("unfinished", None));
    assert_eq!(row.avf_low.unwrap(), sequential::interval(3, 12, 0.95).low);
    assert_eq!(row.avf_high.unwrap(), sequential::interval(3, 8, 0.95).high);
}

/// The same when number 5 is a failure of ours: then there is a value too.
#[test]
fn a_failure_of_ours_may_have_been_the_third() {
    let mut classes = every_fourth_fails(12);
    classes[5].1 = Class::ToolError;
    let report = Report::new(&[store(&classes)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.missing, row.complete, row.interval), (12, 0, true, "inverse"));
    assert_eq!(row.avf, Some(2.0 / 10.0));
    assert_eq!(row.avf_low.unwrap(), sequential::interval(3, 12, 0.95).low);
    assert_eq!(row.avf_high.unwrap(), sequential::interval(3, 8, 0.95).high);
}

/// Within 20 %: looks after 17, 19, 21, … runs.
fn margin(classes: &[(u64, Class)]) -> Results {
    let mut store = store(classes);
    let looks = Looks::for_margin(0.2, 0.95).unwrap();
    let stratum = &mut store.strata[0];
    (stratum.planned, stratum.stop_at_failures) = (looks.most(), 0);
    stratum.stop_at_margin = Some(0.2);
    store
}

/// Of 17 runs none failed: the first look was the last, whatever came after.
#[test]
fn the_first_look_within_the_margin_is_the_last() {
    let first = Looks::for_margin(0.2, 0.95).unwrap().all()[0].runs;
    assert_eq!(first, 17);
    let masked: Vec<_> = (0..20).map(|n| (n, Class::Masked)).collect();
    let wilson = Options { interval: Method::Wilson, ..Options::default() };
    let report = Report::new(&[margin(&masked)], &wilson);
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.failures, row.complete), (17, 0, true));
    // The one whose coverage is known, whatever was asked for.
    assert_eq!(row.interval, "clopper-pearson");
    assert_eq!((row.avf, row.avf_high), (Some(0.0), Some(clopper_pearson(0, 17, 0.95).high)));
    assert!(row.avf_high.unwrap() <= 0.2);
}

/// One of the 17 is missing: if it fails, the plan goes on.
#[test]
fn a_missing_run_may_let_it_go_on() {
    let looks = Looks::for_margin(0.2, 0.95).unwrap();
    let masked: Vec<_> = (1..17).map(|n| (n, Class::Masked)).collect();
    let report = Report::new(&[margin(&masked)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.complete, row.avf, row.interval), (false, None, "unfinished"));
    assert_eq!(row.avf_low, Some(0.0));
    // With it 1 of 17, and everything to come may fail up to the look that ends it.
    let next = looks.all()[1].runs;
    assert!(row.missing >= next - 16, "{}", row.missing);
    assert!(row.avf_high.unwrap() > clopper_pearson(1, 17, 0.95).high);
}

/// A run that we failed at keeps its place: 0 or 1 of 17.
#[test]
fn a_failure_of_ours_is_no_reason_to_go_on() {
    let mut classes: Vec<_> = (0..17).map(|n| (n, Class::Masked)).collect();
    classes[4].1 = Class::ToolError;
    let report = Report::new(&[margin(&classes)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.n, row.complete, row.avf), (17, 16, true, Some(0.0)));
    assert_eq!(row.avf_high, Some(clopper_pearson(1, 17, 0.95).high));
}
