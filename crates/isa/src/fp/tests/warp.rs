//! Warp-wide operations against single lanes, modifiers included.

use super::{bits, rounding};
use crate::fp::lane::FmaMode;
use crate::fp::mufu::Func;
use crate::fp::narrow::is_tiny;
use crate::fp::warp::{BoolOp, convert, fp32, fp64, half, mods, mufu};
use crate::fp::{Cond, Format, Rounding, convert as conv, double, exact};
use crate::{AluFn, Lanes, Results, Sources, WARP};
use proptest::prelude::*;

/// Runs an operation on words A-lo … C-hi with all lanes on.
fn run(f: AluFn, m: u32, words: &[Lanes; 6], p: u32) -> Results {
    let s = Sources { r: std::array::from_fn(|i| &words[i]), p: [p; 3], active: u32::MAX };
    let mut r = Results::default();
    f(m, &s, &mut r);
    r
}

/// Operands A, B, C of a whole warp, 32 or 64 bits wide.
fn words(f: Format) -> impl Strategy<Value = [Lanes; 6]> {
    prop::collection::vec(bits(f), 3 * WARP).prop_map(|v| {
        let mut w = [[0; WARP]; 6];
        for (k, x) in v.into_iter().enumerate() {
            let (slot, lane) = (k / WARP, k % WARP);
            w[2 * slot][lane] = x as u32;
            w[2 * slot + 1][lane] = (x >> 32) as u32;
        }
        w
    })
}

fn words32() -> impl Strategy<Value = [Lanes; 6]> {
    words(Format::F32)
}

fn words64() -> impl Strategy<Value = [Lanes; 6]> {
    words(Format::F64)
}

/// Sign modifiers applied the slow way.
fn sign(m: u32, slot: u32, x: u32) -> u32 {
    let x = if m >> (2 * slot) & mods::ABS_A != 0 { x & 0x7fff_ffff } else { x };
    if m >> (2 * slot) & mods::NEG_A != 0 { x ^ 0x8000_0000 } else { x }
}

