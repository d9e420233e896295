//! Video instructions on one value: parts of registers as operands, a clamped
//! result, a second operation with C. As PTX defines `vadd`, `vabsdiff`, `vmin`,
//! `vset`, `vshl`, `vmad` and their kin.

use upset_isa::int::compare::joined;
use upset_isa::{AluFn, Dst, Exec, Inst, Results, Sources, Src, WARP, Width};

use super::codes_unwritten;
use super::lanes::{self, pick};
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// Modifiers of the lane operations below.
mod mods {
    /// First bit of A's part.
    pub const PART_A: u32 = 0;
    /// A is signed.
    pub const SIGNED_A: u32 = 1 << 3;
    /// First bit of B's part.
    pub const PART_B: u32 = 4;
    /// B is signed.
    pub const SIGNED_B: u32 = 1 << 7;
    /// The result is signed.
    pub const SIGNED: u32 = 1 << 8;
    /// The result is clamped.
    pub const SAT: u32 = 1 << 9;
    /// First bit of the second operation.
    pub const SECOND: u32 = 10;
    /// First bit of what an operation has for itself.
    pub const OWN: u32 = 16;
}

/// The part that is a whole word.
const WORD: u32 = 6;
/// The second operation that does nothing.
const NOTHING: u32 = 7;

/// A part of a word (bytes 0 to 3, halves, all), extended.
fn part(word: u32, selector: u32, signed: bool) -> i64 {
    let (bits, at) = match selector & 7 {
        n @ 0..=3 => (8, 8 * n),
        n @ 4..=5 => (16, 16 * (n - 4)),
        _ => (32, 0),
    };
    let unused = 64 - bits;
    let up = u64::from(word >> at) << unused;
    if signed { (up as i64) >> unused } else { (up >> unused) as i64 }
}

fn operand_a(m: u32, s: &Sources<'_>, lane: usize) -> i64 {
    part(s.a()[lane], m >> mods::PART_A, m & mods::SIGNED_A != 0)
}

fn operand_b(m: u32, s: &Sources<'_>, lane: usize) -> i64 {
    part(s.b()[lane], m >> mods::PART_B, m & mods::SIGNED_B != 0)
}

/// The nearest number that so many bits hold.
fn clamped(value: i128, bits: u32, signed: bool) -> i128 {
    match signed {
        true => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => value.clamp(0, (1 << bits) - 1),
    }
}

/// Clamps a result, then merges it into C or combines both.
fn second(m: u32, value: i128, c: u32) -> u32 {
    let how = m >> mods::SECOND & 7;
    let bits = match how {
        0 | 1 => 16,
        2 | 3 => 8,
        _ => 32,
    };
    let signed = m & mods::SIGNED != 0;
    let value = if m & mods::SAT != 0 { clamped(value, bits, signed) } else { value };
    let word = value as u32;
    let merged = |at: u32| {
        let mask = (u32::MAX >> (32 - bits)) << at;
        c & !mask | word << at & mask
    };
    match how {
        0 => merged(16),
        1 | 2 => merged(0),
        3 => merged(16),
        4 => word.wrapping_add(c),
        5 if signed => (word as i32).min(c as i32) as u32,
        5 => word.min(c),
        6 if signed => (word as i32).max(c as i32) as u32,
        6 => word.max(c),
        _ => word,
    }
}

fn each(m: u32, s: &Sources<'_>, r: &mut Results, f: impl Fn(i64, i64) -> i128) {
    for i in 0..WARP {
        let value = f(operand_a(m, s, i), operand_b(m, s, i));
        r.d[0][i] = second(m, value, s.c()[i]);
    }
}

/// `VADD`: own bits 1 = minus B, 2 = minus A, both = plus one.
fn sums(m: u32, s: &Sources<'_>, r: &mut Results) {
    each(m, s, r, |a, b| {
        i128::from(match m >> mods::OWN & 3 {
            0 => a + b,
            1 => a - b,
            2 => b - a,
            _ => a + b + 1,
        })
    });
}

fn differences(m: u32, s: &Sources<'_>, r: &mut Results) {
    each(m, s, r, |a, b| i128::from((a - b).abs()));
}

/// `VMNMX`: own bit = the larger.
fn extremes(m: u32, s: &Sources<'_>, r: &mut Results) {
    let max = m >> mods::OWN & 1 == 1;
    each(m, s, r, |a, b| i128::from(if max { a.max(b) } else { a.min(b) }));
}

/// A comparison by its number.
pub(super) fn holds(op: u32, a: i64, b: i64) -> bool {
    let order = a.cmp(&b);
    op & 1 != 0 && order.is_lt() || op & 2 != 0 && order.is_eq() || op & 4 != 0 && order.is_gt()
}

/// `VSET`: own bits = the comparison.
fn comparisons(m: u32, s: &Sources<'_>, r: &mut Results) {
    each(m, s, r, |a, b| i128::from(holds(m >> mods::OWN, a, b)));
}

