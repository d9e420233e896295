//! A campaign that is still running has proved the masked ones first.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, subject};

/// 100 planned, of which every second is proved masked; `simulated` of the
/// others are done, and every fifth of them failed.
fn store(simulated: u64) -> Results {
    let subject = subject(0, "hs", "rtx2060");
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    stratum.planned = 100;
    let mut experiments = Vec::new();
    for n in 0..100u64 {
        let (class, how) = match n % 2 {
            0 => (Class::Masked, "overwritten"),
            _ if n / 2 >= simulated => continue,
            _ if (n / 2) % 5 == 0 => (Class::Sdc, "simulated"),
            _ => (Class::Masked, "simulated"),
        };
        let mut e = experiment(0, n, class, "rf:sm0.sub0.row1.lane0.bit0@1".into());
        e.how = how.into();
        experiments.push(e);
    }
    Results {
        file: "a.db".into(),
        header: header(1),
        subjects: vec![subject],
        strata: vec![stratum],
        experiments,
    }
}

#[test]
fn proofs_do_not_dilute_what_was_simulated() {
    // The truth of the finished sample: 10 of 100.
    let report = Report::new(&[store(20)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.n, row.missing, row.failures, row.interval), (70, 30, 4, "unfinished"));
    assert!((row.avf.unwrap() - 0.1).abs() < 1e-12, "{:?}", row.avf);
    // 4 of 100 or 34 of 100: both are possible.
    let limits = |k| upset_metrics::interval::wilson(k, 100, 0.95);
    assert_eq!(row.avf_low.unwrap(), limits(4).low);
    assert_eq!(row.avf_high.unwrap(), limits(34).high);
    assert!(report.notes.iter().any(|n| n.contains("simulated ones speak")));
}

#[test]
fn finished_is_as_ever() {
    let report = Report::new(&[store(50)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.n, row.missing, row.failures, row.interval), (100, 0, 10, "wilson"));
}

#[test]
fn a_shard_has_no_holes() {
    let mut results = store(50);
    results.experiments.retain(|e| e.number % 5 == 1);
    let report = Report::new(&[results], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.n, row.missing, row.complete, row.interval), (20, 0, false, "wilson"));
}

#[test]
fn what_ecc_leaves_waits_for_the_end() {
    let options = Options { ecc: vec!["rf=parity:32".parse().unwrap()], ..Options::default() };
    let sdc = |s: Results| Report::new(&[s], &options).panels[0].ecc[0].sdc;
    assert!(sdc(store(20)).is_none() && sdc(store(50)).is_some());
}
