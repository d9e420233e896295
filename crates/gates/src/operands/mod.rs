//! Operands worth trying: at random, weighted towards what a unit does
//! differently (distances of exponents, cancellation, denormals, carries).

mod product;
mod shapes;

use crate::circuits::Unit;
use crate::netlist::Operands;
use crate::random::Random;
use shapes::{number, word};

/// The next operands for a unit.
pub fn draw(unit: Unit, random: &mut Random) -> Operands {
    match unit {
        Unit::Fma => {
            let [a, b, c] = fma(random);
            [a, b, c, 0]
        }
        Unit::Iadd => {
            let [a, b, c] = integers(random, true);
            [a, b, c, random.below(4)]
        }
        Unit::Imad => {
            let [a, b, c] = integers(random, false);
            [a, b, c, 0]
        }
    }
}

/// Integers; for sums often such that carries run far.
fn integers(random: &mut Random, sum: bool) -> [u32; 3] {
    let mut x = [word(random, 32), word(random, 32), word(random, 32)];
    match random.below(4) {
        0 => x = [random.word(), random.word(), random.word()],
        1 if sum => x[1] = !x[0] ^ (1 << random.below(32)),
        2 if sum => x[2] = !x[0].wrapping_add(x[1]).wrapping_sub(random.below(3)),
        3 if !sum => x[2] = (x[0].wrapping_mul(x[1])).wrapping_neg().wrapping_sub(random.below(3)),
        _ => {}
    }
    x
}

/// Zeroes, infinities, NaN, and numbers at the ends of the range.
fn special(random: &mut Random) -> u32 {
    let sign = random.word() & 0x8000_0000;
    let quiet = 1 << random.below(23);
    let of = [0, 0x7f80_0000, 0x7f80_0000 | quiet, 0x7f7f_ffff, 1, 0x0080_0000, 0x007f_ffff, quiet];
    sign | of[random.below(8) as usize]
}

fn fma(random: &mut Random) -> [u32; 3] {
    match random.below(20) {
        0 => [random.word(), random.word(), random.word()],
        10..=13 => product::chosen_half(random),
        14..=19 => product::tie(random),
        // Any distance between product and addend, each as likely.
        1..=3 => {
            let ea = random.between(1, 254);
            let eb = random.between(1, 254);
            let ec = ea + eb - 127 + random.between(-54, 30);
            [number(random, ea), number(random, eb), number(random, ec)]
        }
        // Cancellation: the addend is the product, rounded, or nearly so.
        4..=6 => {
            let ea = random.between(0, 254);
            let eb = random.between(127 - ea, 254 + 127 - ea).clamp(0, 254);
            let (a, b) = (number(random, ea), number(random, eb));
            let product = -(f32::from_bits(a) * f32::from_bits(b));
            let c = match random.below(4) {
                0 => product.to_bits(),
                1 => product.to_bits().wrapping_add(random.below(5)).wrapping_sub(2),
                2 => product.to_bits() ^ 1 << random.below(32),
                _ => product.to_bits() ^ word(random, 24),
            };
            [a, b, c]
        }
        // Results around the smallest exponents.
        7 => {
            let ea = random.between(0, 160);
            let eb = random.between(127 - ea - 40, 127 - ea + 30).clamp(0, 254);
            let ec = random.between(0, 30);
            [number(random, ea), number(random, eb), number(random, ec)]
        }
        // Results around the largest.
        8 => {
            let ea = random.between(120, 254);
            let eb = (254 + 127 - ea + random.between(-3, 3)).clamp(0, 254);
            let ec = random.between(225, 254);
            [number(random, ea), number(random, eb), number(random, ec)]
        }
        _ => {
            let mut x = [0; 3].map(|_| {
                let field = random.between(0, 254);
                number(random, field)
            });
            for _ in 0..=random.below(2) {
                x[random.below(3) as usize] = special(random);
            }
            x
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of situation that the weights are for does come up.
    #[test]
    fn multiply_adds_meet_every_situation() {
        let mut random = Random::new(1);
        let [mut denormal, mut cancelled, mut overflow, mut nan, mut zero] = [0; 5];
        for _ in 0..10_000 {
            let [a, b, c] = fma(&mut random).map(f32::from_bits);
            let r = a.mul_add(b, c);
            denormal += u32::from(r.is_subnormal());
            cancelled += u32::from(r != 0.0 && r.abs() < c.abs() * 1e-5);
            overflow +=
                u32::from(r.is_infinite() && a.is_finite() && b.is_finite() && c.is_finite());
            nan += u32::from(r.is_nan());
            zero += u32::from(r == 0.0);
        }
        for (what, n) in [
            ("denormal", denormal),
            ("cancelled", cancelled),
            ("overflow", overflow),
            ("nan", nan),
            ("zero", zero),
        ] {
            assert!(n >= 50, "{what}: {n} of 10000");
        }
    }
}