/// `VSETP`: own bits = the comparison, above them how it is joined.
fn predicates(m: u32, s: &Sources<'_>, r: &mut Results) {
    let op = m >> mods::OWN;
    let compared = (0..WARP).fold(0, |mask, i| {
        mask | u32::from(holds(op, operand_a(m, s, i), operand_b(m, s, i))) << i
    });
    r.p = joined(op >> 3, compared, s.p[0]);
}

/// `VSHL`, `VSHR`: own bits = to the right, and whether the count wraps.
fn shifts(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (right, wraps) = (m >> mods::OWN & 1 == 1, m >> mods::OWN & 2 != 0);
    each(m, s, r, |a, b| {
        let count = if wraps { b & 31 } else { b.min(32) };
        if right { i128::from(a >> count) } else { i128::from(a) << count }
    });
}

/// `VMAD`: own bits 0-1 = minus C, minus the product, both = plus one; bits 2-3
/// = how far the sum is shifted to the right, 7 or 15.
fn products(m: u32, s: &Sources<'_>, r: &mut Results) {
    let signs = m >> mods::OWN & 3;
    let signed = m & (mods::SIGNED_A | mods::SIGNED_B) != 0 || matches!(signs, 1 | 2);
    let scale = [0, 7, 15, 0][(m >> mods::OWN >> 2 & 3) as usize];
    for i in 0..WARP {
        let product = i128::from(operand_a(m, s, i)) * i128::from(operand_b(m, s, i));
        let c = s.c()[i];
        // Minus C is its complement plus one, as a word.
        let c = if signs == 1 { !c } else { c };
        let c = if signed { i128::from(c as i32) } else { i128::from(c) };
        let sum = match signs {
            0 => product + c,
            2 => c - product,
            _ => product + c + 1,
        } >> scale;
        let sum = if m & mods::SAT != 0 { clamped(sum, 32, signed) } else { sum };
        r.d[0][i] = sum as u32;
    }
}

/// B and its modifiers: a part of a register, or 16 bits in the word.
fn source_b(f: &Fields, signed: bool) -> Result<(Src, u32), LowerError> {
    let sign = if signed { mods::SIGNED_B } else { 0 };
    Ok(match (f.bit(53), signed) {
        (true, _) => (f.rb(W)?, (f.bits(31, 3) as u32) << mods::PART_B | sign),
        (false, true) => (Src::Imm(f.word.signed(23, 16) as u32), WORD << mods::PART_B | sign),
        (false, false) => (Src::Imm(f.bits(23, 16) as u32), WORD << mods::PART_B),
    })
}

/// Operands and their modifiers; nothing of the result.
fn operands(f: &Fields, exec: AluFn, signed_b: bool, own: u32) -> Lowered {
    if f.bits(39, 3) == 7 || f.bit(53) && f.bits(31, 3) == 7 {
        return Err(LowerError::IllegalEncoding);
    }
    let (b, of_b) = source_b(f, signed_b)?;
    let sign = if f.bit(51) { mods::SIGNED_A } else { 0 };
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = (f.bits(39, 3) as u32) << mods::PART_A | sign | of_b | own << mods::OWN;
    i.src = [f.ra(W)?, b, f.rc(W)?];
    i.dst = Dst::None;
    Ok(i)
}

/// An operation with a second one.
fn video(f: &Fields, exec: AluFn, signed_b: bool, own: u32) -> Lowered {
    codes_unwritten(f)?;
    let mut i = operands(f, exec, signed_b, own)?;
    i.mods |= (f.bits(54, 3) as u32) << mods::SECOND
        | if f.bit(57) { mods::SIGNED } else { 0 }
        | if f.bit(58) { mods::SAT } else { 0 };
    i.dst = f.rd(W)?;
    Ok(i)
}

/// `VADD`, and differences.
pub fn vadd(f: &Fields) -> Lowered {
    video(f, sums, f.bit(52), f.bits(59, 2) as u32)
}

/// `VABSDIFF`.
pub fn vabsdiff(f: &Fields) -> Lowered {
    video(f, differences, f.bit(52), 0)
}

/// `VMNMX`. Of signed words, which is what compilers make of the minimum or
/// maximum of three, it has a function of its own.
pub fn vmnmx(f: &Fields) -> Lowered {
    let mut i = video(f, extremes, f.bit(52), u32::from(f.bit(59)))?;
    let words = WORD << mods::PART_A | WORD << mods::PART_B;
    let signed = mods::SIGNED_A | mods::SIGNED_B | mods::SIGNED;
    let second = match i.mods >> mods::SECOND & 7 {
        4 => pick::ADD,
        5 => pick::MIN,
        6 => pick::MAX,
        NOTHING => pick::NONE,
        _ => return Ok(i),
    };
    if i.mods & 0x3ff == words | signed {
        let first = if f.bit(59) { pick::FIRST_MAX } else { 0 };
        i.exec = Exec::Alu(lanes::two_of_three);
        i.mods = first | second << pick::SECOND;
    }
    Ok(i)
}

/// `VSET`: the result is neither signed nor clamped.
pub fn vset(f: &Fields) -> Lowered {
    let mut i = video(f, comparisons, f.bit(52), f.bits(57, 3) as u32)?;
    i.mods &= !(mods::SIGNED | mods::SAT);
    Ok(i)
}

