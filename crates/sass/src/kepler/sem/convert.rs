//! Conversions between number formats.

use upset_isa::fp::Format;
use upset_isa::fp::convert::IntType;
use upset_isa::fp::warp::{convert, fp32, fp64, mods};
use upset_isa::{AluFn, Exec, Inst, Src, Width};

use super::signs::{flag, rounding, signs};
use super::{codes_unwritten, lanes};
use crate::LowerError;
use crate::kepler::{Fields, Form};

type Lowered = Result<Inst, LowerError>;

/// Format in two bits.
fn float(code: u64) -> Result<Format, LowerError> {
    match code {
        1 => Ok(Format::F16),
        2 => Ok(Format::F32),
        3 => Ok(Format::F64),
        _ => Err(LowerError::IllegalEncoding),
    }
}

fn width(f: Format) -> Width {
    if f == Format::F64 { Width::W2 } else { Width::W1 }
}

fn integer_width(t: IntType) -> Width {
    if t.bits == 64 { Width::W2 } else { Width::W1 }
}

/// Which half of an FP16 pair, bit 44; an immediate is the lower one.
fn half(f: &Fields, from: Format) -> Result<u32, LowerError> {
    match (from, f.bit(44)) {
        (_, false) => Ok(0),
        (Format::F16, true) => Ok(1),
        _ => Err(LowerError::Unimplemented("a half of a wider number")),
    }
}

/// The operand: an immediate FP16 stands in its low bits.
fn operand(f: &Fields, from: Format) -> Result<Src, LowerError> {
    match (f.form, from) {
        (Form::Imm, Format::F16) => f.b(Width::W1),
        _ => f.b_float(width(from)),
    }
}

fn unary(f: &Fields, m: u32, exec: AluFn, src: Src, to: Width) -> Lowered {
    codes_unwritten(f)?;
    let src = [Src::Zero, src, Src::Zero];
    Ok(Inst { mods: m, dst: f.rd(to)?, src, ..f.inst(Exec::Alu(exec)) })
}

/// `F2F`: between formats, or to an integral number of the same one (bit 45).
pub fn f2f(f: &Fields) -> Lowered {
    let (from, to) = (float(f.bits(12, 2))?, float(f.bits(10, 2))?);
    if from == to && !f.bit(45) {
        return pass(f, from);
    }
    let m = signs(f, 1, 48, Some(52)) | rounding(f, 42) | flag(f, 47, mods::FTZ);
    let m = m | convert::formats(from, to, half(f, from)?);
    let exec = match (from == to, f.bit(53)) {
        (false, false) => convert::f2f(m),
        (false, true) => lanes::float::f2f_saturated(to),
        (true, false) => convert::frnd as AluFn,
        (true, true) => lanes::float::frnd_saturated(from),
    };
    unary(f, m, exec, operand(f, from)?, width(to))
}

/// `F2F` that only passes a number on: it adds minus zero, which changes none.
fn pass(f: &Fields, format: Format) -> Lowered {
    codes_unwritten(f)?;
    let m = signs(f, 0, 48, Some(52)) | flag(f, 47, mods::FTZ) | flag(f, 53, mods::SAT);
    let (exec, zero) = match (format, f.bit(53)) {
        (Format::F32, _) => (fp32::fadd(m), Src::Imm(1 << 31)),
        (Format::F64, false) => (fp64::dadd(m), Src::ImmHigh(1 << 31)),
        _ => return Err(LowerError::Unimplemented("F2F that passes FP16 on or clamps FP64")),
    };
    let w = width(format);
    let src = [operand(f, format)?, zero, Src::Zero];
    Ok(Inst { mods: m, dst: f.rd(w)?, src, ..f.inst(Exec::Alu(exec)) })
}

/// `F2I`: what is no number becomes zero, or in wide formats the highest bit alone. A
/// narrow result is extended as its type says, unlike that of `I2I`: compiled code
/// multiplies a signed half of it as a word.
pub fn f2i(f: &Fields) -> Lowered {
    let from = float(f.bits(12, 2))?;
    let to = IntType { bits: 8 << f.bits(10, 2), signed: f.bit(14) };
    let zero = if from != Format::F64 && to.bits != 64 { mods::NAN } else { 0 };
    let m = signs(f, 1, 48, Some(52)) | rounding(f, 42) | flag(f, 47, mods::FTZ) | zero;
    let m = m | convert::float_to_int(from, to, half(f, from)?);
    unary(f, m, convert::f2i(m), operand(f, from)?, integer_width(to))
}

/// `I2F`.
pub fn i2f(f: &Fields) -> Lowered {
    let from = IntType { bits: 8 << f.bits(12, 2), signed: f.bit(15) };
    let to = float(f.bits(10, 2))?;
    let part = first_part(f, from)?;
    let signs = signs(f, 1, 48, Some(52));
    let src = f.b(integer_width(from))?;
    if signs == 0 {
        let m = rounding(f, 42) | convert::int_to_float(from, to, part);
        return unary(f, m, convert::i2f(m), src, width(to));
    }
    let wide = IntType { bits: 64, signed: true };
    let of = (from.bits.trailing_zeros() - 3) | u32::from(from.signed) << 2 | part << 3;
    let m = signs | rounding(f, 42) | convert::int_to_float(wide, to, 0) | of << lanes::I2F_FROM;
    unary(f, m, lanes::i2f_with_signs, src, width(to))
}

