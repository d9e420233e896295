//! Atomic operations, in memory and in LDS.
//!
//! The operations are those of AMD's Southern Islands manual (chapters of DS
//! and MUBUF opcodes); CLRX spells out increments and decrements.

/// The new value of an old one, an operand, and what to compare with (of
/// `mskor` the mask). Values of 32 bits have zeroes above them.
pub type AtomicFn = fn(old: u64, data: u64, compare: u64) -> u64;

const fn low(value: u64) -> u64 {
    value & 0xffff_ffff
}

/// Sum of 32 bits.
pub fn add32(old: u64, data: u64, _: u64) -> u64 {
    low(old.wrapping_add(data))
}

/// Sum of 64 bits.
pub fn add64(old: u64, data: u64, _: u64) -> u64 {
    old.wrapping_add(data)
}

/// The operand is taken away, 32 bits.
pub fn sub32(old: u64, data: u64, _: u64) -> u64 {
    low(old.wrapping_sub(data))
}

/// The operand is taken away, 64 bits.
pub fn sub64(old: u64, data: u64, _: u64) -> u64 {
    old.wrapping_sub(data)
}

/// The operand less the old value, 32 bits.
pub fn rsub32(old: u64, data: u64, _: u64) -> u64 {
    low(data.wrapping_sub(old))
}

/// The operand less the old value, 64 bits.
pub fn rsub64(old: u64, data: u64, _: u64) -> u64 {
    data.wrapping_sub(old)
}

/// Counts up to the operand and begins again at zero. One function for both
/// widths: what is below the operand does not overflow.
pub fn inc(old: u64, data: u64, _: u64) -> u64 {
    if old >= data { 0 } else { old + 1 }
}

/// Counts down to zero and begins again at the operand.
pub fn dec(old: u64, data: u64, _: u64) -> u64 {
    if old == 0 || old > data { data } else { old - 1 }
}

/// The smaller one, signed, 32 bits.
pub fn min_i32(old: u64, data: u64, _: u64) -> u64 {
    u64::from((old as i32).min(data as i32) as u32)
}

/// The larger one, signed, 32 bits.
pub fn max_i32(old: u64, data: u64, _: u64) -> u64 {
    u64::from((old as i32).max(data as i32) as u32)
}

/// The smaller one, signed, 64 bits.
pub fn min_i64(old: u64, data: u64, _: u64) -> u64 {
    (old as i64).min(data as i64) as u64
}

/// The larger one, signed, 64 bits.
pub fn max_i64(old: u64, data: u64, _: u64) -> u64 {
    (old as i64).max(data as i64) as u64
}

/// The smaller one, unsigned, either width.
pub fn min_u(old: u64, data: u64, _: u64) -> u64 {
    old.min(data)
}

/// The larger one, unsigned, either width.
pub fn max_u(old: u64, data: u64, _: u64) -> u64 {
    old.max(data)
}

/// Bits of both.
pub fn and(old: u64, data: u64, _: u64) -> u64 {
    old & data
}

/// Bits of either.
pub fn or(old: u64, data: u64, _: u64) -> u64 {
    old | data
}

/// Bits of one of them.
pub fn xor(old: u64, data: u64, _: u64) -> u64 {
    old ^ data
}

/// Bits of the mask are cleared, those of the operand set.
pub fn mskor(old: u64, data: u64, mask: u64) -> u64 {
    old & !mask | data
}

/// The operand.
pub fn swap(_: u64, data: u64, _: u64) -> u64 {
    data
}

/// The operand, where the old value is the one to compare with.
pub fn compare_swap(old: u64, data: u64, compare: u64) -> u64 {
    if old == compare { data } else { old }
}

fn single(value: u64) -> f32 {
    f32::from_bits(value as u32)
}

/// As [`compare_swap`] of single precision: zeroes are equal, NaN is equal to nothing.
pub fn compare_swap_f32(old: u64, data: u64, compare: u64) -> u64 {
    if single(old) == single(compare) { data } else { old }
}

/// As [`compare_swap`] of double precision.
pub fn compare_swap_f64(old: u64, data: u64, compare: u64) -> u64 {
    if f64::from_bits(old) == f64::from_bits(compare) { data } else { old }
}

/// The smaller one, single precision: the operand replaces the old value where
/// it is below it, so a NaN on either side leaves memory as it is, and so do
/// equal zeroes. Denormals count as what they are.
pub fn min_f32(old: u64, data: u64, _: u64) -> u64 {
    if single(data) < single(old) { data } else { old }
}

/// The larger one, single precision.
pub fn max_f32(old: u64, data: u64, _: u64) -> u64 {
    if single(data) > single(old) { data } else { old }
}

/// The smaller one, double precision.
pub fn min_f64(old: u64, data: u64, _: u64) -> u64 {
    if f64::from_bits(data) < f64::from_bits(old) { data } else { old }
}

