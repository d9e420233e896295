//! Two sides compared: who with whom, and what comes out.

use proptest::prelude::*;
use upset_metrics::difference::difference_of;
use upset_metrics::interval::clopper_pearson;
use upset_metrics::{Class, Estimate};
use upset_report::{Figure, Level, Line, Options, RawFit, RawFits, Report, Versus};
use upset_store::{Experiment, Results};

use crate::fixture::{experiment, header, stratum, study, subject};
use crate::unfinished::{End, campaign, ends};

/// `hs` on a chip with one stratum for each structure: as many silent corruptions,
/// crashes and runs in all as given. Faults are numbered, and those of another seed
/// are other ones.
fn store(seed: u64, chip: &str, bits: u32, rows: &[(&str, u64, u64, u64)]) -> Results {
    let subject = subject(0, "hs", chip);
    let mut results = Results {
        shard: None,
        file: format!("{chip}-{seed}.db"),
        complete: true,
        intents: vec![],
        header: header(seed),
        subjects: vec![subject.clone()],
        strata: vec![],
        experiments: vec![],
    };
    for (structure, sdc, crash, runs) in rows {
        let id = results.strata.len() as u32;
        let mut s = stratum(id, &subject, &subject.profile.kernels[0], structure, bits);
        s.planned = *runs;
        results.strata.push(s);
        for n in 0..*runs {
            let class = match n {
                n if n < *sdc => Class::Sdc,
                n if n < sdc + crash => Class::Crash,
                _ => Class::Masked,
            };
            results.experiments.push(experiment(id, n, class, format!("{structure}:{seed}@{n}")));
        }
    }
    results
}

fn versus(a: &Results, b: &Results) -> Versus {
    let options = Options::default();
    let (a, b) = (std::slice::from_ref(a), std::slice::from_ref(b));
    Versus::new(a, b, [&options, &options]).expect("something to compare")
}

fn refused(a: &Results, b: &Results) -> String {
    let options = Options::default();
    let (a, b) = (std::slice::from_ref(a), std::slice::from_ref(b));
    Versus::new(a, b, [&options, &options]).expect_err("nothing to compare")
}

fn line<'v>(versus: &'v Versus, level: Level, structure: Option<&str>) -> &'v Line {
    let mut lines = versus.matches.iter().flat_map(|m| &m.lines);
    let is = |l: &&Line| l.level == level && l.structure.as_deref() == structure;
    lines.find(is).expect("a line")
}

fn figure<'v>(line: &'v Line, name: &str) -> &'v Figure {
    line.figures.iter().find(|f| f.figure == name).expect("a figure")
}

fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 2e-4 * want.abs(), "{got} is not {want}");
}

/// 5 of 100 and none of 100: p as SciPy's binomials have it (see `upset-metrics`),
/// difference and ratio from Clopper and Pearson's closed forms.
#[test]
fn two_counts_by_hand() {
    let v = versus(
        &store(1, "rtx2060", 1, &[("rf", 5, 0, 100)]),
        &store(2, "rtx2060", 1, &[("rf", 0, 0, 100)]),
    );
    assert!(!v.matches[0].paired && v.differs.is_empty(), "{:?}", v.differs);
    let avf = figure(&v.matches[0].lines[0], "avf");
    assert_eq!((avf.a.value, avf.b.value, avf.test), (Some(0.05), Some(0.0), Some("exact")));
    near(avf.p.unwrap(), 0.023_377_18);
    // Without a failure the upper limit is 1 - 0.025^(1/100).
    let (five, none) = (clopper_pearson(5, 100, 0.95), 1.0 - 0.025f64.powf(0.01));
    near(avf.difference.low, 0.05 - (0.05 - five.low).hypot(none));
    near(avf.difference.high, five.high);
    assert_eq!((avf.ratio.value, avf.ratio.high), (None, f64::INFINITY));
    // SDC is the same runs, DUE none at all; three tests, so Holm's are 3, 3 and 1 times p.
    assert_eq!(figure(&v.matches[0].lines[0], "due").p, Some(1.0));
    assert_eq!((v.tests, v.different()), (3, 0));
    near(avf.p_holm.unwrap(), 3.0 * avf.p.unwrap());
}

