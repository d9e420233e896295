//! Against exact arithmetic in every mode, and closed forms.

use proptest::prelude::*;
use upset_lanes::fp::exact::Number;

use super::super::testing::{Inputs, doubles, modes};
use super::super::vector::VectorFn;
use super::*;

/// The manual's rules, written once more.
fn wanted<const N: usize>(
    mode: u32,
    sources: [u64; N],
    f: impl Fn([Number; N], Rounding) -> Number,
) -> u64 {
    let denormal = |x: u64| x << 1 >> 53 == 0;
    let zeroed = |x: u64, keep: bool| if denormal(x) && !keep { x & 1 << 63 } else { x };
    let sources = sources.map(|x| zeroed(x, mode & 0x40 != 0));
    if let Some(nan) = sources.iter().find(|x| f64::from_bits(**x).is_nan()) {
        return nan | 1 << 51;
    }
    let rounding = [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero];
    let rounding = rounding[mode as usize >> 2 & 3];
    match f(sources.map(|x| Number::unpack(Format::F64, x)), rounding) {
        Number::Nan => 0xfff8 << 48,
        number => zeroed(number.pack(Format::F64, rounding), mode & 0x80 != 0),
    }
}

fn run(f: VectorFn, mode: u32, sources: [u64; 3]) -> u64 {
    Inputs::of64(sources).mode(mode).lane64(f).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn operations_round_once_in_every_mode(
        a in doubles(), b in doubles(), c in doubles(), mode in modes(), by in -2200i32..2200,
    ) {
        let all = [a, b, c];
        prop_assert_eq!(run(add_f64, mode, all), wanted(mode, [a, b], |[a, b], rm| a.sum(b, rm)));
        prop_assert_eq!(run(mul_f64, mode, all), wanted(mode, [a, b], |[a, b], _| a.product(b)));
        let fused = wanted(mode, all, |[a, b, c], rm| a.product(b).sum(c, rm));
        prop_assert_eq!(run(fma_f64, mode, all), fused);
        for by in [by, by % 64, i32::MAX, i32::MIN] {
            let scaled = wanted(mode, [a], |[a], _| a.scale(by.clamp(-5000, 5000)));
            prop_assert_eq!(run(ldexp_f64, mode, [a, u64::from(by as u32), 0]), scaled);
        }
    }
}

#[test]
fn the_first_nan_comes_out_quiet() {
    let (x, y) = (0x7ff0 << 48 | 1, 0xfff8 << 48 | 2);
    let one = 1f64.to_bits();
    for mode in [0xc0, 0xc4, 0x00] {
        assert_eq!(run(add_f64, mode, [x, y, 0]), x | 1 << 51);
        assert_eq!(run(mul_f64, mode, [one, y, 0]), y);
        assert_eq!(run(fma_f64, mode, [0, 0x7ff0 << 48, x]), x | 1 << 51);
        assert_eq!(run(fma_f64, mode, [0, 0x7ff0 << 48, one]), 0xfff8 << 48);
    }
}
