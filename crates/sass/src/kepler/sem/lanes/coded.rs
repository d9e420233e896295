//! Integers and predicates with the condition codes.

use upset_isa::codes::{CARRY, OVERFLOW, SIGN, ZERO, test};
use upset_isa::int::carry::{self, of_result};
use upset_isa::int::compare::joined;
use upset_isa::int::logic;
use upset_isa::{Codes, CodesFn, Results, Sources, WARP};

use super::{integer, spread};

/// Modifier bit of what makes words of predicates: 1.0 instead of ones.
pub(crate) const FLOAT: u32 = 1 << 16;

/// A word of each lane's first predicate.
fn word(m: u32, r: &mut Results) {
    spread(r);
    if m & FLOAT != 0 {
        r.d[0].iter_mut().for_each(|d| *d &= 1f32.to_bits());
    }
}

/// `ISET.X`.
pub(crate) fn iset_wide(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    carry::compare(m, s, codes, r);
    word(m, r);
    *codes = of_result(&r.d[0]);
}

/// `PSET`: modifiers of `PLOP3`.
pub(crate) fn pset(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    logic::plop3(m, s, r);
    word(m, r);
    *codes = of_result(&r.d[0]);
}

/// `LOP`, and the codes of its result.
pub(crate) fn lop3(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    logic::lop3(m, s, r);
    *codes = of_result(&r.d[0]);
}

/// `I2I`, and the codes of its result.
pub(crate) fn i2i(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    integer::i2i(m, s, r);
    *codes = of_result(&r.d[0]);
}

/// Modifiers of [`csetp`] and [`cset`].
pub(crate) fn tested(number: u32, join: u32) -> u32 {
    number | join << 5
}

/// `CSETP`.
pub(crate) fn csetp(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    r.p = joined(m >> 5, test(codes, (m & 31) as u8), s.p[0]);
}

/// `CSET`.
pub(crate) fn cset(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    csetp(m, s, codes, r);
    word(m, r);
    *codes = of_result(&r.d[0]);
}

/// Clamps signed sums that do not fit.
fn saturated(f: CodesFn, m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    f(m, s, codes, r);
    let (overflow, carry) = (codes[OVERFLOW], codes[CARRY]);
    for (i, d) in r.d[0].iter_mut().enumerate() {
        if overflow >> i & 1 == 1 {
            // The sign is that of the wrong side.
            *d = if *d >> 31 == 1 { i32::MAX as u32 } else { i32::MIN as u32 };
        }
    }
    *codes = of_result(&r.d[0]);
    (codes[OVERFLOW], codes[CARRY]) = (overflow, carry);
}

/// `IADD.SAT`.
pub(crate) fn add_saturated(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    saturated(carry::add, m, s, codes, r);
}

/// `IMAD.SAT`.
pub(crate) fn multiply_add_saturated(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    saturated(carry::multiply_add, m, s, codes, r);
}

/// Modifier bits of [`imnmx_wide`].
pub(crate) mod extreme {
    /// Words are signed.
    pub const SIGNED: u32 = 1;
    /// Higher words have been compared.
    pub const LOWER: u32 = 2;
}

/// `IMNMX.XHI`, `.XMED` and `.XLO`: the words of wide numbers, from the highest
/// down. The codes keep what those above say: zero = they are equal, no carry =
/// A is the smaller.
pub(crate) fn imnmx_wide(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    let bias = if m & extreme::SIGNED != 0 { 1 << 31 } else { 0 };
    let before = *codes;
    *codes = [0; 4];
    for i in 0..WARP {
        let (a, b) = (s.a()[i], s.b()[i]);
        let decided = m & extreme::LOWER != 0 && before[ZERO] >> i & 1 == 0;
        let less = match decided {
            true => before[CARRY] >> i & 1 == 0,
            false => (a ^ bias) < (b ^ bias),
        };
        let minimum = s.p[0] >> i & 1 == 1;
        r.d[0][i] = if less == minimum { a } else { b };
        codes[ZERO] |= u32::from(!decided && a == b) << i;
        codes[CARRY] |= u32::from(!less) << i;
        codes[SIGN] |= (r.d[0][i] >> 31) << i;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(f: CodesFn, m: u32, a: u32, b: u32, p: bool, codes: &mut Codes) -> Results {
        let (a, b, zero) = ([a; WARP], [b; WARP], [0; WARP]);
        let p = [if p { u32::MAX } else { 0 }; 3];
        let s = Sources { r: [&a, &zero, &b, &zero, &zero, &zero], p, active: u32::MAX };
        let mut r = Results::default();
        f(m, &s, codes, &mut r);
        r
    }

    #[test]
    fn wide_extremes_from_the_top_down() {
        let values = [0, 1, 0xffff_ffff, 1 << 32, 0x8000_0000_0000_0000, u64::MAX, 1 << 63 | 5];
        for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
            for (signed, min) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut codes = [0; 4];
                let m = if signed { extreme::SIGNED } else { 0 };
                let words = [(a >> 32) as u32, (b >> 32) as u32];
                let high = run(imnmx_wide, m, words[0], words[1], min, &mut codes).d[0][9];
                let low = run(imnmx_wide, extreme::LOWER, a as u32, b as u32, min, &mut codes);
                let less = if signed { (a as i64) < b as i64 } else { a < b };
                let expected = if less == min { a } else { b };
                assert_eq!(u64::from(high) << 32 | u64::from(low.d[0][9]), expected, "{a:x} {b:x}");
            }
        }
    }

    #[test]
    fn sums_are_clamped() {
        let sum = |m, a: i32, b: i32| {
            run(add_saturated, m, a as u32, b as u32, true, &mut [0; 4]).d[0][0] as i32
        };
        assert_eq!(sum(0, i32::MAX, 1), i32::MAX);
        assert_eq!(sum(0, i32::MIN, -1), i32::MIN);
        assert_eq!(sum(0, -5, 3), -2);
        let minus = 1 << carry::sum::NEG_B;
        assert_eq!(sum(minus, i32::MIN, 1), i32::MIN);
        assert_eq!(sum(minus, 0, i32::MIN), i32::MAX);
    }

    #[test]
    fn tests_become_predicates_and_words() {
        // LO: no carry.
        let mut codes = [0, 0, 0xffff, 0];
        let r = run(csetp, tested(17, 0), 0, 0, true, &mut codes);
        assert_eq!(r.p, [0xffff_0000, 0xffff]);
        let r = run(cset, tested(17, 0) | FLOAT, 0, 0, true, &mut codes);
        assert_eq!((r.d[0][0], r.d[0][20]), (0, 1f32.to_bits()));
    }
}
