//! What tests make of faults.

use upset_burn::Level;
use upset_grade::rival::Rival;
use upset_grade::{Grade, Grader, Nearness, Pick};

use crate::{chip, faults, grader, some};

#[test]
fn stuck_multiply_adds_are_detected_and_located() {
    let grader = grader("fma");
    let list = some("fma", "stuck", 6);
    assert!(grader.can_act(&list).expect("a run").iter().all(|a| *a));
    for fault in &list {
        let grade = grader.grade(fault).expect("a grade");
        let Grade::Detected { near: Some(Nearness::Exact), seconds } = grade else {
            panic!("{}: {grade:?}", fault.name)
        };
        // Found by the signatures, before every result is stored.
        assert!(seconds > 0.0 && seconds <= 1.1 * grader.clean().seconds, "{}", fault.name);
    }
}

#[test]
fn a_syndrome_of_another_unit_is_located_too() {
    let list = some("mufu", "syndrome:units", 2);
    let grader = grader("mufu");
    for fault in &list {
        let grade = grader.grade(fault).expect("a grade");
        assert!(matches!(grade, Grade::Detected { near: Some(Nearness::Exact), .. }), "{grade:?}");
    }
}

/// What is said never to act changes nothing when it is run all the same.
#[test]
fn a_fault_that_cannot_act_changes_nothing() {
    let grader = grader("fma");
    let mut list = some("mufu", "stuck", 2);
    list.extend(some("fp64", "syndrome:units", 2));
    list.extend(faults("alu", "stuck0", Pick::All).into_iter().step_by(137));
    let acts = grader.can_act(&list).expect("a run");
    assert!(!acts[0] && !acts[1] && !acts[2] && !acts[3]);
    let mut never = 0;
    for fault in list.iter().zip(&acts).filter(|(_, acts)| !**acts).map(|(f, _)| f) {
        never += 1;
        assert_eq!(grader.grade(fault).expect("a grade"), Grade::Masked, "{}", fault.name);
    }
    assert!(never < list.len(), "the integer unit is used in every test");
}

#[test]
fn a_lane_that_loses_its_place_hangs_or_traps() {
    let list = faults("sched", "stuck0", Pick::All);
    let ready = list.iter().find(|f| f.name.contains("sub0.warp0.ready")).expect("a line");
    assert_eq!(grader("fma").grade(ready).expect("a grade"), Grade::Hang);
}

/// A permanent error is in gpu-burn's first product as well; one that comes
/// later is seen when it is large.
#[test]
fn the_rival_takes_its_own_first_product_for_right() {
    let rival = || Grader::new(&chip(), &Rival, Level::One, 0).expect("a grader");
    let list = faults("fma", "stuck0", Pick::All);
    let exponent = list.iter().find(|f| f.name.contains("sub1.lane5.bit30")).expect("a fault");
    assert_eq!(rival().grade(exponent).expect("a grade"), Grade::Masked);
    let late = rival().with_late_faults().grade(exponent).expect("a grade");
    assert!(matches!(late, Grade::Detected { near: Some(Nearness::Wrong), .. }), "{late:?}");
    // The sign of what is never negative.
    let sign = list.iter().find(|f| f.name.contains("sub1.lane5.bit31")).expect("a fault");
    assert_eq!(rival().can_act(std::slice::from_ref(sign)).expect("a run"), [false]);
}

#[test]
fn grades_depend_on_the_fault_alone() {
    let list = some("alu", "stuck", 4);
    let of = |grader: &Grader| -> Vec<Grade> {
        list.iter().map(|f| grader.grade(f).expect("a grade")).collect()
    };
    let (one, other) = (grader("alu"), grader("alu"));
    assert_eq!(of(&one), of(&other));
}
