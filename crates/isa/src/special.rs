//! Special registers (`S2R`, `S2UR`, `CS2R`).

/// A special register the engines can produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialReg {
    /// `SR_LANEID`.
    LaneId,
    /// `SR_TID.X`.
    TidX,
    /// `SR_TID.Y`.
    TidY,
    /// `SR_TID.Z`.
    TidZ,
    /// `SR_TID`: packed x | y << 16 | z << 26.
    Tid,
    /// `SR_CTAID.X`.
    CtaidX,
    /// `SR_CTAID.Y`.
    CtaidY,
    /// `SR_CTAID.Z`.
    CtaidZ,
    /// `SR_NTID`.
    Ntid,
    /// `SR_EQMASK`.
    EqMask,
    /// `SR_LTMASK`.
    LtMask,
    /// `SR_LEMASK`.
    LeMask,
    /// `SR_GTMASK`.
    GtMask,
    /// `SR_GEMASK`.
    GeMask,
    /// `SR_VIRTID` (SM and warp slot).
    VirtId,
    /// `SR_VIRTUALSMID`: the SM alone.
    VirtualSm,
    /// `SR_VIRTCFG`.
    VirtCfg,
    /// `SR_VIRTCFG` of sm_35: how many warp slots and SMs can have numbers.
    VirtLimits,
    /// `SR_SWINLO`: low word of the shared window's generic address.
    SharedWindowLo,
    /// `SR_SWINHI`.
    SharedWindowHi,
    /// `SR_LWINLO`: low word of the local window's generic address.
    LocalWindowLo,
    /// `SR_LWINHI`.
    LocalWindowHi,
    /// `SR_SMEMSZ`.
    SharedSize,
    /// `SR_CLOCKLO` (and `CLOCK` as a 64-bit `CS2R`).
    ClockLo,
    /// `SR_CLOCKHI`.
    ClockHi,
    /// `SR_GLOBALTIMERLO` (64 bits as `CS2R`).
    GlobalTimerLo,
    /// `SR_GLOBALTIMERHI`.
    GlobalTimerHi,
    /// `SRZ`.
    Zero,
    /// Any other index: reads zero.
    Other(u8),
}

impl SpecialReg {
    /// Whether its value depends on when it is read.
    pub fn sees_time(self) -> bool {
        use SpecialReg::{ClockHi, ClockLo, GlobalTimerHi, GlobalTimerLo};
        matches!(self, ClockLo | ClockHi | GlobalTimerLo | GlobalTimerHi)
    }
}
