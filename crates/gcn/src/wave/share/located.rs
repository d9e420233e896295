//! Where an access to LDS goes.

use super::operation::operation;
use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::row::Offsets;
use crate::sem::share::{ShareAccess, ShareOp};
use crate::trap::TrapKind;
use crate::wave::each::mask_of;
use crate::wave::{Operands, Reg, WAVE};

/// Where an access to LDS goes.
#[derive(Clone, Debug)]
pub struct Located {
    /// Lanes that execute: those that get a result.
    pub active: u64,
    /// Lanes that access each element: active and in range. What is out of
    /// range reads zero and writes nothing.
    pub lanes: [u64; 2],
    /// Byte addresses of each element from the beginning of the work-group's
    /// LDS on. Of `_src2` forms the second element is the operand.
    pub addrs: [[u32; WAVE]; 2],
    /// 1 or 2; none where nothing is accessed (`ds_swizzle_b32`).
    pub elements: usize,
    /// Bytes of an element.
    pub bytes: u8,
}

/// Where an access goes in LDS of so many bytes.
///
/// M0 is the limit, and so is what the work-group has (AMD, Southern Islands
/// manual). The adder of base and offset does not wrap: what goes beyond 32
/// bits is out of range, so offsets of a negative base are never right (LLVM
/// keeps them apart on Southern Islands for this). Low bits of addresses are
/// ignored, so elements are aligned by their size (CLRX).
#[inline]
pub fn locate(ops: &impl Operands, inst: &Inst, lds_bytes: u32) -> Result<Located, TrapKind> {
    let op = operation(inst)?;
    let exec = ops.exec();
    let mut located = Located {
        active: exec,
        lanes: [0; 2],
        addrs: [[0; WAVE]; 2],
        elements: 1,
        bytes: op.bytes,
    };
    let offset = match inst.detail {
        Detail::Share(share) => share.offset,
        _ => 0,
    };
    let limit = ops.scalar(Reg::M0).min(lds_bytes);
    match (op.access, inst.row.offsets) {
        (ShareAccess::Swizzle, _) => located.elements = 0,
        (ShareAccess::Count(_), _) => count(ops, u32::from(offset), lds_bytes, &mut located),
        (ShareAccess::FromLds(_), _) => from_lds(ops, inst, offset, limit, &mut located),
        (_, Offsets::One) => plain(ops, inst, op, [u32::from(offset), 0], limit, &mut located),
        (_, Offsets::Two) => {
            located.elements = 2;
            let offsets = offset.to_le_bytes().map(|step| u32::from(step) * u32::from(op.unit));
            plain(ops, inst, op, offsets, limit, &mut located);
        }
    }
    Ok(located)
}

/// A base in a register, and an offset for each element.
#[inline]
fn plain(
    ops: &impl Operands,
    inst: &Inst,
    op: ShareOp,
    offsets: [u32; 2],
    limit: u32,
    located: &mut Located,
) {
    let Operand::Vgpr(base) = inst.src[0] else { return };
    let size = u32::from(op.bytes);
    // The last address that an element can have; without one nothing is in range.
    let Some(last) = limit.checked_sub(size) else { return };
    for element in 0..located.elements {
        let offset = offsets[element];
        let addrs = &mut located.addrs[element];
        let mut inside = 0;
        for half in 0..2 {
            let base = ops.vgpr(u32::from(base), half);
            let mut mask = 0;
            for lane in 0..32 {
                let sum = base[lane].wrapping_add(offset);
                let aligned = sum & !(size - 1);
                addrs[32 * half + lane] = aligned;
                mask |= u32::from(sum >= offset && aligned <= last) << lane;
            }
            inside |= u64::from(mask) << (32 * half);
        }
        located.lanes[element] = inside & located.active;
    }
}

/// Two addresses from one register and the offset: the second is a signed
/// distance in dwords from the first. It stands in the offset or, where the
/// offset's highest bit is set, above 17 bits of address in the register (AMD,
/// Southern Islands manual, "DS opcodes with _SRC2"; CLRX has the same without
/// the sign).
fn from_lds(ops: &impl Operands, inst: &Inst, offset: u16, limit: u32, located: &mut Located) {
    let Operand::Vgpr(base) = inst.src[0] else { return };
    located.elements = 2;
    let size = i64::from(located.bytes);
    let far = |distance: u32| i64::from((distance << 17) as i32 >> 17) * 4;
    let pair = |value: u32| {
        let (first, distance) = if offset >> 15 == 1 {
            (value & 0x1_ffff, far(value >> 17))
        } else {
            (value, far(u32::from(offset)))
        };
        let first = i64::from(first) & -size;
        [first, (first + distance) & -size]
    };
    let all: [[i64; 2]; WAVE] =
        std::array::from_fn(|lane| pair(ops.vgpr(u32::from(base), lane / 32)[lane % 32]));
    for element in 0..2 {
        for lane in 0..WAVE {
            located.addrs[element][lane] = all[lane][element] as u32;
        }
        let inside = |at: i64| at >= 0 && at + size <= i64::from(limit);
        located.lanes[element] = located.active & mask_of(|lane| inside(all[lane][element]));
    }
}

/// One counter for all lanes, which the first of them accesses. Its address is
/// M0 and the offset (LLVM; AMD's later manuals): M0 is no limit here.
fn count(ops: &impl Operands, offset: u32, lds_bytes: u32, located: &mut Located) {
    let at = ((ops.scalar(Reg::M0) & 0xffff) + offset) & !3;
    let first = located.active & located.active.wrapping_neg();
    located.addrs[0] = [at; WAVE];
    located.lanes[0] = if u64::from(at) + 4 <= u64::from(lds_bytes) { first } else { 0 };
}
