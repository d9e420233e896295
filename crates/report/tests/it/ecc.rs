//! A stratum re-read under codes, worked out by hand.

use upset_metrics::Class;
use upset_report::{Options, Report};
use upset_store::Results;

use crate::fixture::{experiment, header, stratum, study, subject};

#[test]
fn by_hand() {
    let subject = subject(0, "hs", "rtx2060");
    let mut stratum = stratum(0, &subject, &subject.profile.kernels[0], "rf", 3);
    (stratum.derating, stratum.planned) = (0.5, 7);
    let at = |lanes: &str, bits: &str| format!("rf:sm0.sub0.row1.lane{lanes}.bit{bits}@9");
    let mut experiments = vec![
        experiment(0, 0, Class::Sdc, at("4", "7")), // one bit: corrected
        experiment(0, 1, Class::Crash, at("4,5", "7")), // one in each of two words: corrected
        experiment(0, 2, Class::Masked, at("4", "7,8")), // two, not read
        experiment(0, 3, Class::Sdc, at("4", "7,8")), // two, read: detected
        experiment(0, 4, Class::Sdc, at("4", "7-9")), // three: not known
        experiment(0, 5, Class::ToolError, at("4", "7-9")), // ours: in no count
        experiment(0, 6, Class::Sdc, "smem:sm0.byte1.bit3@9".into()), // unprotected
    ];
    experiments[4].reached = None;
    let results = Results {
        file: "a.db".into(),
        header: header(1),
        subjects: vec![subject],
        strata: vec![stratum],
        experiments,
    };
    let options = Options { ecc: vec!["rf=secded:32".parse().unwrap()], ..Options::default() };
    let report = Report::new(&[results], &options);
    let p = &report.panels[0].ecc[0];
    assert_eq!((p.n, p.corrected, p.detected, p.unread, p.unknown), (6, 2, 1, 1, 1));
    assert_eq!((p.escaped.sdc, p.escaped.runs()), (1, 1));
    let (sdc, due) = (p.sdc.unwrap(), p.due.unwrap());
    assert!(
        (sdc.value.unwrap() - 0.5 / 6.0).abs() < 1e-12
            && (due.value.unwrap() - 0.5 / 6.0).abs() < 1e-12
    );
    // The one that is not known could be another SDC.
    let two = upset_metrics::interval::clopper_pearson(2, 6, 0.95);
    assert!((sdc.high - 0.5 * two.high).abs() < 1e-12);
}

#[test]
fn shown() {
    let codes = ["rf=secded:32", "smem=parity:32", "l2=secded:256/4"];
    let ecc = codes.map(|c| c.parse().unwrap()).to_vec();
    let text = Report::new(&[study()], &Options { ecc, ..Options::default() }).text();
    let start = text.find("UNDER ECC").unwrap();
    insta::assert_snapshot!(text[start..].split("\n\n").next().unwrap_or_default());
}
