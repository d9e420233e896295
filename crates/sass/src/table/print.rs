//! Turning columns into text.

use std::fmt::Write;

use super::column::{Col, INVALID, Imm, Operand, UNNAMED, scatter};
use super::number;
pub use super::out::Out;
use crate::{Arch, Fields};

/// `R4`, `RZ`.
pub fn reg(n: u64) -> String {
    if n == 255 { "RZ".into() } else { format!("R{n}") }
}

/// `UR4`, `URZ`.
pub fn ureg(n: u64) -> String {
    if n == 63 { "URZ".into() } else { format!("UR{n}") }
}

/// `P0`, `PT`, `!UP2`.
pub fn pred(n: u64, negate: bool, uniform: bool) -> String {
    let not = if negate { "!" } else { "" };
    let u = if uniform { "U" } else { "" };
    if n == 7 { format!("{not}{u}PT") } else { format!("{not}{u}P{n}") }
}

/// Prints `.reuse` after a register: only while the scheduling field says that
/// the flags are flags (see `decode`).
fn reuse(f: &Fields, slot: u32) -> &'static str {
    if f.bit(109) && f.bit(122 + slot) { ".reuse" } else { "" }
}

/// Is the constant operand addressed through a uniform register?
pub fn bindless(f: &Fields) -> bool {
    f.bit(91) && f.arch != Arch::Sm70
}

/// The constant operand of bits 32-58. Offsets count words; that of a bank is
/// signed, that of a bindless constant is not.
pub fn constant(f: &Fields) -> String {
    if bindless(f) {
        format!("cx[{}][{:#x}]", ureg(f.bits(32, 6)), f.bits(40, 14) * 4)
    } else {
        format!("c[{:#x}][{}]", f.bits(54, 5), number::hex(f.word.signed(40, 14) * 4))
    }
}

/// The immediate of bits 32-63.
pub fn immediate(f: &Fields, imm: Imm) -> String {
    let bits = f.bits(32, 32) as u32;
    match imm {
        Imm::Hex => format!("{bits:#x}"),
        Imm::Int => number::hex(i64::from(bits as i32)),
        Imm::F32 => number::f32_bits(bits),
        Imm::F64 => number::f64_high(bits),
        Imm::F16 => number::f16_bits(bits as u16),
        Imm::Bf16 => number::bf16_bits(bits as u16),
        Imm::F16x2 => {
            format!("{}, {}", number::f16_bits((bits >> 16) as u16), number::f16_bits(bits as u16))
        }
        Imm::Bf16x2 => format!(
            "{}, {}",
            number::bf16_bits((bits >> 16) as u16),
            number::bf16_bits(bits as u16)
        ),
    }
}

/// Where an operand's decoration bits are.
#[derive(Clone, Copy)]
struct DecorationBits {
    neg: u32,
    abs: u32,
    parts: u32,
}

const AT_A: DecorationBits = DecorationBits { neg: 72, abs: 73, parts: 74 };
const AT_32: DecorationBits = DecorationBits { neg: 63, abs: 62, parts: 60 };
const AT_64: DecorationBits = DecorationBits { neg: 75, abs: 74, parts: 81 };
const PACKED_AT_64: DecorationBits = DecorationBits { neg: 84, abs: 83, parts: 81 };

/// The suffix that an operand's encoding selects.
fn suffix(f: &Fields, o: &Operand, at: DecorationBits) -> String {
    let mut s = o.suffix.to_owned();
    if !o.parts.is_empty() {
        let high = o.part_bit != 0 && f.bit(o.part_bit.into());
        let lo = if o.parts_at == 0 { at.parts } else { o.parts_at.into() };
        let part = f.bits(lo, 2) as usize | usize::from(high) << 2;
        named(&mut s, o.parts, part, ".");
    }
    s
}

/// Sign and bars around `base`, then what follows.
fn decorate(f: &Fields, o: &Operand, at: DecorationBits, base: &str, after: &str) -> String {
    let sign = match (o.neg && f.bit(at.neg), o.inv) {
        (false, _) => "",
        (true, false) => "-",
        (true, true) => "~",
    };
    let bar = if o.abs && f.bit(at.abs) { "|" } else { "" };
    format!("{sign}{bar}{base}{bar}{after}")
}

/// A register. One that can be kept in the reuse cache has its suffix outside
/// of the bars, `-|R5|.reuse.H1_H1`.
fn reg_at(f: &Fields, lo: u32, slot: u32, o: &Operand) -> String {
    let at = match lo {
        24 => AT_A,
        32 => AT_32,
        _ if o.packed => PACKED_AT_64,
        _ => AT_64,
    };
    let base = if o.uniform { ureg(f.bits(lo, 6)) } else { reg(f.bits(lo, 8)) };
    if o.reuse {
        decorate(f, o, at, &base, &(reuse(f, slot).to_owned() + &suffix(f, o, at)))
    } else {
        decorate(f, o, at, &(base + &suffix(f, o, at)), "")
    }
}

