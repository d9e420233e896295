//! Storage, memory and control of the model, whole and broken.

use upset_burn::classify::Class;
use upset_burn::model::ModelBoard;
use upset_burn::random::Random;
use upset_burn::record::{Record, State};
use upset_burn::{Finding, Group, all_tests};

use crate::{break_it, burn, small};

/// Tests of everything but arithmetic that the model runs.
fn names() -> Vec<&'static str> {
    let all = all_tests().into_iter().map(|t| t.about());
    all.filter(|a| a.group != Group::Compute && a.not_on_model.is_empty()).map(|a| a.name).collect()
}

#[test]
fn a_chip_in_order_passes_every_test() {
    let record = burn(&mut small(2), &names(), None);
    for test in &record.tests {
        assert_eq!(test.state, State::Passed, "{}: {}", test.name, test.why);
        assert!(test.results > 0, "{} compared nothing", test.name);
    }
    assert_eq!(record.exit_code, 0);
}

/// Runs one test on a chip of two SMs with a fault.
fn broken(fault: &str, test: &str) -> Record {
    let mut board: ModelBoard = small(2);
    board.limit_launches(5_000_000);
    break_it(&mut board, fault);
    burn(&mut board, &[test], None)
}

/// Findings of a fault that must be found.
fn findings(fault: &str, test: &str) -> Vec<Finding> {
    let record = broken(fault, test);
    assert_eq!(record.exit_code, 1, "{fault} was missed by {test}");
    record.tests[0].findings.clone()
}

/// Rows of a sub-core 4 to 61 hold registers under test of its first warp.
#[test]
fn stuck_cells_of_the_register_file_are_located() {
    let mut random = Random::new(1, "rf");
    for value in 0..2 {
        for _ in 0..2 {
            let (sub, lane, bit) = (random.below(4), random.below(32), random.below(32));
            let row = 4 + random.below(58);
            let fault = format!("stuck{value} rf:sm1.sub{sub}.row{row}.lane{lane}.bit{bit}@0..");
            for finding in findings(&fault, "registers") {
                let place = &finding.place;
                assert_eq!(
                    (place.sm, place.sub_core, place.lane, finding.wrong_bits()),
                    (Some(1), Some(sub), Some(lane), 1 << bit),
                    "{fault}: {place}"
                );
                assert!(place.register.is_some(), "{fault}: {place}");
            }
        }
    }
}

#[test]
fn stuck_cells_of_shared_memory_are_located() {
    let mut random = Random::new(1, "smem");
    for value in 0..2 {
        for _ in 0..3 {
            let (byte, bit) = (random.below(65536), random.below(8));
            let fault = format!("stuck{value} smem:sm1.byte{byte}.bit{bit}@0..");
            for finding in findings(&fault, "shared") {
                let place = &finding.place;
                let wrong = 1u64 << (byte % 4 * 8 + bit);
                assert_eq!(
                    (place.sm, place.address, finding.wrong_bits()),
                    (Some(1), Some(u64::from(byte & !3)), wrong),
                    "{fault}: {place}"
                );
            }
        }
    }
}

#[test]
fn stuck_predicates_are_located() {
    let found = findings("stuck1 pred:sm1.warp5.p2.bit7@0..", "predicates");
    for finding in found {
        let place = &finding.place;
        assert_eq!((place.sm, place.warp, place.lane), (Some(1), Some(5), Some(7)), "{place}");
        assert_eq!((place.pipe.as_deref(), finding.wrong_bits()), (Some("P2"), 4));
    }
}

#[test]
fn broken_caches_and_lanes_are_found() {
    for (fault, test) in [
        ("stuck1 l1d:sm1.set0.way17.data.bit300@0..", "l1"),
        ("stuck0 l2:slice4.set9.way3.data.bit801@0..", "l2"),
        ("stuck1 l1c:sm0.set9.way2.data.bit77@0..", "constants"),
        ("stuck0 mask:sm1.warp1.active.bit4@0..", "divergence"),
        ("stuck1 div:sm0.sub1.taken.bit4@0..", "divergence"),
        ("stuck1 lsud:sm1.sub1.lane7.bit0@0..", "exchange"),
    ] {
        assert_eq!(broken(fault, test).exit_code, 1, "{fault} was missed by {test}");
    }
}

/// Cells of the constant cache, both values: data everywhere, and tags in the
/// bits in which lines of one set of the 64 KB of constants differ.
fn constant_cells(sets: &[u32], ways: &[u32], bits: &[u32], tags: &[u32]) {
    for set in sets {
        for way in ways {
            for value in 0..2 {
                let data = bits.iter().map(|b| format!("data.bit{b}"));
                for field in data.chain(tags.iter().map(|b| format!("tag.bit{b}"))) {
                    let fault = format!("stuck{value} l1c:sm1.set{set}.way{way}.{field}@0..");
                    let record = broken(&fault, "constants");
                    assert_eq!(record.exit_code, 1, "{fault} was missed");
                    let verdict = record.verdict.expect("found");
                    assert_eq!((verdict.class, &verdict.sms[..]), (Class::Sm, &[1][..]), "{fault}");
                    assert_eq!(verdict.pipe.as_deref(), Some("l1c"), "{fault}");
                }
            }
        }
    }
}

/// A tag is the address without the 64 bytes of a line; 128 sets are 8 KB.
const TAGS_OF_A_SET: [u32; 3] = [7, 8, 9];

#[test]
fn stuck_cells_of_the_constant_cache_are_found() {
    constant_cells(&[9], &[2], &[77], &[8]);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p upset-burn every_way_of_the_constant -- --ignored"]
fn every_way_of_the_constant_cache_is_tested() {
    let ways: Vec<u32> = (0..8).collect();
    constant_cells(&[9], &ways, &[77], &TAGS_OF_A_SET);
}
