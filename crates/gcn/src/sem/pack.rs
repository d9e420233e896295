//! Conversions that pack several values into a word.

use upset_lanes::fp::narrow::narrow;
use upset_lanes::fp::{Format, Rounding, exact};

use super::each::{each2, each3};
use super::nan::{SIGN32, is_nan32};
use super::vector::{Results, Sources};

/// `v_cvt_pk_u16_u32`: what does not fit becomes the largest.
pub fn pk_u16_u32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| a.min(0xffff) | b.min(0xffff) << 16);
}

/// `v_cvt_pk_i16_i32`.
pub fn pk_i16_i32(s: &Sources<'_>, r: &mut Results) {
    let limited = |x: u32| (x as i32).clamp(-0x8000, 0x7fff) as u32;
    each2(s, &mut r.d[0], |a, b| limited(a) & 0xffff | limited(b) << 16);
}

/// Adding this to a double below 2^51 rounds it to an integer, to nearest even,
/// in the low bits.
const INTEGER: f64 = 6_755_399_441_055_744.0;

/// A number times `top`, rounded once to nearest even and limited; NaN is zero.
#[inline(always)]
fn normalised(x: u32, low: f64, top: f64) -> u32 {
    let product = f64::from(f32::from_bits(x)) * top;
    // Compares with NaN fail: it becomes the lower limit here, and zero below.
    let above = if product > low { product } else { low };
    let limited = if above < top { above } else { top };
    let integer = (limited + INTEGER).to_bits() as u32 & 0xffff;
    if is_nan32(x) { 0 } else { integer }
}

/// `v_cvt_pknorm_i16_f32`: -1 to 1 becomes -32767 to 32767.
pub fn pknorm_i16_f32(s: &Sources<'_>, r: &mut Results) {
    let packed = |x| normalised(x, -32767.0, 32767.0);
    each2(s, &mut r.d[0], |a, b| packed(a) | packed(b) << 16);
}

/// `v_cvt_pknorm_u16_f32`: 0 to 1 becomes 0 to 65535.
pub fn pknorm_u16_f32(s: &Sources<'_>, r: &mut Results) {
    let packed = |x| normalised(x, 0.0, 65535.0);
    each2(s, &mut r.d[0], |a, b| packed(a) | packed(b) << 16);
}

/// To half precision towards zero. Its denormals are kept in every mode.
#[inline(always)]
fn half(x: u32) -> u32 {
    let nan = (x & SIGN32) >> 16 | 0x7e00 | x >> 13 & 0x1ff;
    let number = narrow(Format::F16, Rounding::Zero, f64::from(f32::from_bits(x)));
    if is_nan32(x) { nan } else { number }
}

/// `v_cvt_pkrtz_f16_f32`.
pub fn pkrtz_f16_f32(s: &Sources<'_>, r: &mut Results) {
    each2(s, &mut r.d[0], |a, b| half(a) | half(b) << 16);
}

/// `v_cvt_pk_u8_f32`: A as a byte takes the place that B names in C.
/// `v_cvt_pkaccum_u8_f32`: C is the old value of the result.
pub fn pk_u8_f32(s: &Sources<'_>, r: &mut Results) {
    let rounding = s.mode.round32();
    each3(s, &mut r.d[0], |a, b, c| {
        let number = exact::Number::unpack(Format::F32, a.into());
        let byte = number.to_integer(rounding, 0, 255).unwrap_or(0) as u32;
        let at = 8 * (b & 3);
        c & !(0xff << at) | byte << at
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Inputs, edges32, singles};
    use super::*;

    fn parts(x: u32) -> (u32, u32) {
        (x & 0xffff, x >> 16)
    }

    /// Steps of a double, to nearest, ties to even, by comparing distances.
    fn nearest(x: f64) -> i64 {
        let below = x.floor();
        let (down, up) = (x - below, below + 1.0 - x);
        let even = below.rem_euclid(2.0) == 0.0;
        if down < up || (down == up && even) { below as i64 } else { below as i64 + 1 }
    }

    proptest! {
        #[test]
        fn integers_are_limited(a in edges32(), b in edges32()) {
            let inputs = Inputs::of([a, b, 0]);
            let unsigned = |x: u32| u32::from(u16::try_from(x).unwrap_or(u16::MAX));
            prop_assert_eq!(parts(inputs.lane(pk_u16_u32).0), (unsigned(a), unsigned(b)));
            let signed = |x: u32| {
                let x = x as i32;
                let most = if x < 0 { i16::MIN } else { i16::MAX };
                u32::from(i16::try_from(x).unwrap_or(most) as u16)
            };
            prop_assert_eq!(parts(inputs.lane(pk_i16_i32).0), (signed(a), signed(b)));
        }

        #[test]
        fn fractions_become_sixteen_bits(a in singles(), b in -1.5f32..1.5) {
            let number = |x: u32, low: f64, top: f64| {
                let x = f64::from(f32::from_bits(x));
                if x.is_nan() { 0 } else { u32::from(nearest((x * top).clamp(low, top)) as u16) }
            };
            let inputs = Inputs::of([a, b.to_bits(), 0]);
            let signed = |x| number(x, -32767.0, 32767.0);
            let unsigned = |x| number(x, 0.0, 65535.0);
            let (a, b) = (a, b.to_bits());
            prop_assert_eq!(parts(inputs.lane(pknorm_i16_f32).0), (signed(a), signed(b)));
            prop_assert_eq!(parts(inputs.lane(pknorm_u16_f32).0), (unsigned(a), unsigned(b)));
        }

        #[test]
        fn halves_are_the_next_towards_zero(a in singles(), b in -70000f32..70000.0) {
            for x in [a, b.to_bits()] {
                let half = Inputs::of([x, 0, 0]).lane(pkrtz_f16_f32).0 & 0xffff;
                let number = exact::convert(Format::F32, Format::F16, x.into(), Rounding::Zero);
                if f32::from_bits(x).is_nan() {
                    prop_assert!(Format::F16.is_nan(half.into()) && half & 0x200 != 0);
                    prop_assert_eq!(half >> 15, x >> 31);
                } else {
                    prop_assert_eq!(u64::from(half), number);
                }
            }
        }

        #[test]
        fn a_byte_takes_its_place(a in -10f32..300.0, at: u32, c: [u8; 4], mode in 0u32..4) {
            let rounded = match mode {
                0 => nearest(f64::from(a)),
                1 => a.ceil() as i64,
                2 => a.floor() as i64,
                _ => a.trunc() as i64,
            };
            let mut bytes = c;
            bytes[at as usize % 4] = rounded.clamp(0, 255) as u8;
            let inputs = Inputs::of([a.to_bits(), at, u32::from_le_bytes(c)]).mode(mode);
            prop_assert_eq!(inputs.lane(pk_u8_f32).0, u32::from_le_bytes(bytes));
        }
    }

    #[test]
    fn a_byte_of_what_is_no_number_is_zero() {
        let byte = |x: f32| Inputs::of([x.to_bits(), 1, u32::MAX]).lane(pk_u8_f32).0;
        assert_eq!(byte(f32::NAN), 0xffff_00ff);
        assert_eq!(byte(f32::NEG_INFINITY), 0xffff_00ff);
        assert_eq!(byte(f32::INFINITY), 0xffff_ffff);
    }
}