/// The larger one, double precision.
pub fn max_f64(old: u64, data: u64, _: u64) -> u64 {
    if f64::from_bits(data) > f64::from_bits(old) { data } else { old }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL32: u64 = u32::MAX as u64;

    /// A function of old value, operand and third value over wide integers.
    type Wide = fn(i128, i128, i128) -> i128;

    /// Integer operations of one width against wide arithmetic, cut off after
    /// it. Values that are near each other meet the edges of counters.
    fn agrees(f: AtomicFn, wide: Wide, [old, data, third]: [u64; 3], signed: bool, width: u32) {
        let mask = u64::MAX >> (64 - width);
        let [old, data, third] = [old & mask, data & mask, third & mask];
        let value = |bits: u64| match (signed, width) {
            (true, 32) => i128::from(bits as i32),
            (true, _) => i128::from(bits as i64),
            _ => i128::from(bits),
        };
        let expected = wide(value(old), value(data), value(third)) as u64 & mask;
        assert_eq!(f(old, data, third), expected, "{old:#x} {data:#x} {third:#x}");
    }

    fn near() -> impl Strategy<Value = [u64; 3]> {
        let value =
            prop_oneof![any::<u64>(), 0..4u64, Just(u64::MAX), Just(1 << 31), Just(1 << 63)];
        (value.clone(), value.clone(), value, 0..4u8).prop_map(|(a, b, c, same)| match same {
            0 => [a, a, c],
            1 => [a, a.wrapping_add(1), a],
            2 => [a, b, a],
            _ => [a, b, c],
        })
    }

    /// As AMD's manual writes them.
    const UNSIGNED: [(AtomicFn, AtomicFn, Wide); 13] = [
        (add32, add64, |o, d, _| o + d),
        (sub32, sub64, |o, d, _| o - d),
        (rsub32, rsub64, |o, d, _| d - o),
        (inc, inc, |o, d, _| if o >= d { 0 } else { o + 1 }),
        (dec, dec, |o, d, _| if o == 0 || o > d { d } else { o - 1 }),
        (min_u, min_u, |o, d, _| if o < d { o } else { d }),
        (max_u, max_u, |o, d, _| if o > d { o } else { d }),
        (and, and, |o, d, _| o & d),
        (or, or, |o, d, _| o + d - (o & d)),
        (xor, xor, |o, d, _| o + d - 2 * (o & d)),
        (mskor, mskor, |o, d, m| (o - (o & m)) | d),
        (swap, swap, |_, d, _| d),
        (compare_swap, compare_swap, |o, d, c| if o - c == 0 { d } else { o }),
    ];

    proptest! {
        #[test]
        fn integers_are_what_wide_integers_are(values in near()) {
            for (narrow, full, wide) in UNSIGNED {
                agrees(narrow, wide, values, false, 32);
                agrees(full, wide, values, false, 64);
            }
            agrees(min_i32, |o, d, _| if d - o < 0 { d } else { o }, values, true, 32);
            agrees(max_i32, |o, d, _| if d - o > 0 { d } else { o }, values, true, 32);
            agrees(min_i64, |o, d, _| if d - o < 0 { d } else { o }, values, true, 64);
            agrees(max_i64, |o, d, _| if d - o > 0 { d } else { o }, values, true, 64);
        }

        /// Magnitude and sign make an order on integers that is the order of
        /// numbers; NaN is never chosen.
        #[test]
        fn floating_point_is_ordered_by_its_bits(old: u32, data: u32) {
            let nan = |bits: u32| bits << 1 > 0xff00_0000;
            let rank = |bits: u32| {
                let magnitude = i64::from(bits & 0x7fff_ffff);
                if bits >> 31 == 1 { -magnitude } else { magnitude }
            };
            let comparable = !nan(old) && !nan(data);
            let (below, above) = (rank(data) < rank(old), rank(data) > rank(old));
            let (o, d) = (u64::from(old), u64::from(data));
            prop_assert_eq!(min_f32(o, d, 0), if comparable && below { d } else { o });
            prop_assert_eq!(max_f32(o, d, 0), if comparable && above { d } else { o });
            // Widening keeps the order.
            let wide = |bits: u32| f64::from(f32::from_bits(bits)).to_bits();
            if comparable {
                let (o, d) = (wide(old), wide(data));
                prop_assert_eq!(min_f64(o, d, 0), if below { d } else { o });
                prop_assert_eq!(max_f64(o, d, 0), if above { d } else { o });
            }
        }
    }

    #[test]
    fn zeroes_are_equal_and_nan_is_not() {
        let (minus_zero, nan) = (0x8000_0000, 0x7fc0_0000);
        assert_eq!(compare_swap_f32(minus_zero, 7, 0), 7);
        assert_eq!(compare_swap_f32(nan, 7, nan), nan);
        assert_eq!(compare_swap_f64(1 << 63, 7, 0), 7);
        assert_eq!(compare_swap_f64(u64::MAX, 7, u64::MAX), u64::MAX);
        assert_eq!(min_f32(0, minus_zero, 0), 0);
        assert_eq!(min_f32(nan, 0, 0), nan);
        // The smallest denormals are apart.
        assert_eq!(max_f32(1, 2, 0), 2);
        assert_eq!(inc(ALL32, ALL32, 0), 0);
    }
}
