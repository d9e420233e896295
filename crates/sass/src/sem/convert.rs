//! Conversions between number formats, and rounding to integral values.

use upset_isa::fp::convert::IntType;
use upset_isa::fp::warp::{convert, mods};
use upset_isa::fp::{Format, Rounding};
use upset_isa::{AluFn, Exec, Inst, Src, Width};

use super::fp_signs::{self as signs, flag};
use super::fp32::rounding;
use crate::{Arch, Fields, LowerError};

/// Float format in a three-bit field.
fn float(code: u64) -> Result<Format, LowerError> {
    match code {
        1 => Ok(Format::F16),
        2 => Ok(Format::F32),
        3 => Ok(Format::F64),
        4 => Ok(Format::BF16),
        _ => Err(LowerError::IllegalEncoding),
    }
}

/// Source format, bits 84-85 and from sm_90 on bit 86.
fn source(f: &Fields) -> Result<Format, LowerError> {
    float(f.bits(84, if f.arch >= Arch::Sm90 { 3 } else { 2 }))
}

fn width(f: Format) -> Width {
    if f == Format::F64 { Width::W2 } else { Width::W1 }
}

/// Part of the source register that holds a 16-bit (or 8-bit) value, bits
/// 60-61; immediates have no parts.
fn part(f: &Fields) -> u32 {
    if matches!(f.form, 2 | 4) { 0 } else { f.bits(60, 2) as u32 }
}

/// As [`part`] for halves: `.H0` or `.H1`.
fn half(f: &Fields, from: Format) -> Result<u32, LowerError> {
    match part(f) {
        _ if matches!(from, Format::F32 | Format::F64) => Ok(0),
        p @ (0 | 1) => Ok(p),
        _ => Err(LowerError::IllegalEncoding),
    }
}

/// An instruction whose only source is B.
fn unary(f: &Fields, m: u32, exec: AluFn, from: Width, to: Width) -> Result<Inst, LowerError> {
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = m;
    i.dst = f.rd(to)?;
    i.src = [Src::Zero, f.b(from)?, Src::Zero];
    Ok(i)
}

fn float_mods(f: &Fields) -> u32 {
    signs::flexible(f).mods(1) | rounding(f) | flag(f, 80, mods::FTZ)
}

/// `F2F`.
pub fn f2f(f: &Fields) -> Result<Inst, LowerError> {
    let (from, to) = (source(f)?, float(f.bits(75, 3))?);
    let m = float_mods(f) | convert::formats(from, to, half(f, from)?);
    unary(f, m, convert::f2f(m), width(from), width(to))
}

/// `FRND` of FP64 has its own opcode.
const FRND_F64: u64 = 0x113;

/// `FRND`: bits 75-76 (from sm_90 on 77 too) repeat the source format.
pub fn frnd(f: &Fields) -> Result<Inst, LowerError> {
    let wide = if f.arch >= Arch::Sm90 { 3 } else { 2 };
    let between = LowerError::Unimplemented("FRND between formats");
    if f.bits(75, wide) != f.bits(84, wide) {
        return Err(between);
    }
    let from = source(f)?;
    if (from == Format::F64) != (f.bits(0, 9) == FRND_F64) {
        return Err(between);
    }
    let m = float_mods(f) | convert::formats(from, from, half(f, from)?);
    unary(f, m, convert::frnd, width(from), width(from))
}

/// `F2I`: integer size in bits 75-76, signed bit 72, `.NTZ` bit 77.
pub fn f2i(f: &Fields) -> Result<Inst, LowerError> {
    let from = source(f)?;
    let to = IntType { bits: 8 << f.bits(75, 2), signed: f.bit(72) };
    let m =
        float_mods(f) | convert::float_to_int(from, to, half(f, from)?) | flag(f, 77, mods::NAN);
    let wide = if to.bits == 64 { Width::W2 } else { Width::W1 };
    unary(f, m, convert::f2i(m), width(from), wide)
}

/// `I2F`: integer size in bits 84-85, signed bit 74.
pub fn i2f(f: &Fields) -> Result<Inst, LowerError> {
    let from = IntType { bits: 8 << f.bits(84, 2), signed: f.bit(74) };
    let to = float(f.bits(75, if f.arch >= Arch::Sm90 { 3 } else { 2 }))?;
    let part = match (from.bits, part(f)) {
        (8, p) => p,
        (16, p @ (0 | 1)) => p,
        (16, _) => return Err(LowerError::IllegalEncoding),
        _ => 0,
    };
    let m = rounding(f) | convert::int_to_float(from, to, part);
    let wide = if from.bits == 64 { Width::W2 } else { Width::W1 };
    unary(f, m, convert::i2f(m), wide, width(to))
}

