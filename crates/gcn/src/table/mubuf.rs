//! Untyped buffer access.

use super::buffer;
use crate::format::Format;
use crate::row::{Row, Unit};

const M: Format = Format::Mubuf;

const fn load(op: u16, name: &'static str, dwords: u8) -> Row {
    buffer::load(M, op, name, dwords)
}

/// Loads of a dword or less may go to LDS.
const fn small(op: u16, name: &'static str) -> Row {
    Row { to_lds: true, ..load(op, name, 1) }
}

const fn store(op: u16, name: &'static str, dwords: u8) -> Row {
    buffer::store(M, op, name, dwords)
}

const fn atomic(op: u16, name: &'static str, dwords: u8) -> Row {
    buffer::atomic(M, op, name, dwords, dwords)
}

/// Compare and swap: the new value and the one to compare with.
const fn compare(op: u16, name: &'static str, dwords: u8) -> Row {
    buffer::atomic(M, op, name, 2 * dwords, dwords)
}

const fn cache(op: u16, name: &'static str) -> Row {
    Row::new(M, op, name, Unit::Vmem).raises(1, 0, 0)
}

/// The table.
pub const ROWS: &[Row] = &[
    small(0, "buffer_load_format_x"),
    load(1, "buffer_load_format_xy", 2),
    load(2, "buffer_load_format_xyz", 3),
    load(3, "buffer_load_format_xyzw", 4),
    store(4, "buffer_store_format_x", 1),
    store(5, "buffer_store_format_xy", 2),
    store(6, "buffer_store_format_xyz", 3),
    store(7, "buffer_store_format_xyzw", 4),
    small(8, "buffer_load_ubyte"),
    small(9, "buffer_load_sbyte"),
    small(10, "buffer_load_ushort"),
    small(11, "buffer_load_sshort"),
    small(12, "buffer_load_dword"),
    load(13, "buffer_load_dwordx2", 2),
    load(14, "buffer_load_dwordx4", 4),
    store(24, "buffer_store_byte", 1),
    store(26, "buffer_store_short", 1),
    store(28, "buffer_store_dword", 1),
    store(29, "buffer_store_dwordx2", 2),
    store(30, "buffer_store_dwordx4", 4),
    atomic(48, "buffer_atomic_swap", 1),
    compare(49, "buffer_atomic_cmpswap", 1),
    atomic(50, "buffer_atomic_add", 1),
    atomic(51, "buffer_atomic_sub", 1),
    atomic(52, "buffer_atomic_rsub", 1),
    atomic(53, "buffer_atomic_smin", 1),
    atomic(54, "buffer_atomic_umin", 1),
    atomic(55, "buffer_atomic_smax", 1),
    atomic(56, "buffer_atomic_umax", 1),
    atomic(57, "buffer_atomic_and", 1),
    atomic(58, "buffer_atomic_or", 1),
    atomic(59, "buffer_atomic_xor", 1),
    atomic(60, "buffer_atomic_inc", 1),
    atomic(61, "buffer_atomic_dec", 1),
    compare(62, "buffer_atomic_fcmpswap", 1),
    atomic(63, "buffer_atomic_fmin", 1),
    atomic(64, "buffer_atomic_fmax", 1),
    atomic(80, "buffer_atomic_swap_x2", 2),
    compare(81, "buffer_atomic_cmpswap_x2", 2),
    atomic(82, "buffer_atomic_add_x2", 2),
    atomic(83, "buffer_atomic_sub_x2", 2),
    atomic(84, "buffer_atomic_rsub_x2", 2),
    atomic(85, "buffer_atomic_smin_x2", 2),
    atomic(86, "buffer_atomic_umin_x2", 2),
    atomic(87, "buffer_atomic_smax_x2", 2),
    atomic(88, "buffer_atomic_umax_x2", 2),
    atomic(89, "buffer_atomic_and_x2", 2),
    atomic(90, "buffer_atomic_or_x2", 2),
    atomic(91, "buffer_atomic_xor_x2", 2),
    atomic(92, "buffer_atomic_inc_x2", 2),
    atomic(93, "buffer_atomic_dec_x2", 2),
    compare(94, "buffer_atomic_fcmpswap_x2", 2),
    atomic(95, "buffer_atomic_fmin_x2", 2),
    atomic(96, "buffer_atomic_fmax_x2", 2),
    cache(112, "buffer_wbinvl1_sc"),
    cache(113, "buffer_wbinvl1"),
];
