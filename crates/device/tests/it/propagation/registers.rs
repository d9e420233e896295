//! Registers, predicates, uniform registers.

use upset_testkit::asm::int::{self, Combine, Compare};
use upset_testkit::asm::uniform::umov;
use upset_testkit::asm::{P, PT, RZ, U, moves};

use super::lab::*;

#[test]
fn a_register_flip_is_overwritten_or_used() {
    let body = [moves::mov(X, 5), moves::mov(X, 7), store(SECOND, X)];
    let [first, second] = writes(&Lab::events(&body), X)[..] else { panic!("two writes") };
    let bit = "rf:sm0.sub0.row10.lane4.bit0";
    let flip = |cycle| Lab::outcome(&body, &[(cycle, bit)]).expect("it runs");
    assert_eq!(flip(first + 1), [7; WORDS], "the second write restores it");
    // A flip comes before the write of its cycle.
    assert_eq!(flip(second), [7; WORDS]);
    let mut expected = [7; WORDS];
    expected[4] = 6;
    assert_eq!(flip(second + 1), expected);
}

#[test]
fn a_flipped_address_register_writes_elsewhere() {
    let body = [moves::mov(X, 9), store(SECOND, X)];
    let at = writes(&Lab::events(&body), X)[0] + 1;
    // Bit 2 of the low word of lane 6's pointer: word 7 in place of word 6.
    let flipped = Lab::outcome(&body, &[(at, "rf:sm0.sub0.row4.lane6.bit2")]).expect("it runs");
    let mut expected = [9; WORDS];
    expected[6] = 0;
    assert_eq!(flipped, expected);
    // The high word: no memory there.
    let trapped = Lab::outcome(&body, &[(at, "rf:sm0.sub0.row5.lane6.bit7")]);
    assert!(trapped.is_err(), "{trapped:?}");
}

#[test]
fn a_flipped_predicate_switches_one_thread() {
    let p = P::new(2);
    let body = [
        int::isetp(p, Compare::Lt, false, ID, 8, Combine::And, PT),
        moves::mov(X, 3),
        store(SECOND, X).guard(p),
    ];
    let at = writes(&Lab::events(&body), X)[0] + 1;
    let off = Lab::outcome(&body, &[(at, "pred:sm0.warp0.p2.bit1")]).expect("it runs");
    let on = Lab::outcome(&body, &[(at, "pred:sm0.warp0.p2.bit20")]).expect("it runs");
    let golden: Vec<u32> = (0..32).map(|i| if i < 8 { 3 } else { 0 }).collect();
    assert_eq!(Lab::outcome(&body, &[]).expect("it runs"), golden);
    let differ = |v: &[u32]| (0..32).filter(|&i| v[i] != golden[i]).collect::<Vec<_>>();
    assert_eq!((differ(&off), differ(&on)), (vec![1], vec![20]));
    assert_eq!((off[1], on[20]), (0, 3));
}

#[test]
fn a_flipped_uniform_register_shows_in_every_thread() {
    let body = [umov(U(4), 100), moves::mov(Y, 1), int::iadd3(X, Y, U(4), RZ), store(SECOND, X)];
    let at = writes(&Lab::events(&body), Y)[0] + 1;
    assert_eq!(Lab::outcome(&body, &[]).expect("it runs"), [101; WORDS]);
    let flipped = Lab::outcome(&body, &[(at, "ureg:sm0.warp0.ur4.bit3")]).expect("it runs");
    assert_eq!(flipped, [1 + (100 ^ 8); WORDS]);
}
