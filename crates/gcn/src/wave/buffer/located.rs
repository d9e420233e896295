//! Where an access to a buffer goes.

use upset_lanes::{Lanes, WARP};

use super::operands::{descriptor, shape};
use super::operation::operation;
use crate::inst::{Buffer, Detail, Inst};
use crate::operand::Operand;
use crate::sem::buffer::{BufferOp, Element};
use crate::sem::descriptor::Descriptor;
use crate::sem::texel::Shape;
use crate::trap::TrapKind;
use crate::wave::each::mask_of;
use crate::wave::{Operands, WAVE, scalar32};

/// Where an access to a buffer goes.
#[derive(Clone, Debug)]
pub struct Located {
    /// Lanes that access memory.
    pub lanes: u64,
    /// Lanes that execute but are out of range: loads give
    /// [`Shape::outside`], stores and atomics do nothing.
    pub dead: u64,
    /// Lanes of those that access memory whose last dwords are out of range:
    /// these are zero, or not stored.
    pub short: u64,
    /// Addresses.
    pub addrs: [u64; WAVE],
    /// Bytes of each lane.
    pub bytes: u8,
    /// What the bytes are.
    pub shape: Shape,
    reach: [u8; WAVE],
}

impl Located {
    /// Bytes that a lane accesses.
    #[inline(always)]
    pub fn reach(&self, lane: usize) -> usize {
        let short = self.short >> lane & 1 == 1;
        usize::from(if short { self.reach[lane] } else { self.bytes })
    }
}

/// Where an access goes.
///
/// Formulas are those of CLRX ("Buffer addressing"), after AMD's Southern
/// Islands manual: indices and offsets have 32 bits and wrap, addresses 64.
#[inline]
pub fn locate(ops: &impl Operands, inst: &Inst) -> Result<Located, TrapKind> {
    let op = operation(inst)?;
    let v = descriptor(ops, inst);
    let shape = shape(op, inst, &v);
    let exec = ops.exec();
    let mut located = Located {
        lanes: 0,
        dead: 0,
        short: 0,
        addrs: [0; WAVE],
        bytes: shape.bytes(),
        shape,
        reach: [0; WAVE],
    };
    let Detail::Buffer(b) = inst.detail else { return Ok(located) };
    if shape == Shape::Invalid {
        located.dead = exec;
        return Ok(located);
    }
    let align = match op {
        // One that goes beyond a line could not be done in one go.
        BufferOp::Atomic { bytes, .. } => u64::from(bytes),
        _ => shape.alignment(),
    };
    let access = Access {
        b,
        v,
        soffset: scalar32(ops, inst.src[2]),
        keep: !(align - 1),
        each_dword: checks_each_dword(op),
    };
    let register = match inst.src[0] {
        Operand::Vgpr(r) => u32::from(r),
        _ => 0,
    };
    if b.addr64 {
        access.wide(ops, register, &mut located);
        located.lanes = exec;
        return Ok(located);
    }
    let plain = v.stride == 0 && !(v.swizzle || v.add_tid || b.idxen);
    let inside = if plain {
        access.raw(ops, register, &mut located)
    } else {
        access.records(ops, register, &mut located)
    };
    located.lanes = exec & inside;
    located.dead = exec & !inside;
    located.short &= located.lanes;
    Ok(located)
}

static ZERO: Lanes = [0; WARP];

/// What is the same for all lanes.
struct Access {
    b: Buffer,
    v: Descriptor,
    soffset: u32,
    /// Bits of an address that count.
    keep: u64,
    /// The range is checked for each dword.
    each_dword: bool,
}

impl Access {
    fn base(&self) -> u64 {
        self.v.base.wrapping_add(u64::from(self.soffset))
    }

    /// An address in two registers: no range is checked.
    #[inline]
    fn wide(&self, ops: &impl Operands, register: u32, located: &mut Located) {
        let base = self.base().wrapping_add(u64::from(self.b.offset));
        for (half, addrs) in located.addrs.chunks_exact_mut(WARP).enumerate() {
            let (low, high) = (ops.vgpr(register, half), ops.vgpr(register + 1, half));
            for (lane, addr) in addrs.iter_mut().enumerate() {
                let own = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                *addr = base.wrapping_add(own) & self.keep;
            }
        }
    }