/// `VSETP`.
pub fn vsetp(f: &Fields) -> Lowered {
    let join = f.bits(48, 2) as u32;
    if join == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    let op = f.bits(46, 2) as u32 | u32::from(f.bit(50)) << 2;
    let mut i = operands(f, predicates, f.bit(52), op | join << 3)?;
    i.src[2] = Src::Zero;
    i.pdst = [f.pd(5), f.pd(2)];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `VSHL`.
pub fn vshl(f: &Fields) -> Lowered {
    video(f, shifts, false, u32::from(f.bit(52)) << 1)
}

/// `VSHR`.
pub fn vshr(f: &Fields) -> Lowered {
    video(f, shifts, false, u32::from(f.bit(52)) << 1 | 1)
}

/// `VMAD`.
pub fn vmad(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    if f.bits(54, 2) == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    let own = (f.bits(56, 2) | f.bits(54, 2) << 2) as u32;
    let mut i = operands(f, products, f.bit(52), own)?;
    i.mods |= if f.bit(58) { mods::SAT } else { 0 };
    i.dst = f.rd(W)?;
    Ok(i)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole words, signs as given.
    fn words(signs: u32, second: u32, own: u32) -> u32 {
        WORD << mods::PART_A
            | WORD << mods::PART_B
            | signs
            | second << mods::SECOND
            | own << mods::OWN
    }

    fn run(f: AluFn, m: u32, a: u32, b: u32, c: u32) -> u32 {
        let rows = [a, b, c].map(|w| [w; WARP]);
        let zero = [0; WARP];
        let r = [&rows[0], &zero, &rows[1], &zero, &rows[2], &zero];
        let mut out = Results::default();
        f(m, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        out.d[0][11]
    }

    const SIGNED: u32 = mods::SIGNED_A | mods::SIGNED_B | mods::SIGNED;

    /// As the PTX manual defines clamping: what does not fit becomes the nearest
    /// number of the result's type, or of the part that is merged.
    #[test]
    fn results_are_clamped_to_what_they_go_to() {
        let clamped = |signs, second| words(signs | mods::SAT, second, 0);
        assert_eq!(run(sums, clamped(0, NOTHING), u32::MAX, 1, 0), u32::MAX);
        assert_eq!(run(sums, clamped(SIGNED, NOTHING), 0x7fff_ffff, 1, 0), 0x7fff_ffff);
        // -1 as a signed and as an unsigned byte and half.
        let (minus, c) = (-3i32 as u32, 0x1234_5678);
        assert_eq!(run(sums, clamped(SIGNED, 2), minus, 2, c), 0x1234_56ff);
        let unsigned = SIGNED & !mods::SIGNED;
        assert_eq!(run(sums, clamped(unsigned, 2), minus, 2, c), 0x1234_5600);
        assert_eq!(run(sums, clamped(SIGNED, 0), 0x12345, 0, c), 0x7fff_5678);
        assert_eq!(run(sums, words(SIGNED, 0, 0), 0x12345, 0, c), 0x2345_5678);
        assert_eq!(run(sums, words(SIGNED, 3, 0), 0x12345, 0, c), 0x1245_5678);
    }

    #[test]
    fn shifts_have_room_above() {
        let m = words(SIGNED | mods::SAT, NOTHING, 0);
        assert_eq!(run(shifts, m, 0x4000_0000, 5, 0), 0x7fff_ffff);
        assert_eq!(run(shifts, words(SIGNED, NOTHING, 0), 1, 40, 0), 0);
        assert_eq!(run(shifts, words(SIGNED, NOTHING, 2), 1, 33, 0), 2);
        assert_eq!(run(shifts, words(SIGNED, NOTHING, 1), 0x8000_0000, 40, 0), u32::MAX);
    }

    #[test]
    fn products_are_scaled_and_negated() {
        let own = |signs: u32, scale: u32| words(0, 0, signs | scale << 2);
        assert_eq!(run(products, own(0, 1), 1 << 16, 1 << 8, 128), 1 << 17 | 1);
        // An unsigned summand stays one.
        assert_eq!(run(products, own(0, 1), 0, 0, 0x8000_0000), 0x0100_0000);
        assert_eq!(run(products, own(2, 0), 3, 5, 1), -14i32 as u32);
        assert_eq!(run(products, own(1, 0), 3, 5, 1), 14);
        assert_eq!(run(products, own(3, 0), 3, 5, 1), 17);
    }

    #[test]
    fn parts_and_comparisons() {
        assert_eq!(part(0x80ff_7f01, 1, true), 0x7f);
        assert_eq!(part(0x80ff_7f01, 2, true), -1);
        assert_eq!(part(0x80ff_7f01, 5, false), 0x80ff);
        for op in 0..8 {
            let expected = [op & 1 != 0, op & 2 != 0, op & 4 != 0];
            assert_eq!([holds(op, 1, 2), holds(op, 2, 2), holds(op, 3, 2)], expected);
        }
    }
}
