//! Instruction bits: what executes is what the arrays hold.

use upset_device::{Change, DeviceError, TrapKind};
use upset_state::{Access, Kind, Site};
use upset_testkit::asm::{Code, float, moves};

use super::lab::*;

const CODE: u64 = 0x6_0000_0000;

/// Where instruction `i` of a program's own lies in the code of the first module.
fn address(i: usize) -> u64 {
    CODE + 16 * (prologue().len() + i) as u64
}

/// Flips a bit of instruction `i` in L1I and runs again.
fn flipped(body: &[Code], i: usize, bit: u64) -> Result<Vec<u32>, DeviceError> {
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(body);
    let buffers = lab.two();
    lab.run(program, 1, &buffers);
    let line = lab.line("l1i", address(i) & !127);
    lab.flip(line.data(address(i) % 128 * 8 + bit));
    lab.try_run(program, 1, &buffers)?;
    Ok(lab.words(buffers[1], WORDS))
}

#[test]
fn an_l1i_flip_changes_immediates_registers_and_operations() {
    let body = [moves::mov(X, 0x100), moves::mov(Y, 0x200), store(SECOND, X)];
    let run = |i, bit| flipped(&body, i, bit).expect("it runs");
    assert_eq!(run(0, 32 + 4), [0x110; WORDS], "an immediate");
    assert_eq!(run(2, 32), [0x200; WORDS], "the register stored: R11 for R10");
    assert_eq!(run(1, 16), [0x200; WORDS], "the register written: R10 for R11");
    let body = [
        moves::mov(X, 2.0f32.to_bits()),
        moves::mov(Y, 3.0f32.to_bits()),
        float::fmul(X, X, Y),
        store(SECOND, X),
    ];
    let product = [6.0f32.to_bits(); WORDS];
    assert_eq!(Lab::outcome(&body, &[]).expect("it runs"), product);
    // The lowest bit of the opcode makes FADD of FMUL.
    assert_eq!(flipped(&body, 2, 0).expect("it runs"), [5.0f32.to_bits(); WORDS]);
}

#[test]
fn an_l1i_flip_may_be_no_instruction() {
    let body = [moves::mov(X, 1), store(SECOND, X)];
    let kinds: Vec<TrapKind> = (0..9)
        .filter_map(|bit| match flipped(&body, 0, bit) {
            Err(DeviceError::Trap { trap, .. }) => Some(trap.kind),
            _ => None,
        })
        .collect();
    assert!(kinds.contains(&TrapKind::IllegalEncoding), "{kinds:?}");
}

#[test]
fn an_l1i_flip_is_gone_when_the_line_is_fetched_again() {
    let mut lab = Lab::new(&["cache.l1i.sets=1", "cache.l1i.ways=2"]);
    let program = lab.kernel(&[moves::mov(X, 1), store(SECOND, X)]);
    let other = lab.kernel(&[moves::mov(X, 0)]);
    let buffers = lab.two();
    let run = |lab: &mut Lab, what| {
        lab.run(what, 1, &buffers);
        lab.words(buffers[1], WORDS)
    };
    assert_eq!(run(&mut lab, program), [1; WORDS]);
    let line = lab.line("l1i", address(0) & !127);
    lab.flip(line.data(address(0) % 128 * 8 + 33));
    assert_eq!(run(&mut lab, program), [3; WORDS]);
    assert_eq!(run(&mut lab, program), [3; WORDS], "it stays while the line does");
    run(&mut lab, other);
    assert!(lab.lines("l1i", address(0) & !127).is_empty());
    assert_eq!(run(&mut lab, program), [1; WORDS]);
}

#[test]
fn code_in_l2_reaches_execution_through_l1i() {
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(&[moves::mov(X, 1), store(SECOND, X)]);
    let buffers = lab.two();
    let line = lab.line("l2", address(0) & !127);
    lab.flip(line.data(address(0) % 128 * 8 + 40));
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), [0x101; WORDS]);
}

#[test]
fn a_buffer_flip_changes_one_execution_and_no_other() {
    let body = [moves::mov(X, 1), store(SECOND, X)];
    let events = Lab::events(&body);
    // The buffer's entries are used in turn: the instruction's own is the one
    // read when the eighth instruction issues.
    let issued: Vec<_> =
        events.iter().filter(|e| e.array.kind == Kind::Ibuf && e.access == Access::Read).collect();
    let mut cycles: Vec<u64> = issued.iter().map(|e| e.cycle).collect();
    cycles.dedup();
    let write = writes(&events, X)[0];
    let read = issued.iter().rev().find(|e| e.cycle < write).expect("it issued");
    let mut lab = Lab::new(&[]);
    let program = lab.kernel(&body);
    let buffers = lab.two();
    let site = Site { array: read.array, bit: u64::from(read.row) * 128 + 32 + 9 };
    lab.device.plan(read.cycle, Change::Flip(site));
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), [0x201; WORDS]);
    lab.run(program, 1, &buffers);
    assert_eq!(lab.words(buffers[1], WORDS), [1; WORDS], "fetched again, it is right");
    assert!(cycles.len() >= prologue().len());
}