/// `I2FP`: 32-bit integers to FP32 only, to nearest or towards zero.
pub fn i2fp(f: &Fields) -> Result<Inst, LowerError> {
    let known = f.bits(75, 3) == 2 && f.bits(84, 2) == 2 && matches!(f.bits(78, 2), 0 | 3);
    if !known {
        return Err(LowerError::IllegalEncoding);
    }
    let from = IntType { bits: 32, signed: f.bit(74) };
    let m = rounding(f) | convert::int_to_float(from, Format::F32, 0);
    unary(f, m, convert::i2f(m), Width::W1, Width::W1)
}

/// Registers that an encoding must leave at RZ lest an H200 traps.
fn unused(f: &Fields, lo: u32) -> Result<(), LowerError> {
    let free = f.arch < Arch::Sm90 || f.bits(lo, 8) == u64::from(upset_isa::RZ);
    if free { Ok(()) } else { Err(LowerError::IllegalEncoding) }
}

/// `F2FP`: two FP32 to one packed pair. Rounding in bits 79-80. An H200 traps
/// unless the operand that is not printed is RZ: C without `.MERGE_C`, A with
/// it. It has no FP8 pair without `.MERGE_C` either.
pub fn f2fp(f: &Fields) -> Result<Inst, LowerError> {
    let rm = match f.bits(79, 3) {
        0 => Rounding::Nearest,
        3 => Rounding::Zero,
        _ => return Err(LowerError::Unimplemented("F2FP with stochastic rounding")),
    };
    let merge = f.bit(78);
    if merge {
        unused(f, 24)?;
    } else if f.bits(73, 2) == 0 && !matches!(f.form, 2 | 3 | 7) {
        unused(f, 64)?;
        if f.arch >= Arch::Sm90 && f.bits(86, 2) == 2 {
            return Err(LowerError::IllegalEncoding);
        }
    }
    if f.arch >= Arch::Sm90 && (f.bits(73, 2) != 0 || f.bits(86, 2) != 0) {
        return Err(LowerError::Unimplemented("F2FP to TF32 and FP8"));
    }
    let to = if f.bit(76) { Format::BF16 } else { Format::F16 };
    let (b, c) = f.bc(Width::W1, Width::W1)?;
    if merge && f.bit(72) {
        return Err(LowerError::Unimplemented("F2FP.MERGE_C with .H1"));
    }
    let mut i = f.inst(Exec::Alu(convert::f2fp));
    i.mods = mods::rounding(rm)
        | convert::formats(Format::F32, to, 0)
        | flag(f, 75, convert::RELU)
        | flag(f, 77, convert::SATFINITE)
        | flag(f, 78, convert::MERGE_C);
    i.dst = f.rd(Width::W1)?;
    i.src = [f.ra(Width::W1)?, b, c];
    Ok(i)
}

