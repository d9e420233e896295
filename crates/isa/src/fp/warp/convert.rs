//! Conversions.

use super::LANE_BIT;
use super::mods::{self, sign_masks};
use crate::fp::convert::{self, IntType};
use crate::fp::lane::flush;
use crate::fp::narrow::narrow;
use crate::fp::{Format, Rounding};
use crate::{AluFn, Results, Sources, WARP};

const SRC: u32 = mods::OWN;
const DST: u32 = mods::OWN + 3;
const SELECT: u32 = mods::OWN + 6;

/// The integer type is signed.
pub const SIGNED: u32 = 1 << 26;
/// `F2FP`: negative results become zero.
pub const RELU: u32 = 1 << 27;
/// `F2FP`: overflow saturates to the largest number.
pub const SATFINITE: u32 = 1 << 28;
/// `F2FP.MERGE_C`: convert B alone, upper half from C.
pub const MERGE_C: u32 = 1 << 29;
/// `F2IP`: C supplies its upper half.
pub const C_HIGH: u32 = 1 << 30;

/// Formats of a conversion; `select` is the half (or byte) of the source register.
pub fn formats(from: Format, to: Format, select: u32) -> u32 {
    mods::format(from) << SRC | mods::format(to) << DST | select << SELECT
}

/// Float to integer: integer type and source format.
pub fn float_to_int(from: Format, to: IntType, select: u32) -> u32 {
    let signed = if to.signed { SIGNED } else { 0 };
    mods::format(from) << SRC | (to.bits.trailing_zeros() - 3) << DST | select << SELECT | signed
}

/// Integer to float: integer type and result format.
pub fn int_to_float(from: IntType, to: Format, select: u32) -> u32 {
    let signed = if from.signed { SIGNED } else { 0 };
    (from.bits.trailing_zeros() - 3) << SRC | mods::format(to) << DST | select << SELECT | signed
}

fn int_type(m: u32, at: u32) -> IntType {
    IntType { bits: 8 << (m >> at & 3), signed: m & SIGNED != 0 }
}

/// Source bits of a lane: the selected part, sign modifiers of B applied to
/// numbers (a NaN passes them by), denormals flushed under `.FTZ` (an H200).
fn source(f: Format, m: u32, s: &Sources<'_>, lane: usize) -> u64 {
    let raw = if f == Format::F64 { s.b64(lane) } else { u64::from(s.b()[lane]) };
    let width = f.exp_bits + f.frac_bits + 1;
    let part = if width == 16 { raw >> (16 * (m >> SELECT & 1)) & 0xffff } else { raw };
    if f.is_nan(part) {
        return part;
    }
    let part = if m & mods::ABS_B != 0 { part & !f.sign_bit() } else { part };
    let part = if m & mods::NEG_B != 0 { part ^ f.sign_bit() } else { part };
    if m & mods::FTZ != 0 { f.flush(part) } else { part }
}

fn each(s: &Sources<'_>, r: &mut Results, f: impl Fn(usize) -> u64) {
    for i in 0..WARP {
        if s.active & LANE_BIT[i] != 0 {
            r.set64(i, f(i));
        }
    }
}

/// `F2F` (source is operand B).
pub fn f2f(m: u32) -> AluFn {
    let (from, to) = (mods::get_format(m >> SRC), mods::get_format(m >> DST));
    match (from, to) {
        (Format::F32, Format::F64) if m & mods::FTZ == 0 => f32_to_f64,
        (Format::F64, Format::F32) if nearest(m) && m & mods::FTZ == 0 => f64_to_f32,
        _ => f2f_general,
    }
}

fn nearest(m: u32) -> bool {
    mods::get_rounding(m) == Rounding::Nearest
}

fn f32_to_f64(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (and, xor) = sign_masks(m, 1);
    for i in 0..WARP {
        let bits = s.b()[i];
        let wide = f64::from(f32::from_bits(bits & and ^ xor)).to_bits();
        // The host keeps payloads too, but says nothing about signalling ones.
        let nan = u64::from(bits >> 31) << 63 | 0x7ff8 << 48 | u64::from(bits & 0x007f_ffff) << 29;
        r.set64(i, if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { wide });
    }
}

fn f64_to_f32(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (and, xor) = mods::sign_masks64(m, 1);
    for i in 0..WARP {
        let bits = s.b64(i);
        let x = f64::from_bits(bits & and ^ xor) as f32;
        // Quiet, sign and leading payload bits kept.
        let high = (bits >> 32) as u32;
        let nan = high & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x007f_ffff;
        r.d[0][i] = if x.is_nan() { nan } else { x.to_bits() };
    }
}

fn f2f_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (from, to) = (mods::get_format(m >> SRC), mods::get_format(m >> DST));
    let rm = mods::get_rounding(m);
    let convert = if m & mods::FTZ != 0 { convert::to_float_flushed } else { convert::to_float };
    each(s, r, |i| convert(from, source(from, m, s, i), to, rm));
}

