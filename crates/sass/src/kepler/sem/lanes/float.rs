//! Floating-point results that are clamped, and FP64 minima and maxima.

use upset_isa::fp::warp::{convert, mods, mufu};
use upset_isa::fp::{Format, double};
use upset_isa::{AluFn, Results, Sources, WARP};

/// Clamps results to `[0, 1]`: what is no number becomes zero.
fn clamp(f: Format, one: u64, r: &mut Results) {
    for i in 0..WARP {
        let bits = u64::from(r.d[0][i]) | u64::from(r.d[1][i]) << 32;
        let bits = if f == Format::F64 { bits } else { bits & 0xffff_ffff };
        let below = f.is_nan(bits) || bits & f.sign_bit() != 0;
        r.set64(i, if below { 0 } else { bits.min(one) });
    }
}

fn single(r: &mut Results) {
    clamp(Format::F32, 1f32.to_bits().into(), r);
}

/// `MUFU.SAT`.
pub(crate) fn mufu_saturated(m: u32, s: &Sources<'_>, r: &mut Results) {
    mufu::select(m)(m, s, r);
    single(r);
}

fn half_f2f(m: u32, s: &Sources<'_>, r: &mut Results) {
    convert::f2f(m)(m, s, r);
    clamp(Format::F16, 0x3c00, r);
}

fn single_f2f(m: u32, s: &Sources<'_>, r: &mut Results) {
    convert::f2f(m)(m, s, r);
    single(r);
}

fn double_f2f(m: u32, s: &Sources<'_>, r: &mut Results) {
    convert::f2f(m)(m, s, r);
    clamp(Format::F64, 1f64.to_bits(), r);
}

/// `F2F.SAT` to another format.
pub(crate) fn f2f_saturated(to: Format) -> AluFn {
    match to {
        Format::F64 => double_f2f,
        Format::F32 => single_f2f,
        _ => half_f2f,
    }
}

/// `F2F.SAT` to an integral number.
pub(crate) fn frnd_saturated(format: Format) -> AluFn {
    match format {
        Format::F64 => |m, s, r| {
            convert::frnd(m, s, r);
            clamp(Format::F64, 1f64.to_bits(), r);
        },
        _ => |m, s, r| {
            convert::frnd(m, s, r);
            single(r);
        },
    }
}

/// `DMNMX`: the smaller where predicate source 0 holds. A NaN loses against a
/// number, `-0 < +0`.
pub(crate) fn dmnmx(m: u32, s: &Sources<'_>, r: &mut Results) {
    let ((aa, ax), (ba, bx)) = (mods::sign_masks64(m, 0), mods::sign_masks64(m, 1));
    // Flip the magnitude of negatives: integers in the order of the numbers.
    let key = |x: u64| (x ^ (((x as i64) >> 63) as u64 >> 1)) as i64;
    for i in 0..WARP {
        let (a, b) = (s.a64(i) & aa ^ ax, s.b64(i) & ba ^ bx);
        let minimum = s.p[0] >> i & 1 == 1;
        let number = if (key(a) < key(b)) == minimum { a } else { b };
        let result = match (double::is_nan(a), double::is_nan(b)) {
            (false, false) => number,
            (true, false) => b,
            (false, true) => a,
            // Quiet, its payload kept: what code of later chips makes of it.
            (true, true) => b | 1 << 51,
        };
        r.set64(i, result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_and_their_zeroes_and_nans() {
        let run = |a: f64, b: f64, min: bool| {
            let word = |x: f64, at: u32| [(x.to_bits() >> at) as u32; WARP];
            let (al, ah, bl, bh) = (word(a, 0), word(a, 32), word(b, 0), word(b, 32));
            let p = [if min { u32::MAX } else { 0 }; 3];
            let zero = [0; WARP];
            let s = Sources { r: [&al, &ah, &bl, &bh, &zero, &zero], p, active: u32::MAX };
            let mut r = Results::default();
            dmnmx(0, &s, &mut r);
            f64::from_bits(u64::from(r.d[0][3]) | u64::from(r.d[1][3]) << 32)
        };
        assert_eq!((run(-1.0, 2.0, true), run(-1.0, 2.0, false)), (-1.0, 2.0));
        assert_eq!(run(0.0, -0.0, true).to_bits(), (-0.0f64).to_bits());
        assert_eq!(run(-0.0, 0.0, false).to_bits(), 0);
        assert_eq!((run(f64::NAN, 2.0, true), run(3.0, f64::NAN, false)), (2.0, 3.0));
        assert!(run(f64::NAN, f64::NAN, true).is_nan());
    }
}
