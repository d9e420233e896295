//! Lane arithmetic that later chips have no instruction for.

use upset_isa::fp::convert::IntType;
use upset_isa::fp::warp::{convert, fp32, fp64, mods};
use upset_isa::int::carry::of_result;
use upset_isa::int::compare;
use upset_isa::{Codes, Results, Sources, WARP};

pub(super) mod coded;
pub(super) mod float;
pub(super) mod integer;
pub(super) mod surface;

/// Makes a word of ones where the first predicate result is true.
fn spread(r: &mut Results) {
    let holds = r.p[0];
    for (i, d) in r.d[0].iter_mut().enumerate() {
        *d = if holds >> i & 1 == 1 { u32::MAX } else { 0 };
    }
}

/// `FSET` without `.BF`.
pub(super) fn fset_mask(m: u32, s: &Sources<'_>, r: &mut Results) {
    fp32::fsetp(m)(m, s, r);
    spread(r);
}

/// `DSET` without `.BF`.
pub(super) fn dset_mask(m: u32, s: &Sources<'_>, r: &mut Results) {
    fp64::dsetp(m, s, r);
    spread(r);
}

/// `DSET.BF`: 1.0 in FP32.
pub(super) fn dset_float(m: u32, s: &Sources<'_>, r: &mut Results) {
    dset_mask(m, s, r);
    r.d[0].iter_mut().for_each(|d| *d &= 1f32.to_bits());
}

/// [`dset_mask`], and its codes.
pub(super) fn dset_codes(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    dset_mask(m, s, r);
    *codes = of_result(&r.d[0]);
}

/// `FCMP`: A where C compares with zero, else B.
pub(super) fn fcmp(m: u32, s: &Sources<'_>, r: &mut Results) {
    let zero = [0; WARP];
    let compared = Sources { r: [s.c(), &zero, &zero, &zero, &zero, &zero], ..*s };
    let mut holds = Results::default();
    fp32::fsetp(m)(m, &compared, &mut holds);
    for i in 0..WARP {
        r.d[0][i] = if holds.p[0] >> i & 1 == 1 { s.a()[i] } else { s.b()[i] };
    }
}

/// Where [`iset`] has its comparison and its sign.
const ISET_OP: u32 = 4;
const ISET_SIGNED: u32 = 7;

/// Modifiers of [`iset_mask`] and [`iset_float`].
pub(super) fn iset_mods(join: u32, op: u32, signed: bool) -> u32 {
    join | op << ISET_OP | u32::from(signed) << ISET_SIGNED
}

/// `ISET` without `.BF`.
pub(super) fn iset_mask(m: u32, s: &Sources<'_>, r: &mut Results) {
    let exec = compare::isetp_for(m >> ISET_OP & 7, m >> ISET_SIGNED & 1 == 1);
    exec(m & 3, s, r);
    spread(r);
}

/// `ISET.BF`: 1.0.
pub(super) fn iset_float(m: u32, s: &Sources<'_>, r: &mut Results) {
    iset_mask(m, s, r);
    r.d[0].iter_mut().for_each(|d| *d &= 1f32.to_bits());
}

/// [`iset_mask`], and its codes.
pub(super) fn iset_codes(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    iset_mask(m, s, r);
    *codes = of_result(&r.d[0]);
}

/// [`fset_mask`], and its codes.
pub(super) fn fset_codes(m: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results) {
    fset_mask(m, s, r);
    *codes = of_result(&r.d[0]);
}

/// Where [`i2f_with_signs`] has its source's type: two bits of size, one of
/// sign, two that say which part it is.
pub(super) const I2F_FROM: u32 = 12;

