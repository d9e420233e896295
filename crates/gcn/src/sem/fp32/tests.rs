//! Against exact arithmetic in every mode, and closed forms.

use proptest::prelude::*;
use upset_lanes::fp::exact::Number;

use super::super::testing::{Inputs, modes, singles};
use super::super::vector::VectorFn;
use super::*;

/// The manual's rules, written once more: sources flushed, the first NaN made
/// quiet, invalid operations, one rounding, the result flushed.
fn wanted<const N: usize>(
    mode: u32,
    sources: [u32; N],
    f: impl Fn([Number; N], Rounding) -> Number,
) -> u32 {
    let denormal = |x: u32| x & 0x7f80_0000 == 0;
    let zeroed = |x: u32, keep: bool| if denormal(x) && !keep { x & 1 << 31 } else { x };
    let sources = sources.map(|x| zeroed(x, mode & 0x10 != 0));
    if let Some(nan) = sources.iter().find(|x| f32::from_bits(**x).is_nan()) {
        return nan | 0x0040_0000;
    }
    let rounding = [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero];
    let rounding = rounding[mode as usize & 3];
    match f(sources.map(|x| Number::unpack(Format::F32, x.into())), rounding) {
        Number::Nan => 0xffc0_0000,
        number => zeroed(number.pack(Format::F32, rounding) as u32, mode & 0x20 != 0),
    }
}

fn minus(x: Number) -> Number {
    x.product(Number::scaled(true, 1, 0))
}

fn run(f: VectorFn, mode: u32, sources: [u32; 3]) -> u32 {
    Inputs::of(sources).mode(mode).lane(f).0
}

/// Rounds and flushes a step in between.
fn step(x: Number, rm: Rounding) -> Number {
    match x {
        Number::Nan => x,
        x => Number::unpack(Format::F32, flush32(x.pack(Format::F32, rm) as u32).into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn operations_round_once_in_every_mode(
        a in singles(), b in singles(), c in singles(), mode in modes(), by in -320i32..320,
    ) {
        let all = [a, b, c];
        prop_assert_eq!(run(add_f32, mode, all), wanted(mode, [a, b], |[a, b], rm| a.sum(b, rm)));
        let difference = wanted(mode, [a, b], |[a, b], rm| a.sum(minus(b), rm));
        prop_assert_eq!(run(sub_f32, mode, all), difference);
        prop_assert_eq!(run(mul_f32, mode, all), wanted(mode, [a, b], |[a, b], _| a.product(b)));
        let fused = wanted(mode, all, |[a, b, c], rm| a.product(b).sum(c, rm));
        prop_assert_eq!(run(fma_f32, mode, all), fused);
        let scaled = wanted(mode, [a], |[a], _| a.scale(by));
        prop_assert_eq!(run(ldexp_f32, mode, [a, by as u32, 0]), scaled);
    }

    #[test]
    fn multiply_and_add_round_twice_and_flush_always(
        a in singles(), b in singles(), c in singles(), mode in modes(),
    ) {
        let all = [a, b, c];
        let flushing = mode & !0x30;
        let twice = |[a, b, c]: [Number; 3], rm| step(a.product(b), rm).sum(c, rm);
        prop_assert_eq!(run(mad_f32, mode, all), wanted(flushing, all, twice));
        let zero = |x: u32| x & 0x7f80_0000 == 0;
        let legacy = if zero(a) || zero(b) { [0, 0, c] } else { all };
        prop_assert_eq!(run(mad_legacy_f32, mode, all), wanted(flushing, legacy, twice));
    }

    #[test]
    fn legacy_products_with_zero_are_zero(a in singles(), b in singles(), mode in modes()) {
        let least = if mode & 0x10 == 0 { 0x0080_0000 } else { 1 };
        let zero = |x: u32| x & 0x7fff_ffff < least;
        let product = wanted(mode, [a, b], |[a, b], _| a.product(b));
        let product = if zero(a) || zero(b) { 0 } else { product };
        prop_assert_eq!(run(mul_legacy_f32, mode, [a, b, 0]), product);
        // A light above zero and a usual exponent change nothing.
        if (-100f32..100.0).contains(&f32::from_bits(b)) {
            prop_assert_eq!(run(mullit_f32, mode, [a, b, 0x3f80_0000]), product);
        }
        prop_assert_eq!(run(mullit_f32, mode, [a, b, 0xbf80_0000]), 0xff7f_ffff);
    }
}

const ONE: u32 = 0x3f80_0000;
const INF: u32 = 0x7f80_0000;

#[test]
fn the_first_nan_comes_out_quiet() {
    let (x, y, z) = (0x7f80_0001, 0xffc0_0002, 0x7fa0_0003);
    for mode in [0xc0, 0xf0, 0x01, 0x10] {
        assert_eq!(run(add_f32, mode, [x, y, 0]), 0x7fc0_0001);
        assert_eq!(run(sub_f32, mode, [ONE, y, 0]), y);
        for f in [mad_f32 as VectorFn, fma_f32, mad_legacy_f32] {
            assert_eq!(run(f, mode, [ONE, y, z]), y);
            assert_eq!(run(f, mode, [ONE, ONE, z]), 0x7fe0_0003);
        }
        // The NaN of the product is younger than the source's.
        assert_eq!(run(mad_f32, mode, [0, INF, z]), 0x7fe0_0003);
        assert_eq!(run(mad_f32, mode, [0, INF, ONE]), 0xffc0_0000);
        assert_eq!(run(mad_legacy_f32, mode, [0, INF, ONE]), ONE);
        assert_eq!(run(mad_legacy_f32, mode, [x, 0, ONE]), ONE);
        assert_eq!(run(add_f32, mode, [INF, INF | 1 << 31, 0]), 0xffc0_0000);
    }
}

#[test]
fn multiply_and_add_is_not_fused() {
    // (1 + e)(1 - e) = 1 - e^2: the square is lost before the sum.
    let (more, less) = (1.0f32 + f32::EPSILON, 1.0f32 - f32::EPSILON);
    let sources = [more, less, -1.0].map(f32::to_bits);
    assert_eq!(run(mad_f32, 0xf0, sources), 0);
    let square = -f32::EPSILON * f32::EPSILON;
    assert_eq!(run(fma_f32, 0xf0, sources), square.to_bits());
}

#[test]
fn light_out_of_range_is_minus_the_largest_number() {
    let lit = |a: f32, b: f32, c: f32| run(mullit_f32, 0xc0, [a, b, c].map(f32::to_bits));
    assert_eq!(lit(2.0, 3.0, 1.0), 6f32.to_bits());
    for (b, c) in [(3.0, 0.0), (3.0, f32::NAN), (-f32::MAX, 1.0), (f32::NAN, 1.0)] {
        assert_eq!(lit(2.0, b, c), f32::MIN.to_bits());
    }
    assert_eq!(lit(2.0, f32::NEG_INFINITY, 1.0), f32::MIN.to_bits());
    assert_eq!(lit(0.0, f32::INFINITY, 1.0), 0);
}

#[test]
fn lanes_do_not_mix() {
    let inputs = Inputs::of([0, ONE, 0]).mode(0xc0).each(0, |l| (l as f32).to_bits());
    let sums = inputs.run(add_f32).d[0];
    assert!(sums.iter().enumerate().all(|(l, &x)| f32::from_bits(x) == l as f32 + 1.0));
}
