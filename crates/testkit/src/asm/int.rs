//! Integer arithmetic, logic, shifts and comparisons.

use super::{Code, P, PT, R, Src};

/// `IADD3 d, a, b, c`.
pub fn iadd3(d: R, a: R, b: impl Into<Src>, c: R) -> Code {
    iadd3_carry(d, PT, a, b, c)
}

/// `IADD3 d, carry, a, b, c`: the carry goes to a predicate.
pub fn iadd3_carry(d: R, carry: P, a: R, b: impl Into<Src>, c: R) -> Code {
    let code = Code::flexible(0x010, b.into(), false).dst(d).a(a).c(c);
    code.at(81, carry.index).at(84, PT.index).pred(77, 80, !PT).pred(87, 90, !PT)
}

/// `IADD3.X d, a, b, c, carry, !PT`: the carry comes in.
pub fn iadd3_x(d: R, a: R, b: impl Into<Src>, c: R, carry: P) -> Code {
    let code = Code::flexible(0x010, b.into(), false).dst(d).a(a).c(c).flag(74, true);
    code.at(81, PT.index).at(84, PT.index).pred(77, 80, !PT).pred(87, 90, carry)
}

/// `IMAD d, a, b, c`.
pub fn imad(d: R, a: R, b: impl Into<Src>, c: R) -> Code {
    mad(0x024, d, a, b.into(), c, true)
}

/// `IMAD.WIDE d, a, b, c` (`.U32` unless `signed`): `d` and `c` are pairs.
pub fn imad_wide(d: R, a: R, b: impl Into<Src>, c: R, signed: bool) -> Code {
    mad(0x025, d, a, b.into(), c, signed)
}

/// `IMAD.WIDE.U32 d, a, b, c` with a flexible C, a 64-bit constant for one.
pub fn imad_wide_c(d: R, a: R, b: R, c: impl Into<Src>) -> Code {
    let code = Code::flexible(0x025, c.into(), true).dst(d).a(a);
    code.c(b).at(81, PT.index).pred(87, 90, !PT)
}

/// `IMAD.HI.U32 d, a, b, c`, from sm_75 on: `c` is a pair.
pub fn imad_hi(d: R, a: R, b: impl Into<Src>, c: R) -> Code {
    mad(0x027, d, a, b.into(), c, false)
}

fn mad(opcode: u16, d: R, a: R, b: Src, c: R, signed: bool) -> Code {
    let code = Code::flexible(opcode, b, false).dst(d).a(a).c(c);
    code.flag(73, signed).at(81, PT.index).pred(87, 90, !PT)
}

/// `LEA d, carry, a, b, shift`: `b + (a << shift)`, low word.
pub fn lea(d: R, carry: P, a: R, b: impl Into<Src>, shift: u8) -> Code {
    let code = Code::flexible(0x011, b.into(), false).dst(d).a(a).c(super::RZ);
    code.at(75, shift).at(81, carry.index).pred(87, 90, !PT)
}

/// `LEA.HI.X d, a, b, c, shift, carry`: `b + ({c, a} << shift)`, high word.
pub fn lea_hi_x(d: R, a: R, b: impl Into<Src>, c: R, shift: u8, carry: P) -> Code {
    let code = Code::flexible(0x011, b.into(), false).dst(d).a(a).c(c).flag(74, true);
    code.at(75, shift).flag(80, true).at(81, PT.index).pred(87, 90, carry)
}

/// `LOP3.LUT d, a, b, c, table, !PT`.
pub fn lop3(d: R, a: R, b: impl Into<Src>, c: R, table: u8) -> Code {
    lop3_pred(d, PT, a, b, c, table)
}

/// `LOP3.LUT p, d, a, b, c, table, !PT`: the predicate says whether a bit is set.
pub fn lop3_pred(d: R, p: P, a: R, b: impl Into<Src>, c: R, table: u8) -> Code {
    let code = Code::flexible(0x012, b.into(), false).dst(d).a(a).c(c);
    code.at(72, table).at(81, p.index).pred(87, 90, !PT)
}

/// Truth tables of [`lop3`].
pub mod table {
    /// `a & b`.
    pub const AND: u8 = 0xc0;
    /// `a | b`.
    pub const OR: u8 = 0xfc;
    /// `a ^ b`.
    pub const XOR: u8 = 0x3c;
    /// `!a`.
    pub const NOT: u8 = 0x0f;
    /// `a & b | c`.
    pub const AND_OR: u8 = 0xea;
    /// `!a & b | c`.
    pub const NOT_AND_OR: u8 = 0xae;
}

/// Kinds of [`shf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// To the right.
    pub right: bool,
    /// The count wraps instead of being clamped.
    pub wrap: bool,
    /// `.S64`, `.U64`, `.S32`, `.U32`.
    pub kind: u8,
    /// The high word of the result.
    pub high: bool,
}

/// `SHF d, a, b, c`: shifts the pair `{c, a}` by `b`.
pub fn shf(d: R, a: R, b: impl Into<Src>, c: R, s: Shift) -> Code {
    let code = Code::flexible(0x019, b.into(), false).dst(d).a(a).c(c);
    code.at(73, s.kind & 3).flag(75, s.wrap).flag(76, s.right).flag(80, s.high)
}

/// Comparisons of [`isetp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `.LT`
    Lt = 1,
    /// `.EQ`
    Eq = 2,
    /// `.LE`
    Le = 3,
    /// `.GT`
    Gt = 4,
    /// `.NE`
    Ne = 5,
    /// `.GE`
    Ge = 6,
}

/// How a comparison is combined with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// `.AND`
    And = 0,
    /// `.OR`
    Or = 1,
    /// `.XOR`
    Xor = 2,
}

/// `ISETP d, PT, a, b, p` (`.U32` unless `signed`).
pub fn isetp(
    d: P,
    cmp: Compare,
    signed: bool,
    a: R,
    b: impl Into<Src>,
    combine: Combine,
    p: P,
) -> Code {
    let code = Code::flexible(0x00c, b.into(), false).a(a);
    let code = code.at(68, PT.index).flag(73, signed).at(74, combine as u8).at(76, cmp as u8);
    code.at(81, d.index).at(84, PT.index).pred(87, 90, p)
}

/// `IMNMX d, a, b, p`, from sm_75 on: the smaller where `p` holds.
pub fn imnmx(d: R, a: R, b: impl Into<Src>, p: P, signed: bool) -> Code {
    Code::flexible(0x017, b.into(), false).dst(d).a(a).flag(73, signed).pred(87, 90, p)
}

/// `POPC d, b`.
pub fn popc(d: R, b: impl Into<Src>) -> Code {
    Code::flexible(0x109, b.into(), false).dst(d)
}

/// `FLO.U32 d, b`.
pub fn flo(d: R, b: impl Into<Src>) -> Code {
    Code::flexible(0x100, b.into(), false).dst(d).at(81, PT.index)
}
