//! Each layer against an independent formulation: exact arithmetic against
//! tables and the host, lanes against exact arithmetic, warps against lanes.

mod convert;
mod exact;
mod half;
mod lane;
mod packed;
mod warp;

use super::{Format, Rounding};
use proptest::prelude::*;

/// Any bits, with a bias to the ends of the range, ties and carries.
fn bits(f: Format) -> impl Strategy<Value = u64> {
    let width = f.exp_bits + f.frac_bits + 1;
    let all = u64::MAX >> (64 - width);
    let field = prop_oneof![
        Just(0),
        Just(1),
        Just(2),
        Just(f.exp_max()),
        Just(f.exp_max() - 1),
        (f.bias() as u64 - 3)..=(f.bias() as u64 + 3),
        0..=f.exp_max(),
    ];
    let mask = f.frac_mask();
    let frac = prop_oneof![
        Just(0),
        Just(1),
        Just(mask),
        Just(mask - 1),
        Just(1 << (f.frac_bits - 1)),
        (0..f.frac_bits).prop_map(move |n| mask << n & mask),
        (0..f.frac_bits).prop_map(|n| 1u64 << n),
        0..=mask,
    ];
    let built = (any::<bool>(), field, frac).prop_map(move |(negative, e, m)| {
        (if negative { f.sign_bit() } else { 0 }) | e << f.frac_bits | m
    });
    prop_oneof![4 => built, 1 => any::<u64>().prop_map(move |x| x & all)]
}

/// Operands whose exponents lie close together, so that sums cancel and round.
fn near(f: Format) -> impl Strategy<Value = [u64; 3]> {
    (bits(f), bits(f), bits(f), -30i64..30, any::<bool>()).prop_map(move |(a, b, c, d, tie)| {
        if !tie {
            return [a, b, c];
        }
        // Give c about the exponent of the product.
        let e = |x: u64| (x >> f.frac_bits & f.exp_max()) as i64;
        let e = (e(a) + e(b) - i64::from(f.bias()) + d).clamp(0, f.exp_max() as i64 - 1) as u64;
        [a, b, c & (f.sign_bit() | f.frac_mask()) | e << f.frac_bits]
    })
}

fn rounding() -> impl Strategy<Value = Rounding> {
    prop::sample::select(&Rounding::ALL[..])
}
