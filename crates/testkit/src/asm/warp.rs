//! Special registers and operations across lanes.

use super::{Code, P, PT, R, form};

/// Special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `SR_LANEID`
    Lane = 0,
    /// `SR_TID.X`
    TidX = 33,
    /// `SR_TID.Y`
    TidY = 34,
    /// `SR_TID.Z`
    TidZ = 35,
    /// `SR_CTAID.X`
    CtaX = 37,
    /// `SR_CTAID.Y`
    CtaY = 38,
    /// `SR_CTAID.Z`
    CtaZ = 39,
    /// `SR_EQMASK`
    EqMask = 56,
    /// `SR_LTMASK`
    LtMask = 57,
}

/// `S2R d, special`.
pub fn s2r(d: R, special: Special) -> Code {
    Code::new(0x119, form::IMM).dst(d).at(72, special as u8)
}

/// Questions of [`vote`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    /// `.ALL`
    All = 0,
    /// `.ANY`
    Any = 1,
    /// `.EQ`
    Eq = 2,
}

/// `VOTE d, pd, p`.
pub fn vote(d: R, pd: P, mode: Vote, p: P) -> Code {
    Code::new(0x006, form::IMM).dst(d).at(72, mode as u8).at(81, pd.index).pred(87, 90, p)
}

/// Directions of [`shfl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// `.IDX`
    Index = 0,
    /// `.UP`
    Up = 1,
    /// `.DOWN`
    Down = 2,
    /// `.BFLY`
    Butterfly = 3,
}

/// The clamp of [`shfl`] over a whole warp.
const fn clamp(mode: Shuffle) -> u16 {
    if matches!(mode, Shuffle::Up) { 0 } else { 0x1f }
}

/// `SHFL pd, d, a, b, clamp`: lane or distance in a register.
pub fn shfl(d: R, pd: P, mode: Shuffle, a: R, b: R) -> Code {
    let code = Code::new(0x189, form::C_IMM).dst(d).a(a).at(32, b.0);
    code.at(40, clamp(mode)).at(58, mode as u8).at(81, pd.index)
}

/// `SHFL PT, d, a, lane, clamp`: lane or distance below 32.
pub fn shfl_imm(d: R, mode: Shuffle, a: R, lane: u8) -> Code {
    let code = Code::new(0x189, form::C_UNIFORM).dst(d).a(a).at(40, clamp(mode));
    code.at(53, lane & 31).at(58, mode as u8).at(81, PT.index)
}
