//! What lanes bring to LDS.

use crate::inst::Inst;
use crate::operand::Operand;
use crate::row::Offsets;
use crate::sem::Does;
use crate::sem::share::ShareAccess;
use crate::wave::Operands;

/// A lane of a source of one register or two.
#[inline(always)]
fn lane_of(ops: &impl Operands, inst: &Inst, source: usize, lane: usize) -> u64 {
    let Operand::Vgpr(r) = inst.src[source] else { return 0 };
    let (r, half, lane) = (u32::from(r), lane / 32, lane % 32);
    let low = u64::from(ops.vgpr(r, half)[lane]);
    match inst.row.src[source].kind.dwords {
        0 | 1 => low,
        _ => low | u64::from(ops.vgpr(r + 1, half)[lane]) << 32,
    }
}

/// Which source an element's operand is. With one offset and two operands the
/// second is what is stored.
#[inline(always)]
pub fn data_source(inst: &Inst, element: usize) -> usize {
    match (inst.row.offsets, inst.src[2]) {
        (Offsets::Two, _) => 1 + element.min(1),
        (Offsets::One, Operand::None) => 1,
        (Offsets::One, _) => 2,
    }
}

/// The operand of a lane for an element. Of a counter it is the number of
/// active lanes.
#[inline]
pub fn data(ops: &impl Operands, inst: &Inst, element: usize, lane: usize) -> u64 {
    match inst.row.does {
        Does::Share(op) if matches!(op.access, ShareAccess::Count(_)) => {
            u64::from(ops.exec().count_ones())
        }
        _ => lane_of(ops, inst, data_source(inst, element), lane),
    }
}

/// What a lane compares with, or its mask; zero where there is none.
#[inline]
pub fn compare(ops: &impl Operands, inst: &Inst, lane: usize) -> u64 {
    match (inst.row.offsets, inst.src[2]) {
        (Offsets::One, Operand::Vgpr(_)) => lane_of(ops, inst, 1, lane),
        _ => 0,
    }
}
