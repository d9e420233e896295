//! What an access to a buffer is about, and what lanes bring.

use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::sem::buffer::{BufferOp, Element};
use crate::sem::descriptor::Descriptor;
use crate::sem::texel::Shape;
use crate::wave::{Operands, Reg, WAVE};

/// The descriptor in the instruction's scalar registers.
#[inline]
pub fn descriptor(ops: &impl Operands, inst: &Inst) -> Descriptor {
    let word = |n| Reg::of(inst.src[1], n).map_or(0, |reg| ops.scalar(reg));
    Descriptor::of([word(0), word(1), word(2), word(3)])
}

/// What a lane moves; of atomics the element.
#[inline]
pub fn shape(op: BufferOp, inst: &Inst, v: &Descriptor) -> Shape {
    match op {
        BufferOp::Load(element) | BufferOp::Store(element) => match element {
            Element::Byte(signed) => Shape::Small { bytes: 1, signed },
            Element::Short(signed) => Shape::Small { bytes: 2, signed },
            Element::Dwords(n) => Shape::Dwords(n),
            Element::Format(n) => Shape::texel(v.dfmt, v.nfmt, v.select, n),
            Element::Typed(n) => match inst.detail {
                Detail::Buffer(b) => Shape::typed(b.dfmt, b.nfmt, n),
                _ => Shape::Invalid,
            },
        },
        BufferOp::Atomic { bytes, .. } => Shape::Dwords(bytes / 4),
        BufferOp::Invalidate => Shape::Invalid,
    }
}

/// A lane of the data registers.
#[inline]
pub fn words(ops: &impl Operands, inst: &Inst, lane: usize) -> [u32; 4] {
    let Operand::Vgpr(r) = inst.src[3] else { return [0; 4] };
    let count = u32::from(inst.row.src[3].kind.dwords);
    let word = |n| if n < count { ops.vgpr(u32::from(r) + n, lane / 32)[lane % 32] } else { 0 };
    [word(0), word(1), word(2), word(3)]
}

/// The operand of a lane's atomic and what it compares with, if it does.
#[inline]
pub fn operands(ops: &impl Operands, inst: &Inst, bytes: u8, lane: usize) -> (u64, u64) {
    let [a, b, c, d] = words(ops, inst, lane).map(u64::from);
    if bytes == 8 { (a | b << 32, c | d << 32) } else { (a, b) }
}

/// Where lanes of a load to LDS put their dwords, from the beginning of the
/// work-group's LDS on (AMD, Southern Islands manual, "Memory Buffer Load to
/// LDS"; CLRX has no instruction offset there). M0 is read at issue.
pub fn lds_addresses(m0: u32, inst: &Inst) -> [u32; WAVE] {
    let offset = match inst.detail {
        Detail::Buffer(b) => u32::from(b.offset),
        _ => 0,
    };
    let first = (m0 & 0xffff) + offset;
    std::array::from_fn(|lane| (first + 4 * lane as u32) & !3)
}
