//! Turning columns into text.

use super::column::{Col, Imm, Source, scatter};
use super::{Fields, Form};
use crate::table::number;
pub use crate::table::print::{Out, pred, reg};

/// The constant of bits 23-41. Offsets count words and are signed.
pub fn constant(f: &Fields) -> String {
    format!("c[{:#x}][{}]", f.bits(37, 5), number::hex(f.word.signed(23, 14) * 4))
}

/// The 20-bit immediate.
fn immediate(f: &Fields, imm: Imm) -> String {
    let bits = f.imm20() as u32;
    match imm {
        Imm::Int => number::hex(i64::from(f.imm20())),
        Imm::Hex => format!("{:#x}", bits & 0xf_ffff),
        Imm::F32 => number::f32_bits(bits << 12),
        Imm::F64 => number::f64_high(bits << 12),
        Imm::Typed => match f.bits(12, 2) {
            1 => number::f16_bits(bits as u16),
            3 => number::f64_high(bits << 12),
            _ => number::f32_bits(bits << 12),
        },
        Imm::Shift => format!("{:#x}", f.bits(23, 6)),
    }
}

/// Is that decoration there, and set?
fn set(f: &Fields, bit: u8) -> bool {
    bit != 0 && f.bit(bit.into())
}

/// A register or constant with sign and bars.
fn decorated(f: &Fields, s: &Source, base: String) -> String {
    let sign = if set(f, s.neg) {
        "-"
    } else if set(f, s.inv) {
        "~"
    } else {
        ""
    };
    let bar = if set(f, s.abs) { "|" } else { "" };
    let part = s.part.map_or("", |part| part(f));
    format!("{sign}{bar}{base}{part}{bar}")
}

/// An immediate, whose decorations are suffixes.
fn decorated_immediate(f: &Fields, s: &Source) -> String {
    let mut text = immediate(f, s.imm);
    for (bit, name) in [(s.neg, ".NEG"), (s.abs, ".ABS"), (s.inv, ".INV")] {
        if set(f, bit) {
            text.push_str(name);
        }
    }
    text.push_str(s.part.map_or("", |part| part(f)));
    text
}

/// Constants whose parts can be selected have a blank between bank and offset.
fn decorated_constant(f: &Fields, s: &Source) -> String {
    let base = constant(f);
    decorated(f, s, if s.part.is_some() { base.replace("][", "] [") } else { base })
}

/// Operand B.
pub fn source_b(f: &Fields, s: &Source) -> String {
    match f.form {
        Form::Imm => decorated_immediate(f, s),
        Form::ConstB => decorated_constant(f, s),
        Form::ConstC => decorated(f, s, reg(f.bits(42, 8))),
        Form::Reg | Form::Own => decorated(f, s, reg(f.bits(23, 8))),
    }
}

fn source_c(f: &Fields, s: &Source) -> String {
    match f.form {
        Form::ConstC => decorated_constant(f, s),
        _ => decorated(f, s, reg(f.bits(42, 8))),
    }
}

/// What stands between brackets: a base and an offset, of which one may be missing.
pub fn address(base: u64, offset: i64) -> String {
    match (base, offset) {
        (_, 0) => reg(base),
        (255, _) => number::hex(offset),
        _ => format!("{}+{}", reg(base), number::hex(offset)),
    }
}

/// The base of bits 10-17 and the offset at `lo`, which is signed unless it
/// stands alone.
pub fn place(f: &Fields, lo: u32, width: u32) -> String {
    match f.bits(10, 8) {
        255 => address(255, f.bits(lo, width) as i64),
        base => address(base, f.word.signed(lo, width)),
    }
}

fn name(names: &'static [&'static str], value: usize) -> &'static str {
    names.get(value).copied().unwrap_or("???")
}

/// Prints columns in order.
pub fn print(cols: &[Col], f: &Fields, pc: u64, out: &mut Out) {
    for col in cols {
        print_one(col, f, pc, out);
    }
}

fn print_one(col: &Col, f: &Fields, pc: u64, out: &mut Out) {
    let bits = |lo: u8, w: u8| f.bits(lo.into(), w.into());
    let bit = |n: u8| f.bit(n.into());
    match *col {
        Col::Lit(s) => out.modifier(s),
        Col::Flag(b, s) if bit(b) => out.modifier(s),
        Col::Unless(b, s) if !bit(b) => out.modifier(s),
        Col::Flag(..) | Col::Unless(..) => {}
        Col::Enum(lo, w, names) => out.modifier(name(names, bits(lo, w) as usize)),
        Col::Scatter(b, names) => out.modifier(name(names, scatter(f, b))),
        Col::Dst(cc) => {
            out.operand(&reg(bits(2, 8)));
            if set(f, cc) {
                out.extend(".CC");
            }
        }
        Col::A(s) => out.operand(&decorated(f, &s, reg(bits(10, 8)))),
        Col::B(s) => out.operand(&source_b(f, &s)),
        Col::C(s) => out.operand(&source_c(f, &s)),
        Col::R(lo) => out.operand(&reg(bits(lo, 8))),
        Col::ROpt(lo) if bits(lo, 8) == 255 => {}
        Col::ROpt(lo) => out.operand(&reg(bits(lo, 8))),
        Col::P(lo) => out.operand(&pred(bits(lo, 3), false, false)),
        Col::Pn(lo, neg) => out.operand(&pred(bits(lo, 3), bit(neg), false)),
        Col::POpt(lo) if bits(lo, 3) == 7 => {}
        Col::POpt(lo) => out.operand(&pred(bits(lo, 3), false, false)),
        Col::Hex(lo, w) => out.operand(&format!("{:#x}", bits(lo, w))),
        Col::HexOpt(lo, w) if bits(lo, w) == 0 => {}
        Col::HexOpt(lo, w) => out.operand(&format!("{:#x}", bits(lo, w))),
        Col::Signed(lo, w) => out.operand(&number::hex(f.word.signed(lo.into(), w.into()))),
        Col::Float32 => out.operand(&number::f32_bits(f.imm32())),
        Col::Const => out.operand(&constant(f)),
        Col::Mem(space, lo, w) => {
            let place = place(f, lo.into(), w.into());
            out.operand(&format!("{space}[{place}]"));
        }
        Col::At => out.operand(&format!("[{}]", reg(bits(10, 8)))),
        Col::Name(lo, w, names) => out.operand(name(names, bits(lo, w) as usize)),
        Col::Word(s) => out.operand(s),
        Col::Suffix(b, s) if bit(b) => out.extend(s),
        Col::Suffix(..) => {}
        Col::When(c, then) => {
            if c.holds(f) {
                print(then, f, pc, out);
            }
        }
        Col::Either(c, then, other) => print(if c.holds(f) { then } else { other }, f, pc, out),
        Col::Must(_) => {}
        Col::Fn(p) => p(f, pc, out),
    }
}
