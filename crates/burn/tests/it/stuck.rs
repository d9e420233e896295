//! Units of the model that are broken must be found, and where they are.

use upset_burn::classify::Class;
use upset_burn::random::Random;
use upset_burn::record::State;

use crate::{break_it, burn, small};

#[test]
fn a_chip_in_order_passes() {
    let record =
        burn(&mut small(2), &["fma", "imad", "alu", "fp64", "mufu", "convert", "half"], None);
    for test in &record.tests {
        assert_eq!(test.state, State::Passed, "{}: {}", test.name, test.why);
        assert_eq!(test.lanes, 2 * 4 * 32, "{}", test.name);
    }
    assert_eq!((record.exit_code, record.verdict.is_none()), (0, true));
}

/// Both values of random bits of the FMA's result latches.
#[test]
fn stuck_results_of_multiply_adds_are_located() {
    let mut random = Random::new(3, "stuck");
    for value in 0..2 {
        for _ in 0..8 {
            let (sub, lane, bit) = (random.below(4), random.below(16), random.below(32));
            located(1, sub, lane, bit, value);
        }
    }
}

fn located(sm: u32, sub: u32, lane: u32, bit: u32, value: u32) {
    let fault = format!("stuck{value} fma:sm{sm}.sub{sub}.lane{lane}.bit{bit}@0..");
    let mut board = small(2);
    break_it(&mut board, &fault);
    let record = burn(&mut board, &["fma"], None);
    let verdict = record.verdict.unwrap_or_else(|| panic!("{fault} was missed"));
    assert_eq!(record.exit_code, 1);
    assert_eq!(verdict.class, Class::Lane, "{fault}: {}", verdict.evidence);
    assert_eq!(
        (&verdict.sms[..], &verdict.sub_cores[..], &verdict.lanes[..], verdict.period),
        (&[sm][..], &[sub][..], &[lane, lane + 16][..], Some(16)),
        "{fault}"
    );
    assert_eq!(verdict.bits, 1 << bit, "{fault}");
}

/// All of them, of one SM.
#[test]
#[ignore = "takes an hour: cargo test --release -p upset-burn all_stuck_results -- --ignored"]
fn all_stuck_results_of_one_sms_multiply_adds_are_located() {
    for sub in 0..4 {
        for lane in 0..16 {
            for bit in 0..32 {
                for value in 0..2 {
                    located(1, sub, lane, bit, value);
                }
            }
        }
    }
}

#[test]
fn broken_results_of_other_units_are_found() {
    for (fault, test) in [
        ("stuck1 alu:sm1.sub2.lane3.bit7@0..", "alu"),
        ("stuck0 fp64:sm0.lane1.bit62@0..", "fp64"),
        ("stuck1 mufu:sm0.sub3.lane2.bit20@0..", "mufu"),
        ("stuck1 mufu:sm0.sub3.lane2.bit20@0..", "convert"),
        ("stuck0 fma:sm1.sub0.lane9.bit13@0..", "imad"),
    ] {
        let mut board = small(2);
        board.limit_launches(2_000_000);
        break_it(&mut board, fault);
        let record = burn(&mut board, &[test], None);
        assert_eq!(record.exit_code, 1, "{fault} was missed by {test}");
    }
}

#[test]
fn a_unit_that_sub_cores_share_is_told() {
    let mut board = small(2);
    break_it(&mut board, "stuck0 fp64:sm1.lane1.bit50@0..");
    let verdict = burn(&mut board, &["fp64"], None).verdict.expect("found");
    assert_eq!((verdict.class, verdict.period), (Class::Lane, Some(2)), "{}", verdict.evidence);
    assert_eq!((&verdict.sms[..], &verdict.sub_cores[..]), (&[1][..], &[0, 1, 2, 3][..]));
}

#[test]
fn a_hang_is_a_finding() {
    let mut board = small(2);
    board.limit_launches(1_000_000);
    // Nobody of sub-core 0 is ever chosen.
    break_it(&mut board, "stuck0 sched:sm0.sub0.warp0.ready@0..");
    let record = burn(&mut board, &["fma", "imad"], None);
    assert_eq!(record.tests[0].state, State::Failed);
    assert!(record.tests[0].why.contains("hangs"), "{}", record.tests[0].why);
    assert_eq!(record.tests[1].state, State::CouldNotRun);
    assert_eq!(record.exit_code, 1);
}
