use upset_machine::pmu::Counter::{self, Fma, StallFetch, WarpInsts};
use upset_machine::pmu::Reading;

use super::{Learner, Regions, UNSEEN, limit};
use crate::alarm::Layer;
use crate::region::Region;
use crate::run::launches;
use crate::run::testing::reading;
use crate::statistics::conformal::{Threshold, threshold};
use crate::statistics::robust::testing::Random;

/// A run of one launch, in periods of 10 cycles: instructions of each.
fn one(insts: &[u64], cycles: u64) -> Reading {
    let lists: Vec<[(Counter, u64); 2]> =
        insts.iter().map(|&n| [(WarpInsts, n), (StallFetch, 1000 - n)]).collect();
    let sms: Vec<[&[(Counter, u64)]; 1]> = lists.iter().map(|l| [&l[..]]).collect();
    let periods: Vec<&[&[(Counter, u64)]]> = sms.iter().map(|s| &s[..]).collect();
    reading("k", 10, &periods, cycles)
}

fn learn(runs: &[Vec<Reading>]) -> Regions {
    let mut learner = Learner::new(vec![10; 4]);
    runs.iter().for_each(|run| learner.add(&launches(run)));
    learner.regions(&[])
}

fn four() -> Regions {
    learn(&[
        vec![one(&[100, 50, 5], 25)],
        vec![one(&[104, 50, 3], 24)],
        vec![one(&[102, 52, 7], 28)],
        vec![one(&[110, 50, 7], 26)],
    ])
}

const T: Threshold = Threshold { value: 2.0, rank: 1, inputs: 9 };

#[test]
fn ranges_are_learned_of_totals_whole_periods_and_time() {
    let regions = four();
    let of = &regions.list[0];
    let total = of.totals["warp_insts"];
    // 155, 157, 161, 167; of odd inputs 157 and 167.
    assert_eq!((total.low, total.high, total.spread), (155.0, 167.0, 10.0));
    assert_eq!(of.periods.len(), 2);
    let first = of.periods[0]["warp_insts"];
    assert_eq!((first.low, first.high, first.spread), (100.0, 110.0, 6.0));
    let stalls = of.periods[0]["stall_fetch"];
    // The unit of time is at least a two-hundredth of it.
    assert_eq!((stalls.low, stalls.high, stalls.spread), (890.0, 900.0, 6.0));
    let cycles = of.cycles.unwrap();
    assert_eq!((cycles.low, cycles.high, cycles.spread), (24.0, 28.0, 2.0));
    assert_eq!(regions.launches["k"], Region { low: 1.0, high: 1.0, spread: 1.0 });
}

#[test]
fn the_score_is_the_largest_distance() {
    let regions = four();
    assert_eq!(regions.score(&launches(&[one(&[103, 51, 5], 25)])), 0.0);
    // 128 in the first period is 18 above, of a spread of 6; the total, 181, is
    // 14 above, of a spread of 10; of stalls there are 18 less, of 6.
    let far = launches(&[one(&[128, 50, 3], 25)]);
    assert_eq!(regions.score(&far), 3.0);
    assert!(regions.judge(&far, &T).is_empty());
    let farther = launches(&[one(&[129, 50, 2], 25)]);
    let alarms = regions.judge(&farther, &T);
    let told: Vec<(&str, Option<u64>, u64)> =
        alarms.iter().map(|a| (a.what.as_str(), a.period, a.cycle)).collect();
    assert_eq!(told, [("stall_fetch", Some(0), 10), ("warp_insts", Some(0), 10)]);
    // Three units, half more than the threshold, are allowed.
    assert_eq!(alarms[1].allowed, (82.0, 128.0));
    assert!(alarms.iter().all(|a| a.layer == Layer::Regions && a.before_output));
}

#[test]
fn what_takes_too_long_is_told_at_the_first_reading_that_is_too_late() {
    let regions = four();
    let mut hangs = one(&[100, 50, 5, 0, 0, 0, 0], 70);
    hangs.ended = false;
    let alarms = regions.judge(&launches(&[hangs]), &T);
    let late = alarms.iter().find(|a| a.what == "cycles").unwrap();
    // 28 and three times 2 are allowed: the reading at 40 shows it.
    assert_eq!((late.cycle, late.allowed), (40, (18.0, 34.0)));
    // It has not counted less than others: it has not ended.
    assert!(!alarms.iter().any(|a| a.what == "warp_insts" && a.period.is_none()));
}

