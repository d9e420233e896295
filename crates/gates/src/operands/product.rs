//! Factors whose product has chosen lower bits: modulo a power of two an odd
//! factor can be divided by, so the other is found by trying. This makes ties,
//! lone bits below a tie, and what is left when the upper bits cancel, which no
//! random factors meet.

use super::shapes::{number, word};
use crate::random::Random;

/// The hidden bit of a significand.
const HIDDEN: u64 = 1 << 23;

/// An odd number's inverse modulo 2^64: Newton's steps, each doubles the bits.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// Two significands whose product ends in `low`, `width` bits of it. Twenty-four
/// bits take two tries, each further one twice as many.
fn factors(random: &mut Random, low: u64, width: u32) -> Option<(u64, u64)> {
    // Zeroes at the end are shared between both factors.
    let zeroes = if low == 0 { width.min(44) } else { low.trailing_zeros().min(44) };
    let mine = random.between((zeroes as i32 - 22).max(0), zeroes.min(22) as i32) as u32;
    let mask = (1u64 << (width - mine)) - 1;
    for _ in 0..1 << 9 {
        let odd = u64::from(word(random, 23 - mine)) | HIDDEN >> mine | 1;
        let other = (low >> mine).wrapping_mul(inverse(odd)) & mask;
        if (HIDDEN..2 * HIDDEN).contains(&other) {
            let pair = (odd << mine, other);
            return Some(if random.below(2) == 0 { pair } else { (pair.1, pair.0) });
        }
    }
    None
}

/// Factors with these significands, whose exponent fields add up to `sum`.
fn numbers(random: &mut Random, (ma, mb): (u64, u64), sum: i32) -> (u32, u32) {
    let sum = sum.clamp(2, 508);
    let ea = random.between((sum - 254).max(1), (sum - 1).min(254));
    let mut factor = |m: u64, e: i32| {
        let sign = random.word() & 0x8000_0000;
        sign | (m & !HIDDEN) as u32 | (e as u32) << 23
    };
    (factor(ma, ea), factor(mb, sum - ea))
}

/// A number with this sign, exponent field (or the nearest there is) and fraction.
fn pack(sign: u32, field: i32, fraction: u64) -> u32 {
    sign & 0x8000_0000 | (field.clamp(0, 254) as u32) << 23 | (fraction & !HIDDEN) as u32
}

/// A chosen lower half; the addend is the upper half, or near it, or any.
pub fn chosen_half(random: &mut Random) -> [u32; 3] {
    let low = match random.below(4) {
        0 => [0, HIDDEN, HIDDEN >> 1, 3 * HIDDEN / 2][random.below(4) as usize],
        1 => 1 << random.below(24),
        2 => (1 << random.below(24)) - 1,
        _ => u64::from(word(random, 24)),
    };
    let Some((ma, mb)) = factors(random, low, 24) else { return [0; 3] };
    let product = ma * mb;
    let long = (product >> 47) as i32;
    let field = match random.below(4) {
        0 => random.between(-24, 30),
        _ => random.between(1, 254),
    };
    let (a, b) = numbers(random, (ma, mb), field + 127 - long);
    let c = match random.below(4) {
        0..=2 => {
            let near = random.below(3).wrapping_sub(1) * random.below(2);
            pack(!(a ^ b), field, product >> (23 + long)).wrapping_add(near)
        }
        _ => {
            let e = field + random.between(-54, 30);
            number(random, e)
        }
    };
    [a, b, c]
}

/// A tie, or a tie but for a lone bit: the round bit of the result is bit `r` of
/// the product, the bits below are 0 but perhaps one, or the addend is one.
pub fn tie(random: &mut Random) -> [u32; 3] {
    let r = match random.below(3) {
        0 => 22 + random.below(2),
        1 => random.below(24),
        _ => 24 + random.below(13).min(random.below(13)),
    };
    let lone = match random.below(2) {
        0 => 0,
        _ => (1u64 << random.below(r + 1)) & !(1 << r),
    };
    let odd = u64::from(random.below(2)) << (r + 1);
    let Some((ma, mb)) = factors(random, odd | 1 << r | lone, r + 2) else { return [0; 3] };
    let product = ma * mb;
    let long = (product >> 47) as i32;
    // Field of a number whose first bit is bit `i` of the product, less that of
    // the product.
    let field_at = |i: i32| i - 46 - long;
    let sign = random.word();
    match random.below(5) {
        // A denormal result: its last bit is r + 1. The addend is a denormal too.
        0 | 1 => {
            let (a, b) = numbers(random, (ma, mb), 150 - r as i32);
            let c = match random.below(3) {
                0 => 0,
                1 => word(random, 23),
                _ => random.word() & 0x07ff_ffff,
            };
            [a, b, c | sign & 0x8000_0000]
        }
        // The bits above a result that ends at r + 1 cancel.
        2 => {
            let field = random.between(50, 254);
            let (a, b) = numbers(random, (ma, mb), field + 127 - long);
            let end = r + 25 - random.below(2);
            let upper = product >> end.min(63) << end.min(63);
            let c = match upper {
                0 => 0,
                _ => pack(!(a ^ b), field, product >> (23 + long) & upper >> (23 + long)),
            };
            [a, b, c]
        }
        // An addend above the product: its last bit is r + 1, or r + 1 is its
        // second last because a sum carries or a difference borrows.
        3 => {
            let field = random.between(1, 230);
            let (a, b) = numbers(random, (ma, mb), field + 127 - long);
            let first = r as i32 + 24 + random.between(-1, 1);
            [a, b, pack(sign, field + field_at(first), u64::from(word(random, 23)))]
        }
        // A lone bit far below.
        _ => {
            let denormal = random.below(2) == 0;
            let field = if denormal { random.between(1, 90) } else { random.between(1, 254) };
            let (a, b) = numbers(random, (ma, mb), field + 127 - long);
            let below = field - random.between(20, 90);
            let c = match denormal {
                true => pack(sign, 0, 1 << random.below(23)),
                false => pack(sign, below, 0),
            };
            [a, b, c]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_end_as_chosen() {
        let mut random = Random::new(1);
        let mut found = 0;
        for i in 0..2000 {
            let width = 24 + i % 10;
            let low = u64::from(word(&mut random, 24)) << random.below(width - 23);
            if let Some((ma, mb)) = factors(&mut random, low, width) {
                assert_eq!((ma * mb) & ((1 << width) - 1), low, "{ma:x} * {mb:x}");
                assert!((HIDDEN..2 * HIDDEN).contains(&ma) && (HIDDEN..2 * HIDDEN).contains(&mb));
                found += 1;
            }
        }
        assert!(found > 1000, "{found} of 2000");
    }
}