fn pair(w: &[Lanes; 6], slot: usize, i: usize) -> u64 {
    u64::from(w[2 * slot][i]) | u64::from(w[2 * slot + 1][i]) << 32
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn single_arithmetic(
        w in words32(), signs in 0u32..64, rm in rounding(), ftz: bool, sat: bool, scale in 1u32..8,
    ) {
        let m = signs
            | mods::rounding(rm)
            | if ftz { mods::FTZ } else { 0 }
            | if sat { mods::SAT } else { 0 };
        let mode = FmaMode { ftz, sat, ..FmaMode::ieee(rm) };
        let add = run(fp32::fadd(m), m, &w, 0);
        let fma = run(fp32::ffma(m), m, &w, 0);
        let mm = m | fp32::mul_scale(scale);
        let mul = run(fp32::fmul(mm), mm, &w, 0);
        for i in 0..WARP {
            let [a, b, c] = [0, 1, 2].map(|k| sign(m, k, w[2 * k as usize][i]));
            prop_assert_eq!(add.d[0][i], mode.add(a, b));
            prop_assert_eq!(fma.d[0][i], mode.fma(a, b, c));
            let scaled = FmaMode { scale: scale as i32 - 4, ..mode };
            prop_assert_eq!(mul.d[0][i], scaled.mul(a, b));
        }
    }

    #[test]
    fn single_comparisons(w in words32(), signs in 0u32..16, cond in 0u8..16, p: u32, ftz: bool) {
        for op in [BoolOp::And, BoolOp::Or, BoolOp::Xor] {
            let m = signs | mods::comparison(Cond(cond), op) | if ftz { mods::FTZ } else { 0 };
            let got = run(fp32::fsetp(m), m, &w, p);
            let set = run(fp32::fset, m, &w, p);
            for i in 0..WARP {
                let value = |k: u32| {
                    let x = sign(m, k, w[2 * k as usize][i]);
                    f32::from_bits(if ftz { Format::F32.flush(x.into()) as u32 } else { x })
                };
                let (a, b) = (value(0), value(1));
                let c = Cond(cond).holds(a < b, a == b, a > b);
                let q = p >> i & 1 == 1;
                let want = |c: bool| match op {
                    BoolOp::And => c & q,
                    BoolOp::Or => c | q,
                    BoolOp::Xor => c ^ q,
                };
                prop_assert_eq!(got.p[0] >> i & 1 == 1, want(c));
                prop_assert_eq!(got.p[1] >> i & 1 == 1, want(!c));
                prop_assert_eq!(set.d[0][i], if want(c) { 0x3f80_0000 } else { 0 });
            }
        }
    }

    #[test]
    fn double_arithmetic(w in words64(), rm in rounding()) {
        let m = mods::rounding(rm) | mods::NEG_B;
        let add = run(fp64::dadd(m), m, &w, 0);
        let mul = run(fp64::dmul(m), m, &w, 0);
        let fma = run(fp64::dfma(m), m, &w, 0);
        for i in 0..WARP {
            let (a, b, c) = (pair(&w, 0, i), pair(&w, 1, i), pair(&w, 2, i));
            // A NaN passes the modifier by.
            let b = if double::is_nan(b) { b } else { b ^ 1 << 63 };
            let got = |r: &Results| u64::from(r.d[0][i]) | u64::from(r.d[1][i]) << 32;
            prop_assert_eq!(got(&add), double::add(a, b, rm));
            prop_assert_eq!(got(&mul), double::mul(a, b, rm));
            prop_assert_eq!(got(&fma), double::fma(a, b, c, rm));
        }
    }

    #[test]
    fn conversions_of_singles(w in words32(), rm in rounding(), ftz: bool, signed: bool) {
        let to = conv::IntType { bits: 32, signed };
        let common = mods::rounding(rm) | if ftz { mods::FTZ } else { 0 };
        let m = common | convert::float_to_int(Format::F32, to, 0) | mods::NAN;
        let int = run(convert::f2i(m), m, &w, 0);
        let m = common | convert::formats(Format::F32, Format::F16, 0);
        let half = run(convert::f2f(m), m, &w, 0);
        let m = common | convert::int_to_float(to, Format::F32, 0);
        let float = run(convert::i2f(m), m, &w, 0);
        for i in 0..WARP {
            let raw = u64::from(w[2][i]);
            let x = if ftz { Format::F32.flush(raw) } else { raw };
            prop_assert_eq!(int.d[0][i], conv::to_integer(Format::F32, x, to, rm, true) as u32);
            let want = exact::convert(Format::F32, Format::F16, x, rm);
            let tiny = ftz && is_tiny(Format::F16, rm, f64::from(f32::from_bits(x as u32)));
            let want = if tiny { want & 0x8000 } else { want };
            prop_assert_eq!(u64::from(half.d[0][i]), want);
            prop_assert_eq!(u64::from(float.d[0][i]), exact::from_integer(Format::F32, to.read(raw), rm));
        }
    }

    #[test]
    fn packed_arithmetic(w in words32(), signs in 0u32..64) {
        let got = run(half::hfma2, signs, &w, 0);
        for i in 0..WARP {
            for k in 0..2 {
                let [a, b, c] = [0, 1, 2].map(|slot| {
                    let x = u64::from(w[2 * slot][i] >> (16 * k) & 0xffff);
                    let flags = signs >> (2 * slot);
                    let x = if flags & mods::ABS_A != 0 { x & 0x7fff } else { x };
                    if flags & mods::NEG_A != 0 { x ^ 0x8000 } else { x }
                });
                let want = exact::fma(Format::F16, a, b, c, Rounding::Nearest) as u32;
                prop_assert_eq!(got.d[0][i] >> (16 * k) & 0xffff, want);
            }
        }
    }
}

fn broadcast(a: u32, b: u32, c: u32) -> [Lanes; 6] {
    [[a; WARP], [0; WARP], [b; WARP], [0; WARP], [c; WARP], [0; WARP]]
}

#[test]
fn halves_are_selected_before_they_are_used() {
    use half::Swizzle;
    let w = broadcast(0x4000_3c00, 0x4200_3800, 0); // A = (1, 2), B = (0.5, 3)
    let add = |s: Swizzle| run(half::hadd2, s.mods(1), &w, 0).d[0][0];
    assert_eq!(add(Swizzle::H1H0), 0x4500_3e00); // 1.5, 5
    assert_eq!(add(Swizzle::H0H0), 0x4100_3e00); // 1.5, 2.5
    assert_eq!(add(Swizzle::H1H1), 0x4500_4400); // 4, 5
    assert_eq!(add(Swizzle::H0NH1), 0xbc00_3e00); // 1.5, -1
}

