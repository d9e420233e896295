//! Video instructions on two halves or four bytes at once. As PTX defines
//! `vadd2`, `vavrg4`, `vset2` and their kin.

use upset_isa::{AluFn, Exec, Inst, Results, Sources, Src, WARP, Width};

use super::codes_unwritten;
use super::video::holds;
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// Modifiers of the lane operations below.
mod mods {
    /// First bit of what selects A's parts: of halves two bits each, of bytes
    /// the encoding's number.
    pub const PARTS_A: u32 = 0;
    /// The same of B.
    pub const PARTS_B: u32 = 4;
    /// A is signed.
    pub const SIGNED_A: u32 = 1 << 8;
    /// B is signed.
    pub const SIGNED_B: u32 = 1 << 9;
    /// Results are signed.
    pub const SIGNED: u32 = 1 << 10;
    /// Results are clamped.
    pub const SAT: u32 = 1 << 11;
    /// Results are added up, with C.
    pub const ADD: u32 = 1 << 12;
    /// B is a number for all parts.
    pub const IMMEDIATE: u32 = 1 << 13;
    /// First bit of the mask of parts that are written, or added.
    pub const MASK: u32 = 16;
    /// First bit of what an operation has for itself.
    pub const OWN: u32 = 20;
}

/// Bytes of A and B (0 to 3 of A, 4 to 7 of B), lowest first, by the encoding's
/// number of A's selection.
const BYTES_OF_A: [[u8; 4]; 14] = [
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [2, 2, 2, 2],
    [3, 3, 3, 3],
    [0, 1, 2, 3],
    [1, 2, 3, 4],
    [2, 3, 4, 5],
    [3, 4, 5, 6],
    [1, 0, 2, 3],
    [2, 1, 0, 3],
    [3, 1, 2, 0],
    [0, 2, 1, 3],
    [0, 3, 2, 1],
    [0, 1, 3, 2],
];
/// The same of B's.
const BYTES_OF_B: [[u8; 4]; 11] = [
    [4, 4, 4, 4],
    [5, 5, 5, 5],
    [6, 6, 6, 6],
    [7, 7, 7, 7],
    [4, 5, 6, 7],
    [3, 4, 5, 6],
    [2, 3, 4, 5],
    [1, 2, 3, 4],
    [7, 6, 5, 4],
    [5, 4, 7, 6],
    [6, 7, 4, 5],
];
/// The number that says B is an immediate.
const IMMEDIATE_BYTE: u64 = 15;

/// The places of an operand's parts among those of A and B.
fn places<const PARTS: usize>(selector: u32, bytes: &[[u8; 4]]) -> [u8; PARTS] {
    match PARTS {
        2 => std::array::from_fn(|i| (selector >> (2 * i) & 3) as u8),
        _ => {
            let four = bytes.get((selector & 15) as usize).copied().unwrap_or_default();
            std::array::from_fn(|i| four[i])
        }
    }
}

