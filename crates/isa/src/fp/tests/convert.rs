//! Conversions, exhaustively for halves.

use super::{bits, rounding};
use crate::fp::convert::{self, IntType, round_integral, to_float, to_integer};
use crate::fp::narrow::{narrow, widen};
use crate::fp::{Format, Rounding, exact};
use proptest::prelude::*;

#[test]
fn every_half_widens_to_its_definition() {
    for h in 0..=0xffffu32 {
        let (e, m) = ((h >> 10 & 31) as i32, f64::from(h & 1023));
        let sign = if h >> 15 == 1 { -1.0 } else { 1.0 };
        let got = widen(Format::F16, h);
        match (e, h & 1023) {
            (31, 0) => assert_eq!(got, sign * f64::INFINITY),
            (31, _) => assert!(got.is_nan()),
            (0, _) => assert_eq!(got.to_bits(), (sign * m * 2f64.powi(-24)).to_bits()),
            _ => assert_eq!(got, sign * (1.0 + m / 1024.0) * 2f64.powi(e - 15)),
        }
    }
}

#[test]
fn every_half_survives_a_round_trip() {
    for h in 0..=0xffffu64 {
        for rm in Rounding::ALL {
            for wide in [Format::F32, Format::F64] {
                let back = to_float(wide, to_float(Format::F16, h, wide, rm), Format::F16, rm);
                let want = match (Format::F16.is_nan(h), wide) {
                    (true, Format::F64) => h | 0x200, // payload and sign travel, made quiet
                    (true, _) => 0x7fff,
                    (false, _) => h,
                };
                assert_eq!(back, want, "{h:#x} {wide:?} {rm:?}");
            }
        }
    }
}

/// Rounds at, just below and just above the middle of all neighbouring halves.
#[test]
fn every_gap_between_halves_rounds_as_told() {
    for low in 0..0x7bffu32 {
        let (a, b) = (widen(Format::F16, low), widen(Format::F16, low + 1));
        let middle = (a + b) / 2.0;
        let even = if low % 2 == 0 { low } else { low + 1 };
        for (x, nearest) in [(middle, even), (middle.next_down(), low), (middle.next_up(), low + 1)]
        {
            let wants = [nearest, low, low + 1, low];
            for (rm, want) in Rounding::ALL.into_iter().zip(wants) {
                assert_eq!(narrow(Format::F16, rm, x), want, "{x:e} {rm:?}");
            }
            let wants = [nearest, low + 1, low, low].map(|w| w | 0x8000);
            for (rm, want) in Rounding::ALL.into_iter().zip(wants) {
                assert_eq!(narrow(Format::F16, rm, -x), want, "-{x:e} {rm:?}");
            }
        }
    }
}

#[test]
fn halves_to_integers_by_arithmetic() {
    for h in 0..=0xffffu64 {
        let x = widen(Format::F16, h as u32);
        for rm in Rounding::ALL {
            let rounded = match rm {
                Rounding::Nearest => x.round_ties_even(),
                Rounding::Down => x.floor(),
                Rounding::Up => x.ceil(),
                Rounding::Zero => x.trunc(),
            };
            let s8 = to_integer(Format::F16, h, IntType { bits: 8, signed: true }, rm, true);
            let u16 = to_integer(Format::F16, h, IntType { bits: 16, signed: false }, rm, true);
            let s32 = to_integer(Format::F16, h, IntType { bits: 32, signed: true }, rm, true);
            assert_eq!(s8 as i64, i64::from(rounded as i8));
            assert_eq!(u16, u64::from(rounded as u16));
            assert_eq!(s32 as i64, i64::from(rounded as i32));
            let integral = convert::to_integral(Format::F16, h, rm);
            if x.is_nan() {
                assert_eq!(integral, 0x7fff);
            } else {
                assert_eq!(widen(Format::F16, integral as u32).to_bits(), rounded.to_bits());
            }
        }
    }
}

#[test]
fn nan_to_integer() {
    let s32 = IntType { bits: 32, signed: true };
    let u64_ = IntType { bits: 64, signed: false };
    let nan = f64::NAN.to_bits();
    assert_eq!(to_integer(Format::F64, nan, s32, Rounding::Zero, false), 0x8000_0000);
    assert_eq!(to_integer(Format::F64, nan, s32, Rounding::Zero, true), 0);
    assert_eq!(to_integer(Format::F64, nan, u64_, Rounding::Zero, false), 1 << 63);
}

#[test]
fn widened_nan_keeps_sign_and_payload() {
    let got = to_float(Format::F32, 0xffc0_1234, Format::F64, Rounding::Nearest);
    assert_eq!(got, 0xfff8_0246_8000_0000);
}

