//! Powers, logarithms, sine and cosine.
//!
//! No public source has the last bits of AMD's tables. Ours are computed in
//! double precision with fixed polynomials and rounded to single precision, so
//! that every host gives the same bits, and almost always the nearest ones.
//! Denormals are flushed and results rounded to nearest in every mode.

use super::each::each;
use super::special::{Keep, NAN32, SIGN32, unless_nan32};
use super::vector::{Results, Sources};

/// Added and subtracted, this rounds to an integral number: the sum has no
/// room for a fraction, and holds the integer in its lowest bits.
const TO_INTEGER: f64 = (3u64 << 51) as f64;

/// The sum of `c[n] * x^n`.
#[inline(always)]
fn polynomial<const N: usize>(c: &[f64; N], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// `rate^k / k!` for every `step`-th k from `start` on, multiplied by `sign`
/// from one to the next: Taylor's coefficients of exponential functions.
const fn taylor<const N: usize>(rate: f64, start: u32, step: u32, sign: f64) -> [f64; N] {
    let mut c = [0.0; N];
    let (mut term, mut k, mut n) = (1.0, 0, 0);
    while n < N {
        while k < start + n as u32 * step {
            k += 1;
            term = term * rate / k as f64;
        }
        c[n] = term;
        n += 1;
        term *= sign;
    }
    c
}

/// 2^x, |x| <= 1/2: the first term left out is below 1e-11.
const POWER: [f64; 10] = taylor(std::f64::consts::LN_2, 0, 1, 1.0);
/// Sine of x quarter turns, |x| <= 1/2, divided by x, of x^2.
const SINE: [f64; 6] = taylor(std::f64::consts::FRAC_PI_2, 1, 2, -1.0);
/// Cosine of that.
const COSINE: [f64; 7] = taylor(std::f64::consts::FRAC_PI_2, 0, 2, -1.0);

/// log2((1 + x) / (1 - x)) / x, |x| <= 0.172, of x^2.
const LOGARITHM: [f64; 7] = {
    let mut c = [0.0; 7];
    let mut n = 0;
    while n < 7 {
        c[n] = 2.0 * std::f64::consts::LOG2_E / (2 * n + 1) as f64;
        n += 1;
    }
    c
};

/// 2^x; below 2^-126 there is nothing but 0.
#[inline(always)]
fn power(x: f64) -> f32 {
    // Limits keep the exponent within that of double precision, and hold for
    // infinities. A NaN is dealt with elsewhere.
    let limited = if x < -126.0 { -200.0 } else { x };
    let limited = if limited < 200.0 { limited } else { 200.0 };
    let sum = limited + TO_INTEGER;
    let scale = f64::from_bits((sum.to_bits() << 52).wrapping_add(1023 << 52));
    (polynomial(&POWER, limited - (sum - TO_INTEGER)) * scale) as f32
}

/// The logarithm of a positive normal number.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    /// The upper bits of the square root of a half.
    const ROOT: u64 = 0x3fe6_a09e << 32;
    // The exponent goes up where the significand is above the root of 2.
    let bits = x.to_bits().wrapping_sub(ROOT);
    let exponent = (bits >> 32) as i32 >> 20;
    let significand = f64::from_bits((bits & ((1 << 52) - 1)).wrapping_add(ROOT));
    let ratio = (significand - 1.0) / (significand + 1.0);
    f64::from(exponent) + ratio * polynomial(&LOGARITHM, ratio * ratio)
}

/// Sine of so many turns; `quarters` are added.
#[inline(always)]
fn sine(turns: f64, quarters: u64) -> f32 {
    let sum = turns * 4.0 + TO_INTEGER;
    let quarter = sum.to_bits().wrapping_add(quarters);
    let x = turns * 4.0 - (sum - TO_INTEGER);
    let (odd, even) = (polynomial(&COSINE, x * x), x * polynomial(&SINE, x * x));
    let value = if quarter & 1 == 1 { odd } else { even };
    (if quarter & 2 == 2 { -value } else { value }) as f32
}

