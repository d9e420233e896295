//! When counters are read, and that reading changes nothing.

use super::*;
use crate::pmu::{Counter as C, Reading, Sampling};

/// Runs 7 work-groups of 20 instructions, then one of 5.
fn run(count: impl FnOnce(&mut Machine<Counter>)) -> (Vec<Reading>, Vec<u64>, Machine<Counter>) {
    let mut m = machine();
    count(&mut m);
    let cycles = [(7, 20), (1, 5)].map(|(groups, from)| {
        let ran = m.run(&down(groups, from), Limits::default(), &mut Quiet, &mut Notes::default());
        ran.unwrap().cycles
    });
    (m.readings().to_vec(), cycles.to_vec(), m)
}

fn ends(reading: &Reading) -> Vec<u64> {
    reading.periods.iter().map(|p| p.to).collect()
}

#[test]
fn every_launch_has_its_reading() {
    let (readings, cycles, m) = run(|m| m.start_counting(Sampling::AtEnd));
    assert_eq!(readings.len(), 2);
    for (i, (r, kernel)) in readings.iter().zip([(7, 20), (1, 5)]).enumerate() {
        assert_eq!((r.launch, r.kernel.as_str(), r.ended), (i as u64, "countdown", true));
        assert_eq!((r.grid, r.block), ([kernel.0, 1, 1], [4, 2, 1]));
        assert_eq!((r.lanes, r.schedulers, r.cycles), (32, 1, cycles[i]));
        assert_eq!(ends(r), [cycles[i]]);
        assert_eq!(r.total().get(C::WarpInsts), u64::from(kernel.0 * kernel.1));
        assert_eq!(r.total().get(C::StallNoWarp), 3 * cycles[i]);
    }
    let by_sm: Vec<u64> = readings[0].by_sm().iter().map(|c| c.get(C::CtasLaunched)).collect();
    assert_eq!(by_sm, [3, 2, 2]);
    assert!(m.readings().iter().all(|r| !r.cut));
}

#[test]
fn reading_changes_nothing() {
    let (none, cycles, m) = run(|_| {});
    assert!(none.is_empty());
    for sampling in [Sampling::AtEnd, Sampling::Every(1), Sampling::Every(7), Sampling::Parts(10)] {
        let (_, counted, other) = run(|m| m.start_counting(sampling));
        assert_eq!((counted, other.cycle()), (cycles.clone(), m.cycle()), "{sampling:?}");
        let taken =
            |m: &Machine<Counter>| m.cores.iter().map(|c| c.taken.clone()).collect::<Vec<_>>();
        assert_eq!(taken(&other), taken(&m), "{sampling:?}");
    }
}

#[test]
fn periods_begin_with_the_launch_and_the_last_ends_with_it() {
    let (readings, cycles, _) = run(|m| m.start_counting(Sampling::Every(20)));
    assert_eq!(cycles[0], 72);
    assert_eq!(ends(&readings[0]), [20, 40, 60, 72]);
    assert_eq!(ends(&readings[1]), [15]);
    // Up to a reading's cycle, not in it: core 0 issues in cycles 11 to 30, 32 to
    // 51 and 53 to 72.
    let issued: Vec<u64> = readings[0].periods.iter().map(|p| p.sms[0].get(C::WarpInsts)).collect();
    assert_eq!(issued, [9, 19, 19, 13]);
    let waited: Vec<u64> =
        readings[0].periods.iter().map(|p| p.sms[2].get(C::StallNoWarp)).collect();
    assert_eq!(waited, [20, 20, 20, 12]);
}

#[test]
fn a_period_that_ends_with_the_launch_has_the_last_cycle_too() {
    let (readings, cycles, _) = run(|m| m.start_counting(Sampling::Every(36)));
    assert_eq!((cycles[0], ends(&readings[0])), (72, vec![36, 72]));
    assert_eq!(readings[0].total().get(C::WarpInsts), 140);
}

