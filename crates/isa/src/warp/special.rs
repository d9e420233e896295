//! Special registers.

use crate::windows::Windows;
use crate::{Lanes, Results, SpecialReg, WARP};

/// What special registers say about where and when a warp runs.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Thread coordinates.
    pub tid: &'a [Lanes; 3],
    /// CTA coordinates.
    pub ctaid: [u32; 3],
    /// Block dimensions.
    pub block: [u32; 3],
    /// Address windows.
    pub windows: Windows,
    /// Shared bytes of the CTA.
    pub shared_bytes: u32,
    /// Number of the SM.
    pub sm: u32,
    /// Where in the SM the warp lives.
    pub warp_slot: u32,
    /// Cycles.
    pub clock: u64,
    /// Nanoseconds.
    pub global_timer: u64,
}

/// Reads a special register for all lanes.
pub(super) fn read(env: &Env<'_>, sr: SpecialReg, results: &mut Results) {
    let all = |v: u32| [v; WARP];
    let lane = |f: fn(u32) -> u32| -> Lanes { std::array::from_fn(|l| f(l as u32)) };
    let [bx, by, bz] = env.block;
    let tid = env.tid;
    results.d[1] = all(0);
    results.d[0] = match sr {
        SpecialReg::LaneId => lane(|l| l),
        SpecialReg::TidX => tid[0],
        SpecialReg::TidY => tid[1],
        SpecialReg::TidZ => tid[2],
        SpecialReg::Tid => std::array::from_fn(|l| tid[0][l] | tid[1][l] << 16 | tid[2][l] << 26),
        SpecialReg::CtaidX => all(env.ctaid[0]),
        SpecialReg::CtaidY => all(env.ctaid[1]),
        SpecialReg::CtaidZ => all(env.ctaid[2]),
        SpecialReg::Ntid => all(bx | by << 16 | bz << 26),
        SpecialReg::EqMask => lane(|l| 1 << l),
        SpecialReg::LtMask => lane(|l| (1 << l) - 1),
        SpecialReg::LeMask => lane(|l| u32::MAX >> (31 - l)),
        SpecialReg::GtMask => lane(|l| !(u32::MAX >> (31 - l))),
        SpecialReg::GeMask => lane(|l| !((1 << l) - 1)),
        // Compiled code takes %warpid from bits 8-14 and %smid from bits 20-28.
        SpecialReg::VirtId => all(env.warp_slot << 8 | env.sm << 20),
        // Hopper code takes %smid from here.
        SpecialReg::VirtualSm => all(env.sm),
        // Hopper code takes %nwarpid, the warp slots of an SM, from bits 8-15; that
        // of CUDA 11 takes the whole register for it.
        SpecialReg::VirtCfg => all(64 << 8),
        // Kepler's code takes %nsmid from bits 20-28. It may be more than there
        // are; as many as there are numbers, whatever the chip.
        SpecialReg::VirtLimits => all(64 << 8 | 0x1ff << 20),
        SpecialReg::SharedWindowLo => all(env.windows.shared as u32),
        SpecialReg::SharedWindowHi => all((env.windows.shared >> 32) as u32),
        SpecialReg::LocalWindowLo => all(env.windows.local as u32),
        SpecialReg::LocalWindowHi => all((env.windows.local >> 32) as u32),
        SpecialReg::SharedSize => all(env.shared_bytes),
        SpecialReg::ClockLo => {
            results.d[1] = all((env.clock >> 32) as u32);
            all(env.clock as u32)
        }
        SpecialReg::ClockHi => all((env.clock >> 32) as u32),
        SpecialReg::GlobalTimerLo => {
            results.d[1] = all((env.global_timer >> 32) as u32);
            all(env.global_timer as u32)
        }
        SpecialReg::GlobalTimerHi => all((env.global_timer >> 32) as u32),
        SpecialReg::Zero | SpecialReg::Other(_) => all(0),
    };
}
