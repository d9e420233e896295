//! Program counters, masks, convergence barriers, dependence counters, CTA barriers.

use upset_device::{DeviceError, TrapKind};
use upset_testkit::asm::int::{self, Combine, Compare};
use upset_testkit::asm::warp::{Vote, vote};
use upset_testkit::asm::{Code, P, PT, flow, moves};

use super::lab::*;

fn trap(result: Result<Vec<u32>, DeviceError>) -> TrapKind {
    match result {
        Err(DeviceError::Trap { trap, .. }) => trap.kind,
        other => panic!("expected a trap, got {other:?}"),
    }
}

/// The threads that are together.
fn together(d: upset_testkit::asm::R) -> Code {
    vote(d, PT, Vote::Any, PT)
}

#[test]
fn a_flipped_program_counter_skips_an_instruction_for_one_thread() {
    let mut body = vec![moves::mov(X, 1), moves::mov(X, 2), store(SECOND, X)];
    // The skipped one must lie at an even place.
    if prologue().len().is_multiple_of(2) {
        body.insert(0, flow::nop());
    }
    let at = writes(&Lab::events(&body), X)[0];
    let flipped = Lab::outcome(&body, &[(at, "pc:sm0.warp0.lane13.bit4")]).expect("it runs");
    let mut expected = [2; WORDS];
    expected[13] = 1;
    assert_eq!(flipped, expected);
    let lost = trap(Lab::outcome(&body, &[(at, "pc:sm0.warp0.lane13.bit20")]));
    assert!(matches!(lost, TrapKind::PcOutOfRange(_)), "{lost}");
    let between = trap(Lab::outcome(&body, &[(at, "pc:sm0.warp0.lane13.bit2")]));
    assert!(matches!(between, TrapKind::MisalignedPc(_)), "{between}");
}

#[test]
fn a_thread_switched_off_no_longer_votes_with_its_group() {
    let body = [moves::mov(Y, 0), together(X), store(SECOND, X)];
    let at = writes(&Lab::events(&body), Y)[0];
    assert_eq!(Lab::outcome(&body, &[]).expect("it runs"), [u32::MAX; WORDS]);
    let off = Lab::outcome(&body, &[(at, "mask:sm0.warp0.active.bit3")]).expect("it runs");
    let mut expected = [!8; WORDS];
    expected[3] = 8;
    assert_eq!(off, expected, "it goes on alone");
}

#[test]
fn a_dead_thread_may_come_to_life() {
    // The upper half leaves; then one of them is switched on again.
    let p = P::new(0);
    let body = [
        int::isetp(p, Compare::Ge, false, ID, 16, Combine::And, PT),
        flow::exit().guard(p),
        moves::mov(Y, 0),
        moves::mov(X, 5),
        store(SECOND, X),
    ];
    let at = writes(&Lab::events(&body), Y)[0];
    let golden = Lab::outcome(&body, &[]).expect("it runs");
    assert_eq!(golden[16..], [0; 16]);
    let on = Lab::outcome(
        &body,
        &[(at, "mask:sm0.warp0.active.bit22"), (at, "mask:sm0.warp0.live.bit22")],
    );
    let mut expected = golden.clone();
    expected[22] = 5;
    assert_eq!(on.expect("it runs"), expected);
}

#[test]
fn a_convergence_barrier_that_forgets_a_thread_goes_on_without_it() {
    let p = P::new(0);
    let body = [
        int::isetp(p, Compare::Lt, false, ID, 16, Combine::And, PT),
        flow::bssy(0, 32),
        flow::bra(ARCH, 16).guard(p),
        moves::mov(Y, 1),
        flow::bsync(0),
        together(X),
        store(SECOND, X),
    ];
    let at = writes(&Lab::events(&body), Y)[0];
    assert_eq!(Lab::outcome(&body, &[]).expect("it runs"), [u32::MAX; WORDS]);
    let forgot = Lab::outcome(&body, &[(at, "conv:sm0.warp0.b0.bit20")]).expect("it runs");
    let mut expected = [!(1 << 20); WORDS];
    expected[20] = 1 << 20;
    assert_eq!(forgot, expected);
}

#[test]
fn a_dependence_counter_that_never_falls_hangs_the_launch() {
    let body = [moves::mov(X, 1), store(SECOND, X)];
    let at = writes(&Lab::events(&body), X)[0];
    let hung = trap(Lab::outcome(&body, &[(at, "sb:sm0.warp0.sb5.bit1")]));
    assert_eq!(hung, TrapKind::Deadlock);
}

#[test]
fn a_dependence_counter_that_is_lost_lets_a_use_come_too_early() {
    // The counter of the load falls to zero by the flip: the store does not wait.
    let body = [moves::mov(X, 77), load(X, FIRST), store(SECOND, X)];
    let events = Lab::events(&body);
    let at = writes(&events, X)[0] + 20;
    let early = Lab::outcome(&body, &[(at, "sb:sm0.warp0.sb0.bit0")]);
    assert_eq!(early.expect("it runs"), [77; WORDS], "the old value is stored");
}

#[test]
fn a_barrier_that_waits_for_more_threads_than_there_are_hangs_the_launch() {
    let body = [moves::mov(X, 7), flow::bar_sync(2), store(SECOND, X)];
    let at = writes(&Lab::events(&body), X)[0];
    assert_eq!(Lab::outcome(&body, &[]).expect("it runs"), [7; WORDS]);
    // 64 threads are wanted of barrier 2, before anybody arrives.
    let hung = trap(Lab::outcome(&body, &[(at, "bar:sm0.cta0.b2.expected.bit6")]));
    assert_eq!(hung, TrapKind::Deadlock);
    // Another barrier's counters, and those of a CTA that is not there, are nobody's.
    for spared in ["bar:sm0.cta0.b3.expected.bit6", "bar:sm0.cta1.b2.expected.bit6"] {
        assert_eq!(Lab::outcome(&body, &[(at, spared)]).expect("it runs"), [7; WORDS], "{spared}");
    }
    // Flipped back while all wait, it is compared at once.
    let both = [(at, "bar:sm0.cta0.b2.expected.bit6"), (at + 200, "bar:sm0.cta0.b2.expected.bit6")];
    assert_eq!(Lab::outcome(&body, &both).expect("it runs"), [7; WORDS]);
}