#[test]
fn the_same_faults_are_pairs() {
    let a = store(1, "rtx2060", 1, &[("rf", 12, 8, 200), ("l2", 3, 0, 150)]);
    let mut b = a.clone();
    // Six of the twenty failures go away, one comes.
    for e in b.experiments.iter_mut().filter(|e| e.stratum == 0) {
        match e.number {
            2..8 => e.class = Class::Masked,
            100 => e.class = Class::Crash,
            _ => {}
        }
    }
    let v = versus(&a, &b);
    assert!(v.matches[0].paired);
    let avf = figure(line(&v, Level::Row, Some("rf")), "avf");
    let pairs = avf.pairs.unwrap();
    assert_eq!((pairs.both, pairs.first, pairs.second, pairs.neither), (14, 6, 1, 179));
    // Of seven fair coins at most one: 2 x 8/128.
    assert_eq!(avf.test, Some("mcnemar"));
    near(avf.p.unwrap(), 0.125);
    let apart = difference_of(avf.a, avf.b).interval();
    let together = avf.difference.interval();
    assert!(together.half_width() < 0.7 * apart.half_width(), "{together:?} {apart:?}");
    assert_eq!(avf.difference.value, Some(0.1 - 0.075));
    // So are the sums.
    let all = figure(line(&v, Level::Chip, None), "avf");
    let apart = difference_of(all.a, all.b).interval();
    assert!(all.difference.interval().half_width() < 0.7 * apart.half_width());
    assert_eq!(all.test, Some("interval"));
    assert!((0.02..0.3).contains(&all.p.unwrap()), "{all:?}");
    let l2 = figure(line(&v, Level::Row, Some("l2")), "avf");
    assert_eq!((l2.p, l2.difference.value), (Some(1.0), Some(0.0)));
}

/// The faults prove it, not the seed: one that is another makes the row independent.
#[test]
fn one_other_fault_is_no_pair() {
    let a = store(1, "rtx2060", 1, &[("rf", 12, 8, 200)]);
    let mut b = a.clone();
    b.experiments[150].fault = "rf:9@150".into();
    let v = versus(&a, &b);
    let avf = figure(&v.matches[0].lines[0], "avf");
    assert!(!v.matches[0].paired && avf.pairs.is_none());
    assert_eq!((avf.test, avf.p), (Some("exact"), Some(1.0)));
}

/// A pair with a failure of ours may have gone either way.
#[test]
fn pairs_without_a_result() {
    let a = store(1, "rtx2060", 1, &[("rf", 6, 0, 100)]);
    let mut b = store(1, "rtx2060", 1, &[("rf", 0, 0, 100)]);
    b.experiments[50].class = Class::ToolError;
    let avf = versus(&a, &b).matches[0].lines[0].figures[0].clone();
    assert_eq!(avf.pairs.unwrap().unknown, 1);
    // 6 and perhaps 1 of 7.
    near(avf.p.unwrap(), 2.0 * 8.0 / 128.0);
    // Without pairs: 6 of 100 and at most 1 of 100, not 0 of 99.
    let mut other = b.clone();
    other.experiments[0].fault = "rf:9@0".into();
    let exact = versus(&a, &other).matches[0].lines[0].figures[0].p.unwrap();
    let one = store(2, "rtx2060", 1, &[("rf", 1, 0, 100)]);
    assert_eq!(Some(exact), versus(&a, &one).matches[0].lines[0].figures[0].p);
}

#[test]
fn across_one_difference() {
    let rows = [("rf", 20, 0, 200)];
    let (a, b) = (store(1, "rtx2060", 1, &rows), store(2, "gv100", 1, &rows));
    let v = versus(&a, &b);
    let d = &v.differs[0];
    assert_eq!(
        (d.what.as_str(), d.a.as_deref(), d.b.as_deref()),
        ("chip", Some("rtx2060"), Some("gv100"))
    );
    assert!(v.text().contains("rtx2060, single bit (A) and hs (paper) on gv100, single bit (B)"));
    let three = store(2, "rtx2060", 3, &rows);
    assert_eq!(versus(&a, &three).differs[0].what, "bits");
    // Chip and bits: nobody could say which of them it is.
    let why = refused(&a, &store(2, "gv100", 3, &rows));
    assert!(why.contains("hs (paper) on rtx2060") && why.contains("gv100, 3 bits"), "{why}");
}