    /// Bytes that a raw buffer has beyond the scalar offset. The difference
    /// wraps, so that an offset beyond the end lifts the limit: ACO and LLVM
    /// report that a scalar offset can prevent clamping on this generation.
    fn raw_limit(&self) -> u32 {
        self.v.records.wrapping_sub(self.soffset)
    }

    /// A raw buffer: no records, no index. The mask is of lanes in range.
    #[inline]
    fn raw(&self, ops: &impl Operands, register: u32, located: &mut Located) -> u64 {
        let (base, limit, imm) = (self.base(), self.raw_limit(), u32::from(self.b.offset));
        let mut inside = 0;
        let mut offsets = [imm; WAVE];
        for half in 0..2 {
            let own = if self.b.offen { ops.vgpr(register, half) } else { &ZERO };
            let offsets = &mut offsets[WARP * half..][..WARP];
            let addrs = &mut located.addrs[WARP * half..][..WARP];
            let mut mask = 0;
            for lane in 0..WARP {
                let offset = imm.wrapping_add(own[lane]);
                offsets[lane] = offset;
                addrs[lane] = base.wrapping_add(u64::from(offset)) & self.keep;
                mask |= u32::from(offset < limit) << lane;
            }
            inside |= u64::from(mask) << (WARP * half);
        }
        if self.each_dword {
            cut(located, |lane| limit.saturating_sub(offsets[lane]));
        }
        inside
    }

    /// A buffer of records, or one whose lanes have an index of their own.
    fn records(&self, ops: &impl Operands, register: u32, located: &mut Located) -> u64 {
        let (b, v) = (&self.b, &self.v);
        let (base, limit) = (self.base(), self.raw_limit());
        let offset_register = register + u32::from(b.idxen);
        let indexed = b.idxen || v.add_tid;
        let mut room = [u32::MAX; WAVE];
        let mut valid = [true; WAVE];
        for lane in 0..WAVE {
            let of = |on: bool, r: u32| if on { ops.vgpr(r, lane / WARP)[lane % WARP] } else { 0 };
            let offset = u32::from(b.offset).wrapping_add(of(b.offen, offset_register));
            let tid = if v.add_tid { lane as u32 } else { 0 };
            let index = of(b.idxen, register).wrapping_add(tid);
            let within = within(v, index, offset);
            located.addrs[lane] = base.wrapping_add(u64::from(within)) & self.keep;
            if v.stride == 0 {
                room[lane] = limit.saturating_sub(within);
            } else {
                valid[lane] = index < v.records;
                if indexed {
                    room[lane] = v.stride.saturating_sub(offset);
                }
            }
        }
        if self.each_dword {
            cut(located, |lane| room[lane]);
        }
        mask_of(|lane| valid[lane] && room[lane] != 0)
    }
}

/// Where a record's byte is in a buffer.
#[inline]
fn within(v: &Descriptor, index: u32, offset: u32) -> u32 {
    if !v.swizzle {
        return index.wrapping_mul(v.stride).wrapping_add(offset);
    }
    let (group, member) = (index / v.index_stride, index % v.index_stride);
    let (row, byte) = (offset / v.element * v.element, offset % v.element);
    let rows = group.wrapping_mul(v.stride).wrapping_add(row);
    rows.wrapping_mul(v.index_stride).wrapping_add(member * v.element).wrapping_add(byte)
}

/// Ranges are checked for each dword where dwords are moved as they are, and
/// once where a format or an atomic wants all or nothing (AMD's GCN3 manual,
/// "Range checking"; the same is taken for Southern Islands).
const fn checks_each_dword(op: BufferOp) -> bool {
    matches!(op, BufferOp::Load(Element::Dwords(2..)) | BufferOp::Store(Element::Dwords(2..)))
}

/// Keeps the dwords that begin within the room that a lane has.
fn cut(located: &mut Located, room: impl Fn(usize) -> u32) {
    let bytes = u32::from(located.bytes);
    for lane in 0..WAVE {
        let fits = room(lane).min(bytes).next_multiple_of(4).min(bytes);
        located.reach[lane] = fits as u8;
    }
    let reach = &located.reach;
    located.short = mask_of(|lane| u32::from(reach[lane]) < bytes);
}
