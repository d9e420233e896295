//! Branch targets: absolute, relative to the next instruction, from constants.

use super::Col;
use super::number::hex;
use super::print::{Out, ureg};
use crate::{Arch, Fields, Word};

/// The 50-bit offset of bits 34-81. sm_90 has eight more bits in 16-23.
pub fn offset(f: &Fields) -> i64 {
    offset_of(f, 48)
}

fn offset_of(f: &Fields, width: u32) -> i64 {
    let high = f.word.signed(34, width);
    if f.arch >= Arch::Sm90 { high << 10 | (f.bits(16, 8) as i64) << 2 } else { high << 2 }
}

/// The address after the instruction.
fn next(pc: u64) -> i64 {
    pc.wrapping_add(Word::BYTES as u64) as i64
}

/// A target relative to the next instruction.
pub const RELATIVE: Col = Col::Fn(|f, pc, out| out.operand(&hex(next(pc).wrapping_add(offset(f)))));

/// As [`RELATIVE`], with an offset in bits 34-63 (`BSSY`).
pub const NEAR: Col = Col::Fn(|f, pc, out| {
    out.operand(&hex(next(pc).wrapping_add(f.word.signed(34, 30) << 2)));
});

/// As [`RELATIVE`], counted in bytes, in bits 24-81.
pub const BYTES: Col =
    Col::Fn(|f, pc, out| out.operand(&hex(next(pc).wrapping_add(f.word.signed(24, 58)))));

/// An absolute address.
pub const ABSOLUTE: Col = Col::Fn(|f, _, out| {
    let mask = if f.arch >= Arch::Sm90 { (1 << 57) - 1 } else { (1 << 49) - 1 };
    out.operand(&hex(offset(f) & mask));
});

/// An offset that follows a register: `R8 0x10`, left out when zero.
fn after_register(v: i64, out: &mut Out) {
    if v != 0 {
        out.extend(&format!(" {}", hex(v)));
    }
}

/// `R8 0x10`: offset to a register.
pub const OFFSET: Col = Col::Fn(|f, _, out| after_register(offset(f), out));

/// `R8 0x10`: offset to a register, relative to the next instruction.
pub const INDEXED: Col =
    Col::Fn(|f, pc, out| after_register(next(pc).wrapping_add(offset(f)), out));

/// Return address: relative or absolute (bit 85); a zero is printed too.
pub const RETURN: Col = Col::Fn(|f, pc, out| {
    let base = if f.bit(85) { 0 } else { next(pc) };
    out.extend(&format!(" {}", hex(base.wrapping_add(offset(f)))));
});

fn constant(f: &Fields, low: u32) -> String {
    let drop = (1 << low) - 1;
    if f.bit(91) {
        format!("cx[{}][{:#x}]", ureg(f.bits(32, 6)), f.bits(38, 16) & !drop)
    } else {
        format!("c[{:#x}][{}]", f.bits(54, 5), hex(f.word.signed(38, 16) & !(drop as i64)))
    }
}

/// A constant; from sm_80 the two low bits of its offset are ignored.
pub const CONSTANT: Col = Col::Fn(|f, _, out| {
    let low = if f.arch >= Arch::Sm80 { 2 } else { 0 };
    let (bank, v) = (f.bits(54, 5), f.word.signed(38, 16) & !((1 << low) - 1));
    out.operand(&format!("c[{bank:#x}][{}]", hex(v)));
});

/// A constant word: the two low bits of its offset are ignored.
pub const CONSTANT_WORD: Col = Col::Fn(|f, _, out| out.operand(&constant(f, 2)));