/// Answers of an H200 to F2F.F32.F64, F2F.F16.F64 and F2F.BF16.F64.
#[test]
fn narrowed_double_nan_keeps_sign_and_leading_payload() {
    let narrow = |bits, to| to_float(Format::F64, bits, to, Rounding::Nearest);
    assert_eq!(narrow(0xfffd_5678_6000_0000, Format::F32), 0xffea_b3c3);
    assert_eq!(narrow(0xfff6_7e1a_587d_f8b6, Format::F32), 0xfff3_f0d2);
    assert_eq!(narrow(0xfff6_7e1a_587d_f8b6, Format::F16), 0xff9f);
    assert_eq!(narrow(0x7ffa_a847_3fdf_9991, Format::BF16), 0x7fd5);
}

/// Answers of an H200 to F2F.FTZ: operands and results, whatever the format.
#[test]
fn conversions_flush_every_format() {
    let flushed = |from, bits, to| convert::to_float_flushed(from, bits, to, Rounding::Zero);
    assert_eq!(flushed(Format::F16, 0x01ae, Format::F32), 0);
    assert_eq!(flushed(Format::F16, 0x8120, Format::F32), 0x8000_0000);
    assert_eq!(flushed(Format::F32, 0x36de_fc00, Format::F16), 0);
    assert_eq!(flushed(Format::BF16, 0xb5de, Format::F16), 0x8000);
    assert_eq!(flushed(Format::F64, 1 << 63 | 1, Format::F64), 1 << 63);
    assert_eq!(flushed(Format::F16, 0x3c00, Format::BF16), 0x3f80);
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1_000_000, ..ProptestConfig::with_cases(20_000) })]

    #[test]
    fn integral_rounding_is_the_library_s(x in bits(Format::F64)) {
        let x = f64::from_bits(x);
        prop_assume!(!x.is_nan());
        let [n, d, u, z] = Rounding::ALL.map(|rm| round_integral(rm, x).to_bits());
        prop_assert_eq!(n, x.round_ties_even().to_bits());
        prop_assert_eq!(d, x.floor().to_bits());
        prop_assert_eq!(u, x.ceil().to_bits());
        prop_assert_eq!(z, x.trunc().to_bits());
    }

    #[test]
    fn single_to_32_bits(x in bits(Format::F32), rm in rounding()) {
        let s = to_integer(Format::F32, x, IntType { bits: 32, signed: true }, rm, true);
        let u = to_integer(Format::F32, x, IntType { bits: 32, signed: false }, rm, true);
        prop_assert_eq!(convert::f32_to_s32(rm, x as u32), s as u32);
        prop_assert_eq!(convert::f32_to_u32(rm, x as u32), u as u32);
    }

    #[test]
    fn double_to_64_bits_saturates(x in bits(Format::F64)) {
        let v = f64::from_bits(x);
        let s = to_integer(Format::F64, x, IntType { bits: 64, signed: true }, Rounding::Zero, true);
        let u = to_integer(Format::F64, x, IntType { bits: 64, signed: false }, Rounding::Zero, true);
        prop_assert_eq!(s, v as i64 as u64);
        prop_assert_eq!(u, v as u64);
    }

    #[test]
    fn integers_to_nearest_are_the_host_s(raw in any::<u64>(), shift in 0u32..64) {
        let raw = raw >> shift;
        let run = |bits, signed, to| {
            convert::from_integer(IntType { bits, signed }, raw, to, Rounding::Nearest)
        };
        prop_assert_eq!(run(32, true, Format::F32) as u32, (raw as i32 as f32).to_bits());
        prop_assert_eq!(run(32, false, Format::F32) as u32, (raw as u32 as f32).to_bits());
        prop_assert_eq!(run(64, true, Format::F32) as u32, (raw as i64 as f32).to_bits());
        prop_assert_eq!(run(64, false, Format::F64), (raw as f64).to_bits());
        prop_assert_eq!(run(8, true, Format::F64), f64::from(raw as i8).to_bits());
        prop_assert_eq!(run(16, false, Format::F32) as u32, f32::from(raw as u16).to_bits());
    }

    #[test]
    fn integers_in_any_direction(raw in any::<u64>(), shift in 0u32..64, rm in rounding()) {
        let raw = raw >> shift;
        for to in [Format::F16, Format::F32, Format::F64] {
            let from = IntType { bits: 32, signed: true };
            let want = exact::from_integer(to, i128::from(raw as i32), rm);
            prop_assert_eq!(convert::from_integer(from, raw, to, rm), want);
        }
    }
}
