//! Scalar memory reads.

use crate::format::Format;
use crate::row::{B32, B64, B128, Place, Row, Slot, Unit, bits};
use crate::sem::Does;

/// One dword counts once, more count twice.
const fn read(op: u16, name: &'static str, dwords: u8, base: Slot) -> Row {
    Row::new(Format::Smrd, op, name, Unit::Smem)
        .dst(Place::Loaded.of(bits(dwords)))
        .src2(base, Place::Scalar.of(B32))
        .raises(0, if dwords == 1 { 1 } else { 2 }, 0)
}

const fn load(op: u16, name: &'static str, dwords: u8) -> Row {
    read(op, name, dwords, Place::Scalar.of(B64)).does(Does::ScalarRead { buffer: false })
}

const fn buffer(op: u16, name: &'static str, dwords: u8) -> Row {
    read(op, name, dwords, Place::Descriptor.of(B128)).does(Does::ScalarRead { buffer: true })
}

/// The table.
pub const ROWS: &[Row] = &[
    load(0, "s_load_dword", 1),
    load(1, "s_load_dwordx2", 2),
    load(2, "s_load_dwordx4", 4),
    load(3, "s_load_dwordx8", 8),
    load(4, "s_load_dwordx16", 16),
    buffer(8, "s_buffer_load_dword", 1),
    buffer(9, "s_buffer_load_dwordx2", 2),
    buffer(10, "s_buffer_load_dwordx4", 4),
    buffer(11, "s_buffer_load_dwordx8", 8),
    buffer(12, "s_buffer_load_dwordx16", 16),
    Row::new(Format::Smrd, 30, "s_memtime", Unit::Smem)
        .dst(Place::Loaded.of(B64))
        .raises(0, 2, 0)
        .does(Does::Time),
    Row::new(Format::Smrd, 31, "s_dcache_inv", Unit::Smem)
        .raises(0, 1, 0)
        .does(Does::InvalidateScalar),
];
