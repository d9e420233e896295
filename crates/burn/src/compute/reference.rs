//! What each operation of `kernels/burn/arithmetic.cu` gives: the same pure
//! functions as the model's instructions, which equal an H200 bit for bit.

use upset_isa::fp::convert::{self, IntType};
use upset_isa::fp::half::HalfMode;
use upset_isa::fp::lane::{self, FmaMode};
use upset_isa::fp::mufu::{self, Func};
use upset_isa::fp::{Format, Rounding, double};

/// An operand tuple: one or two rows of four words.
pub type Tuple = [u32; 8];

/// FP32 multiply-add, sum, product.
pub fn fma(_sm: u32, o: &Tuple, r: &mut [u32]) {
    r[0] = lane::fma::<false, false>(o[0], o[1], o[2]);
    r[1] = lane::add::<false, false>(o[0], o[1]);
    r[2] = lane::mul::<false, false>(o[0], o[1]);
}

/// Integer multiply-add: low word, high word, wide.
pub fn imad(_sm: u32, o: &Tuple, r: &mut [u32]) {
    r[0] = o[0].wrapping_mul(o[1]).wrapping_add(o[2]);
    r[1] = ((u64::from(o[0]) * u64::from(o[1])) >> 32) as u32;
    let addend = u64::from(o[3]) << 32 | u64::from(o[2]);
    let product = i64::from(o[0] as i32) * i64::from(o[1] as i32);
    let wide = (product as u64).wrapping_add(addend);
    (r[2], r[3]) = (wide as u32, (wide >> 32) as u32);
}

/// Integer, logic, compare, select.
pub fn alu(_sm: u32, o: &Tuple, r: &mut [u32]) {
    let [a, b, c] = [o[0], o[1], o[2]];
    let both = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let sum = both(b, a).wrapping_add(both(c, b)).wrapping_add(both(a, c));
    (r[0], r[1]) = (sum as u32, (sum >> 32) as u32);
    r[2] = a ^ b ^ c;
    r[3] = a & b | a & c | b & c;
    let pair = u64::from(b) << 32 | u64::from(a);
    r[4] = ((pair << (c & 31)) >> 32) as u32;
    r[5] = (pair >> (c & 63).min(32)) as u32;
    r[6] = (0..4).fold(0, |all, i| all | permuted(pair, c >> (4 * i)) << (8 * i));
    r[7] = if (a as i32) < (b as i32) { a } else { c };
    r[8] = if a > b { c } else { b };
    r[9] = (a as i32).min(b as i32) as u32;
    r[10] = b.max(c);
    r[11] = lane::min_max(a, b, false);
}

/// One byte of PTX's `prmt`: bit 3 of the selector repeats the byte's sign.
fn permuted(pair: u64, selector: u32) -> u32 {
    let byte = (pair >> (8 * (selector & 7))) as u8;
    u32::from(if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 })
}

/// Double-precision multiply-add, sum, product.
pub fn fp64(_sm: u32, o: &Tuple, r: &mut [u32]) {
    let word = |i: usize| u64::from(o[i + 1]) << 32 | u64::from(o[i]);
    let (a, b, c) = (word(0), word(2), word(4));
    let results =
        [double::fma_nearest(a, b, c), double::add_nearest(a, c), double::mul_nearest(a, b)];
    for (r, v) in r.chunks_exact_mut(2).zip(results) {
        (r[0], r[1]) = (v as u32, (v >> 32) as u32);
    }
}

/// Transcendentals and bit counts.
pub fn mufu(sm: u32, o: &Tuple, r: &mut [u32]) {
    let x = o[0];
    // Sine and cosine take turns: PTX's take radians, times this before.
    let turns = FmaMode::ieee(Rounding::Zero).mul(x, 0x3e22_f983);
    let of = |func, x| mufu::f32(func, x);
    r[0] = of(Func::Cos, turns);
    r[1] = of(Func::Sin, turns);
    r[2] = of(Func::Ex2, x);
    r[3] = of(Func::Lg2, x);
    r[4] = of(Func::Rcp, x);
    r[5] = of(Func::Rsq, x);
    r[6] = of(Func::Sqrt, x);
    r[7] = if sm >= 75 { of(Func::Tanh, x) } else { 0 };
    r[8] = of(Func::Rcp64H, x);
    r[9] = of(Func::Rsq64H, x);
    r[10] = x.count_ones();
    r[11] = x.checked_ilog2().unwrap_or(u32::MAX);
    r[12] = x.reverse_bits();
}

/// Conversions.
pub fn convert(_sm: u32, o: &Tuple, r: &mut [u32]) {
    const S32: IntType = IntType { bits: 32, signed: true };
    const U32: IntType = IntType { bits: 32, signed: false };
    const S64: IntType = IntType { bits: 64, signed: true };
    const U64: IntType = IntType { bits: 64, signed: false };
    let (x, long) = (o[0], u64::from(o[0]) << 32 | u64::from(o[1]));
    let (narrow, near, zero) = (u64::from(x), Rounding::Nearest, Rounding::Zero);
    r[0] = convert::f32_to_s32(near, x);
    r[1] = convert::f32_to_u32(zero, x);
    r[2] = convert::from_integer(S32, narrow, Format::F32, near) as u32;
    r[3] = convert::from_integer(U32, narrow, Format::F32, zero) as u32;
    r[4] = convert::to_integral(Format::F32, narrow, near) as u32;
    let wide = convert::to_float(Format::F32, narrow, Format::F64, near);
    r[5] = (wide >> 32) as u32 ^ wide as u32;
    r[6] = convert::to_float(Format::F64, long, Format::F32, near) as u32;
    let integer = convert::to_integer(Format::F64, long, S64, zero, false);
    (r[7], r[8]) = (integer as u32, (integer >> 32) as u32);
    let float = convert::from_integer(S64, long, Format::F64, near);
    (r[9], r[10]) = (float as u32, (float >> 32) as u32);
    r[11] = convert::from_integer(U64, long, Format::F32, near) as u32;
    r[12] = convert::to_float(Format::F32, narrow, Format::F16, near) as u32;
    r[13] = convert::to_float(Format::F16, u64::from(x & 0xffff), Format::F32, near) as u32;
}

/// Packed half precision: multiply-add, sum, product.
pub fn half(_sm: u32, o: &Tuple, r: &mut [u32]) {
    let mode = HalfMode {
        input: Format::F16,
        output: Format::F16,
        ftz: false,
        fmz: false,
        sat: false,
        relu: false,
    };
    let packed = |f: &dyn Fn(f64, f64, f64) -> u32| {
        (0..2).fold(0, |all, i| {
            let part = |v: u32| mode.element(v >> (16 * i) & 0xffff);
            all | f(part(o[0]), part(o[1]), part(o[2])) << (16 * i)
        })
    };
    r[0] = packed(&|a, b, c| mode.fma(a, b, c));
    r[1] = packed(&|a, b, _| mode.add(a, b));
    r[2] = packed(&|a, b, _| mode.mul(a, b));
}
