//! A stratum re-read under codes, worked out by hand.

use upset_metrics::{Class, Estimate};
use upset_report::{Options, RawFit, RawFits, Report};
use upset_store::{Experiment, Results, Stratum};

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
        shard: None,
        file: "a.db".into(),
        complete: false,
        intents: vec![],
        header: header(1),
        subjects: vec![subject],
        strata: vec![stratum],
        experiments,
    };
    let options = Options { ecc: vec!["rf=secded:32".parse().unwrap()], ..Options::default() };
    let report = Report::new(&[results], &options);
    let p = &report.panels[0].ecc[0];
    assert_eq!((p.n, p.corrected, p.detected, p.unread, p.unknown), (6, 2, 1, 1, 1));
    assert_eq!((p.escaped.runs(), p.unprotected.sdc, p.unprotected.runs()), (0, 1, 1));
    let (sdc, due) = (p.sdc.unwrap(), p.due.unwrap());
    assert!(
        (sdc.value.unwrap() - 0.5 / 6.0).abs() < 1e-12
            && (due.value.unwrap() - 0.5 / 6.0).abs() < 1e-12
    );
    // The one that is not known could be another SDC.
    let two = options.interval.interval(2, 6, 0.95);
    assert!((sdc.high - 0.5 * two.high).abs() < 1e-12);
}

/// Runs of one kernel and structure: faults of one bit, and whether it was read.
fn singles(
    id: u32,
    structure: &str,
    bits: u64,
    runs: &[(Class, bool)],
) -> (Stratum, Vec<Experiment>) {
    let subject = subject(0, "hs", "rtx2060");
    let mut stratum = stratum(id, &subject, &subject.profile.kernels[0], structure, 1);
    stratum.structure_bits = bits;
    stratum.planned = runs.len() as u64;
    let path = if structure == "rf" { "sm0.sub0.row1.lane4" } else { "slice0.set0.way0.data" };
    let list = runs.iter().enumerate().map(|(number, (class, read))| {
        let fault = format!("{structure}:{path}.bit{number}@9");
        let mut e = experiment(id, number as u64, *class, fault);
        e.reached = Some(*read);
        e.hit.bits = 1;
        e
    });
    (stratum, list.collect())
}

fn report(strata: Vec<(Stratum, Vec<Experiment>)>, codes: &[&str]) -> Report {
    let mut results = Results {
        shard: None,
        file: "a.db".into(),
        complete: false,
        intents: vec![],
        header: header(1),
        subjects: vec![subject(0, "hs", "rtx2060")],
        strata: vec![],
        experiments: vec![],
    };
    for (stratum, experiments) in strata {
        results.strata.push(stratum);
        results.experiments.extend(experiments);
    }
    let ecc = codes.iter().map(|c| c.parse().unwrap()).collect();
    let raw_fit = Some(RawFits::One(RawFit::parse("2e-6", Some("made up")).unwrap()));
    Report::new(&[results], &Options { ecc, raw_fit, ..Options::default() })
}

/// However few runs there are: one flipped bit is never silent under parity.
#[test]
fn parity_leaves_no_single_flip_silent() {
    use Class::*;
    let runs = [(Sdc, true), (Masked, false), (Crash, true), (Masked, true)];
    let r = report(vec![singles(0, "rf", 1000, &runs)], &["rf=parity:32"]);
    let p = &r.panels[0].ecc[0];
    assert_eq!((p.detected, p.unread, p.perhaps, p.unknown), (3, 1, 0, 0));
    assert_eq!(p.sdc, Some(Estimate::ZERO));
    let due = p.due.unwrap();
    assert!(due.value == Some(0.75) && due.low < 0.75 && due.high > 0.75);
    let total = r.panels[0].ecc_total.as_ref().unwrap();
    assert_eq!((total.sdc, total.sdc_fit), (Estimate::ZERO, Some(Estimate::ZERO)));
    // Words that are wider than a register may have been read beside the bit.
    let wide = report(vec![singles(0, "rf", 1000, &runs)], &["rf=parity:64"]);
    let p = &wide.panels[0].ecc[0];
    assert_eq!((p.detected, p.perhaps, p.sdc), (3, 1, Some(Estimate::ZERO)));
    // A code for another part of the structure is none for this one.
    let r = report(vec![singles(0, "l2", 1000, &runs)], &["l2.tag=parity:32"]);
    let p = &r.panels[0].ecc[0];
    assert_eq!((p.unprotected.runs(), p.unprotected.sdc), (4, 1));
    assert!(p.sdc.unwrap().value == Some(0.25) && p.sdc.unwrap().high > 0.25);
}