#[test]
fn a_total_is_too_large_as_soon_as_it_is_read() {
    let regions = four();
    // 167 and three times 10 are allowed.
    let alarms = regions.judge(&launches(&[one(&[100, 98, 5], 25)]), &T);
    let total: Vec<_> = alarms.iter().filter(|a| a.value == 203.0).collect();
    assert_eq!((total.len(), total[0].period, total[0].cycle), (1, Some(1), 20));
    let small = regions.judge(&launches(&[one(&[100, 1, 0], 25)]), &T);
    let total: Vec<_> = small.iter().filter(|a| a.value == 101.0).collect();
    assert_eq!((total.len(), total[0].period, total[0].cycle), (1, None, 25));
}

#[test]
fn launches_are_counted_and_their_shapes_known() {
    let regions = four();
    let twice = [one(&[100, 50, 5], 25), one(&[100, 50, 5], 25)];
    let found = regions.distances(&launches(&twice), 0.0);
    assert_eq!(found.iter().map(|d| d.units).collect::<Vec<_>>(), [1.0]);
    let alarm = found[0].clone().alarm(0.0);
    assert_eq!((alarm.what.as_str(), alarm.value, alarm.before_output), ("launches", 2.0, true));
    let mut other = one(&[100, 50, 5], 25);
    other.kernel = "other".into();
    let found = regions.distances(&launches(&[other]), 0.0);
    let told: Vec<(String, f64, bool)> = found
        .into_iter()
        .map(|d| d.alarm(0.0))
        .map(|a| (a.kernel, a.value, a.before_output))
        .collect();
    // That one is missing is known when the run is over.
    assert_eq!(told, [("other".to_string(), 1.0, true), ("k".to_string(), 0.0, false)]);
    let mut shape = one(&[100, 50, 5], 25);
    shape.grid = [5, 1, 1];
    assert_eq!(regions.score(&launches(&[shape])), UNSEEN);
}

#[test]
fn what_some_inputs_lack_is_not_learned() {
    let short = one(&[100, 5], 15);
    let mut other = one(&[1, 1, 1], 30);
    other.kernel = "other".into();
    let regions = learn(&[vec![one(&[100, 50, 5], 25), other], vec![short]]);
    assert_eq!(regions.list.iter().map(|l| l.periods.len()).collect::<Vec<_>>(), [1]);
    // How often it is launched is learned: once or not at all.
    assert_eq!((regions.launches["other"].low, regions.launches["other"].high), (0.0, 1.0));
}

#[test]
fn one_sm_of_several_is_told_apart() {
    let of = |wrong: u64| {
        let sm = |n: u64| [(Counter::CtasLaunched, 1), (Fma, n)];
        let sms = [sm(50), sm(50 + wrong), sm(50), sm(50)];
        let sms: Vec<&[(Counter, u64)]> = sms.iter().map(|s| &s[..]).collect();
        vec![reading("k", 10, &[&sms[..]], 10)]
    };
    let regions = learn(&[of(0), of(1), of(0), of(2)]);
    let alarms = regions.judge(&launches(&of(20)), &T);
    let between: Vec<_> = alarms.iter().filter(|a| a.layer == Layer::Between).collect();
    assert_eq!((between.len(), between[0].sm, between[0].what.as_str()), (1, Some(1), "inst_fma"));
}

#[test]
fn the_limit_leaves_room_above_the_threshold() {
    assert_eq!(limit(&T), 3.0);
    assert!((limit(&Threshold { value: 0.0, ..T }) - 0.15).abs() < 1e-12);
}

/// 300 profiles of 20 inputs, calibrated with 19: false alarms of fresh inputs
/// stay below the 5 % that are promised.
#[test]
fn false_alarms_stay_within_the_bound() {
    let mut random = Random(29);
    let mut run = || {
        let n = (random.unit().powi(4) * 60.0) as u64;
        vec![one(&[100 + n, 50 + (random.unit() * 9.0) as u64, 5], 25 + n / 10)]
    };
    let mut alarms = 0;
    for _ in 0..300 {
        let learning: Vec<Vec<Reading>> = (0..20).map(|_| run()).collect();
        let regions = learn(&learning);
        let scores: Vec<f64> = (0..19).map(|_| regions.score(&launches(&run()))).collect();
        let t = threshold(&scores, 0.05).unwrap();
        alarms += (0..10).filter(|_| !regions.judge(&launches(&run()), &t).is_empty()).count();
    }
    // 150 of 3,000 would be 5 %.
    assert!(alarms < 150, "{alarms}");
}
