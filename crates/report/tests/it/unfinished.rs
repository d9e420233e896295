//! A campaign that is still running, or was interrupted: limits that hold and no
//! estimate.

use proptest::prelude::*;
use upset_metrics::interval::clopper_pearson;
use upset_metrics::until::Looks;
use upset_metrics::{Class, Estimate};
use upset_report::{Options, RawFit, RawFits, Report};
use upset_store::{Experiment, Results};

use crate::fixture::{Dice, experiment, header, stratum, subject};

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

#[test]
fn missing_runs_may_all_be_masked_or_all_fail() {
    // The truth of the finished sample: 10 of 100.
    let report = Report::new(&[store(20)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.n, row.missing, row.failures, row.interval), (70, 30, 4, "unfinished"));
    assert_eq!((row.planned, row.complete, row.avf), (100, false, None));
    // 4 of 100 or 34 of 100: both are possible.
    assert_eq!(row.avf_low.unwrap(), clopper_pearson(4, 100, 0.95).low);
    assert_eq!(row.avf_high.unwrap(), clopper_pearson(34, 100, 0.95).high);
    let sdc = row.classes["sdc"];
    assert_eq!((sdc.value, sdc.low), (None, row.avf_low.unwrap()));
    let total = report.panels[0].total.as_ref().unwrap();
    assert_eq!(total.avf.unwrap().value, None);
    assert_eq!(total.structures[0].share, None);
    let text = report.text();
    assert!(text.contains("70 of 100*") && text.contains("no estimate"), "{text}");
    assert!(report.html().contains("70 of 100*"));
}

#[test]
fn finished_is_as_ever() {
    let report = Report::new(&[store(50)], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.n, row.missing, row.failures, row.interval), (100, 0, 10, "clopper-pearson"));
    assert_eq!(row.avf, Some(0.1));
}

/// One run or every fifth one: nobody knows by which rule the others are missing.
#[test]
fn what_is_missing_is_what_was_planned_and_is_not_there() {
    for step in [5, 100] {
        let mut results = store(50);
        results.experiments.retain(|e| e.number % step == 1);
        let report = Report::new(&[results], &Options::default());
        let row = &report.panels[0].rows[0];
        assert_eq!((row.missing, row.avf, row.interval), (100 - row.n, None, "unfinished"));
    }
}

#[test]
fn a_stratum_without_a_run_is_a_row_and_anything_is_possible() {
    let mut results = store(50);
    let mut other = results.strata[0].clone();
    (other.id, other.structure) = (1, "l2".into());
    results.strata.push(other);
    let report = Report::new(&[results], &Options::default());
    let row = &report.panels[0].rows[1];
    assert_eq!((row.runs, row.planned, row.avf), (0, 100, None));
    assert_eq!((row.avf_low, row.avf_high), (Some(0.0), Some(1.0)));
    assert!(report.text().contains("0 of 100*"), "{}", report.text());
    // Half of the bits of the sum: from what the other half has to that and all of it.
    let total = report.panels[0].total.as_ref().unwrap().avf.unwrap();
    let known = clopper_pearson(10, 100, 0.95);
    assert_eq!(total.value, None);
    assert!((total.low - known.low / 2.0).abs() < 1e-12, "{total:?}");
    assert!((total.high - (known.high + 1.0) / 2.0).abs() < 1e-12, "{total:?}");
}

#[test]
fn what_ecc_leaves_waits_for_the_end() {
    let options = Options { ecc: vec!["rf=parity:32".parse().unwrap()], ..Options::default() };
    let ecc = |s: Results| Report::new(&[s], &options).panels[0].ecc[0].clone();
    assert!(ecc(store(20)).due.is_none() && ecc(store(50)).due.is_some());
    // That nothing is silent is known without a run.
    assert_eq!(ecc(store(20)).sdc, Some(upset_metrics::Estimate::ZERO));
}

/// 200 runs: 10 fail, 4 are failures of ours. 10 to 14 of 200.
#[test]
fn failures_of_ours_are_within_the_limits() {
    let mut results = store(50);
    for e in results.experiments.iter_mut().filter(|e| e.number % 25 == 0) {
        e.class = Class::ToolError;
    }
    let report = Report::new(&[results], &Options::default());
    let row = &report.panels[0].rows[0];
    assert_eq!((row.n, row.failures, row.counts.tool_error, row.complete), (96, 10, 4, true));
    assert_eq!(row.avf, Some(10.0 / 96.0));
    assert_eq!(row.avf_low.unwrap(), clopper_pearson(10, 100, 0.95).low);
    assert_eq!(row.avf_high.unwrap(), clopper_pearson(14, 100, 0.95).high);
    assert!(report.notes.iter().any(|n| n.contains("all of them failing")), "{:?}", report.notes);
}

/// What ends the experiments of a stratum.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Number,
    Failures(u64),
    Margin(f64),
}

