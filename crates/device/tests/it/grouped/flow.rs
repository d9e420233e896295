use upset_isa::control::stack::EntryKind;
use upset_isa::int::compare::cmp;
use upset_isa::{
    BarOp, Exec, Flow, MemKind, Results, Sources, Space, Src, Target, TrapKind, Width,
};

use super::assembler::{CODE, Code, r};

/// Thread in R0, address of its word in R2 and R3, result in R4.
fn begun() -> Code {
    let mut c = Code::default();
    c.thread(0);
    c.address(2, 0, 2);
    c.mov(4, Src::Zero);
    c
}

fn ended(mut c: Code) -> Code {
    c.word(MemKind::Store, Space::Global, 4, 2, 0);
    c.exit();
    c
}

fn bar(c: &mut Code) {
    c.other(Exec::Flow(Flow::Bar {
        op: BarOp::Sync,
        index: Some(0),
        count: None,
        counted: false,
        packed: false,
    }));
}

#[test]
fn sides_of_a_branch_join_and_loops_end_for_each_thread_by_itself() {
    let mut c = begun();
    // Odd threads take the other side.
    c.alu(|_, s, r| r.d[0] = s.a().map(|x| x & 1), 5, [r(0), Src::Zero, Src::Zero]);
    c.compare(0, cmp::NE, r(5), Src::Zero);
    c.push(EntryKind::Sync, "joined");
    c.branch("odd");
    c.guard(0, true);
    c.mov(4, Src::Imm(1000));
    c.joins();
    c.label("odd");
    c.mov(4, Src::Imm(2000));
    c.joins();
    c.label("joined");
    // As many rounds as the thread's number; every third round is cut short.
    c.mov(6, Src::Zero);
    c.push(EntryKind::Break, "done");
    c.label("round");
    c.compare(1, cmp::GE, r(6), r(0));
    c.leave(EntryKind::Break);
    c.guard(1, true);
    c.push(EntryKind::Continue, "round");
    c.add(6, r(6), Src::Imm(1));
    c.alu(|_, s, r| r.d[0] = s.a().map(|x| x % 3), 5, [r(6), Src::Zero, Src::Zero]);
    c.compare(2, cmp::EQ, r(5), Src::Zero);
    c.leave(EntryKind::Continue);
    c.guard(2, true);
    c.call("count");
    c.leave(EntryKind::Continue);
    c.label("done");
    let mut c = ended(c);
    c.label("count");
    c.add(4, r(4), Src::Imm(1));
    // Some return early.
    c.compare(3, cmp::LT, r(0), Src::Imm(8));
    c.leave(EntryKind::Call);
    c.guard(3, true);
    c.add(4, r(4), Src::Imm(100));
    c.leave(EntryKind::Call);
    let found = c.run(40, 1, &[]).expect("ends");
    let expected = (0..40u32).map(|thread| {
        let rounds = (1..=thread).filter(|n| n % 3 != 0).count() as u32;
        let each = if thread < 8 { 1 } else { 101 };
        1000 + 1000 * (thread % 2) + each * rounds
    });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn some_leave_by_a_guarded_join_and_some_exit() {
    let mut c = begun();
    c.push(EntryKind::Sync, "joined");
    c.compare(0, cmp::LT, r(0), Src::Imm(5));
    c.nop();
    c.joins();
    c.guard(0, true);
    c.compare(1, cmp::GE, r(0), Src::Imm(30));
    c.exit();
    c.guard(1, true);
    c.mov(4, Src::Imm(7));
    c.joins();
    c.label("joined");
    // Everybody who is left is here at once: a vote sees it.
    let live = |_: u32, s: &Sources<'_>, r: &mut Results| {
        r.d[0] = [s.active; 32];
    };
    c.alu(live, 5, [Src::Zero; 3]);
    c.add(4, r(4), r(5));
    let found = ended(c).run(32, 1, &[]).expect("ends");
    let live = 0x3fff_ffff;
    let expected = (0..32).map(|thread| match thread {
        0..5 => live,
        5..30 => live + 7,
        _ => 0,
    });
    assert_eq!(found, expected.collect::<Vec<u32>>());
}

#[test]
fn a_jump_by_registers_goes_to_each_place_once() {
    let mut c = begun();
    c.push(EntryKind::Sync, "joined");
    // Two instructions each in slots 17 (behind a control word), 19 and 21.
    let place = |_: u32, s: &Sources<'_>, r: &mut Results| {
        r.d[0] = s.a().map(|x| 8 * (17 + 2 * (x % 3)));
    };
    c.alu(place, 6, [r(0), Src::Zero, Src::Zero]);
    c.scaled(6, r(6), 0, CODE);
    c.other(Exec::Flow(Flow::Branch(Target::RegAbsolute(0)))).src[0] = Src::Reg(6, Width::W2);
    while c.next_slot() < 17 {
        c.nop();
    }
    for n in 1..=3 {
        c.mov(4, Src::Imm(10 * n));
        c.nop();
        c.joins();
    }
    c.label("joined");
    let found = ended(c).run(32, 1, &[]).expect("ends");
    assert_eq!(found, (0..32).map(|t| 10 * (t % 3 + 1)).collect::<Vec<u32>>());
}

#[test]
fn a_barrier_takes_a_warp_for_all_its_threads() {
    // Half of each warp comes to the barrier in a branch; the other half waits
    // for its turn and does not keep the other warp.
    let mut c = begun();
    c.alu(|_, s, r| r.d[0] = s.a().map(|x| x >> 4 & 1), 5, [r(0), Src::Zero, Src::Zero]);
    c.compare(0, cmp::NE, r(5), Src::Zero);
    c.push(EntryKind::Sync, "joined");
    c.nop();
    c.joins();
    c.guard(0, true);
    c.scale(7, r(0), 2, Src::Zero);
    c.word(MemKind::Store, Space::Shared, 0, 7, 0);
    bar(&mut c);
    // The word of the thread 32 further on or back.
    c.alu(|_, s, r| r.d[0] = s.a().map(|x| x ^ 128), 7, [r(7), Src::Zero, Src::Zero]);
    c.word(MemKind::Load, Space::Shared, 4, 7, 0);
    // A barrier that is also the join: behind it the halves are one again.
    bar(&mut c);
    c.joins();
    c.label("joined");
    let live = |_: u32, s: &Sources<'_>, r: &mut Results| r.d[0] = [s.active.count_ones(); 32];
    c.alu(live, 8, [Src::Zero; 3]);
    c.scale(4, r(8), 8, r(4));
    let found = ended(c).run(64, 1, &[]).expect("ends");
    let expected = (0..64u32).map(|t| 32 << 8 | if t & 16 == 0 { t ^ 32 } else { 0 });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn a_return_that_nobody_called_for_traps() {
    let mut c = begun();
    c.leave(EntryKind::Call);
    let trap = ended(c).run(32, 1, &[]).expect_err("nowhere to go");
    assert!(matches!(trap.kind, TrapKind::Stack(_)), "{trap}");
    // So does a call that never returns.
    let mut c = begun();
    c.label("again");
    c.call("again");
    let trap = ended(c).run(32, 1, &[]).expect_err("too deep");
    assert!(matches!(trap.kind, TrapKind::Stack(_)), "{trap}");
}

#[test]
fn what_is_no_instruction_traps() {
    let mut c = begun();
    c.nop();
    let trap = c.run(32, 1, &[]).expect_err("runs out of instructions");
    assert_eq!(trap.kind, TrapKind::IllegalEncoding);
}
