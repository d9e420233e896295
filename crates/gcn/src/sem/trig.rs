//! What an argument is multiplied with before a sine: digits of 2/pi.

use upset_lanes::fp::exact::Number;

use super::nan::Rules;
use super::two_over_pi::WORDS;
use super::vector::{Results, Sources};

/// Digits in a segment, as many as a double has.
const SEGMENT: u32 = 53;
/// Exponent field above which the first digits matter no longer: they only
/// make whole turns.
const LARGE: u32 = 1077;
/// From this exponent field on results are scaled up, so that their products
/// keep their digits; who calls scales its argument down.
const HUGE: u32 = 1968;

/// `count` (at most 64) digits of 2/pi from number `at` on.
fn digits(at: u32, count: u32) -> u64 {
    let word = |n: usize| WORDS.get(n).copied().unwrap_or(0);
    let (n, skip) = ((at / 64) as usize, at % 64);
    let two = u128::from(word(n)) << 64 | u128::from(word(n + 1));
    ((two << skip) >> (128 - count)) as u64
}

/// One segment of 2/pi as a double, for an argument of this exponent field.
fn segment(rules: Rules, field: u32, segment: u32) -> u64 {
    let at = (segment & 31) * SEGMENT + field.saturating_sub(LARGE);
    let up = if field >= HUGE { 128 } else { 0 };
    let value = Number::scaled(false, digits(at, SEGMENT).into(), up - (at + SEGMENT) as i32);
    rules.result(value.pack(rules.format, rules.rounding))
}

/// `v_trig_preop_f64`: segment B of 2/pi for the argument A.
pub fn trig_preop_f64(s: &Sources<'_>, r: &mut Results) {
    let rules = Rules::double(s.mode);
    for l in 0..32 {
        let field = (s.a64(l) >> 52 & 0x7ff) as u32;
        r.set64(l, segment(rules, field, s.b()[l]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Inputs;
    use super::*;

    /// Big fixed-point numbers: words, the whole part first.
    type Fixed = Vec<u32>;
    const LENGTH: usize = 44;
    /// Digits of the table.
    const BITS: u32 = 1201;

    fn divide(x: &Fixed, by: u32) -> Fixed {
        let mut rest = 0u64;
        let step = |&word: &u32| {
            let both = rest << 32 | u64::from(word);
            rest = both % u64::from(by);
            (both / u64::from(by)) as u32
        };
        x.iter().map(step).collect()
    }

    fn add(x: &Fixed, y: &Fixed, minus: bool) -> Fixed {
        let mut carry = i64::from(minus);
        let mut sum = vec![0; LENGTH];
        for n in (0..LENGTH).rev() {
            let other = if minus { !y[n] } else { y[n] };
            let all = i64::from(x[n]) + i64::from(other) + carry;
            sum[n] = all as u32;
            carry = all >> 32;
        }
        sum
    }

    /// `times * atan(1 / n)` by its series.
    fn atan(times: u32, n: u32) -> Fixed {
        let mut power = vec![0; LENGTH];
        power[0] = times;
        power = divide(&power, n);
        let mut sum = power.clone();
        for k in 1..1000 {
            power = divide(&divide(&power, n), n);
            sum = add(&sum, &divide(&power, 2 * k + 1), k % 2 == 1);
        }
        sum
    }

    /// Machin: pi = 16 atan(1/5) - 4 atan(1/239). The table times pi must be 2,
    /// but for less than one unit of its last digit times pi.
    #[test]
    fn the_table_is_two_over_pi() {
        let pi = add(&atan(16, 5), &atan(4, 239), true);
        assert_eq!(pi[..2], [3, 0x243f_6a88]);
        let table: Vec<u32> = WORDS.iter().flat_map(|&w| [(w >> 32) as u32, w as u32]).collect();
        let mut product = vec![0u64; LENGTH + table.len()];
        // Word i of pi has the weight 2^(-32 i), word j of the table 2^(-32 (j + 1)).
        for (i, &x) in pi.iter().enumerate() {
            for (j, &y) in table.iter().enumerate() {
                let part = u64::from(x) * u64::from(y);
                product[i + j + 1] += part & 0xffff_ffff;
                product[i + j] += part >> 32;
            }
        }
        for n in (1..product.len()).rev() {
            product[n - 1] += product[n] >> 32;
            product[n] &= 0xffff_ffff;
        }
        // 1.ffff... with a difference to 2 below 4 * 2^-1201.
        assert_eq!(product[0], 1);
        let ones = (BITS as usize - 2) / 32;
        assert!(product[1..=ones].iter().all(|&word| word == 0xffff_ffff));
        assert_eq!(WORDS[18] << (BITS % 64), 0, "digits beyond the last");
    }

    fn preop(x: f64, segment: u32) -> f64 {
        let inputs = Inputs::of64([x.to_bits(), segment.into(), 0]).mode(0xf0);
        f64::from_bits(inputs.lane64(trig_preop_f64).0)
    }

    #[test]
    fn segments_follow_each_other() {
        let rest = preop(1.0, 1);
        assert_eq!(preop(1.0, 0) + rest, std::f64::consts::FRAC_2_PI);
        // 2/pi minus its first 53 digits.
        assert!(rest > 0.0 && rest < f64::powi(2.0, -53));
        assert_eq!(preop(1.0, 31), 0.0, "beyond the table");
    }

    #[test]
    fn large_arguments_skip_digits() {
        // 2^60 has the field 1083: six digits less.
        let x = f64::powi(2.0, 60);
        let first = preop(1.0, 0) * 64.0;
        let joined = first.fract() / 64.0 + preop(1.0, 1);
        assert!((preop(x, 0) - joined).abs() <= f64::powi(2.0, -59));
        assert_eq!(preop(-x, 0), preop(x, 0));
    }

    #[test]
    fn huge_arguments_scale_results_up() {
        let (below, at) = (f64::powi(2.0, 944), f64::powi(2.0, 945));
        let ratio = preop(at, 0) / preop(below, 0);
        // One digit later, and 2^128 up.
        assert!(ratio < f64::powi(2.0, 129) && ratio > f64::powi(2.0, 100));
    }

    /// The use of it: a large argument times 2/pi, whole turns dropped, is an
    /// angle in quarters of a turn.
    #[test]
    fn arguments_are_reduced() {
        for k in [60, 200, 500, 900] {
            let x = f64::powi(2.0, k);
            let parts = (0..3).map(|n| (preop(x, n) * x).rem_euclid(4.0));
            let angle = parts.sum::<f64>() * std::f64::consts::FRAC_PI_2;
            assert!((angle.sin() - x.sin()).abs() < 1e-9, "2^{k}");
        }
    }
}