#[test]
fn what_differs_under_the_same_names() {
    let a = store(1, "rtx2060", 1, &[("rf", 20, 0, 200)]);
    let mut b = store(2, "rtx2060", 1, &[("rf", 10, 0, 100)]);
    b.header.tool = "0.2.0".into();
    b.header.spec = b.header.spec.replace("runs = 400", "runs = 100");
    b.subjects[0].chip_toml += "ecc = true\n";
    b.subjects[0].binaries[0].1 = "0000".into();
    b.subjects[0].profile.cycles += 1;
    let v = versus(&a, &b);
    let list: Vec<&str> = v.differs.iter().map(|d| d.what.as_str()).collect();
    assert_eq!(
        list,
        [
            "upset",
            "runs",
            "chip rtx2060: chip.ecc",
            "hs on rtx2060: hs.cubin",
            "hs on rtx2060: cycles of the fault-free run"
        ]
    );
    assert!(v.text().contains("differs: chip rtx2060: chip.ecc: nothing in A, true in B"));
}

#[test]
fn what_has_no_partner_is_named() {
    let a = store(1, "rtx2060", 1, &[("rf", 2, 0, 100), ("smem", 1, 0, 100)]);
    let mut b = store(2, "rtx2060", 1, &[("rf", 2, 0, 100), ("l2", 1, 0, 100)]);
    let mut other = subject(1, "pathf", "rtx2060");
    other.id = 1;
    let mut s = stratum(2, &other, &other.profile.kernels[0], "rf", 1);
    s.planned = 1;
    b.strata.push(s);
    b.experiments.push(experiment(2, 0, Class::Masked, "rf@0".into()));
    b.subjects.push(other);
    let v = versus(&a, &b);
    assert_eq!(v.a.only, ["hs (paper) on rtx2060, single bit: calculate_temp smem"]);
    assert_eq!(v.b.only.len(), 2);
    assert!(v.b.only.iter().any(|o| o == "pathf (paper) on rtx2060, single bit"), "{:?}", v.b.only);
    assert!(v.text().contains("only in A: hs (paper) on rtx2060, single bit: calculate_temp smem"));
    // Sums over other structures are another figure.
    assert!(v.notes.iter().any(|n| n.contains("rf, smem in A and rf, l2 in B")), "{:?}", v.notes);
    assert!(v.matches[0].lines.iter().all(|l| l.level == Level::Row));
}

#[test]
fn unfinished_has_limits_and_no_test() {
    let a = store(1, "rtx2060", 1, &[("rf", 20, 0, 200)]);
    let mut b = store(2, "rtx2060", 1, &[("rf", 5, 0, 100)]);
    b.experiments.truncate(60);
    let v = versus(&a, &b);
    let row = &v.matches[0].lines[0];
    let avf = figure(row, "avf");
    assert_eq!((row.complete, row.n_b, avf.p, avf.test), (false, 60, None, None));
    assert_eq!((avf.difference.value, v.tests), (None, 0));
    let (ten, least, most) = (
        clopper_pearson(20, 200, 0.95),
        clopper_pearson(5, 100, 0.95).low,
        clopper_pearson(45, 100, 0.95).high,
    );
    assert_eq!((avf.difference.low, avf.difference.high), (ten.low - most, ten.high - least));
    assert!(v.text().contains("60*") && v.text().contains("unfinished"), "{}", v.text());
}