/// `F2IP`: two FP32 to bytes, packed with a half of C. An H200 traps on `.RELU`
/// of unsigned bytes.
pub fn f2ip(f: &Fields) -> Result<Inst, LowerError> {
    let signed = match f.bits(76, 2) {
        0 => false,
        1 => true,
        _ => return Err(LowerError::IllegalEncoding),
    };
    if matches!(f.bits(78, 2), 1 | 2) || (f.bit(75) && !signed) {
        return Err(LowerError::IllegalEncoding);
    }
    let (b, c) = f.bc(Width::W1, Width::W1)?;
    let mut i = f.inst(Exec::Alu(convert::f2ip));
    i.mods = rounding(f)
        | convert::float_to_int(Format::F32, IntType { bits: 8, signed }, 0)
        | flag(f, 74, mods::NAN)
        | flag(f, 75, convert::RELU)
        | flag(f, 72, convert::C_HIGH);
    i.dst = f.rd(Width::W1)?;
    i.src = [f.ra(Width::W1)?, b, c];
    Ok(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;
    use upset_isa::{LatencyClass, OpDef, Results, Sources, Unit, WARP};

    static OP: OpDef = OpDef::new("C", Unit::Mufu, LatencyClass::Variable);

    fn fields(word: u128) -> Fields {
        let word = word | 4 << 16 | 6 << 32;
        Fields { word: Word(word), arch: Arch::Sm90, op: &OP, form: (word >> 9 & 7) as u8 }
    }

    fn run(i: &Inst, b: u64) -> u64 {
        let (low, high, zero) = ([b as u32; WARP], [(b >> 32) as u32; WARP], [0; WARP]);
        let r = [&zero, &zero, &low, &high, &zero, &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [0; 3], active: u32::MAX }, &mut out);
        u64::from(out.d[0][3]) | u64::from(out.d[1][3]) << 32
    }

    #[test]
    fn formats_decide_the_widths() {
        let i = f2f(&fields(0x7310 | 3 << 75 | 2 << 84)).unwrap(); // F2F.F64.F32
        assert_eq!((i.src[1], i.dst), (Src::Reg(6, Width::W1), upset_isa::Dst::Reg(4, Width::W2)));
        assert_eq!(run(&i, 1.5f32.to_bits().into()), 1.5f64.to_bits());
        let i = f2f(&fields(0x7304 | 2 << 75 | 1 << 84 | 1 << 60)).unwrap(); // F2F.F32.F16 R6.H1
        assert_eq!(run(&i, 0x3c00_0000), 1f32.to_bits().into());
    }

    #[test]
    fn integers_saturate_and_nan_follows_ntz() {
        let word = 0x7305 | 2 << 75 | 2 << 84 | 3 << 78 | 1 << 72; // F2I.TRUNC
        let nan = f32::NAN.to_bits().into();
        assert_eq!(run(&f2i(&fields(word)).unwrap(), nan), 0x8000_0000);
        let ntz = f2i(&fields(word | 1 << 77)).unwrap();
        assert_eq!(run(&ntz, nan), 0);
        assert_eq!(run(&ntz, (-7.9f32).to_bits().into()) as u32 as i32, -7);
        assert_eq!(run(&ntz, 1e20f32.to_bits().into()) as u32 as i32, i32::MAX);
    }

    #[test]
    fn parts_of_a_register_are_integers_too() {
        let word = 0x7306 | 2 << 75 | 1 << 74 | 2 << 60; // I2F.S8 R6.B2
        assert_eq!(run(&i2f(&fields(word)).unwrap(), 0x00ff_0000), (-1f32).to_bits().into());
        let word = 0x7245 | 2 << 75 | 2 << 84; // I2FP.F32.U32
        assert_eq!(run(&i2fp(&fields(word)).unwrap(), 7), 7f32.to_bits().into());
    }

    /// Which of these an H200 ran, and which it trapped on.
    #[test]
    fn operands_that_are_not_printed_must_be_rz() {
        let c = |r: u128| 0x723e | 8 << 24 | r << 64; // F2FP.F16.F32.PACK_AB R4, R8, R6
        assert!(f2fp(&fields(c(255))).is_ok());
        assert_eq!(f2fp(&fields(c(8))).unwrap_err(), LowerError::IllegalEncoding);
        let merge = c(8) | 1 << 78; // A is not printed
        assert_eq!(f2fp(&fields(merge)).unwrap_err(), LowerError::IllegalEncoding);
        let e5m2 = c(255) | 1 << 87;
        assert_eq!(f2fp(&fields(e5m2)).unwrap_err(), LowerError::IllegalEncoding);
    }

    /// An H200 runs `.S8` with `.RELU` and traps on `.U8`.
    #[test]
    fn unsigned_bytes_have_no_relu() {
        let word = 0x7243 | 8 << 24 | 10 << 64 | 1 << 75; // F2IP.U8.F32.RELU
        assert_eq!(f2ip(&fields(word)).unwrap_err(), LowerError::IllegalEncoding);
        assert!(f2ip(&fields(word | 1 << 76)).is_ok());
    }

    #[test]
    fn rounding_between_formats_is_not_implemented() {
        let word = 0x7313 | 3 << 75 | 3 << 84; // FRND.F64
        assert!(frnd(&fields(word)).is_ok());
        let e = LowerError::Unimplemented("FRND between formats");
        assert_eq!(frnd(&fields(word ^ 1 << 75)).unwrap_err(), e);
        assert_eq!(frnd(&fields(0x7313 | 1 << 75 | 1 << 84)).unwrap_err(), e);
    }
}
