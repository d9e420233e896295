//! Untyped buffer access.

use super::buffer;
use crate::format::Format as Encoding;
use crate::row::{Row, Unit};
use crate::sem::Does;
use crate::sem::atomic::{self as a, AtomicFn};
use crate::sem::buffer::BufferOp;
use crate::sem::buffer::Element::{self, Byte, Dwords, Format, Short};

const M: Encoding = Encoding::Mubuf;

const fn load(op: u16, name: &'static str, element: Element) -> Row {
    buffer::load(M, op, name, element)
}

/// Loads of a dword or less may go to LDS.
const fn small(op: u16, name: &'static str, element: Element) -> Row {
    Row { to_lds: true, ..load(op, name, element) }
}

const fn store(op: u16, name: &'static str, element: Element) -> Row {
    buffer::store(M, op, name, element)
}

const fn atomic(op: u16, name: &'static str, dwords: u8, f: AtomicFn) -> Row {
    buffer::atomic(op, name, dwords, 1, f)
}

/// Compare and swap: the new value and the one to compare with.
const fn compare(op: u16, name: &'static str, dwords: u8, f: AtomicFn) -> Row {
    buffer::atomic(op, name, dwords, 2, f)
}

const fn cache(op: u16, name: &'static str) -> Row {
    Row::new(M, op, name, Unit::Vmem).raises(1, 0, 0).does(Does::Buffer(BufferOp::Invalidate))
}

/// The table.
pub const ROWS: &[Row] = &[
    small(0, "buffer_load_format_x", Format(1)),
    load(1, "buffer_load_format_xy", Format(2)),
    load(2, "buffer_load_format_xyz", Format(3)),
    load(3, "buffer_load_format_xyzw", Format(4)),
    store(4, "buffer_store_format_x", Format(1)),
    store(5, "buffer_store_format_xy", Format(2)),
    store(6, "buffer_store_format_xyz", Format(3)),
    store(7, "buffer_store_format_xyzw", Format(4)),
    small(8, "buffer_load_ubyte", Byte(false)),
    small(9, "buffer_load_sbyte", Byte(true)),
    small(10, "buffer_load_ushort", Short(false)),
    small(11, "buffer_load_sshort", Short(true)),
    small(12, "buffer_load_dword", Dwords(1)),
    load(13, "buffer_load_dwordx2", Dwords(2)),
    load(14, "buffer_load_dwordx4", Dwords(4)),
    store(24, "buffer_store_byte", Byte(false)),
    store(26, "buffer_store_short", Short(false)),
    store(28, "buffer_store_dword", Dwords(1)),
    store(29, "buffer_store_dwordx2", Dwords(2)),
    store(30, "buffer_store_dwordx4", Dwords(4)),
    atomic(48, "buffer_atomic_swap", 1, a::swap),
    compare(49, "buffer_atomic_cmpswap", 1, a::compare_swap),
    atomic(50, "buffer_atomic_add", 1, a::add32),
    atomic(51, "buffer_atomic_sub", 1, a::sub32),
    atomic(52, "buffer_atomic_rsub", 1, a::rsub32),
    atomic(53, "buffer_atomic_smin", 1, a::min_i32),
    atomic(54, "buffer_atomic_umin", 1, a::min_u),
    atomic(55, "buffer_atomic_smax", 1, a::max_i32),
    atomic(56, "buffer_atomic_umax", 1, a::max_u),
    atomic(57, "buffer_atomic_and", 1, a::and),
    atomic(58, "buffer_atomic_or", 1, a::or),
    atomic(59, "buffer_atomic_xor", 1, a::xor),
    atomic(60, "buffer_atomic_inc", 1, a::inc),
    atomic(61, "buffer_atomic_dec", 1, a::dec),
    compare(62, "buffer_atomic_fcmpswap", 1, a::compare_swap_f32),
    atomic(63, "buffer_atomic_fmin", 1, a::min_f32),
    atomic(64, "buffer_atomic_fmax", 1, a::max_f32),
    atomic(80, "buffer_atomic_swap_x2", 2, a::swap),
    compare(81, "buffer_atomic_cmpswap_x2", 2, a::compare_swap),
    atomic(82, "buffer_atomic_add_x2", 2, a::add64),
    atomic(83, "buffer_atomic_sub_x2", 2, a::sub64),
    atomic(84, "buffer_atomic_rsub_x2", 2, a::rsub64),
    atomic(85, "buffer_atomic_smin_x2", 2, a::min_i64),
    atomic(86, "buffer_atomic_umin_x2", 2, a::min_u),
    atomic(87, "buffer_atomic_smax_x2", 2, a::max_i64),
    atomic(88, "buffer_atomic_umax_x2", 2, a::max_u),
    atomic(89, "buffer_atomic_and_x2", 2, a::and),
    atomic(90, "buffer_atomic_or_x2", 2, a::or),
    atomic(91, "buffer_atomic_xor_x2", 2, a::xor),
    atomic(92, "buffer_atomic_inc_x2", 2, a::inc),
    atomic(93, "buffer_atomic_dec_x2", 2, a::dec),
    compare(94, "buffer_atomic_fcmpswap_x2", 2, a::compare_swap_f64),
    atomic(95, "buffer_atomic_fmin_x2", 2, a::min_f64),
    atomic(96, "buffer_atomic_fmax_x2", 2, a::max_f64),
    cache(112, "buffer_wbinvl1_sc"),
    cache(113, "buffer_wbinvl1"),
];