/// A plan that stops at a number of failures has no fixed number of runs.
#[test]
fn sequential_plans_are_tested_by_their_interval() {
    let (mut a, b) = (campaign(5, End::Failures(8)), campaign(6, End::Failures(8)));
    for s in &mut a.strata {
        s.planned = s.planned.max(s.stop_at_failures);
    }
    let v = versus(&a, &b);
    let rows = v.matches[0].lines.iter().filter(|l| l.level == Level::Row && l.complete);
    let tests: Vec<_> = rows.map(|l| figure(l, "avf")).collect();
    assert!(!tests.is_empty() && tests.iter().all(|f| f.test == Some("interval")), "{tests:?}");
    for f in tests {
        // The interval excludes zero exactly where p is below its level.
        let out = f.difference.low > 0.0 || f.difference.high < 0.0;
        assert_eq!(out, f.p.unwrap() < 0.05, "{f:?}");
    }
}

/// Half of the bits x cycles were sampled in A, all in B: 40 of 200 is 20 of 200.
#[test]
fn deratings_count() {
    let mut a = store(1, "rtx2060", 1, &[("rf", 40, 0, 200)]);
    a.strata[0].derating = 0.5;
    let b = store(2, "rtx2060", 1, &[("rf", 20, 0, 200)]);
    let avf = versus(&a, &b).matches[0].lines[0].figures[0].clone();
    assert_eq!((avf.difference.value, avf.ratio.value), (Some(0.0), Some(1.0)));
    assert_eq!((avf.test, avf.p), (Some("exact"), Some(1.0)));
    // As many failures of as many runs are half as many.
    let b = store(2, "rtx2060", 1, &[("rf", 40, 0, 200)]);
    let avf = versus(&a, &b).matches[0].lines[0].figures[0].clone();
    assert_eq!(avf.ratio.value, Some(0.5));
    assert!(avf.p.unwrap() < 0.01, "{avf:?}");
}

/// Each side has its own raw FIT, and chips have their own bits.
#[test]
fn fit_of_both_sides() {
    let rows = [("rf", 20, 0, 200), ("l2", 10, 0, 200)];
    let (a, b) = (store(1, "rtx2060", 1, &rows), store(2, "gv100", 1, &rows));
    let of = |name| Options {
        raw_fit: RawFit::parse(name, None).ok().map(RawFits::One),
        ..Options::default()
    };
    let (a, b) = (std::slice::from_ref(&a), std::slice::from_ref(&b));
    let v = Versus::new(a, b, [&of("12nm"), &of("28nm")]).unwrap();
    let rf = line(&v, Level::Row, Some("rf"));
    assert_eq!(figure(rf, "avf").ratio.value, Some(1.0));
    let fit = figure(rf, "fit");
    near(fit.ratio.value.unwrap(), 1.8e-6 * 30.0 / (1.2e-5 * 80.0));
    near(fit.difference.value.unwrap(), 0.1 * 2_097_152.0 * (1.8e-6 * 30.0 - 1.2e-5 * 80.0));
    assert_eq!((fit.test, fit.p.map(|p| p < 1e-6)), (Some("exact"), Some(true)));
    let chip = figure(line(&v, Level::Chip, None), "fit");
    assert!(chip.ratio.high < 0.2 && chip.p.unwrap() < 1e-6, "{chip:?}");
    let none = versus(&a[0], &b[0]);
    assert!(none.matches[0].lines.iter().flat_map(|l| &l.figures).all(|f| f.figure != "fit"));
}

fn estimates(report: &Report) -> Vec<(Estimate, u64)> {
    let panels = report.panels.iter();
    panels.flat_map(|p| &p.rows).filter_map(|r| Some((r.avf_estimate()?, r.n))).collect()
}

