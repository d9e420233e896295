//! What counters noticed in watched campaigns.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::{FirstAlarm, Noticed, Results};

use crate::fixture::{experiment, header, stratum, study, subject};

/// Noticed by these counters `latency` cycles after the fault, or by none.
fn noticed(ways: &[&[&str]], cycle: u64, paper: bool) -> Noticed {
    let first = FirstAlarm {
        layer: if ways.first().is_some_and(|w| w.len() > 1) { "laws" } else { "regions" }.into(),
        what: "x".into(),
        cycle,
        before_output: cycle < 500,
        ..FirstAlarm::default()
    };
    Noticed {
        layers: Vec::new(),
        ways: ways.iter().map(|w| w.iter().map(|c| c.to_string()).collect()).collect(),
        first: (!ways.is_empty()).then_some(first),
        paper: if paper { vec!["INACT".into()] } else { Vec::new() },
        score: 0.0,
    }
}

/// One stratum with these experiments.
fn store(runs: Vec<(Class, Noticed)>) -> Results {
    let subject = subject(0, "hs", "gv100");
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    stratum.planned = runs.len() as u64;
    let experiments = (0..).zip(runs).map(|(i, (class, noticed))| {
        let mut e = experiment(0, i, class, format!("rf:sm0.sub0.row{i}.lane0.bit0@5"));
        e.hit.cycle = 100;
        e.noticed = Some(noticed);
        e
    });
    Results {
        shard: None,
        file: "a.db".into(),
        complete: true,
        intents: vec![],
        header: header(1),
        experiments: experiments.collect(),
        subjects: vec![subject],
        strata: vec![stratum],
    }
}

#[test]
fn noticed_failures_are_counted_with_limits() {
    let mut runs = vec![(Class::Masked, noticed(&[], 0, false)); 10];
    runs.push((Class::Masked, noticed(&[&["c"]], 700, true)));
    runs.extend(vec![(Class::Sdc, noticed(&[&["a"]], 400, true)); 6]);
    runs.extend(vec![(Class::Sdc, noticed(&[], 0, false)); 2]);
    runs.extend(vec![(Class::Timeout, noticed(&[&["a"], &["b", "c"]], 900, false)); 2]);
    let report = Report::new(&[store(runs)], &Options::default());
    let watched = report.watched.as_ref().expect("it was watched");
    let [row] = &watched.rows[..] else { panic!("one row: {watched:?}") };
    assert_eq!((row.failures.k, row.failures.n), (8, 10));
    // Clopper and Pearson for 8 of 10.
    assert!((row.failures.low - 0.4439).abs() < 1e-4 && (row.failures.high - 0.9748).abs() < 1e-4);
    assert_eq!((row.failures_paper.k, row.failures_paper.n), (6, 10));
    let of = |class: Class| row.classes.iter().find(|c| c.class == class).expect("has runs");
    let sdc = of(Class::Sdc);
    assert_eq!((sdc.noticed.k, sdc.noticed.n, sdc.before_output, sdc.paper), (6, 8, 6, 6));
    let timeout = of(Class::Timeout);
    assert_eq!((timeout.noticed.k, timeout.before_output), (2, 0));
    assert_eq!(of(Class::Masked).noticed.k, 1);
    assert!(!row.classes.iter().any(|c| c.class == Class::Crash));
    // From cycle 100: six times 300, twice 800.
    assert_eq!(row.latency, Some(300));
    assert_eq!(row.first.get("regions"), Some(&8));
    let set = watched.smallest.as_ref().expect("a set");
    assert_eq!((set.counters.as_slice(), set.noticed, set.all), (&["a".to_string()][..], 8, 8));
    let text = report.text();
    assert!(text.contains("noticed by performance counters"), "{text}");
    assert!(text.contains("  6/8  ") && text.contains("  8/10  "), "{text}");
    assert_eq!(report.json()["watched"]["rows"][0]["failures"]["k"], 8);
}

#[test]
fn a_law_needs_all_its_counters() {
    let runs = vec![
        (Class::Crash, noticed(&[&["a", "b"]], 200, false)),
        (Class::Crash, noticed(&[&["c"], &["a", "b"]], 200, false)),
    ];
    let report = Report::new(&[store(runs)], &Options::default());
    let set = report.watched.expect("watched").smallest.expect("a set");
    assert_eq!((set.counters, set.all), (vec!["a".to_string(), "b".into()], 2));
}

#[test]
fn who_did_not_watch_is_told_nothing() {
    let report = Report::new(&[study()], &Options::default());
    assert!(report.watched.is_none());
    assert!(report.json().get("watched").is_none());
    assert!(!report.text().contains("counters"));
}
