//! Operands that typed and untyped buffer instructions share.

use crate::format::Format;
use crate::row::{B32, B64, B128, NO, Place, Row, Slot, Specials, Unit, bits};

/// Address (none, one or two registers, as the flags say), descriptor, offset.
const fn sources(data: Slot) -> [Slot; 4] {
    [Place::Vector.of(B64), Place::Descriptor.of(B128), Place::ScalarInline.of(B32), data]
}

const fn bare(format: Format, op: u16, name: &'static str) -> Row {
    Row::new(format, op, name, Unit::Vmem).reads(Specials::EXEC)
}

/// A load of some dwords.
pub const fn load(format: Format, op: u16, name: &'static str, dwords: u8) -> Row {
    bare(format, op, name).dst(Place::Vector.of(bits(dwords))).src4(sources(NO)).raises(1, 0, 0)
}

/// A store of some dwords. On Southern Islands its data is read late.
pub const fn store(format: Format, op: u16, name: &'static str, dwords: u8) -> Row {
    bare(format, op, name).src4(sources(Place::Vector.of(bits(dwords)))).raises(1, 0, 1)
}

/// An atomic with some dwords of operands, which returns some when GLC is set.
pub const fn atomic(format: Format, op: u16, name: &'static str, data: u8, result: u8) -> Row {
    Row { returns_by_glc: true, ..store(format, op, name, data) }
        .dst(Place::Vector.of(bits(result)))
}
