//! Conversions between integers, single and double precision.
//!
//! To integers: towards zero, limited to what there is, and NaN is 0 (but not
//! of `rpi` and `flr`). To floating-point numbers: as MODE rounds single
//! precision. A NaN becomes quiet and keeps the upper bits of its fraction.
//! (CLRX, "GCN ISA VOP1 instructions".)

use upset_lanes::fp::narrow::narrow;
use upset_lanes::fp::{Format, Rounding};

use super::each::{each, each_from64, each_to64};
use super::special::{INF32, INF64, Keep, NAN32, QUIET64, SIGN32, is_nan32, is_nan64};
use super::vector::{Results, Sources};

/// `v_cvt_f32_i32`.
pub fn f32_i32(s: &Sources<'_>, r: &mut Results) {
    match s.mode.round32() {
        Rounding::Nearest => each(s, r, |a| (a as i32 as f32).to_bits()),
        rounding => each(s, r, |a| narrow(Format::F32, rounding, f64::from(a as i32))),
    }
}

/// `v_cvt_f32_u32`.
pub fn f32_u32(s: &Sources<'_>, r: &mut Results) {
    match s.mode.round32() {
        Rounding::Nearest => each(s, r, |a| (a as f32).to_bits()),
        rounding => each(s, r, |a| narrow(Format::F32, rounding, f64::from(a))),
    }
}

/// `v_cvt_f32_ubyte0` to `v_cvt_f32_ubyte3`.
pub fn f32_ubyte<const N: u32>(s: &Sources<'_>, r: &mut Results) {
    // The detour by a signed number is one instruction of most hosts.
    each(s, r, |a| ((a >> (8 * N) & 0xff) as i32 as f32).to_bits());
}

/// `v_cvt_off_f32_i4`: a signed number of four bits in sixteenths.
pub fn f32_off_i4(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| ((a << 28) as i32 as f32 / (1u64 << 32) as f32).to_bits());
}

/// `v_cvt_f64_i32`.
pub fn f64_i32(s: &Sources<'_>, r: &mut Results) {
    each_to64(s, r, |a| f64::from(a as i32).to_bits());
}

/// `v_cvt_f64_u32`.
pub fn f64_u32(s: &Sources<'_>, r: &mut Results) {
    each_to64(s, r, |a| f64::from(a).to_bits());
}

/// `v_cvt_i32_f32`.
pub fn i32_f32(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| f32::from_bits(a) as i32 as u32);
}

/// `v_cvt_u32_f32`.
pub fn u32_f32(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| f32::from_bits(a) as u32);
}

/// `v_cvt_i32_f64`.
pub fn i32_f64(s: &Sources<'_>, r: &mut Results) {
    each_from64(s, r, |a| f64::from_bits(a) as i32 as u32);
}

/// `v_cvt_u32_f64`.
pub fn u32_f64(s: &Sources<'_>, r: &mut Results) {
    each_from64(s, r, |a| f64::from_bits(a) as u32);
}

/// The greatest integer that is not above a number plus something. A NaN is
/// as large as its sign lets it be (CLRX).
#[inline(always)]
fn floor(a: u32, plus: f64) -> u32 {
    // A sum is rounded only where one of the two is too small to move the
    // other to another integer.
    let x = f64::from(f32::from_bits(a)) + plus;
    let down = x as i32;
    let down = down.saturating_sub(i32::from(f64::from(down) > x));
    let limit = i32::MAX.wrapping_add((a >> 31) as i32);
    (if is_nan32(a) { limit } else { down }) as u32
}

/// `v_cvt_rpi_i32_f32`: to nearest, halves upwards.
pub fn rpi_i32_f32(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each(s, r, |a| floor(keep.f32(a), 0.5));
}

/// `v_cvt_flr_i32_f32`: downwards.
pub fn flr_i32_f32(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each(s, r, |a| floor(keep.f32(a), 0.0));
}

