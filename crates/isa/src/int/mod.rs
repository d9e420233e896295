//! Integer, logic, bit and cross-lane arithmetic, bit-exact.
//!
//! Every function is a warp-wide [`AluFn`](crate::AluFn): a loop over lanes
//! without branches that depend on data, so that it vectorises. Where an
//! operation has common plain forms, each has its own function and whoever
//! lowers an instruction picks it once; the general form takes its modifiers
//! in `mods`, with the bit assignments given beside it.
//!
//! Facts about carries, compares and shifts: Mesa's NAK compiler (constant
//! folding, checked on hardware there) and NVIDIA's PTX ISA.

pub mod add;
pub mod bits;
pub mod carry;
pub mod compare;
pub mod dot;
pub mod extreme;
pub mod logic;
pub mod mul;
pub mod permute;
pub mod select;
pub mod shift;
pub mod warp;

use crate::{Lanes, Mask, WARP};

/// The bit of each lane in a [`Mask`]. Not a constant: folding it into the
/// code would unroll the loops that should vectorise.
pub(crate) static LANE_BIT: Lanes = {
    let mut bits = [0; WARP];
    let mut lane = 0;
    while lane < WARP {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// 1 in the lanes of `mask`, 0 elsewhere.
#[inline(always)]
fn ones(mask: Mask) -> Lanes {
    let mut lanes = [0; WARP];
    for lane in 0..WARP {
        lanes[lane] = u32::from(mask & LANE_BIT[lane] != 0);
    }
    lanes
}

/// The lanes for which `f` holds: select each lane's bit, then join four at a
/// time. Both loops vectorise where a shift by the lane number would not.
#[inline(always)]
fn mask_where(f: impl Fn(usize) -> bool) -> Mask {
    let mut bits = [0; WARP];
    for lane in 0..WARP {
        bits[lane] = if f(lane) { LANE_BIT[lane] } else { 0 };
    }
    let mut four = [0; 4];
    for row in bits.chunks_exact(4) {
        for (all, bit) in four.iter_mut().zip(row) {
            *all |= bit;
        }
    }
    four[0] | four[1] | four[2] | four[3]
}

/// True if bit `n` of `mods` is set.
#[inline]
fn has(mods: u32, n: u32) -> bool {
    mods >> n & 1 == 1
}

#[cfg(test)]
mod testing;
