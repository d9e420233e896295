//! Moves, selections, permutations, predicates as bits.

use super::{Code, P, R, Src};

/// `MOV d, b`.
pub fn mov(d: R, b: impl Into<Src>) -> Code {
    Code::flexible(0x002, b.into(), false).dst(d).at(72, 15u8)
}

/// `SEL d, a, b, p`.
pub fn sel(d: R, a: R, b: impl Into<Src>, p: P) -> Code {
    Code::flexible(0x007, b.into(), false).dst(d).a(a).pred(87, 90, p)
}

/// `PRMT d, a, selector, c`.
pub fn prmt(d: R, a: R, selector: impl Into<Src>, c: R) -> Code {
    Code::flexible(0x016, selector.into(), false).dst(d).a(a).c(c)
}

/// `P2R d, PR, a, mask`.
pub fn p2r(d: R, a: R, mask: u8) -> Code {
    Code::flexible(0x003, u32::from(mask).into(), false).dst(d).a(a)
}

/// `R2P PR, a, mask`.
pub fn r2p(a: R, mask: u8) -> Code {
    Code::flexible(0x004, u32::from(mask).into(), false).dst(super::RZ).a(a)
}