/// Carries out an operation on each part.
fn each<const PARTS: usize>(m: u32, s: &Sources<'_>, r: &mut Results, f: impl Fn(i32, i32) -> i32) {
    let bits = 32 / PARTS as u32;
    let places_a: [u8; PARTS] = places(m >> mods::PARTS_A, &BYTES_OF_A);
    let places_b: [u8; PARTS] = places(m >> mods::PARTS_B, &BYTES_OF_B);
    let extended = |x: u64, signed: bool| {
        let up = (x as u32) << (32 - bits);
        if signed { (up as i32) >> (32 - bits) } else { (up >> (32 - bits)) as i32 }
    };
    let (low, high) = match m & mods::SIGNED != 0 {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    for i in 0..WARP {
        let both = u64::from(s.a()[i]) | u64::from(s.b()[i]) << 32;
        let c = s.c()[i];
        let mut d = c;
        for n in 0..PARTS {
            if m >> mods::MASK >> n & 1 == 0 {
                continue;
            }
            let take = |place: u8| both >> (u32::from(place) * bits);
            let a = extended(take(places_a[n]), m & mods::SIGNED_A != 0);
            let b = if m & mods::IMMEDIATE != 0 { both >> 32 } else { take(places_b[n]) };
            let value = f(a, extended(b, m & mods::SIGNED_B != 0));
            let value = if m & mods::SAT != 0 { value.clamp(low, high) } else { value };
            if m & mods::ADD != 0 {
                d = d.wrapping_add(value as u32);
            } else {
                let (at, mask) = (n as u32 * bits, u32::MAX >> (32 - bits));
                d = d & !(mask << at) | (value as u32 & mask) << at;
            }
        }
        r.d[0][i] = d;
    }
}

/// Sums: own bits 1 = minus B, 2 = minus A, both = the average, rounded away
/// from zero halfway.
fn sums<const PARTS: usize>(m: u32, s: &Sources<'_>, r: &mut Results) {
    each::<PARTS>(m, s, r, |a, b| match m >> mods::OWN & 3 {
        0 => a + b,
        1 => a - b,
        2 => b - a,
        _ => (a + b + i32::from(a + b >= 0)) >> 1,
    });
}

fn differences<const PARTS: usize>(m: u32, s: &Sources<'_>, r: &mut Results) {
    each::<PARTS>(m, s, r, |a, b| (a - b).abs());
}

/// Own bit: the larger.
fn extremes<const PARTS: usize>(m: u32, s: &Sources<'_>, r: &mut Results) {
    let max = m >> mods::OWN & 1 == 1;
    each::<PARTS>(m, s, r, |a, b| if max { a.max(b) } else { a.min(b) });
}

/// Own bits: the comparison.
fn comparisons<const PARTS: usize>(m: u32, s: &Sources<'_>, r: &mut Results) {
    each::<PARTS>(m, s, r, |a, b| i32::from(holds(m >> mods::OWN, a.into(), b.into())));
}

/// Modifiers that all have: signs of A and B, and whether results are added up.
fn common(f: &Fields, signs: [u32; 2], reduce: u32) -> Result<u32, LowerError> {
    let add = match f.bits(reduce, 2) {
        0 => 0,
        1 => mods::ADD,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let sign = |bit: u32, flag: u32| if f.bit(bit) { flag } else { 0 };
    Ok(add | sign(signs[0], mods::SIGNED_A) | sign(signs[1], mods::SIGNED_B))
}

/// What the result of sums, differences, minima and maxima is.
fn result(f: &Fields, sat: u32) -> u32 {
    let flag = |bit: u32, flag: u32| if f.bit(bit) { flag } else { 0 };
    flag(41, mods::SIGNED) | flag(sat, mods::SAT)
}

fn simd(f: &Fields, exec: AluFn, m: u32, b: Src) -> Lowered {
    codes_unwritten(f)?;
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = m;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, b, f.rc(W)?];
    Ok(i)
}

/// An operation on halves.
fn halves(f: &Fields, exec: AluFn, m: u32, own: u32) -> Lowered {
    let m = m | (f.bits(54, 2) as u32) << mods::MASK | own << mods::OWN;
    if f.bit(53) {
        let parts =
            (f.bits(37, 4) as u32) << mods::PARTS_A | (f.bits(33, 4) as u32) << mods::PARTS_B;
        return simd(f, exec, m | parts, f.rb(W)?);
    }
    // One bit for each half of A.
    let parts = (f.bits(39, 1) | f.bits(40, 1) << 2) as u32;
    simd(f, exec, m | parts << mods::PARTS_A | mods::IMMEDIATE, Src::Imm(f.bits(23, 16) as u32))
}

/// An operation on bytes.
fn bytes(f: &Fields, exec: AluFn, m: u32, own: u32) -> Lowered {
    let (of_a, of_b) = (f.bits(35, 4), f.bits(31, 4));
    let mask = (f.bits(54, 2) | f.bits(39, 2) << 2) as u32;
    let m = m | (of_a as u32) << mods::PARTS_A | mask << mods::MASK | own << mods::OWN;
    if of_a as usize >= BYTES_OF_A.len() {
        return Err(LowerError::IllegalEncoding);
    }
    if of_b == IMMEDIATE_BYTE {
        return simd(f, exec, m | mods::IMMEDIATE, Src::Imm(f.bits(23, 8) as u32));
    }
    if of_b as usize >= BYTES_OF_B.len() {
        return Err(LowerError::IllegalEncoding);
    }
    simd(f, exec, m | (of_b as u32) << mods::PARTS_B, f.rb(W)?)
}

/// `VADD2`, differences and averages.
pub fn vadd2(f: &Fields) -> Lowered {
    halves(f, sums::<2>, common(f, [51, 52], 56)? | result(f, 58), f.bits(59, 2) as u32)
}

/// `VABSDIFF2`.
pub fn vabsdiff2(f: &Fields) -> Lowered {
    halves(f, differences::<2>, common(f, [51, 52], 56)? | result(f, 58), 0)
}

/// `VMNMX2`.
pub fn vmnmx2(f: &Fields) -> Lowered {
    halves(f, extremes::<2>, common(f, [51, 52], 56)? | result(f, 58), u32::from(f.bit(59)))
}

/// `VSET2`.
pub fn vset2(f: &Fields) -> Lowered {
    halves(f, comparisons::<2>, common(f, [41, 56], 51)?, f.bits(57, 3) as u32)
}

/// `VADD4`, differences and averages.
pub fn vadd4(f: &Fields) -> Lowered {
    bytes(f, sums::<4>, common(f, [51, 52], 56)? | result(f, 53), f.bits(58, 2) as u32)
}

/// `VABSDIFF4`.
pub fn vabsdiff4(f: &Fields) -> Lowered {
    bytes(f, differences::<4>, common(f, [51, 52], 56)? | result(f, 53), 0)
}

/// `VMNMX4`.
pub fn vmnmx4(f: &Fields) -> Lowered {
    bytes(f, extremes::<4>, common(f, [51, 52], 56)? | result(f, 53), u32::from(f.bit(58)))
}

/// `VSET4`.
pub fn vset4(f: &Fields) -> Lowered {
    bytes(f, comparisons::<4>, common(f, [41, 58], 56)?, f.bits(51, 3) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};

    fn run(word: u64, a: u32, b: u32, c: u32) -> u32 {
        let i = decode(Word(word)).expect("legal").lower().expect("implemented");
        let rows = [a, b, c].map(|w| [w; WARP]);
        let zero = [0; WARP];
        let r = [&rows[0], &zero, &rows[1], &zero, &rows[2], &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        out.d[0][11]
    }

    /// Words of compiled code; C is 1 in each byte, or a sum.
    #[test]
    fn bytes_are_compared_one_by_one() {
        // VSET4.LT.S8.U8 R11, R6, R7, R8, and with .ACC
        let (a, b) = (0xff_7f_00_05, 0x00_7f_01_04);
        assert_eq!(run(0xe8c8_23a2_039c_182e, a, b, 0), 0x01_00_01_00);
        assert_eq!(run(0xe9c8_23a2_039c_1832, a, b, 10), 12);
        // VSET4.EQ R13, R6, R7, R8
        assert_eq!(run(0xecd0_23a2_039c_1836, a, b, 0), 0x00_01_00_00);
    }
}