/// Where the source of a conversion from an integer begins, bits 44-45, in parts.
fn first_part(f: &Fields, from: IntType) -> Result<u32, LowerError> {
    match (from.bits, f.bits(44, 2) as u32) {
        (8, part) => Ok(part),
        // `.H0` and twice `.H1`.
        (16, part) => Ok(part >> 1),
        (_, 0) => Ok(0),
        _ => Err(LowerError::Unimplemented("a part of a wider number")),
    }
}

/// `I2I`.
pub fn i2i(f: &Fields) -> Lowered {
    use lanes::integer::convert as m;
    let from = IntType { bits: 8 << f.bits(12, 2), signed: f.bit(15) };
    let to = IntType { bits: 8 << f.bits(10, 2), signed: f.bit(14) };
    let of = |t: IntType| (t.bits.trailing_zeros() - 3) | u32::from(t.signed) << 2;
    let flag = |bit: u32, flag: u32| if f.bit(bit) { flag } else { 0 };
    let byte = first_part(f, from)? * from.bits / 8;
    let mods = of(from) << m::FROM
        | of(to) << m::TO
        | byte << m::BYTE
        | flag(52, m::ABS)
        | flag(48, m::NEG)
        | flag(53, m::SAT);
    let src = [Src::Zero, f.b(integer_width(from))?, Src::Zero];
    let exec = match f.writes_cc(false) {
        false => Exec::Alu(lanes::integer::i2i),
        true if to.bits <= 32 => Exec::AluCodes { f: lanes::coded::i2i, writes: true },
        true => return Err(LowerError::Unimplemented("codes of a wide number")),
    };
    Ok(Inst { mods, dst: f.rd(integer_width(to))?, src, ..f.inst(exec) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Results, Sources, WARP};

    fn run(word: u64, b: u64) -> u64 {
        let i = decode(Word(word)).expect("legal").lower().expect("implemented");
        let (low, high, zero) = ([b as u32; WARP], [(b >> 32) as u32; WARP], [0; WARP]);
        let r = [&zero, &zero, &low, &high, &zero, &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [0; 3], active: u32::MAX }, &mut out);
        u64::from(out.d[0][3]) | u64::from(out.d[1][3]) << 32
    }

    #[test]
    fn formats_and_rounding() {
        // F2F.F64.F32 R4, R2 and back.
        let f2f = 0xe540_0000_011c_0012;
        assert_eq!(run(f2f | 0b1011 << 10, 1.5f32.to_bits().into()), 1.5f64.to_bits());
        assert_eq!(run(f2f | 0b1110 << 10, 1.5f64.to_bits()), 1.5f32.to_bits().into());
        // F2F.F32.F32.FLOOR
        let floor = f2f | 0b1010 << 10 | 1 << 45 | 1 << 42;
        assert_eq!(run(floor, (-1.5f32).to_bits().into()), (-2f32).to_bits().into());
    }

    #[test]
    fn integers() {
        // F2I.S32.F32.TRUNC, I2F.F32.S32, |I2I.S32.S32|.
        let f2i = 0xe580_0000_011c_0012 | 0b1_1010 << 10 | 3 << 42;
        assert_eq!(run(f2i, (-7.9f32).to_bits().into()) as u32 as i32, -7);
        // F2I.S16.F32.TRUNC has the sign above it, F2I.U16 zeroes, I2I.S16.S8 zeroes too.
        let s16 = 0xe580_0000_011c_0012 | 0b1_1001 << 10 | 3 << 42;
        assert_eq!(run(s16, (-7.9f32).to_bits().into()) as u32, 0xffff_fff9);
        assert_eq!(run(s16, (-9e9f32).to_bits().into()) as u32, 0xffff_8000);
        assert_eq!(run(s16 ^ 1 << 14, 65_000f32.to_bits().into()), 65_000);
        assert_eq!(run(0xe600_0000_011c_0012 | 0b11_0001 << 10, 0xfe), 0xfffe);
        let i2f = 0xe5c0_0000_011c_0012 | 0b10_1010 << 10;
        assert_eq!(run(i2f, -3i64 as u64 & 0xffff_ffff), (-3f32).to_bits().into());
        assert_eq!(run(i2f | 1 << 52, -3i64 as u64 & 0xffff_ffff), 3f32.to_bits().into());
        assert_eq!(run(i2f | 1 << 48, 3), (-3f32).to_bits().into());
        assert_eq!(run(i2f | 1 << 52, 0x8000_0000), 2_147_483_648f32.to_bits().into());
        // Minus the second byte, signed.
        let byte = 0xe5c0_0000_011c_0012 | 0b10_0010 << 10 | 1 << 44 | 1 << 48;
        assert_eq!(run(byte, 0xfe00), 2f32.to_bits().into());
        let i2i = 0xe600_0000_011c_0012 | 0b11_1010 << 10;
        assert_eq!(run(i2i | 1 << 52, -3i64 as u64 & 0xffff_ffff), 3);
    }
}
