//! Special registers: `S2R`, `S2UR`, `CS2R`.

use upset_isa::{Exec, Inst, SpecialReg, Width};

use super::operands::{W, uniform_dst};
use crate::{Fields, LowerError};

/// The special register of an index (the same on all architectures here).
pub fn special_register(index: u8) -> SpecialReg {
    match index {
        0 => SpecialReg::LaneId,
        1 | 80 => SpecialReg::ClockLo,
        2 => SpecialReg::VirtCfg,
        3 => SpecialReg::VirtId,
        32 => SpecialReg::Tid,
        33 => SpecialReg::TidX,
        34 => SpecialReg::TidY,
        35 => SpecialReg::TidZ,
        37 => SpecialReg::CtaidX,
        38 => SpecialReg::CtaidY,
        39 => SpecialReg::CtaidZ,
        40 => SpecialReg::Ntid,
        46 => SpecialReg::LocalWindowHi,
        47 => SpecialReg::SharedWindowHi,
        48 => SpecialReg::SharedWindowLo,
        50 => SpecialReg::SharedSize,
        52 => SpecialReg::LocalWindowLo,
        56 => SpecialReg::EqMask,
        57 => SpecialReg::LtMask,
        58 => SpecialReg::LeMask,
        59 => SpecialReg::GtMask,
        60 => SpecialReg::GeMask,
        67 => SpecialReg::VirtualSm,
        81 => SpecialReg::ClockHi,
        82 => SpecialReg::GlobalTimerLo,
        83 => SpecialReg::GlobalTimerHi,
        255 => SpecialReg::Zero,
        n => SpecialReg::Other(n),
    }
}

fn read(f: &Fields) -> Inst {
    f.inst(Exec::Special(special_register(f.bits(72, 8) as u8)))
}

/// `S2R`.
pub fn s2r(f: &Fields) -> Result<Inst, LowerError> {
    Ok(Inst { dst: f.rd(W)?, ..read(f) })
}

/// `S2UR`.
pub fn s2ur(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = read(f);
    (i.uniform, i.guard.uniform) = (true, true);
    i.dst = uniform_dst(f, W)?;
    Ok(i)
}

/// `CS2R`: 64 bits unless `.32`.
pub fn cs2r(f: &Fields) -> Result<Inst, LowerError> {
    let width = if f.bit(80) { Width::W2 } else { W };
    Ok(Inst { dst: f.rd(width)?, ..read(f) })
}
