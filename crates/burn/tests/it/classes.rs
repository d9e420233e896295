//! Broken parts of the model are told as what they are.

use upset_burn::classify::{Class, Verdict};
use upset_burn::model::ModelBoard;
use upset_burn::record::State;

use crate::{break_it, burn, small, small_of};

/// What all findings have in common on a broken chip.
fn verdict(mut board: ModelBoard, faults: &[&str], tests: &[&str]) -> Verdict {
    board.limit_launches(5_000_000);
    faults.iter().for_each(|fault| break_it(&mut board, fault));
    burn(&mut board, tests, None).verdict.unwrap_or_else(|| panic!("{faults:?} missed"))
}

#[test]
fn a_broken_slice_is_a_channel() {
    let v = verdict(small(2), &["stuck1 l2:slice5.set*.way3.data.bit70@0.."], &["l2"]);
    assert_eq!(v.class, Class::Channel, "{}", v.evidence);
    assert!(v.evidence.contains("slice 5"), "{}", v.evidence);
    assert!(v.luck.is_some_and(|luck| luck < 1e-3));
}

#[test]
fn storage_of_an_sm_is_the_sms() {
    for (fault, test, array) in [
        ("stuck1 smem:sm1.byte1000.bit3@0..", "shared", "bank 26"),
        ("stuck1 l1d:sm1.set0.way17.data.bit300@0..", "l1", "l1d"),
    ] {
        let v = verdict(small(2), &[fault], &[test]);
        assert_eq!((v.class, &v.sms[..]), (Class::Sm, &[1][..]), "{fault}: {}", v.evidence);
        assert_eq!(v.pipe.as_deref(), Some(array), "{fault}");
    }
}

/// The same defect in two SMs: a TPC, if they share one.
#[test]
fn two_sms_of_a_tpc_are_a_tpc() {
    let fault = |sm: u32| format!("stuck1 fma:sm{sm}.sub1.lane3.bit20@0..");
    for (sms, class) in [([2, 3], Class::Tpc), ([1, 2], Class::Scattered)] {
        let faults = sms.map(fault);
        let v = verdict(small(4), &[&faults[0], &faults[1]], &["fma"]);
        assert_eq!((v.class, &v.sms[..]), (class, &sms[..]), "{}", v.evidence);
    }
}

/// A lane of the load and store unit is a lane, although caches show it.
#[test]
fn a_lane_that_loads_wrongly_is_a_lane() {
    let v = verdict(small(2), &["stuck1 lsud:sm1.sub1.lane7.bit4@0.."], &["exchange"]);
    assert_eq!(v.sms, [1], "{}", v.evidence);
    assert_eq!(v.sub_cores, [1], "{}", v.evidence);
}

#[test]
fn heavy_and_lite_pipes_are_told_apart() {
    for (pipe, tests) in [("heavy", ["fma", "imad"]), ("lite", ["fma", "imad"])] {
        let fault = format!("stuck0 fma:sm1.sub1.{pipe}.lane5.bit29@0..");
        let v = verdict(small_of("h200", 2), &[&fault], &tests);
        assert_eq!(v.class, Class::Lane, "{fault}: {}", v.evidence);
        assert_eq!((&v.lanes[..], v.period), (&[5, 21][..], Some(16)), "{fault}");
        assert_eq!(v.pipe.as_deref(), Some(pipe), "{fault}: {}", v.evidence);
    }
    // Without the test that tells, and where there is one pipe, nothing is said.
    let alone =
        verdict(small_of("h200", 2), &["stuck0 fma:sm1.sub1.heavy.lane5.bit29@0.."], &["fma"]);
    assert_eq!(alone.pipe, None, "{}", alone.evidence);
    let one = verdict(small(2), &["stuck0 fma:sm1.sub1.lane5.bit29@0.."], &["fma", "imad"]);
    assert_eq!(one.pipe, None, "{}", one.evidence);
}

/// Threads that come to an exchange divided (sm_90's collective operations).
#[test]
fn the_h200_runs_the_control_tests() {
    let names = ["divergence", "exchange", "barriers", "churn", "atomics"];
    let record = burn(&mut small_of("h200", 2), &names, None);
    for test in &record.tests {
        assert_eq!(test.state, State::Passed, "{}: {}", test.name, test.why);
    }
}
