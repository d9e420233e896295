//! Packed operations of a warp against single elements, with every modifier.

use super::bits;
use crate::fp::half::HalfMode;
use crate::fp::warp::half::{self, Swizzle};
use crate::fp::warp::{BoolOp, mods};
use crate::fp::{Cond, Format};
use crate::{AluFn, Lanes, Results, Sources, WARP};
use proptest::prelude::*;

const SWIZZLES: [Swizzle; 4] = [Swizzle::H1H0, Swizzle::F32, Swizzle::H0H0, Swizzle::H1H1];

/// Registers whose halves, or which as a whole, lie near what is special.
fn words() -> impl Strategy<Value = [Lanes; 3]> {
    let half = || bits(Format::F16);
    let pair = (half(), half()).prop_map(|(low, high)| (low | high << 16) as u32);
    let any = prop_oneof![2 => pair, 1 => bits(Format::F32).prop_map(|x| x as u32)];
    prop::collection::vec(any, 3 * WARP)
        .prop_map(|v| std::array::from_fn(|slot| std::array::from_fn(|i| v[slot * WARP + i])))
}

/// Modifiers that packed operations have in common, with a swizzle for each operand.
fn modifiers() -> impl Strategy<Value = (u32, [Swizzle; 3])> {
    let flags = [half::BF16, half::F32_OUT, half::RELU, mods::FTZ, mods::FMZ, mods::SAT];
    let set = prop::collection::vec(prop::bool::weighted(0.3), flags.len());
    let b = prop_oneof![4 => prop::sample::select(&SWIZZLES[..]), 1 => Just(Swizzle::H0NH1)];
    let other = || prop::sample::select(&SWIZZLES[..]);
    (0u32..64, set, other(), b, other()).prop_map(move |(signs, set, a, b, c)| {
        let flags = flags.iter().zip(set).filter(|(_, set)| *set).map(|(f, _)| f);
        let swizzles = [a, b, c];
        let placed = (0..3).fold(0, |m, k| m | swizzles[k].mods(k as u32));
        (flags.fold(signs | placed, |m, f| m | f), swizzles)
    })
}

/// The value of one element of an operand.
fn value(m: u32, slot: usize, swizzle: Swizzle, mode: &HalfMode, k: usize, raw: u32) -> f64 {
    let (low, high) = (raw & 0xffff, raw >> 16);
    let (x, format) = match (swizzle, k) {
        (Swizzle::F32, _) => (raw, Format::F32),
        (Swizzle::H0H0, _) | (Swizzle::H1H0 | Swizzle::H0NH1, 0) => (low, mode.input),
        (Swizzle::H1H1, _) | (Swizzle::H1H0, _) => (high, mode.input),
        (Swizzle::H0NH1, _) => (high ^ 0x8000, mode.input),
    };
    let sign = format.sign_bit() as u32;
    let signs = m >> (2 * slot);
    let x = if signs & mods::ABS_A != 0 { x & !sign } else { x };
    let x = if signs & mods::NEG_A != 0 { x ^ sign } else { x };
    HalfMode { input: format, ..*mode }.element(x)
}

fn run(f: AluFn, m: u32, w: &[Lanes; 3], p: u32) -> Results {
    let none = [0; WARP];
    let r = [&w[0], &none, &w[1], &none, &w[2], &none];
    let mut results = Results::default();
    f(m, &Sources { r, p: [p; 3], active: u32::MAX }, &mut results);
    results
}

fn mode(m: u32) -> HalfMode {
    let input = if m & half::BF16 != 0 { Format::BF16 } else { Format::F16 };
    HalfMode {
        input,
        output: if m & half::F32_OUT != 0 { Format::F32 } else { input },
        ftz: m & mods::FTZ != 0,
        fmz: m & mods::FMZ != 0,
        sat: m & mods::SAT != 0,
        relu: false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arithmetic((m, swizzles) in modifiers(), w in words(), p: u32) {
        let (add, mul) = (run(half::hadd2, m, &w, p), run(half::hmul2, m, &w, p));
        let fma = run(half::hfma2, m, &w, p);
        for i in 0..WARP {
            let relu = m & half::RELU != 0 && p >> i & 1 != 0;
            let mode = HalfMode { relu, ..mode(m) };
            let results = [0, 1].map(|k| {
                let [a, b, c] =
                    [0, 1, 2].map(|s| value(m, s, swizzles[s], &mode, k, w[s][i]));
                [mode.add(a, b), mode.mul(a, b), mode.fma(a, b, c)]
            });
            for (op, got) in [add.d[0][i], mul.d[0][i], fma.d[0][i]].into_iter().enumerate() {
                let [low, high] = results.map(|r| r[op]);
                let want = if m & half::F32_OUT != 0 { low } else { low | high << 16 };
                prop_assert_eq!(got, want, "operation {} in lane {}", op, i);
            }
        }
    }

    #[test]
    fn comparisons((m, swizzles) in modifiers(), w in words(), p: u32, cond in 0u8..16) {
        // The bits of RELU and of others mean something else here.
        let m = m & !(half::F32_OUT | half::RELU) | mods::comparison(Cond(cond), BoolOp::Xor);
        let got = run(half::hsetp2, m, &w, p);
        let set = run(half::hset2, m, &w, p);
        let mode = mode(m);
        for i in 0..WARP {
            for k in 0..2 {
                let [a, b] = [0, 1].map(|s| value(m, s, swizzles[s], &mode, k, w[s][i]));
                let want = Cond(cond).holds(a < b, a == b, a > b) ^ (p >> i & 1 != 0);
                prop_assert_eq!(got.p[k] >> i & 1 != 0, want);
                prop_assert_eq!(set.d[0][i] >> (16 * k) & 0xffff, if want { 0xffff } else { 0 });
            }
        }
    }
}