/// The operand in bits 32-63 that is not a register. The suffix stands within
/// the bars, and one that can have a suffix has a blank between bank and offset.
fn flexible(f: &Fields, o: &Operand) -> String {
    let base = match f.form {
        2 | 4 => return immediate(f, o.imm),
        3 | 5 if o.parts.is_empty() && o.suffix.is_empty() => constant(f),
        3 | 5 => constant(f).replace("][", "] ["),
        _ => ureg(f.bits(32, 6)),
    };
    decorate(f, o, AT_32, &(base + &suffix(f, o, AT_32)), "")
}

/// Appends the name of value `v`.
fn named(out: &mut String, names: &[&str], v: usize, dot: &str) {
    match names.get(v) {
        Some(&INVALID) | None => {
            let _ = write!(out, "{dot}INVALID{v}");
        }
        Some(&UNNAMED) => {
            let _ = write!(out, "{dot}???{v}");
        }
        Some(name) => out.push_str(name),
    }
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
        Col::Enum(lo, w, names) | Col::Suffix(lo, w, names) => {
            named(&mut out.text, names, bits(lo, w) as usize, ".")
        }
        Col::Scatter(b, names) => named(&mut out.text, names, scatter(f, b), "."),
        Col::A(o) => out.operand(&reg_at(f, 24, 0, &o)),
        Col::B(o) => out.operand(&match f.form {
            1 => reg_at(f, 32, 1, &o),
            2 | 3 | 7 => reg_at(f, 64, 1, &o),
            _ => flexible(f, &o),
        }),
        Col::C(o) => out.operand(&match f.form {
            2 | 3 | 7 => flexible(f, &o),
            _ => reg_at(f, 64, 2, &o),
        }),
        Col::C32(o) => out.operand(&match f.form {
            1 => reg_at(f, 32, 2, &o),
            _ => flexible(f, &o),
        }),
        Col::R(lo) => out.operand(&reg(bits(lo, 8))),
        Col::RSuffix(lo, s) => out.operand(&(reg(bits(lo, 8)) + s)),
        Col::ROpt(lo) if bits(lo, 8) == 255 => {}
        Col::ROpt(lo) => out.operand(&reg(bits(lo, 8))),
        Col::U(lo) => out.operand(&ureg(bits(lo, 6))),
        Col::UOpt(lo) if bits(lo, 6) == 63 => {}
        Col::UOpt(lo) => out.operand(&ureg(bits(lo, 6))),
        Col::P(lo) => out.operand(&pred(bits(lo, 3), false, false)),
        Col::Pn(lo, neg) => out.operand(&pred(bits(lo, 3), bit(neg), false)),
        Col::POpt(lo) if bits(lo, 3) == 7 => {}
        Col::POpt(lo) => out.operand(&pred(bits(lo, 3), false, false)),
        Col::PnTrue(lo, neg) if bits(lo, 3) == 7 && !bit(neg) => {}
        Col::PnFalse(lo, neg) if bits(lo, 3) == 7 && bit(neg) => {}
        Col::PnTrue(lo, neg) | Col::PnFalse(lo, neg) => {
            out.operand(&pred(bits(lo, 3), bit(neg), false));
        }
        Col::Up(lo) => out.operand(&pred(bits(lo, 3), false, true)),
        Col::Upn(lo, neg) => out.operand(&pred(bits(lo, 3), bit(neg), true)),
        Col::UpOpt(lo) if bits(lo, 3) == 7 => {}
        Col::UpOpt(lo) => out.operand(&pred(bits(lo, 3), false, true)),
        Col::UpnTrue(lo, neg) if bits(lo, 3) == 7 && !bit(neg) => {}
        Col::UpnFalse(lo, neg) if bits(lo, 3) == 7 && bit(neg) => {}
        Col::UpnTrue(lo, neg) | Col::UpnFalse(lo, neg) => {
            out.operand(&pred(bits(lo, 3), bit(neg), true));
        }
        Col::Hex(lo, w) => out.operand(&format!("{:#x}", bits(lo, w))),
        Col::Signed(lo, w) => out.operand(&number::hex(f.word.signed(lo.into(), w.into()))),
        Col::Name(lo, w, names) => {
            let mut s = String::new();
            named(&mut s, names, bits(lo, w) as usize, "");
            out.operand(&s);
        }
        Col::Const => out.operand(&constant(f)),
        Col::Word(s) => out.operand(s),
        Col::When(c, then) => {
            if c.holds(f) {
                print(then, f, pc, out);
            }
        }
        Col::Either(c, then, other) => print(if c.holds(f) { then } else { other }, f, pc, out),
        Col::Must(_) | Col::Hide(_) => {}
        Col::Fn(p) => p(f, pc, out),
    }
}
