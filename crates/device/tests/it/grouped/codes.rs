use upset_isa::codes::FLAGS;
use upset_isa::control::stack::EntryKind;
use upset_isa::int::carry::{self, sum};
use upset_isa::{Dst, Exec, MemKind, Space, Src, Width};

use super::assembler::{Code, r};

/// Thread in R0, address of its eight words in R2 and R3.
fn begun() -> Code {
    let mut c = Code::default();
    c.thread(0);
    c.address(2, 0, 5);
    c
}

/// Words that make carries run: different in every thread.
fn operands(threads: u32) -> Vec<u32> {
    let word = |n: u32| match n.wrapping_mul(0x9e37_79b9) >> 28 {
        0..4 => u32::MAX,
        4..7 => 0,
        7 => 0x8000_0000,
        _ => n.wrapping_mul(0x85eb_ca6b) ^ n >> 3,
    };
    (0..8 * threads).map(word).collect()
}

fn wide(words: &[u32]) -> u128 {
    words.iter().rev().fold(0, |all, word| all << 32 | u128::from(*word))
}

#[test]
fn a_chain_of_four_adds_or_subtracts_128_bits() {
    for negate in [0, 1 << sum::NEG_B] {
        let mut c = begun();
        for n in 0..8 {
            c.word(MemKind::Load, Space::Global, 8 + n, 2, 4 * i32::from(n));
        }
        for n in 0..4 {
            let mods = negate | u32::from(n > 0) << sum::X;
            // The first sets the carry, the last only reads it.
            c.coded(carry::add, mods, n < 3, 8 + n, [r(8 + n), r(12 + n), Src::Zero]);
            c.word(MemKind::Store, Space::Global, 8 + n, 2, 4 * i32::from(n));
        }
        c.exit();
        let before = operands(32);
        let found = c.run(32, 8, &before).expect("ends");
        for (found, before) in found.chunks(8).zip(before.chunks(8)) {
            let (a, b) = (wide(&before[..4]), wide(&before[4..]));
            let expected = if negate == 0 { a.wrapping_add(b) } else { a.wrapping_sub(b) };
            assert_eq!(wide(&found[..4]), expected);
        }
    }
}

#[test]
fn codes_go_to_registers_and_come_back_and_branches_test_them() {
    let mut c = begun();
    c.word(MemKind::Load, Space::Global, 8, 2, 0);
    c.word(MemKind::Load, Space::Global, 9, 2, 4);
    c.coded(carry::add, 1 << sum::NEG_B, true, 10, [r(8), r(9), Src::Zero]);
    // To a register: all flags in the second byte, the rest kept.
    let read = c.other(Exec::ReadPreds { shift: 8, cc: true });
    (read.dst, read.src) = (Dst::Reg(11, Width::W1), [Src::Imm(5), Src::Imm(0xff), Src::Zero]);
    c.word(MemKind::Store, Space::Global, 11, 2, 0);
    // Others write them, and they come back.
    c.coded(carry::add, 0, true, 12, [Src::Imm(1), Src::Imm(1), Src::Zero]);
    let write = c.other(Exec::WritePreds { shift: 8, cc: true });
    write.src = [r(11), Src::Imm(0xff), Src::Zero];
    c.push(EntryKind::Sync, "joined");
    c.mov(13, Src::Imm(1));
    // Unsigned less: no carry (LO), for those whose guard holds: all.
    c.branch("below");
    c.test(17);
    c.mov(13, Src::Imm(2));
    c.label("below");
    c.nop();
    c.joins();
    c.label("joined");
    c.word(MemKind::Store, Space::Global, 13, 2, 4);
    c.exit();
    let before = operands(32);
    let found = c.run(32, 8, &before).expect("ends");
    let mut seen = [0; 3];
    for (found, before) in found.chunks(8).zip(before.chunks(8)) {
        let (a, b) = (before[0], before[1]);
        let d = a.wrapping_sub(b);
        let flags = [d == 0, (d as i32) < 0, a >= b, (a as i32).checked_sub(b as i32).is_none()];
        let bits = (0..FLAGS.len()).map(|i| u32::from(flags[i]) << i).sum::<u32>();
        assert_eq!(found[0], 5 | bits << 8, "{a:#x} - {b:#x}");
        let expected = if a < b { 1 } else { 2 };
        assert_eq!(found[1], expected, "{a:#x} - {b:#x}");
        seen[expected as usize] += 1;
    }
    assert!(seen[1] > 3 && seen[2] > 3, "{seen:?}");
}

#[test]
fn lanes_that_do_not_execute_keep_their_codes() {
    let mut c = begun();
    c.compare(0, upset_isa::int::compare::cmp::LT, r(0), Src::Imm(10));
    c.coded(carry::add, 0, true, 10, [Src::Imm(u32::MAX), Src::Imm(1), Src::Zero]);
    c.coded(carry::add, 0, true, 10, [Src::Imm(1), Src::Imm(1), Src::Zero]);
    c.guard(0, true);
    c.coded(carry::add, 1 << sum::X, false, 10, [Src::Zero; 3]);
    c.word(MemKind::Store, Space::Global, 10, 2, 0);
    c.exit();
    let found = c.run(32, 8, &[]).expect("ends");
    let carried: Vec<u32> = found.chunks(8).map(|words| words[0]).collect();
    assert_eq!(carried, (0..32).map(|t| u32::from(t >= 10)).collect::<Vec<_>>());
}