#[test]
fn parts_are_equal_in_length() {
    let (readings, cycles, _) = run(|m| m.start_counting(Sampling::Parts(10)));
    assert_eq!(cycles, [72, 15]);
    // ceil(72 / 10) and ceil(15 / 10).
    assert_eq!(ends(&readings[0]), [8, 16, 24, 32, 40, 48, 56, 64, 72]);
    assert_eq!(ends(&readings[1]), [2, 4, 6, 8, 10, 12, 14, 15]);
    let (readings, ..) = run(|m| m.start_counting(Sampling::Parts(1)));
    assert_eq!((ends(&readings[0]), ends(&readings[1])), (vec![72], vec![15]));
}

#[test]
fn each_launch_may_have_its_own_period() {
    let (readings, ..) = run(|m| m.start_counting_each(vec![30, 10]));
    assert_eq!((ends(&readings[0]), ends(&readings[1])), (vec![30, 60, 72], vec![10, 15]));
    let (readings, ..) = run(|m| m.start_counting_each(vec![0]));
    assert_eq!((ends(&readings[0]), ends(&readings[1])), (vec![72], vec![15]));
}

#[test]
fn what_did_not_end_is_read_too() {
    let mut m = machine();
    m.start_counting(Sampling::Every(20));
    let limits = Limits { cycle: 50, ..Limits::default() };
    assert!(m.run(&down(1, 100), limits, &mut Quiet, &mut Notes::default()).is_err());
    let reading = &m.readings()[0];
    assert_eq!((reading.ended, reading.cycles, ends(reading)), (false, 50, vec![20, 40, 50]));
    // It does nothing in the cycle that it is not allowed to reach.
    assert_eq!(reading.total().get(C::WarpInsts), 50 - 10);
    // A copy has what was read, and goes on by itself.
    let mut copy = m.clone();
    assert!(copy.run(&down(1, 5), Limits::default(), &mut Quiet, &mut Notes::default()).is_ok());
    assert_eq!((m.readings().len(), copy.readings().len()), (1, 2));
    assert_eq!(copy.readings()[0], m.readings()[0]);
}

#[test]
fn what_stands_still_is_read_until_it_is_given_up() {
    let sleeps = Countdown { local: 0, groups: 1, from: 9, sleeps: true };
    let read = |limits| {
        let mut m = machine();
        m.start_counting(Sampling::Every(20));
        assert!(m.run(&sleeps, limits, &mut Quiet, &mut Notes::default()).is_err());
        (m.cycle(), m.readings()[0].clone())
    };
    let (now, reading) = read(Limits { cycle: 90, ..Limits::default() });
    assert!(now < 20 && !reading.ended, "{now}");
    assert_eq!((reading.cycles, ends(&reading)), (90, vec![20, 40, 60, 80, 90]));
    // Nothing but waiting is counted.
    let of = |p: &crate::pmu::Period, c| p.sms.iter().map(|s| s.get(c)).sum::<u64>();
    assert!(reading.periods[1..].iter().all(|p| of(p, C::WarpInsts) == 0));
    assert_eq!(of(&reading.periods[1], C::StallNoWarp), 3 * 20);
    // Without a limit somebody gives up too.
    let (now, reading) = read(Limits::default());
    assert_eq!(reading.cycles, now + 100 * 20);
}

#[test]
fn more_readings_than_can_be_kept_are_told() {
    let mut m = machine();
    m.start_counting(Sampling::Every(1));
    let long = down(3_000, 0);
    assert!(m.run(&long, Limits::default(), &mut Quiet, &mut Notes::default()).is_ok());
    assert!(!m.readings()[0].cut);
    assert!(m.run(&long, Limits::default(), &mut Quiet, &mut Notes::default()).is_ok());
    assert!(m.readings()[1].cut && !m.readings()[0].cut);
    let total = |r: &Reading| r.total().get(C::WarpInsts);
    assert_eq!((total(&m.readings()[0]), total(&m.readings()[1])), (3_000 * 256, 3_000 * 256));
}
