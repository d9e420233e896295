//! The tester tested: errors made on purpose in the kernels.

use upset_burn::random::Random;
use upset_burn::{Injection, all_tests};

use crate::{burn, small};

/// Random errors are found with their SM, sub-core, lane and bit, and nowhere
/// else.
#[test]
fn errors_made_on_purpose_are_found_where_they_were_made() {
    made(24);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p upset-burn hundreds -- --ignored"]
fn hundreds_of_errors_made_on_purpose_are_found() {
    made(500);
}

fn made(errors: u32) {
    let tests = ["fma", "imad", "alu", "fp64", "mufu", "convert", "half"];
    let mut random = Random::new(1, "injections");
    let mut board = small(2);
    for _ in 0..errors {
        let injection = Injection {
            sm: random.below(2),
            sub_core: random.below(4),
            lane: random.below(32),
            mask: 1 << random.below(32),
            period: 1 + random.below(20),
        };
        let test = random.pick(&tests);
        let record = burn(&mut board, &[test], Some(injection));
        let verdict = record.verdict.unwrap_or_else(|| panic!("{injection:?} in {test} missed"));
        assert_eq!(
            (&verdict.sms[..], &verdict.sub_cores[..], &verdict.lanes[..], verdict.bits),
            (
                &[injection.sm][..],
                &[injection.sub_core][..],
                &[injection.lane][..],
                u64::from(injection.mask)
            ),
            "{injection:?} in {test}: {}",
            verdict.evidence
        );
    }
}

/// A variant that could make errors and makes none.
#[test]
fn an_error_on_an_sm_that_is_not_there_is_none() {
    let nowhere = Injection { sm: 99, sub_core: 0, lane: 0, mask: 1, period: 1 };
    assert_eq!(burn(&mut small(2), &["fma", "alu"], Some(nowhere)).exit_code, 0);
}

/// Every test that says that it can make errors finds one, at its SM, sub-core,
/// lane and bit, and nowhere else.
#[test]
fn every_injectable_test_finds_an_error_at_its_place() {
    let mut board = small(2);
    let all = all_tests();
    let tests: Vec<&str> =
        all.iter().map(|t| t.about()).filter(|a| a.injectable).map(|a| a.name).collect();
    assert_eq!(tests.len(), 7 + 2 + 8, "{tests:?}");
    let places = [(0, 0, 3, 5, 1), (1, 2, 29, 30, 3)];
    for test in tests {
        for (sm, sub_core, lane, bit, period) in places {
            let injection = Injection { sm, sub_core, lane, mask: 1 << bit, period };
            let record = burn(&mut board, &[test], Some(injection));
            let verdict =
                record.verdict.unwrap_or_else(|| panic!("{injection:?} in {test} missed"));
            assert_eq!(
                (&verdict.sms[..], &verdict.sub_cores[..], &verdict.lanes[..], verdict.bits),
                (&[sm][..], &[sub_core][..], &[lane][..], 1 << bit),
                "{injection:?} in {test}: {}",
                verdict.evidence
            );
        }
    }
}