/// A line that holds nothing is filled before it is read.
#[test]
fn a_bit_of_an_empty_line_is_harmless_under_parity() {
    let (stratum, mut list) = singles(0, "l2", 1000, &[(Class::Masked, false); 5]);
    list[1].hit.allocated = Some(false);
    list[2].hit.allocated = Some(true);
    list[3].hit.allocated = Some(false);
    list[3].reached = Some(true);
    list[4].hit.allocated = Some(false);
    list[4].hit.bits = 2;
    let r = report(vec![(stratum, list)], &["l2=parity:32"]);
    let p = &r.panels[0].ecc[0];
    assert_eq!((p.unread, p.perhaps, p.detected), (1, 3, 1));
}

/// SDC-FIT and DUE-FIT of a chip: sums over the structures, worked out by hand.
#[test]
fn totals_by_hand() {
    use Class::*;
    let rf =
        singles(0, "rf", 3000, &[(Sdc, true), (Masked, false), (Masked, false), (Crash, true)]);
    let l2 = singles(
        1,
        "l2",
        1000,
        &[(Sdc, true), (Sdc, true), (Masked, false), (Timeout, true), (Masked, true)],
    );
    let bare = report(vec![rf.clone(), l2.clone()], &["smem=parity:32"]);
    let t = bare.panels[0].ecc_total.as_ref().unwrap();
    let close =
        |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs().max(1e-12), "{a} is not {b}");
    close(t.sdc.value.unwrap(), (3000.0 * 0.25 + 1000.0 * 0.4) / 4000.0);
    close(t.due.value.unwrap(), (3000.0 * 0.25 + 1000.0 * 0.2) / 4000.0);
    close(t.sdc_fit.unwrap().value.unwrap(), 2e-6 * (3000.0 * 0.25 + 1000.0 * 0.4));
    close(t.due_fit.unwrap().value.unwrap(), 2e-6 * (3000.0 * 0.25 + 1000.0 * 0.2));
    // Together they are the FIT of the chip.
    let fit = bare.panels[0].total.as_ref().unwrap().fit.unwrap();
    close(
        t.sdc_fit.unwrap().value.unwrap() + t.due_fit.unwrap().value.unwrap(),
        fit.value.unwrap(),
    );
    // SEC-DED takes the register file out; L2's own runs are left.
    let r = report(vec![rf, l2], &["rf=secded:32"]);
    let t = r.panels[0].ecc_total.as_ref().unwrap();
    close(t.sdc_fit.unwrap().value.unwrap(), 2e-6 * 1000.0 * 0.4);
    let limits = Options::default().interval.interval(2, 5, 0.95);
    close(t.sdc_fit.unwrap().low, 2e-6 * 1000.0 * limits.low);
    close(t.sdc_fit.unwrap().high, 2e-6 * 1000.0 * limits.high);
    let text = r.text();
    assert!(text.contains("SDC-FIT") && text.contains("DUE-FIT"), "{text}");
    assert!(r.html().contains("DUE-FIT"));
    assert!(r.json()["totals"][0]["ecc_total"]["due_fit"]["value"].is_number());
}

#[test]
fn shown() {
    let codes = ["rf=secded:32", "smem=parity:32", "l2=secded:256/4"];
    let ecc = codes.map(|c| c.parse().unwrap()).to_vec();
    let text = Report::new(&[study()], &Options { ecc, ..Options::default() }).text();
    let start = text.find("UNDER ECC").unwrap();
    insta::assert_snapshot!(text[start..].split("\n\n").next().unwrap_or_default());
}
