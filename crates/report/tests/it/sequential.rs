//! Strata that end with a number of failures.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, subject};

fn store(classes: &[(u64, Class)]) -> Results {
    let subject = subject(0, "hs", "rtx2060");
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    (stratum.planned, stratum.stop_at_failures) = (1000, 3);
    let experiments = classes.iter().map(|(n, c)| experiment(0, *n, *c, String::new())).collect();
    Results {
        file: "a.db".into(),
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

#[test]
fn unfinished_is_a_fixed_number_of_runs() {
    let report = Report::new(&[store(&every_fourth_fails(9))], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.failures, row.complete, row.interval), (9, 2, false, "wilson"));
}

#[test]
fn with_a_gap_nobody_knows_which_failure_is_the_third() {
    let mut classes = every_fourth_fails(14);
    classes.remove(5);
    let report = Report::new(&[store(&classes)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.runs, row.complete, row.interval), (13, false, "unfinished"));
}
