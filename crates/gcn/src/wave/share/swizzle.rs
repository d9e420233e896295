//! Lanes exchange values.

use upset_lanes::{Lanes, WARP};

use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::wave::Operands;

/// The lane that a lane gets its value from. The offset has either four lanes
/// of a quad or masks for AND, OR and XOR within a half (CLRX, `DS_SWIZZLE_B32`).
pub const fn source_lane(offset: u16, lane: usize) -> usize {
    let offset = offset as usize;
    if offset >> 15 == 1 {
        lane & !3 | offset >> (2 * (lane & 3)) & 3
    } else {
        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10 & 31);
        lane & 32 | (lane & and | or) ^ xor
    }
}

/// The result of `ds_swizzle_b32`; a lane that does not execute gives zero.
pub fn swizzle(ops: &impl Operands, inst: &Inst) -> [Lanes; 2] {
    let mut result = [[0; WARP]; 2];
    let (Operand::Vgpr(r), Detail::Share(share)) = (inst.src[0], inst.detail) else {
        return result;
    };
    let exec = ops.exec();
    for (half, row) in result.iter_mut().enumerate() {
        let values = ops.vgpr(u32::from(r), half);
        for (lane, value) in row.iter_mut().enumerate() {
            let from = source_lane(share.offset, 32 * half + lane);
            *value = if exec >> from & 1 == 1 { values[from % WARP] } else { 0 };
        }
    }
    result
}