/// The numbers are those of the report, row by row and sum by sum, and a study
/// against itself differs nowhere.
#[test]
fn the_reports_own_numbers() {
    let study = study();
    let options = Options {
        raw_fit: RawFit::parse("12nm", None).ok().map(RawFits::One),
        ..Options::default()
    };
    let stores = std::slice::from_ref(&study);
    let v = Versus::new(stores, stores, [&options, &options]).unwrap();
    let report = Report::new(stores, &options);
    let lines = || v.matches.iter().flat_map(|m| &m.lines);
    let rows = lines().filter(|l| l.level == Level::Row);
    let mut own: Vec<_> = rows.map(|l| (figure(l, "avf").a, l.n_a)).collect();
    let mut theirs = estimates(&report);
    let order = |x: &(Estimate, u64), y: &(Estimate, u64)| {
        (x.0.low, x.0.high).partial_cmp(&(y.0.low, y.0.high)).unwrap()
    };
    own.sort_by(order);
    theirs.sort_by(order);
    assert_eq!(own, theirs);
    for m in &v.matches {
        let panel = report
            .panels
            .iter()
            .find(|p| (&p.app, &p.chip, &p.variant) == (&m.a.app, &m.a.chip, &m.a.variant));
        let total = panel.and_then(|p| p.total.as_ref()).unwrap();
        let of = |level| m.lines.iter().filter(move |l| l.level == level);
        let chip = of(Level::Chip).next().unwrap();
        for (name, theirs) in
            [("avf", total.avf), ("sdc", total.sdc), ("due", total.due), ("fit", total.fit)]
        {
            assert_eq!(Some(figure(chip, name).a), theirs);
        }
        if total.kernels.len() > 1 {
            assert_eq!(of(Level::Kernel).count(), total.kernels.len());
            assert_eq!(of(Level::Structure).count(), total.structures.len());
            for (l, k) in of(Level::Kernel).zip(&total.kernels) {
                assert_eq!(Some(figure(l, "sdc").b), k.sdc);
            }
        }
    }
    assert!(v.differs.is_empty() && v.a.only.is_empty() && v.b.only.is_empty());
    for f in lines().filter(|l| l.complete).flat_map(|l| &l.figures) {
        assert_eq!((f.difference.value, f.p.unwrap_or(1.0)), (Some(0.0), 1.0), "{f:?}");
    }
    assert_eq!(v.different(), 0);
}

#[test]
fn text() {
    let a = store(1, "rtx2060", 1, &[("rf", 31, 9, 400), ("l2", 6, 0, 400)]);
    let mut b = store(2, "gv100", 1, &[("rf", 12, 6, 400), ("l2", 7, 1, 400)]);
    b.experiments.retain(|e: &Experiment| e.stratum == 0 || e.number < 390);
    let options = Options {
        raw_fit: RawFit::parse("12nm", None).ok().map(RawFits::One),
        ..Options::default()
    };
    let (a, b) = (std::slice::from_ref(&a), std::slice::from_ref(&b));
    insta::assert_snapshot!(Versus::new(a, b, [&options, &options]).unwrap().text());
}

#[test]
fn text_of_pairs() {
    let a = store(1, "rtx2060", 1, &[("rf", 31, 9, 400), ("l2", 6, 0, 400)]);
    let b = store(1, "rtx2060", 1, &[("rf", 12, 6, 400), ("l2", 7, 1, 400)]);
    insta::assert_snapshot!(versus(&a, &b).text());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The other way round everything is its mirror image.
    #[test]
    fn turned_around(one in 0u64..1000, two in 0u64..1000, end in ends()) {
        let (a, b) = (campaign(one, end), campaign(two, end));
        let (v, w) = (versus(&a, &b), versus(&b, &a));
        prop_assert_eq!(v.tests, w.tests);
        let figures = |v: &Versus| -> Vec<Figure> {
            v.matches.iter().flat_map(|m| &m.lines).flat_map(|l| l.figures.clone()).collect()
        };
        for (f, g) in figures(&v).iter().zip(figures(&w)) {
            prop_assert_eq!((f.a, f.b, f.test), (g.b, g.a, g.test));
            prop_assert!((f.difference.low + g.difference.high).abs() < 1e-12);
            let (p, q) = (f.p.unwrap_or(1.0), g.p.unwrap_or(1.0));
            prop_assert!((p / q - 1.0).abs() < 2e-3, "{:?} {:?}", f, g);
            prop_assert!(f.p_holm.unwrap_or(1.0) >= p);
            prop_assert!(f.difference.interval().contains(f.difference.value.unwrap_or(f.difference.low)));
            if f.ratio.low > 0.0 {
                prop_assert!((f.ratio.low * g.ratio.high - 1.0).abs() < 1e-6, "{:?} {:?}", f, g);
            }
        }
    }
}