/// `v_exp_f32`: the power of two.
pub fn exp_f32(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| {
        let x = Keep::SIGNS.f32(a);
        unless_nan32(x, power(f64::from(f32::from_bits(x))).to_bits())
    });
}

/// The logarithm of two, with a given one of zero.
#[inline(always)]
fn log(s: &Sources<'_>, r: &mut Results, of_zero: f32) {
    each(s, r, |a| {
        let a = Keep::SIGNS.f32(a);
        let x = f32::from_bits(a);
        let value = logarithm(f64::from(x)) as f32;
        let value = if x == f32::INFINITY { f32::INFINITY } else { value };
        let value = if x == 0.0 { of_zero } else { value };
        unless_nan32(a, if x < 0.0 { NAN32 } else { value.to_bits() })
    });
}

/// `v_log_f32`.
pub fn log_f32(s: &Sources<'_>, r: &mut Results) {
    log(s, r, f32::NEG_INFINITY);
}

/// `v_log_clamp_f32`: of zero the most negative number.
pub fn log_clamp_f32(s: &Sources<'_>, r: &mut Results) {
    log(s, r, f32::MIN);
}

/// Turns that sine and cosine accept. Sources disagree (CLRX says 1), and
/// compilers reduce arguments to less than either.
const TURNS: f32 = 256.0;

/// What is within the range, zero of what is beyond it, NaN of infinities.
#[inline(always)]
fn trigonometric(a: u32, beyond: f32, f: impl Fn(f32) -> u32) -> u32 {
    let a = Keep::SIGNS.f32(a);
    let x = f32::from_bits(a);
    let within = x.abs() <= TURNS;
    let value = f(if within { x } else { 0.0 });
    let value = if within { value } else { beyond.to_bits() };
    unless_nan32(a, if x.abs() == f32::INFINITY { NAN32 } else { value })
}

/// `v_sin_f32`, of turns. Zeroes have the sign of their source.
pub fn sin_f32(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| {
        trigonometric(a, 0.0, |x| {
            let value = sine(f64::from(x), 0);
            let zero = x.to_bits() & SIGN32;
            if value == 0.0 { zero } else { value.to_bits() }
        })
    });
}

