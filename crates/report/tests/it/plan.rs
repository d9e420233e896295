//! What campaigns set out to do, and digests of what they found.

use upset_report::{Options, Report};
use upset_store::{Intent, Results};

use crate::fixture::study;

fn intent(id: u32, subject: u32, app: &str, structure: &str) -> Intent {
    Intent {
        id,
        subject,
        app: app.into(),
        scale: "paper".into(),
        chip: "rtx2060".into(),
        kernel: "each".into(),
        window: String::new(),
        structure: structure.into(),
        bits: 1,
        model: "flip".into(),
        sampling: "physical".into(),
        planned: 400,
        stop_at_failures: 0,
        stop_at_margin: None,
    }
}

/// hs alone, of a campaign that was to do lud too.
fn begun() -> Results {
    let mut store = study();
    store.subjects.retain(|s| s.id == 0);
    store.strata.retain(|s| s.subject == 0 && s.bits == 1);
    store.experiments.retain(|e| store.strata.iter().any(|s| s.id == e.stratum));
    store.intents =
        vec![intent(0, 0, "hs", "rf"), intent(1, 4, "lud", "rf"), intent(2, 4, "lud", "l2")];
    store
}

#[test]
fn what_was_never_begun_is_listed_and_may_be_anything() {
    let report = Report::new(&[begun()], &Options::default());
    assert_eq!(report.panels.len(), 2);
    let lud = &report.panels[1];
    assert_eq!((lud.app.as_str(), lud.complete, lud.rows.len()), ("lud", false, 2));
    for row in &lud.rows {
        assert_eq!((row.runs, row.planned, row.missing, row.complete), (0, 400, 400, false));
        assert_eq!((row.avf, row.avf_low, row.avf_high), (None, Some(0.0), Some(1.0)));
    }
    let text = report.text();
    assert!(text.contains("each kernel") && text.contains("0 of 400*"), "{text}");
    assert!(report.html().contains("0 of 400*"));
    assert_eq!(report.json()["rows"].as_array().map(Vec::len), Some(6));
}

#[test]
fn nothing_is_missing_of_a_finished_campaign_or_of_what_another_part_has() {
    let finished = Results { complete: true, ..begun() };
    assert_eq!(Report::new(&[finished], &Options::default()).panels.len(), 1);
    // Another part of the same campaign has begun it.
    let (mut other, mut subject) = (begun(), begun().subjects[0].clone());
    (subject.id, subject.app) = (4, "lud".into());
    other.subjects.push(subject);
    for s in &mut other.strata {
        s.subject = 4;
    }
    let report = Report::new(&[begun(), other], &Options::default());
    assert!(report.panels.iter().all(|p| p.rows.iter().all(|r| r.kernel.is_some())));
}

/// Two shards of a campaign that neither has begun all of: what is missing is
/// missing once.
#[test]
fn what_no_shard_has_begun_is_listed_once() {
    let shard = |number| {
        let shard = upset_store::Shard { number, count: 8, parts: vec![] };
        Results { complete: true, shard: Some(shard), ..begun() }
    };
    let report = Report::new(&[shard(1), shard(2)], &Options::default());
    let lud = report.panels.iter().filter(|p| p.app == "lud");
    assert_eq!(lud.map(|p| p.planned()).sum::<u64>(), 800);
}

#[test]
fn one_df_in_rows_and_kernels() {
    let mut store = study();
    for subject in &mut store.subjects {
        for kernel in &mut subject.profile.kernels {
            kernel.busy = 0.25;
        }
    }
    let report = Report::new(&[store], &Options::default());
    for panel in &report.panels {
        for row in panel.rows.iter().filter(|r| r.df.is_some()) {
            let kernels = &panel.total.as_ref().unwrap().kernels;
            let kernel = kernels.iter().find(|k| k.kernel == row.kernel).unwrap();
            let df = if row.structure == "rf" { kernel.df_reg } else { kernel.df_smem };
            assert_eq!(row.df, df, "{}", row.structure);
            // 32 registers of 820.5 threads on a quarter of the SM's cycles.
            if row.structure == "rf" {
                assert_eq!(row.df, Some(32.0 * 820.5 * 0.25 / 65536.0));
            }
        }
    }
}

#[test]
fn sums_over_other_structures_stand_apart() {
    let mut store = study();
    let alike = Report::new(&[store.clone()], &Options::default());
    let charts = |r: &Report| r.html().matches("Weighted AVF over ").count();
    let (all, noted) = (charts(&alike), |r: &Report| r.notes.join(" ").contains("do not compare"));
    assert!(!noted(&alike) && all > 0);
    // gv100 without its register file.
    store.strata.retain(|s| !(s.structure == "rf" && s.subject % 2 == 1));
    store.experiments.retain(|e| store.strata.iter().any(|s| s.id == e.stratum));
    let unlike = Report::new(&[store], &Options::default());
    assert!(noted(&unlike) && charts(&unlike) > all);
    let text = unlike.text();
    assert!(text.contains("over rf, smem, l1d, l2\n") && text.contains("over smem, l1d, l2\n"));
}

#[test]
fn the_digest_of_results_sees_results_and_nothing_else() {
    let of = |stores: &[Results]| Report::new(stores, &Options::default()).results_digest;
    let whole = of(&[study()]);
    // Halves in any order, how it was found, numbers of strata: no part of it.
    let mut halves = [study(), study()];
    halves[0].experiments.retain(|e| e.number % 2 == 0);
    halves[1].experiments.retain(|e| e.number % 2 == 1);
    assert_eq!(of(&halves), whole);
    halves.reverse();
    assert_eq!(of(&halves), whole);
    assert_eq!(of(&[study(), study()]), whole);
    let changed = |change: fn(&mut Results)| {
        let mut store = study();
        change(&mut store);
        of(&[store])
    };
    assert_eq!(changed(|s| s.experiments[7].how = "otherwise".into()), whole);
    assert_eq!(changed(|s| s.header.spec.push_str("exact = false\n")), whole);
    assert_ne!(changed(|s| s.experiments[7].cycles += 1), whole);
    assert_ne!(changed(|s| s.experiments[7].output_digest.push('0')), whole);
    assert_ne!(changed(|s| s.experiments[7].fault.push('0')), whole);
    assert_ne!(changed(|s| s.experiments[7].class = upset_metrics::Class::Timeout), whole);
    assert_ne!(changed(|s| drop(s.experiments.pop())), whole);
}
