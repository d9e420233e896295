//! Structures taken apart: every number against a count made here, from the rows.

use serde_json::Value;
use upset_metrics::{Class, Method};
use upset_report::{Options, Report};
use upset_store::{Experiment, Hit, Results};

use crate::fixture::{experiment, header, stratum, study, subject};

/// Two kernels of which one runs thirty times as long, 200 runs each: failures of
/// the first in tags, of the second in bit 3 of data.
fn two_kernels() -> Results {
    let subject = subject(0, "pathf", "rtx2060");
    let mut results = Results {
        shard: None,
        file: "two.db".into(),
        complete: true,
        intents: vec![],
        header: header(1),
        subjects: vec![],
        strata: vec![],
        experiments: vec![],
    };
    for (id, kernel) in subject.profile.kernels.iter().enumerate() {
        let mut s = stratum(id as u32, &subject, kernel, "l2", 1);
        s.planned = 200;
        for number in 0..200u64 {
            let tag = number % 4 == 0;
            let class = match (id, tag, number) {
                (0, true, n) if n % 8 == 0 => Class::Sdc,
                (1, false, n) if n % 32 == 3 => Class::Crash,
                _ => Class::Masked,
            };
            let mut e = experiment(id as u32, number, class, format!("l2:x{number}@{number}"));
            e.hit = Hit {
                structure: "l2".into(),
                part: if tag { "tag" } else { "data" }.into(),
                bit: Some(number % 64),
                bits: 1,
                slice: Some(number % 24),
                set: Some(number % 64),
                cycle: 300 * number,
                function: "k".into(),
                instruction: Some(16 * (number % 8)),
                ..Hit::default()
            };
            results.experiments.push(e);
        }
        results.strata.push(s);
    }
    results.subjects.push(subject);
    results
}

fn breakdown(results: &Results) -> Value {
    let json = Report::new(std::slice::from_ref(results), &Options::default()).json();
    json["totals"][0]["breakdowns"][0].clone()
}

fn near(got: &Value, want: f64) {
    let got = got.as_f64().unwrap_or_else(|| panic!("{got} is no number"));
    assert!((got - want).abs() < 1e-12, "{got} is not {want}");
}

#[test]
fn kernels_count_for_their_cycles_in_every_part() {
    let b = breakdown(&two_kernels());
    assert_eq!(b["n"], 400);
    let part = |i: usize| &b["by_part"][i];
    assert_eq!((&part(0)["label"], &part(1)["label"]), (&"data".into(), &"tag".into()));
    // 60 000 and 2 000 cycles; half of the first kernel's 50 tag hits fail, none of
    // its 150 data hits; of the second kernel's data hits those with n % 32 = 3.
    let (first, second) = (60_000.0 / 62_000.0, 2_000.0 / 62_000.0);
    near(&part(1)["sdc"]["value"], first * 25.0 / 50.0);
    near(&part(1)["due"]["value"], 0.0);
    assert_eq!((&part(1)["n"], &part(1)["sdc_runs"]), (&100.into(), &25.into()));
    let crashes = (0..200).filter(|n| n % 32 == 3).count() as f64;
    near(&part(0)["due"]["value"], second * crashes / 150.0);
    let (a, c) = (first * 25.0 / 200.0, second * crashes / 200.0);
    near(&part(1)["share"], a / (a + c));
    near(&part(0)["share"], c / (a + c));
    near(&b["all"]["failures"]["value"], a + c);
    // The whole is the structure's AVF.
    let results = two_kernels();
    let json = Report::new(&[results], &Options::default()).json();
    near(&json["totals"][0]["structures"][0]["avf"]["value"], a + c);
    near(&json["totals"][0]["structures"][0]["sdc"]["value"], a);
    near(&json["totals"][0]["structures"][0]["due"]["value"], c);
}

/// One kernel: plain counts with the plain interval.
#[test]
fn one_kernel_has_plain_counts_and_intervals() {
    let mut results = two_kernels();
    results.strata.truncate(1);
    results.experiments.retain(|e| e.stratum == 0);
    let b = breakdown(&results);
    let own = |so: &dyn Fn(&Experiment) -> bool| {
        let all: Vec<&Experiment> = results.experiments.iter().filter(|e| so(e)).collect();
        (all.iter().filter(|e| e.class == Class::Sdc).count() as u64, all.len() as u64)
    };
    let check = |slot: &Value, (k, n): (u64, u64)| {
        assert_eq!((slot["sdc_runs"].as_u64(), slot["n"].as_u64()), (Some(k), Some(n)), "{slot}");
        if n > 0 {
            let interval = Method::ClopperPearson.interval(k, n, 0.95);
            near(&slot["sdc"]["value"], k as f64 / n as f64);
            near(&slot["sdc"]["low"], interval.low);
            near(&slot["sdc"]["high"], interval.high);
        }
    };
    let bits = b["by_bit"].as_array().unwrap();
    assert_eq!(bits.len(), 32);
    for (bit, slot) in bits.iter().enumerate() {
        let here = |e: &Experiment| {
            e.hit.part == "data" && e.hit.bit.is_some_and(|b| b % 32 == bit as u64)
        };
        check(slot, own(&here));
    }
    // 62 000 cycles in as many stretches as 20 runs each allow.
    let time = b["over_time"].as_array().unwrap();
    assert_eq!(time.len(), 10);
    for (i, slot) in time.iter().enumerate() {
        check(slot, own(&|e| e.hit.cycle / 6200 == i as u64));
    }
    assert_eq!(time.iter().map(|s| s["n"].as_u64().unwrap()).sum::<u64>(), 200);
    let map = &b["map"];
    assert_eq!((&map["across"], &map["down"]), (&"slice".into(), &"set".into()));
    let (columns, lines) = (map["columns"].as_u64().unwrap(), map["lines"].as_u64().unwrap());
    let (wide, high) = (map["across_step"].as_u64().unwrap(), map["down_step"].as_u64().unwrap());
    assert!(columns * wide >= 24 && lines * high >= 64);
    for (i, slot) in map["slots"].as_array().unwrap().iter().enumerate() {
        let (x, y) = (i as u64 % columns, i as u64 / columns);
        check(
            slot,
            own(&|e| {
                e.hit.slice.is_some_and(|s| s / wide == x)
                    && e.hit.set.is_some_and(|s| s / high == y)
            }),
        );
    }
    // Only number % 8 = 0 fails: one instruction has it all.
    let spots = b["instructions"].as_array().unwrap();
    assert_eq!((spots.len(), &spots[0]["offset"]), (1, &0.into()));
    near(&spots[0]["share"], 1.0);
    check(&spots[0], own(&|e| e.hit.instruction == Some(0)));
}