#[test]
fn quads_add_with_their_own_signs() {
    let (a, b) = (5f32.to_bits(), 3f32.to_bits());
    let m = fp32::swizzle(0b00_01_10_11);
    let r = run(fp32::fswzadd, m, &broadcast(a, b, 0), 0);
    let got: Vec<f32> = r.d[0][..4].iter().map(|&x| f32::from_bits(x)).collect();
    assert_eq!(got, [8.0, 2.0, -2.0, 3.0]);
}

#[test]
fn packed_conversion_puts_a_on_top() {
    let m = convert::formats(Format::F32, Format::F16, 0);
    let w = broadcast(1f32.to_bits(), (-2f32).to_bits(), 0);
    assert_eq!(run(convert::f2fp, m, &w, 0).d[0][7], 0x3c00_c000);
    assert_eq!(run(convert::f2fp, m | convert::RELU, &w, 0).d[0][7], 0x3c00_0000);
}

/// Answers of an H200: `F2IP.S8.F32.RELU` of NaN, `MUFU.RCP.F16` of `R6.H1`,
/// `F2F.F32.F64` and `F2F.F64.F32` of negated NaN.
#[test]
fn nan_and_halves_of_conversions() {
    let s8 = conv::IntType { bits: 8, signed: true };
    let m = convert::float_to_int(Format::F32, s8, 0) | convert::RELU;
    let w = broadcast(0x7fc0_0000, 300f32.to_bits(), 0x3aea);
    assert_eq!(run(convert::f2ip, m, &w, 0).d[0][0], 0x3aea_007f);
    let m = mufu::function(Func::Rcp, Format::F16) | mufu::HIGH | mods::ABS_B;
    assert_eq!(run(mufu::select(m), m, &broadcast(0, 0xafd3_8adc, 0), 0).d[0][0], 0x4817);
    let m = convert::formats(Format::F64, Format::F32, 0) | mods::ABS_B;
    let mut w = broadcast(0, 0x6000_0000, 0);
    w[3] = [0xfffd_5678; WARP];
    assert_eq!(run(convert::f2f(m), m, &w, 0).d[0][0], 0xffea_b3c3);
    let m = convert::formats(Format::F32, Format::F64, 0) | mods::NEG_B;
    let r = run(convert::f2f(m), m, &broadcast(0, 0xffc0_1234, 0), 0);
    assert_eq!((r.d[1][0], r.d[0][0]), (0xfff8_0246, 0x8000_0000));
}

/// Answers of an H200 to DADD and DFMA: signs pass NaN by, B before C before A.
#[test]
fn double_nan_is_chosen_and_left_alone() {
    let mut w = [[0; WARP]; 6];
    let (a, b, c) = (0xfff0_0001, 0x7ff0_0002, 0xfff8_0003);
    for (i, high) in [[a, b, c], [a, 0, c], [a, 0, 0]].into_iter().enumerate() {
        (w[1][i], w[3][i], w[5][i]) = (high[0], high[1], high[2]);
    }
    let m = mods::ABS_A | mods::NEG_B | mods::NEG_C;
    let r = run(fp64::dfma(m), m, &w, 0);
    assert_eq!(r.d[1][..3], [0x7ff8_0002, 0xfff8_0003, 0xfff8_0001]);
    assert_eq!(run(fp64::dadd(m), m, &w, 0).d[1][..3], [0x7ff8_0002, 0xfff8_0001, 0xfff8_0001]);
}

#[test]
fn double_minimum_predicates() {
    let m = fp64::MIN_MAX | mods::comparison(Cond::F, BoolOp::And);
    let mut w = [[0; WARP]; 6];
    let one = (1f64.to_bits() >> 32) as u32;
    let nan = 0x7ff8_0000;
    for (i, (a, b)) in
        [(0, one), (one, 0), (nan, one), (one, nan), (nan, nan)].into_iter().enumerate()
    {
        w[1][i] = a;
        w[3][i] = b;
    }
    let r = run(fp64::dsetp, m, &w, u32::MAX);
    assert_eq!(r.p[0] & 31, 0b01001);
    assert_eq!(r.p[1] & 31, 0b10000);
    // The predicate source has no say in the second answer (an H200).
    assert_eq!(run(fp64::dsetp, m, &w, 0).p.map(|p| p & 31), [0, 0b10000]);
    // Of equals the minimum takes A and the maximum B.
    let equal = broadcast(0, 0, 0);
    assert_eq!(run(fp64::dsetp, m, &equal, u32::MAX).p, [u32::MAX, 0]);
    assert_eq!(run(fp64::dsetp, m | fp64::MAX, &equal, u32::MAX).p, [0, 0]);
}
