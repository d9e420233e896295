//! The uniform datapath, from sm_75 on. Predicates here are uniform ones.

use upset_sass::Arch;

use super::int::Compare;
use super::warp::{Special, Vote};
use super::{Code, P, PT, R, Src, U, WITH_UNIFORM, form};

/// Register or immediate at B; anything else is not encodable and gives URZ.
fn flexible(opcode: u16, b: Src) -> Code {
    let code = match b {
        Src::Imm(v) => Code::new(opcode, form::IMM).at(32, v),
        Src::Uniform(u) => Code::new(opcode, form::REG).at(32, u.0),
        Src::Reg(_) | Src::Const { .. } => Code::new(opcode, form::REG).at(32, super::URZ.0),
    };
    Code(code.0 | WITH_UNIFORM)
}

/// `UMOV d, b`.
pub fn umov(d: U, b: impl Into<Src>) -> Code {
    match b.into() {
        Src::Imm(v) => Code::new(0x082, form::IMM).at(32, v).at(16, d.0),
        Src::Uniform(u) => {
            Code(Code::new(0x082, form::UNIFORM).at(32, u.0).at(16, d.0).0 | WITH_UNIFORM)
        }
        Src::Reg(_) | Src::Const { .. } => umov(d, super::URZ),
    }
}

/// `UIADD3 d, a, b, c`.
pub fn uiadd3(d: U, a: U, b: impl Into<Src>, c: U) -> Code {
    let code = flexible(0x090, b.into()).at(16, d.0).at(24, a.0).at(64, c.0);
    code.at(81, PT.index).at(84, PT.index).pred(77, 80, !PT).pred(87, 90, !PT)
}

/// `UIMAD d, a, b, c`.
pub fn uimad(d: U, a: U, b: impl Into<Src>, c: U) -> Code {
    let code = flexible(0x0a4, b.into()).at(16, d.0).at(24, a.0).at(64, c.0);
    code.flag(73, true).at(81, PT.index).pred(87, 90, !PT)
}

/// `ULOP3.LUT d, a, b, c, table, !UPT`.
pub fn ulop3(d: U, a: U, b: impl Into<Src>, c: U, table: u8) -> Code {
    let code = flexible(0x092, b.into()).at(16, d.0).at(24, a.0).at(64, c.0);
    code.at(72, table).at(81, PT.index).pred(87, 90, !PT)
}

/// `UISETP d, UPT, a, b, UPT`, signed.
pub fn uisetp(d: P, cmp: Compare, a: U, b: impl Into<Src>) -> Code {
    let code = flexible(0x08c, b.into()).at(24, a.0).at(68, PT.index).flag(73, true);
    code.at(76, cmp as u8).at(81, d.index).at(84, PT.index).pred(87, 90, PT)
}

/// `USEL d, a, b, p`.
pub fn usel(d: U, a: U, b: impl Into<Src>, p: P) -> Code {
    flexible(0x087, b.into()).at(16, d.0).at(24, a.0).pred(87, 90, p)
}

/// `R2UR d, a`: the value of the first executing lane. Fixed latency on sm_90.
pub fn r2ur(arch: Arch, d: U, a: R) -> Code {
    let opcode = if arch >= Arch::Sm90 { 0x0ca } else { 0x1c2 };
    Code::new(opcode, form::REG).at(16, d.0).a(a).at(81, PT.index)
}

/// `ULDC d, c[bank][offset]`, with `wide` a pair.
pub fn uldc(d: U, bank: u8, offset: u16, wide: bool) -> Code {
    let code = Code::new(0x0b9, form::CONST).at(16, d.0).at(38, offset).at(54, bank);
    code.at(73, if wide { 5u8 } else { 4 })
}

/// `S2UR d, special`.
pub fn s2ur(d: U, special: Special) -> Code {
    Code::new(0x1c3, form::IMM).at(16, d.0).at(72, special as u8)
}

/// `VOTEU d, UPT, p`: `p` is a predicate of the lanes.
pub fn voteu(d: U, mode: Vote, p: P) -> Code {
    let code = Code::new(0x086, form::IMM).at(16, d.0).at(72, mode as u8);
    code.at(81, PT.index).pred(87, 90, p)
}