#[test]
fn what_is_unfinished_or_does_not_tell_is_not_taken_apart() {
    let mut results = two_kernels();
    results.experiments.pop();
    let json = Report::new(&[results.clone()], &Options::default()).json();
    assert_eq!(json["totals"][0]["breakdowns"].as_array().unwrap().len(), 0);
    let page = Report::new(&[results.clone()], &Options::default()).html();
    assert!(page.contains("Unfinished, and so not taken apart by bit, place and time: l2."));
    let mut silent = two_kernels();
    silent.experiments.iter_mut().for_each(|e| e.hit = Hit::default());
    let json = Report::new(&[silent], &Options::default()).json();
    assert_eq!(json["totals"][0]["breakdowns"].as_array().unwrap().len(), 0);
}

/// Tool errors may have been anything: limits allow for both, the value for none.
#[test]
fn tool_errors_widen_the_limits() {
    let mut results = two_kernels();
    results.strata.truncate(1);
    results.experiments.retain(|e| e.stratum == 0);
    results.experiments[4].class = Class::ToolError;
    let slot = breakdown(&results)["by_part"][1].clone();
    assert_eq!(slot["n"], 49);
    near(&slot["sdc"]["value"], 25.0 / 49.0);
    near(&slot["sdc"]["low"], Method::ClopperPearson.interval(25, 50, 0.95).low);
    near(&slot["sdc"]["high"], Method::ClopperPearson.interval(26, 50, 0.95).high);
}

/// The run whose failure ended a sample is no draw of chance.
#[test]
fn the_failure_that_ends_a_sample_is_left_out() {
    let mut results = two_kernels();
    results.strata.truncate(1);
    results.experiments.retain(|e| e.stratum == 0);
    results.strata[0].stop_at_failures = 10;
    let b = breakdown(&results);
    // The tenth failure is run 72.
    assert_eq!(b["n"], 72);
    near(&b["all"]["failures"]["value"], 9.0 / 72.0);
}

/// The same store twice, and two seeds pooled.
#[test]
fn copies_count_once_and_seeds_are_pooled() {
    let once = breakdown(&two_kernels());
    let json = Report::new(&[two_kernels(), two_kernels()], &Options::default()).json();
    assert_eq!(json["totals"][0]["breakdowns"][0], once);
    let mut other = two_kernels();
    other.header = header(2);
    let json = Report::new(&[two_kernels(), other], &Options::default()).json();
    assert_eq!(json["totals"][0]["breakdowns"][0]["n"], 800);
}

#[test]
fn chips_and_applications_are_compared() {
    let json = Report::new(&[study()], &Options::default()).json();
    let list = json["comparisons"].as_array().unwrap();
    let hs = list
        .iter()
        .find(|c| c["between"] == "chips" && c["common"] == "hs (paper)" && c["structure"] == "rf");
    let hs = hs.unwrap();
    let total = |chip: &str| {
        let own = |t: &&Value| t["app"] == "hs" && t["chip"] == chip && t["bits"] == 1;
        json["totals"].as_array().unwrap().iter().find(own).unwrap()["structures"][0].clone()
    };
    let (a, b) = (total(hs["first"].as_str().unwrap()), total(hs["second"].as_str().unwrap()));
    for figure in ["avf", "sdc", "due"] {
        let of = |t: &Value, key: &str| t[figure][key].as_f64().unwrap();
        let d = of(&a, "value") - of(&b, "value");
        near(&hs[figure]["difference"]["value"], d);
        let down = (of(&a, "value") - of(&a, "low")).hypot(of(&b, "high") - of(&b, "value"));
        near(&hs[figure]["difference"]["low"], d - down);
        near(&hs[figure]["ratio"]["value"], of(&a, "value") / of(&b, "value"));
    }
    // Four structures and their sum, two applications, two chips.
    let of = |between: &str| list.iter().filter(|c| c["between"] == between).count();
    assert_eq!((of("chips"), of("applications")), (10, 10));
}