/// Any of them.
pub fn ends() -> impl Strategy<Value = End> {
    prop_oneof![
        Just(End::Number),
        (2u64..12).prop_map(End::Failures),
        (0.08f64..0.3).prop_map(End::Margin),
    ]
}

/// A campaign with several structures under two kernels, fixed or sequential.
pub fn campaign(seed: u64, end: End) -> Results {
    let mut dice = Dice(seed);
    let subject = subject(0, "pathf", "rtx2060");
    let mut results = Results {
        shard: None,
        file: "a.db".into(),
        complete: false,
        intents: vec![],
        header: header(seed),
        subjects: vec![subject.clone()],
        strata: vec![],
        experiments: vec![],
    };
    for kernel in &subject.profile.kernels {
        for structure in ["rf", "smem", "l2"] {
            let id = results.strata.len() as u32;
            let mut s = stratum(id, &subject, kernel, structure, 1);
            let mut looks = None;
            match end {
                End::Number => s.planned = 20 + dice.roll(60),
                End::Failures(number) => {
                    (s.planned, s.stop_at_failures) = (20 + dice.roll(60), number);
                }
                End::Margin(margin) => {
                    let found = Looks::for_margin(margin, results.header.confidence).unwrap();
                    (s.planned, s.stop_at_margin) = (found.most(), Some(margin));
                    looks = Some(found);
                }
            }
            let (failing, ours) = (dice.roll(600), dice.roll(40));
            let mut failures = 0;
            for number in 0..s.planned {
                let class = match dice.roll(1000) {
                    r if r < failing => [Class::Sdc, Class::Crash][dice.roll(2) as usize],
                    r if r < failing + ours => Class::ToolError,
                    r if r < failing + ours + 20 => Class::Performance,
                    _ => Class::Masked,
                };
                let mut e = experiment(id, number, class, format!("{structure}@{number}"));
                e.reached = [None, Some(true), Some(false)][dice.roll(3) as usize];
                results.experiments.push(e);
                failures += u64::from(class.is_failure());
                let look = looks.iter().flat_map(Looks::all).find(|l| l.runs == number + 1);
                if failures > 0 && failures == s.stop_at_failures
                    || look.zip(looks.as_ref()).is_some_and(|(l, all)| all.ends(*l, failures))
                {
                    break;
                }
            }
            results.strata.push(s);
        }
    }
    results
}

/// Every value of a report that has limits, with a name.
fn figures(results: &Results) -> Vec<(String, Estimate)> {
    let options = Options {
        raw_fit: RawFit::parse("12nm", None).ok().map(RawFits::One),
        ..Options::default()
    };
    let report = Report::new(std::slice::from_ref(results), &options);
    let panel = &report.panels[0];
    let mut all = Vec::new();
    let mut add = |name: String, e: Option<Estimate>| all.extend(e.map(|e| (name, e)));
    for row in &panel.rows {
        let at = format!("{} {}", row.kernel_name, row.structure);
        add(format!("{at} avf"), row.avf_estimate());
        add(format!("{at} hvf"), row.hvf_estimate());
        add(format!("{at} fit"), row.fit_estimate());
        for (class, rate) in &row.classes {
            add(format!("{at} {class}"), Some((*rate).into()));
        }
    }
    let total = panel.total.as_ref().unwrap();
    add("weighted".into(), total.avf);
    add("fit".into(), total.fit);
    for k in &total.kernels {
        add(k.kernel_name.clone(), k.avf);
    }
    for s in &total.structures {
        add(s.structure.clone(), s.avf);
        add(format!("{} fit", s.structure), s.fit);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever part of a campaign is there, every limit that is printed contains
    /// what the finished campaign says.
    #[test]
    fn limits_contain_the_finished_value(
        seed in any::<u64>(),
        end in ends(),
        keep in prop_oneof![Just(0u64), 0u64..1000, Just(999)],
        prefix in any::<bool>(),
    ) {
        let finished = campaign(seed, end);
        let whole = figures(&finished);
        let mut part = finished.clone();
        let mut dice = Dice(!seed);
        match prefix {
            true => {
                let all = part.experiments.len() as u64;
                part.experiments.truncate((all * keep / 1000) as usize);
            }
            false => part.experiments.retain(|e: &Experiment| {
                // Masked ones come first, as they do.
                let odds = if e.class == Class::Masked { keep.max(500) } else { keep };
                dice.roll(1000) < odds
            }),
        }
        let there = figures(&part);
        for (name, limits) in &there {
            let now = whole.iter().find(|(n, _)| n == name).and_then(|(_, e)| e.value);
            if let Some(value) = now {
                prop_assert!(
                    limits.low <= value + 1e-12 && value <= limits.high + 1e-12,
                    "{name}: {value} is not in {limits:?}"
                );
            }
        }
        for (name, e) in &whole {
            prop_assert!(there.iter().any(|(n, _)| n == name) || e.value.is_none(), "{name}");
        }
    }
}
