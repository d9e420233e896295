//! Exact arithmetic against the host (nearest) and against a search in the
//! table of all half-precision numbers (all directions).

use super::{bits, near, rounding};
use crate::fp::{Format, Rounding, exact};
use proptest::prelude::*;

/// A half as a multiple of 2^-24, from its definition.
fn half_units(h: u16) -> i128 {
    let (e, m) = (i128::from(h >> 10 & 31), i128::from(h & 1023));
    let magnitude = if e == 0 { m } else { (1024 + m) << (e - 1) };
    if h >> 15 == 1 { -magnitude } else { magnitude }
}

/// Rounds `value * 2^-48` to half by searching among all finite halves.
fn search(value: i128, rm: Rounding, zero: u16) -> u16 {
    if value == 0 {
        return zero;
    }
    let sign = if value < 0 { 0x8000 } else { 0 };
    let magnitude = value.unsigned_abs() as i128;
    let units = |k: u16| half_units(k) << 24;
    // Number 0x7c00 stands in for infinity at the place where it would continue.
    let (mut low, mut high) = (0u16, 0x7c00u16);
    while high - low > 1 {
        let mid = (low + high) / 2;
        if units(mid) <= magnitude { low = mid } else { high = mid }
    }
    let above = low + 1;
    let towards_zero = match rm {
        Rounding::Zero => true,
        Rounding::Down => value > 0,
        Rounding::Up => value < 0,
        Rounding::Nearest => {
            let (down, up) = (magnitude - units(low), units(above) - magnitude);
            down < up || (down == up && low % 2 == 0)
        }
    };
    sign | if magnitude == units(low) || towards_zero { low } else { above }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1_000_000, ..ProptestConfig::with_cases(20_000) })]

    #[test]
    fn half_fma_is_the_number_found_in_the_table([a, b, c] in near(Format::F16), rm in rounding()) {
        let finite = |x: u64| x & 0x7c00 != 0x7c00;
        prop_assume!(finite(a) && finite(b) && finite(c));
        let product = half_units(a as u16) * half_units(b as u16);
        let sum = product + (half_units(c as u16) << 24);
        let sign = ((a ^ b) & 0x8000) as u16;
        let zero = if product == 0 && sign == (c & 0x8000) as u16 {
            sign
        } else if rm == Rounding::Down { 0x8000 } else { 0 };
        let want = search(sum, rm, zero);
        prop_assert_eq!(exact::fma(Format::F16, a, b, c, rm) as u16, want);
    }

    #[test]
    fn single_nearest_is_what_the_host_computes(a in bits(Format::F32), b in bits(Format::F32)) {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let same = |got: u64, want: f32| {
            if want.is_nan() { got == 0x7fff_ffff } else { got as u32 == want.to_bits() }
        };
        prop_assert!(same(exact::add(Format::F32, a, b, Rounding::Nearest), x + y));
        prop_assert!(same(exact::mul(Format::F32, a, b, Rounding::Nearest), x * y));
    }

    #[test]
    fn double_nearest_is_what_the_host_computes([a, b, c] in near(Format::F64)) {
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        let same = |got: u64, want: f64| {
            if want.is_nan() { got == crate::fp::NAN64 } else { got == want.to_bits() }
        };
        prop_assert!(same(exact::add(Format::F64, a, b, Rounding::Nearest), x + y));
        prop_assert!(same(exact::mul(Format::F64, a, b, Rounding::Nearest), x * y));
        prop_assert!(same(exact::fma(Format::F64, a, b, c, Rounding::Nearest), x.mul_add(y, z)));
    }

    #[test]
    fn directions_bracket_the_nearest([a, b, c] in near(Format::F64)) {
        let run = |rm| exact::fma(Format::F64, a, b, c, rm);
        let [n, d, u, z] = Rounding::ALL.map(run).map(f64::from_bits);
        prop_assume!(!n.is_nan());
        prop_assert!(d <= n && n <= u);
        prop_assert!(z == d || z == u);
        prop_assert!(z.abs() <= n.abs());
        // At most one step apart.
        prop_assert!(d == u || d.next_up() == u);
    }
}
