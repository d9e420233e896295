//! Minimum, maximum and median against sorting.

use proptest::prelude::*;

use super::super::testing::{Inputs, doubles, edges32, singles};
use super::super::vector::VectorFn;
use super::*;

const IEEE: u32 = 1 << 9;

/// Numbers in their order; minus zero before plus zero.
fn sorted(mut all: Vec<u32>) -> Vec<u32> {
    all.retain(|&x| !f32::from_bits(x).is_nan());
    all.sort_by(|&a, &b| f32::from_bits(a).total_cmp(&f32::from_bits(b)));
    all
}

fn run(f: VectorFn, mode: u32, sources: [u32; 3]) -> u32 {
    Inputs::of(sources).mode(mode).lane(f).0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn numbers_are_ordered(a in singles(), b in singles(), c in singles(), ieee: bool) {
        let mode = if ieee { IEEE } else { 0 };
        let signals = |x: u32| f32::from_bits(x).is_nan() && x & QUIET32 == 0;
        prop_assume!(![a, b, c].into_iter().any(signals));
        let two = sorted(vec![a, b]);
        if let (Some(&least), Some(&most)) = (two.first(), two.last()) {
            prop_assert_eq!(run(min_f32, mode, [a, b, 0]), least);
            prop_assert_eq!(run(max_f32, mode, [a, b, 0]), most);
        }
        let three = sorted(vec![a, b, c]);
        if let (Some(&least), Some(&most)) = (three.first(), three.last()) {
            prop_assert_eq!(run(min3_f32, mode, [a, b, c]), least);
            prop_assert_eq!(run(max3_f32, mode, [a, b, c]), most);
            let middle = if three.len() == 3 { three[1] } else { least };
            prop_assert_eq!(run(med3_f32, mode, [a, b, c]), middle);
        }
    }

    #[test]
    fn doubles_are_ordered(a in doubles(), b in doubles(), ieee: bool) {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let run = |f| Inputs::of64([a, b, 0]).mode(if ieee { IEEE } else { 0 }).lane64(f).0;
        let signal = [a, b].into_iter().find(|&x| f64::from_bits(x).is_nan() && x & 1 << 51 == 0);
        let (min, max) = match (signal, x.is_nan(), y.is_nan()) {
            (Some(nan), ..) if ieee => (nan | 1 << 51, nan | 1 << 51),
            (_, true, _) => (b, b),
            (_, _, true) => (a, a),
            _ if x.total_cmp(&y).is_lt() => (a, b),
            _ => (b, a),
        };
        prop_assert_eq!(run(min_f64), min);
        prop_assert_eq!(run(max_f64), max);
    }

    #[test]
    fn integers_are_ordered(a in edges32(), b in edges32(), c in edges32()) {
        let run = |f| Inputs::of([a, b, c]).lane(f).0;
        let mut three = [a, b, c];
        three.sort_unstable();
        prop_assert_eq!([run(min3_u32), run(med3_u32), run(max3_u32)], three);
        three.sort_unstable_by_key(|&x| x as i32);
        prop_assert_eq!([run(min3_i32), run(med3_i32), run(max3_i32)], three);
        let mut two = [a, b];
        two.sort_unstable();
        prop_assert_eq!([run(min_u32), run(max_u32)], two);
        two.sort_unstable_by_key(|&x| x as i32);
        prop_assert_eq!([run(min_i32), run(max_i32)], two);
    }

    #[test]
    fn lanes_choose_by_their_bits(a: u32, b: u32, mask: u32) {
        let chosen = Inputs::of([a, b, 0]).mask(mask).run(cndmask_b32).d[0];
        for l in 0..32 {
            prop_assert_eq!(chosen[l], if mask >> l & 1 == 1 { b } else { a });
        }
    }
}

#[test]
fn signalling_nans_win_where_ieee_says_so() {
    let (signal, quiet, one) = (0x7f80_0001, 0x7fc0_0005, 0x3f80_0000);
    assert_eq!(run(min_f32, IEEE, [one, signal, 0]), 0x7fc0_0001);
    assert_eq!(run(max_f32, IEEE, [signal, quiet, 0]), 0x7fc0_0001);
    assert_eq!(run(max_f32, IEEE, [quiet, one, 0]), one);
    assert_eq!(run(min_f32, 0, [one, signal, 0]), one);
    assert_eq!(run(min_f32, 0, [quiet, quiet, 0]), quiet);
    // Once quiet it loses against the third.
    assert_eq!(run(min3_f32, IEEE, [signal, quiet, one]), one);
    assert_eq!(run(med3_f32, IEEE, [one, 0, signal]), 0x7fc0_0001);
}

#[test]
fn denormals_are_kept_in_every_mode() {
    assert_eq!(run(min_f32, 0, [1, 2, 0]), 1);
    assert_eq!(run(max_f32, 0, [1, 2, 0]), 2);
    assert_eq!(run(med3_f32, 0, [3, 1, 2]), 2);
}

#[test]
fn legacy_forms_are_a_compare_and_a_choice() {
    let (nan, one, two) = (0x7fc0_0005, 0x3f80_0000, 0x4000_0000);
    let (plus, minus) = (0, 1 << 31);
    for (f, both) in [(min_legacy_f32 as VectorFn, one), (max_legacy_f32, two)] {
        assert_eq!(run(f, IEEE, [one, two, 0]), both);
        assert_eq!(run(f, IEEE, [two, one, 0]), both);
        assert_eq!(run(f, IEEE, [nan, one, 0]), one);
        assert_eq!(run(f, IEEE, [one, nan, 0]), nan);
    }
    assert_eq!(run(min_legacy_f32, 0, [plus, minus, 0]), minus);
    assert_eq!(run(min_legacy_f32, 0, [minus, plus, 0]), plus);
    assert_eq!(run(max_legacy_f32, 0, [minus, plus, 0]), minus);
}
