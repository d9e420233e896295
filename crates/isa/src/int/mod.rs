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
pub mod compare;
pub mod dot;
pub mod logic;
pub mod mul;
pub mod permute;
pub mod select;
pub mod shift;
pub mod warp;

use crate::{Lanes, Mask, WARP};

/// The bit of each lane in a [`Mask`].
const LANE_BIT: Lanes = {
    let mut bits = [0; WARP];
    let mut lane = 0;
    while lane < WARP {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// 1 in the lanes of `mask`, 0 elsewhere.
#[inline]
fn ones(mask: Mask) -> Lanes {
    LANE_BIT.map(|bit| u32::from(mask & bit != 0))
}

/// The lanes for which `f` holds. Bytes first, then eight bits per multiply:
/// the comparison vectorises and the packing has no branches.
#[inline]
fn mask_where(f: impl Fn(usize) -> bool) -> Mask {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut bytes = [0u8; WARP];
    for (lane, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from(f(lane));
    }
    let mut mask = 0;
    for (i, eight) in bytes.chunks_exact(8).enumerate() {
        let packed = eight.iter().rev().fold(0u64, |acc, &b| acc << 8 | u64::from(b));
        mask |= ((packed.wrapping_mul(GATHER) >> 56) as u32) << (8 * i);
    }
    mask
}

/// True if bit `n` of `mods` is set.
#[inline]
fn has(mods: u32, n: u32) -> bool {
    mods >> n & 1 == 1
}

#[cfg(test)]
mod testing;