/// `FRND`.
pub fn frnd(m: u32, s: &Sources<'_>, r: &mut Results) {
    let f = mods::get_format(m >> SRC);
    let rm = mods::get_rounding(m);
    each(s, r, |i| convert::to_integral(f, source(f, m, s, i), rm));
}

/// `F2I` (source is operand B).
pub fn f2i(m: u32) -> AluFn {
    let from = mods::get_format(m >> SRC);
    let to = int_type(m, DST);
    if from != Format::F32 || to.bits != 32 || m & mods::NAN == 0 {
        return f2i_general;
    }
    macro_rules! by_rounding {
        ($($rm:literal)*) => {
            match (mods::get_rounding(m).bits(), to.signed, m & mods::FTZ != 0) {
                $(($rm, false, false) => f2i_32::<$rm, false, false>,
                ($rm, false, true) => f2i_32::<$rm, false, true>,
                ($rm, true, false) => f2i_32::<$rm, true, false>,
                ($rm, true, true) => f2i_32::<$rm, true, true>,)*
                _ => f2i_general,
            }
        };
    }
    by_rounding!(0 1 2 3)
}

fn f2i_32<const RM: u32, const S: bool, const FTZ: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (and, xor) = sign_masks(m, 1);
    let rm = Rounding::from_bits(RM);
    for i in 0..WARP {
        let x = flush::<FTZ>(s.b()[i] & and ^ xor);
        r.d[0][i] = if S { convert::f32_to_s32(rm, x) } else { convert::f32_to_u32(rm, x) };
    }
}

fn f2i_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let from = mods::get_format(m >> SRC);
    let (to, rm) = (int_type(m, DST), mods::get_rounding(m));
    each(s, r, |i| convert::to_integer(from, source(from, m, s, i), to, rm, m & mods::NAN != 0));
}

/// `I2F` (source is operand B).
pub fn i2f(m: u32) -> AluFn {
    let (from, to) = (int_type(m, SRC), mods::get_format(m >> DST));
    match (from.bits, from.signed, to) {
        (32, true, Format::F32) if nearest(m) => |_, s, r| {
            for i in 0..WARP {
                r.d[0][i] = (s.b()[i] as i32 as f32).to_bits();
            }
        },
        (32, false, Format::F32) if nearest(m) => |_, s, r| {
            for i in 0..WARP {
                r.d[0][i] = (s.b()[i] as f32).to_bits();
            }
        },
        (32, true, Format::F64) => |_, s, r| {
            for i in 0..WARP {
                r.set64(i, f64::from(s.b()[i] as i32).to_bits());
            }
        },
        (32, false, Format::F64) => |_, s, r| {
            for i in 0..WARP {
                r.set64(i, f64::from(s.b()[i]).to_bits());
            }
        },
        _ => i2f_general,
    }
}

fn i2f_general(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (from, to) = (int_type(m, SRC), mods::get_format(m >> DST));
    let rm = mods::get_rounding(m);
    let shift = if from.bits < 32 { (from.bits * (m >> SELECT & 3)) & 31 } else { 0 };
    each(s, r, |i| convert::from_integer(from, s.b64(i) >> shift, to, rm));
}

/// `F2FP`: A into the upper half, B into the lower one.
pub fn f2fp(m: u32, s: &Sources<'_>, r: &mut Results) {
    let to = mods::get_format(m >> DST);
    let rm = mods::get_rounding(m);
    let one = |bits: u32| {
        let x = f64::from(f32::from_bits(bits));
        let x = if m & RELU != 0 && x <= 0.0 { 0.0 } else { x };
        let v = narrow(to, rm, x);
        let finite = to.infinity() as u32 - 1;
        if m & SATFINITE != 0 && v & 0x7fff == finite + 1 { (v & 0x8000) | finite } else { v }
    };
    let ((aa, ax), (ba, bx)) = (sign_masks(m, 0), sign_masks(m, 1));
    for i in 0..WARP {
        let high =
            if m & MERGE_C != 0 { s.c()[i] & 0xffff_0000 } else { one(s.a()[i] & aa ^ ax) << 16 };
        r.d[0][i] = high | one(s.b()[i] & ba ^ bx);
    }
}

/// `F2IP`: A and B to bytes, B lowest, below a half of C. `.RELU` makes zero of
/// negative numbers and of NaN (an H200).
pub fn f2ip(m: u32, s: &Sources<'_>, r: &mut Results) {
    let to = int_type(m, DST);
    let rm = mods::get_rounding(m);
    let one = |bits: u32| {
        let zero = bits >> 31 != 0 || Format::F32.is_nan(bits.into());
        let bits = if m & RELU != 0 && zero { 0 } else { bits };
        convert::to_integer(Format::F32, bits.into(), to, rm, m & mods::NAN != 0) as u32 & 0xff
    };
    for i in 0..WARP {
        let c = if m & C_HIGH != 0 { s.c()[i] >> 16 } else { s.c()[i] & 0xffff };
        r.d[0][i] = c << 16 | one(s.a()[i]) << 8 | one(s.b()[i]);
    }
}