/// `I2F` of an integer whose absolute value or negative is taken first: then it
/// is a wide one, as the other modifiers say.
pub(super) fn i2f_with_signs(m: u32, s: &Sources<'_>, r: &mut Results) {
    let from = IntType { bits: 8 << (m >> I2F_FROM & 3), signed: m >> (I2F_FROM + 2) & 1 == 1 };
    let at = (m >> (I2F_FROM + 3) & 3) * from.bits % 64;
    let (mut low, mut high) = ([0; WARP], [0; WARP]);
    for i in 0..WARP {
        let value = from.read(s.b64(i) >> at);
        let value = if m & mods::ABS_B != 0 { value.abs() } else { value };
        let value = if m & mods::NEG_B != 0 { -value } else { value };
        (low[i], high[i]) = (value as u32, (value >> 32) as u32);
    }
    let m = m & !(mods::ABS_B | mods::NEG_B | 31 << I2F_FROM);
    let wide = Sources { r: [s.r[0], s.r[1], &low, &high, s.r[4], s.r[5]], ..*s };
    convert::i2f(m)(m, &wide, r);
}

/// Modifiers of [`icmp`]: a comparison of [`upset_isa::int::compare::cmp`].
pub(super) fn icmp_mods(op: u32, signed: bool) -> u32 {
    op | u32::from(signed) << 3
}

/// `ICMP`: A where C compares with zero, else B.
pub(super) fn icmp(m: u32, s: &Sources<'_>, r: &mut Results) {
    let zero = [0; WARP];
    let compared = Sources { r: [s.c(), &zero, &zero, &zero, &zero, &zero], ..*s };
    let mut holds = Results::default();
    // Joined by AND with predicate source 0, which is true.
    compare::isetp_for(m & 7, m & 8 != 0)(0, &compared, &mut holds);
    for i in 0..WARP {
        r.d[0][i] = if holds.p[0] >> i & 1 == 1 { s.a()[i] } else { s.b()[i] };
    }
}

/// `MUFU`'s argument of sine and cosine is a fraction of a full turn.
pub(super) const TURN: u32 = 0x3e22_f983;

/// Modifier bit of [`bfe`]: the field is signed.
pub(super) const SIGNED: u32 = 1;
/// Modifier bit of [`bfe`]: the bits of A are reversed first.
pub(super) const REVERSED: u32 = 2;

/// `BFE`: position in bits 0-7 of B, length in bits 8-15. Bits beyond the word
/// are zero, of a signed field its sign; a field of length zero is zero.
pub(super) fn bfe(m: u32, s: &Sources<'_>, r: &mut Results) {
    for i in 0..WARP {
        let (a, b) = (s.a()[i], s.b()[i]);
        let a = if m & REVERSED != 0 { a.reverse_bits() } else { a };
        let (at, len) = (b & 255, b >> 8 & 255);
        let signed = m & SIGNED != 0;
        let sign = signed && len > 0 && a >> (at + len - 1).min(31) & 1 == 1;
        let wide = u64::from(a) | if sign { u64::MAX << 32 } else { 0 };
        let field = if at < 64 { wide >> at } else { 0 };
        let field = if at >= 32 && sign { u64::MAX } else { field };
        let mask = (1u64 << len.min(32)) - 1;
        let value = field & mask | if sign { !mask } else { 0 };
        r.d[0][i] = if len == 0 { 0 } else { value as u32 };
    }
}

/// `BFI`: the low bits of A into C; position and length in B as of [`bfe`].
pub(super) fn bfi(_: u32, s: &Sources<'_>, r: &mut Results) {
    for i in 0..WARP {
        let (a, b, c) = (s.a()[i], s.b()[i], s.c()[i]);
        let (at, len) = (b & 255, b >> 8 & 255);
        let mask = if at < 32 { (((1u64 << len.min(32)) - 1) << at) as u32 } else { 0 };
        r.d[0][i] = c & !mask | (u64::from(a) << at.min(32)) as u32 & mask;
    }
}

/// Modifiers of [`two_of_three`]: which is taken of A and B, and of that and C.
pub(super) mod pick {
    /// The larger of A and B, else the smaller.
    pub const FIRST_MAX: u32 = 1;
    /// What is done with C.
    pub const SECOND: u32 = 1;
    /// Nothing.
    pub const NONE: u32 = 0;
    /// The smaller.
    pub const MIN: u32 = 1;
    /// The larger.
    pub const MAX: u32 = 2;
    /// The sum.
    pub const ADD: u32 = 3;
}

