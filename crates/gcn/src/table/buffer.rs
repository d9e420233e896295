//! Operands that typed and untyped buffer instructions share.

use crate::format::Format;
use crate::row::{B32, B64, B128, NO, Place, Row, Slot, Specials, Unit, bits};
use crate::sem::Does;
use crate::sem::atomic::AtomicFn;
use crate::sem::buffer::{BufferOp, Element};

/// Address (none, one or two registers, as the flags say), descriptor, offset.
const fn sources(data: Slot) -> [Slot; 4] {
    [Place::Vector.of(B64), Place::Descriptor.of(B128), Place::ScalarInline.of(B32), data]
}

const fn bare(format: Format, op: u16, name: &'static str) -> Row {
    Row::new(format, op, name, Unit::Vmem).reads(Specials::EXEC)
}

/// Registers that an element takes.
const fn registers(element: Element) -> u8 {
    match element {
        Element::Byte(_) | Element::Short(_) => 1,
        Element::Dwords(n) | Element::Format(n) | Element::Typed(n) => n,
    }
}

/// A load.
pub const fn load(format: Format, op: u16, name: &'static str, element: Element) -> Row {
    bare(format, op, name)
        .dst(Place::Vector.of(bits(registers(element))))
        .src4(sources(NO))
        .raises(1, 0, 0)
        .does(Does::Buffer(BufferOp::Load(element)))
}

/// Operands in some registers. On Southern Islands they are read late.
const fn put(format: Format, op: u16, name: &'static str, dwords: u8) -> Row {
    bare(format, op, name).src4(sources(Place::Vector.of(bits(dwords)))).raises(1, 0, 1)
}

/// A store.
pub const fn store(format: Format, op: u16, name: &'static str, element: Element) -> Row {
    put(format, op, name, registers(element)).does(Does::Buffer(BufferOp::Store(element)))
}

/// An atomic on an element of one dword or two, with as many operands, which
/// returns the old value when GLC is set.
pub const fn atomic(op: u16, name: &'static str, dwords: u8, operands: u8, f: AtomicFn) -> Row {
    Row { returns_by_glc: true, ..put(Format::Mubuf, op, name, operands * dwords) }
        .dst(Place::Vector.of(bits(dwords)))
        .does(Does::Buffer(BufferOp::Atomic { f, bytes: 4 * dwords }))
}
