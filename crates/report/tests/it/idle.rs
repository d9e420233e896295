//! Chips that a run leaves idle.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, subject};

/// `failures` of 1,200 experiments fail, the others are in bits that nobody
/// touches; the kernel uses 3 of 80 SMs.
fn store(scale: &str, failures: u64) -> Results {
    let mut subject = subject(0, "hs", "gv100");
    subject.scale = scale.into();
    subject.profile.kernels[0].sms_used = 3;
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 1);
    stratum.planned = 1200;
    let experiments = (0..1200).map(|n| {
        let class = if n < failures { Class::Sdc } else { Class::Masked };
        let mut e = experiment(0, n, class, format!("rf:sm0.sub0.row1.lane0.bit0@{n}"));
        e.how = if n < failures { "simulated" } else { "untouched" }.into();
        e
    });
    Results {
        shard: None,
        file: "a.db".into(),
        complete: false,
        intents: vec![],
        header: header(1),
        experiments: experiments.collect(),
        subjects: vec![subject],
        strata: vec![stratum],
    }
}

fn notes(results: Results) -> Vec<String> {
    let report = Report::new(&[results], &Options::default());
    let json = report.json();
    let text = report.text();
    for note in &report.notes {
        assert!(text.contains(note.as_str()) && json.to_string().contains(note.as_str()));
    }
    report.notes.into_iter().filter(|n| n.contains("never touches")).collect()
}

#[test]
fn next_to_no_failures_on_an_idle_chip_are_explained_once() {
    let said = notes(store("small", 8));
    assert_eq!(
        said,
        [
            "hs (small) on gv100: 1192 of 1200 experiments are masked, 1192 of them in bits that the \
          run never touches; it has work for 3 of 80 SMs. There is more to see with the full input \
          (--scale paper), on a chip of that size (--set sm.count=3) or in what is in use (--sms \
          used, --sampling active)."
        ]
    );
    let mut unfinished = store("small", 8);
    unfinished.strata[0].planned = 5000;
    assert!(notes(unfinished).is_empty());
    let paper = notes(store("paper", 8));
    assert!(paper.len() == 1 && !paper[0].contains("--scale"), "{paper:?}");
}

#[test]
fn where_there_is_something_to_see_nothing_is_said() {
    assert_eq!(notes(store("small", 12)), [""; 0]);
    let mut few = store("small", 0);
    few.experiments.truncate(49);
    assert_eq!(notes(few), [""; 0]);
    let mut active = store("small", 0);
    active.strata[0].sampling = "active".into();
    assert_eq!(notes(active), [""; 0]);
    let mut busy = store("small", 0);
    busy.subjects[0].profile.kernels[0].sms_used = 80;
    busy.experiments.iter_mut().for_each(|e| e.how = "overwritten".into());
    assert_eq!(notes(busy), [""; 0]);
}