/// `v_cos_f32`, of turns. Zeroes are positive.
pub fn cos_f32(s: &Sources<'_>, r: &mut Results) {
    each(s, r, |a| trigonometric(a, 1.0, |x| (sine(f64::from(x), 1) + 0.0).to_bits()));
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use proptest::prelude::*;

    use super::super::tried::{KEEP, in32, of32};
    use super::super::vector::VectorFn;
    use super::*;

    fn of(f: VectorFn, x: f32) -> f32 {
        let value = of32(f, x.to_bits());
        assert_eq!(in32(f, KEEP | 3, x.to_bits()), value, "the mode makes a difference");
        f32::from_bits(value)
    }

    /// Within half a unit of the last place, and a little more.
    fn near(found: f32, expected: f64) -> bool {
        let ulp = f64::from(f32::from_bits(found.to_bits() + 1)) - f64::from(found);
        (f64::from(found) - expected).abs() <= 0.501 * ulp.abs()
    }

    /// Sine of turns from the host's, reduced to an eighth by hand.
    fn sine_of(turns: f64) -> f64 {
        let part = turns.abs() % 1.0;
        let sign = if (part >= 0.5) != (turns < 0.0) { -1.0 } else { 1.0 };
        let half = part % 0.5;
        let quarter = half.min(0.5 - half);
        let value =
            if quarter > 0.125 { ((0.25 - quarter) * TAU).cos() } else { (quarter * TAU).sin() };
        sign * value
    }

    #[test]
    fn whole_powers_and_their_logarithms_are_exact() {
        for n in -126..128i32 {
            let x = f32::from_bits(((n + 127) as u32) << 23);
            assert_eq!(of(exp_f32, n as f32), x);
            assert_eq!(of(log_f32, x), n as f32);
            assert_eq!(of(log_clamp_f32, x), n as f32);
        }
    }

    #[test]
    fn quarter_turns_are_exact() {
        for n in -1024..=1024i32 {
            let turns = n as f32 / 4.0;
            let expected = [0.0, 1.0, 0.0, -1.0];
            let at = |n: i32| expected[n.rem_euclid(4) as usize];
            assert_eq!(of(sin_f32, turns), at(n));
            assert_eq!(of(cos_f32, turns), at(n + 1));
            if n % 2 == 0 {
                assert_eq!(of(sin_f32, turns).to_bits(), turns.to_bits() & 1 << 31);
            } else {
                assert_eq!(of(cos_f32, turns).to_bits(), 0);
            }
        }
        assert_eq!(of32(sin_f32, 1 << 31), 1 << 31);
    }

    #[test]
    fn special_values() {
        let inf = f32::INFINITY;
        assert_eq!((of(exp_f32, inf), of(exp_f32, -inf)), (inf, 0.0));
        assert_eq!((of(exp_f32, 128.0), of(exp_f32, -126.00001)), (inf, 0.0));
        assert_eq!(of(exp_f32, f32::MAX), inf);
        assert_eq!((of(exp_f32, f32::MIN), of(exp_f32, -0.0)), (0.0, 1.0));
        assert_eq!((of(log_f32, inf), of(log_clamp_f32, inf)), (inf, inf));
        for small in [0, 1, 0x7f_ffff, 1 << 31, 1 << 31 | 1] {
            assert_eq!(of(log_f32, f32::from_bits(small)), -inf);
            assert_eq!(of(log_clamp_f32, f32::from_bits(small)), f32::MIN);
        }
        for infinite in [0x7f80_0000, 0xff80_0000] {
            assert_eq!(of32(sin_f32, infinite), 0xffc0_0000);
            assert_eq!(of32(cos_f32, infinite), 0xffc0_0000);
        }
        for f in [log_f32, log_clamp_f32] {
            assert_eq!(of32(f, 0xbf80_0000), 0xffc0_0000);
            assert_eq!(of32(f, 0xff80_0000), 0xffc0_0000);
        }
        for f in [exp_f32, log_f32, sin_f32, cos_f32] {
            assert_eq!(of32(f, 0xff80_0001), 0xffc0_0001);
            assert_eq!(of32(f, 0x7fc0_0123), 0x7fc0_0123);
        }
        assert_eq!((of(sin_f32, 256.25), of(cos_f32, -256.25)), (0.0, 1.0));
        // Six times a normal number is one, six times a denormal is zero.
        assert!(of(sin_f32, f32::MIN_POSITIVE) > 7e-38);
        assert_eq!(of32(sin_f32, 1), 0);
    }

    #[test]
    fn logarithms_around_one() {
        for n in -2000..2000i32 {
            let x = f32::from_bits((1f32.to_bits() as i32 + n) as u32);
            let expected = (f64::from(x) - 1.0).ln_1p() * std::f64::consts::LOG2_E;
            assert!(near(of(log_f32, x), expected), "{x:e}");
        }
    }

    proptest! {
        #[test]
        fn the_hosts_functions_agree(x in -126.0f32..128.0, turns in -256.0f32..256.0, bits in 1u32 << 23..0x7f80_0000) {
            prop_assert!(near(of(exp_f32, x), f64::from(x).exp2()), "exp {x:e}");
            let y = f32::from_bits(bits);
            prop_assert!(near(of(log_f32, y), f64::from(y).log2()), "log {y:e}");
            for turns in [turns, turns / 256.0, turns / 65536.0] {
                let wide = f64::from(turns);
                prop_assert!(near(of(sin_f32, turns), sine_of(wide)), "sin {turns:e}");
                prop_assert!(near(of(cos_f32, turns), sine_of(wide + 0.25)), "cos {turns:e}");
            }
        }
    }
}