/// `v_cvt_f32_f64`.
pub fn f32_f64(s: &Sources<'_>, r: &mut Results) {
    let (inputs, outputs) = (Keep::inputs(s.mode), Keep::outputs(s.mode));
    // NAN32 but for the sign is what all quiet NaN have in common.
    let nan = |a: u64| {
        let (sign, fraction) = ((a >> 32) as u32 & SIGN32, (a >> 29) as u32 & !(SIGN32 | INF32));
        sign | NAN32 & !SIGN32 | fraction
    };
    let or_nan = |a: u64, result: u32| if is_nan64(a) { nan(a) } else { outputs.f32(result) };
    match s.mode.round32() {
        Rounding::Nearest => {
            each_from64(s, r, |a| or_nan(a, (f64::from_bits(inputs.f64(a)) as f32).to_bits()));
        }
        rounding => each_from64(s, r, |a| {
            or_nan(a, narrow(Format::F32, rounding, f64::from_bits(inputs.f64(a))))
        }),
    }
}

/// `v_cvt_f64_f32`.
pub fn f64_f32(s: &Sources<'_>, r: &mut Results) {
    let keep = Keep::inputs(s.mode);
    each_to64(s, r, |a| {
        let a = keep.f32(a);
        let sign = u64::from(a & SIGN32) << 32;
        let nan = sign | INF64 | QUIET64 | u64::from(a & !(SIGN32 | INF32)) << 29;
        if is_nan32(a) { nan } else { f64::from(f32::from_bits(a)).to_bits() }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use upset_lanes::fp::exact::{Number, from_integer};

    use super::super::tried::{KEEP, USUAL, in32, of32, run};
    use super::super::vector::VectorFn;
    use super::*;

    /// Rounding of single precision and the two bits of MODE that mean it.
    const ROUNDINGS: [(Rounding, u32); 4] =
        [(Rounding::Nearest, 0), (Rounding::Up, 1), (Rounding::Down, 2), (Rounding::Zero, 3)];

    fn from64(f: VectorFn, mode: u32, a: u64) -> u32 {
        run(f, mode, a, 0).0 as u32
    }

    fn to64(f: VectorFn, mode: u32, a: u32) -> u64 {
        run(f, mode, u64::from(a), 0).0
    }

    fn integers(a: u32) {
        for (rounding, bits) in ROUNDINGS {
            let mode = USUAL | bits;
            let exact = |v: i128| from_integer(Format::F32, v, rounding) as u32;
            assert_eq!(in32(f32_i32, mode, a), exact(i128::from(a as i32)));
            assert_eq!(in32(f32_u32, mode, a), exact(i128::from(a)));
        }
        let exact = |v: i128| from_integer(Format::F64, v, Rounding::Nearest);
        assert_eq!(to64(f64_i32, USUAL, a), exact(i128::from(a as i32)));
        assert_eq!(to64(f64_u32, USUAL, a), exact(i128::from(a)));
        let bytes: [VectorFn; 4] = [f32_ubyte::<0>, f32_ubyte::<1>, f32_ubyte::<2>, f32_ubyte::<3>];
        for (byte, f) in a.to_le_bytes().into_iter().zip(bytes) {
            assert_eq!(f32::from_bits(of32(f, a)), f32::from(byte));
        }
    }

    fn to_integers(format: Format, bits: u64) {
        let number = Number::unpack(format, bits);
        let towards_zero =
            |min: i128, max: i128| number.to_integer(Rounding::Zero, min, max).unwrap_or(0) as u32;
        let signed = towards_zero(i32::MIN.into(), i32::MAX.into());
        let unsigned = towards_zero(0, u32::MAX.into());
        if format == Format::F64 {
            assert_eq!(from64(i32_f64, USUAL, bits), signed);
            assert_eq!(from64(u32_f64, USUAL, bits), unsigned);
            return;
        }
        let bits = bits as u32;
        assert_eq!(of32(i32_f32, bits), signed);
        assert_eq!(of32(u32_f32, bits), unsigned);
        let limit = if bits >> 31 == 1 { i32::MIN } else { i32::MAX };
        let down = |number: Number| {
            let (min, max) = (i32::MIN.into(), i32::MAX.into());
            number.to_integer(Rounding::Down, min, max).unwrap_or(limit.into()) as u32
        };
        assert_eq!(in32(flr_i32_f32, KEEP, bits), down(number));
        let half = Number::scaled(false, 1, -1);
        assert_eq!(in32(rpi_i32_f32, KEEP, bits), down(number.sum(half, Rounding::Nearest)));
    }

    fn narrowing(bits: u64) {
        let number = Number::unpack(Format::F64, bits);
        for (rounding, mode) in ROUNDINGS {
            let expected = match number {
                Number::Nan => {
                    let fraction = (bits << 12 >> 41) as u32;
                    (bits >> 63 << 31) as u32 | 0x7fc0_0000 | fraction
                }
                number => number.pack(Format::F32, rounding) as u32,
            };
            assert_eq!(from64(f32_f64, KEEP | mode, bits), expected);
            let flushed = Format::F32.flush(u64::from(expected)) as u32;
            assert_eq!(from64(f32_f64, USUAL | mode, bits), flushed);
        }
    }

    fn widening(bits: u32) {
        let number = Number::unpack(Format::F32, u64::from(bits));
        let expected = match number {
            Number::Nan => u64::from(bits >> 31) << 63 | 0x7ff8 << 48 | u64::from(bits << 9) << 20,
            number => number.pack(Format::F64, Rounding::Nearest),
        };
        assert_eq!(to64(f64_f32, KEEP, bits), expected);
    }

    #[test]
    fn edges() {
        for integer in [0, 1, 0x7fff_ffff, 0x8000_0000, !0, 0x0100_0001, 0x0100_0003, 0xffff_ff80] {
            integers(integer);
        }
        for x in
            [0.0, 0.5, 0.49999997, 1.5, 2.5, 8388607.5, 2147483500.0, 2147483648.0, 4294967296.0f32]
        {
            for x in [x, -x] {
                to_integers(Format::F32, u64::from(x.to_bits()));
                to_integers(Format::F64, f64::from(x).to_bits());
            }
        }
        for bits in [1, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000u32] {
            for bits in [bits, bits | 1 << 31] {
                to_integers(Format::F32, u64::from(bits));
                widening(bits);
                narrowing(u64::from(bits) << 32);
            }
        }
        // Around the smallest normal and the largest number of single precision.
        for bits in [0x3810_0000_0000_0000u64, 0x47ef_ffff_e000_0000, 0x47ef_ffff_f000_0000] {
            (bits - 2..bits + 3).for_each(narrowing);
        }
    }

    #[test]
    fn offsets_are_sixteenths() {
        let values: Vec<f32> =
            (0..16).map(|a| f32::from_bits(of32(f32_off_i4, a | 0x50))).collect();
        let expected: Vec<f32> = (0..16).map(|a: u8| f32::from(a ^ 8) / 16.0 - 0.5).collect();
        assert_eq!(values, expected);
        assert_eq!((values[7], values[8], values[15]), (0.4375, -0.5, -0.0625));
    }

    #[test]
    fn denormal_sources_are_zero_where_the_mode_says_so() {
        let small = 0x8000_0001;
        assert_eq!(in32(flr_i32_f32, USUAL, small), 0);
        assert_eq!(in32(flr_i32_f32, KEEP, small), !0);
        assert_eq!(to64(f64_f32, USUAL, small), 1 << 63);
        // Rounded upwards, what is above zero is no zero, unless it was flushed.
        assert_eq!(from64(f32_f64, 0x31, 1), 0);
        assert_eq!(from64(f32_f64, 0xf1, 1), 1);
        // Denormal results are allowed by the other bit.
        assert_eq!(from64(f32_f64, 0xd1, 1), 0);
    }

    proptest! {
        #[test]
        fn exact_arithmetic_agrees(a: u32, wide: u64, exponent in 0u32..70) {
            integers(a);
            integers(a >> (exponent & 31));
            widening(a);
            narrowing(wide);
            // Exponents around those of single precision and of integers.
            let near = |bias: u32, width: u32| u64::from(bias - 35 + exponent) << width;
            let double = wide & (SIGN64 | ((1 << 52) - 1)) | near(1023, 52);
            let single = a & 0x807f_ffff | near(127, 23) as u32;
            narrowing(double);
            narrowing(double.wrapping_sub(120 << 52));
            to_integers(Format::F64, double);
            to_integers(Format::F64, wide);
            to_integers(Format::F32, u64::from(single));
            to_integers(Format::F32, u64::from(a));
        }
    }

    const SIGN64: u64 = 1 << 63;
}