/// `VMNMX` of signed words.
pub(super) fn two_of_three(m: u32, s: &Sources<'_>, r: &mut Results) {
    for i in 0..WARP {
        let (a, b, c) = (s.a()[i] as i32, s.b()[i] as i32, s.c()[i] as i32);
        let first = if m & pick::FIRST_MAX != 0 { a.max(b) } else { a.min(b) };
        let both = match m >> pick::SECOND & 3 {
            pick::MIN => first.min(c),
            pick::MAX => first.max(c),
            pick::ADD => first.wrapping_add(c),
            _ => first,
        };
        r.d[0][i] = both as u32;
    }
}

/// Modifiers that compare without a predicate: combined with one that is true.
pub(super) fn alone(cond: u8) -> u32 {
    mods::comparison(upset_isa::fp::Cond(cond), upset_isa::fp::warp::BoolOp::And)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a lane gets of these operands.
    pub fn run(f: upset_isa::AluFn, m: u32, a: u32, b: u32, c: u32) -> u32 {
        let words = [a, b, c].map(|w| [w; WARP]);
        let zero = [0; WARP];
        let r = [&words[0], &zero, &words[1], &zero, &words[2], &zero];
        let mut out = Results::default();
        f(m, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        out.d[0][7]
    }

    /// As the PTX manual defines `bfe`.
    #[test]
    fn bit_fields_are_taken_out() {
        let field = |m, a, at: u32, len: u32| run(bfe, m, a, len << 8 | at, 0);
        assert_eq!(field(0, 0x1234_5678, 8, 8), 0x56);
        assert_eq!(field(0, 0xffff_ffff, 28, 8), 0xf);
        assert_eq!(field(SIGNED, 0x8000_0000, 28, 8), 0xffff_fff8);
        assert_eq!(field(SIGNED, 0x0000_0800, 8, 4), 0xffff_fff8);
        assert_eq!(field(SIGNED, 0x8000_0000, 40, 4), u32::MAX);
        assert_eq!(field(0, 0x8000_0000, 40, 4), 0);
        assert_eq!(field(SIGNED, 0x8000_0000, 0, 0), 0);
        assert_eq!(field(0, 0xdead_beef, 0, 32), 0xdead_beef);
        assert_eq!(field(0, 0xdead_beef, 0, 255), 0xdead_beef);
        assert_eq!(field(REVERSED, 1, 31, 1), 1);
        // No number of bits overflows anything.
        for at in 0..256 {
            for len in 0..256 {
                field(SIGNED, 0x8000_0001, at, len);
                run(bfi, 0, u32::MAX, len << 8 | at, 0);
            }
        }
    }

    #[test]
    fn bit_fields_are_put_in() {
        let field = |a, at: u32, len: u32, c| run(bfi, 0, a, len << 8 | at, c);
        assert_eq!(field(0xab, 8, 8, 0x1111_1111), 0x1111_ab11);
        assert_eq!(field(0xab, 28, 8, 0x1111_1111), 0xb111_1111);
        assert_eq!(field(0xab, 32, 8, 0x1111_1111), 0x1111_1111);
        assert_eq!(field(0xab, 4, 0, 0x1111_1111), 0x1111_1111);
    }

    #[test]
    fn a_maximum_of_three() {
        let m = pick::FIRST_MAX | pick::MAX << pick::SECOND;
        assert_eq!(run(two_of_three, m, -5i32 as u32, 3, 9), 9);
        assert_eq!(run(two_of_three, m, -5i32 as u32, 3, -9i32 as u32), 3);
        assert_eq!(run(two_of_three, pick::MIN << pick::SECOND, 5, 3, 4), 3);
        assert_eq!(run(two_of_three, pick::FIRST_MAX, 5, 3, 9), 5);
    }

    #[test]
    fn a_choice_by_comparison_with_zero() {
        let positive = alone(4);
        assert_eq!(run(fcmp, positive, 1, 2, 1f32.to_bits()), 1);
        assert_eq!(run(fcmp, positive, 1, 2, (-1f32).to_bits()), 2);
        let negative = icmp_mods(1, true);
        assert_eq!(run(icmp, negative, 1, 2, u32::MAX), 1);
        assert_eq!(run(icmp, icmp_mods(1, false), 1, 2, u32::MAX), 2);
    }
}
