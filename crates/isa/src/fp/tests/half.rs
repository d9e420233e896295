//! Packed elements against exact arithmetic of their format.

use super::near;
use crate::fp::half::{HalfMode, min_max};
use crate::fp::{Format, Rounding, exact};
use proptest::prelude::*;

fn mode(f: Format) -> HalfMode {
    HalfMode { input: f, output: f, ftz: false, fmz: false, sat: false, relu: false }
}

fn format() -> impl Strategy<Value = Format> {
    prop::sample::select(&[Format::F16, Format::BF16][..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn elements_round_once(
        (f, [a, b, c]) in format().prop_flat_map(|f| (Just(f), near(f))), ftz in any::<bool>(),
    ) {
        let m = HalfMode { ftz, ..mode(f) };
        let flush = |x: u64| if ftz { f.flush(x) } else { x };
        let [x, y, z] = [a, b, c].map(|v| m.element(v as u32));
        let (a, b, c) = (flush(a), flush(b), flush(c));
        let rn = Rounding::Nearest;
        prop_assert_eq!(u64::from(m.add(x, y)), flush(exact::add(f, a, b, rn)));
        prop_assert_eq!(u64::from(m.mul(x, y)), flush(exact::mul(f, a, b, rn)));
        prop_assert_eq!(u64::from(m.fma(x, y, z)), flush(exact::fma(f, a, b, c, rn)));
    }

    #[test]
    fn relu_and_saturation_bound_the_result([a, b, c] in near(Format::F16)) {
        let base = mode(Format::F16);
        let [x, y, z] = [a, b, c].map(|v| base.element(v as u32));
        let plain = base.fma(x, y, z);
        let relu = HalfMode { relu: true, ..base }.fma(x, y, z);
        let sat = HalfMode { sat: true, ..base }.fma(x, y, z);
        let nan = plain & 0x7fff > 0x7c00;
        prop_assert_eq!(relu, if !nan && plain & 0x8000 != 0 { 0 } else { plain });
        let clamped = match plain {
            _ if nan || plain & 0x8000 != 0 => 0,
            v => v.min(0x3c00),
        };
        prop_assert_eq!(sat, clamped);
    }
}

#[test]
fn single_precision_result_of_half_operands() {
    let m = HalfMode { output: Format::F32, ..mode(Format::F16) };
    // The smallest half denormal is an ordinary single.
    assert_eq!(m.add(m.element(0x8000), m.element(1)), 2f32.powi(-24).to_bits());
    assert_eq!(m.add(m.element(0x8000), m.element(0x7c01)), 0x7fff_ffff);
}

#[test]
fn minimum_of_elements() {
    let min = |a, b| min_max(Format::F16, a, b, false, false);
    assert_eq!(min(0x8000, 0), 0x8000);
    assert_eq!(min(0x7e00, 0x3c00), 0x3c00);
    assert_eq!(min(0x7e00, 0xfe01), 0x7fff);
    assert_eq!(min_max(Format::F16, 0x7e00, 0x3c00, false, true), 0x7fff);
    assert_eq!(min(0xbc00, 0xc000), 0xc000);
}
