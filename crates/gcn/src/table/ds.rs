//! Local and global data share.

use crate::format::Format;
use crate::row::{B32, B64, B128, Kind, Offsets, Place, Row, Specials, Unit};

/// On Southern Islands M0 bounds every access.
const fn bare(op: u16, name: &'static str) -> Row {
    Row::new(Format::Ds, op, name, Unit::Lds).reads(Specials::M0.or(Specials::EXEC)).raises(0, 1, 0)
}

const fn address(op: u16, name: &'static str) -> Row {
    bare(op, name).src1(Place::Vector.of(B32))
}

const fn put(op: u16, name: &'static str, data: Kind) -> Row {
    bare(op, name).src2(Place::Vector.of(B32), Place::Vector.of(data))
}

const fn put2(op: u16, name: &'static str, data: Kind) -> Row {
    bare(op, name).src3(Place::Vector.of(B32), Place::Vector.of(data), Place::Vector.of(data))
}

const fn get(op: u16, name: &'static str, result: Kind) -> Row {
    address(op, name).dst(Place::Vector.of(result))
}

/// One operand, the old value returned.
const fn swap(op: u16, name: &'static str, data: Kind) -> Row {
    put(op, name, data).dst(Place::Vector.of(data))
}

/// Two operands, the old value returned.
const fn swap2(op: u16, name: &'static str, data: Kind, result: Kind) -> Row {
    put2(op, name, data).dst(Place::Vector.of(result))
}

/// Two elements at two offsets.
const fn two(row: Row) -> Row {
    Row { offsets: Offsets::Two, ..row }
}

/// Global synchronisation: barriers and semaphores of the whole chip.
const fn global(row: Row) -> Row {
    Row { global_only: true, ..row.not_implemented() }
}

/// The table.
pub const ROWS: &[Row] = &[
    put(0, "ds_add_u32", B32),
    put(1, "ds_sub_u32", B32),
    put(2, "ds_rsub_u32", B32),
    put(3, "ds_inc_u32", B32),
    put(4, "ds_dec_u32", B32),
    put(5, "ds_min_i32", B32),
    put(6, "ds_max_i32", B32),
    put(7, "ds_min_u32", B32),
    put(8, "ds_max_u32", B32),
    put(9, "ds_and_b32", B32),
    put(10, "ds_or_b32", B32),
    put(11, "ds_xor_b32", B32),
    put2(12, "ds_mskor_b32", B32),
    put(13, "ds_write_b32", B32),
    two(put2(14, "ds_write2_b32", B32)),
    two(put2(15, "ds_write2st64_b32", B32)),
    put2(16, "ds_cmpst_b32", B32),
    put2(17, "ds_cmpst_f32", B32),
    put(18, "ds_min_f32", B32),
    put(19, "ds_max_f32", B32),
    global(address(25, "ds_gws_init")),
    global(bare(26, "ds_gws_sema_v")),
    global(address(27, "ds_gws_sema_br")),
    global(bare(28, "ds_gws_sema_p")),
    global(address(29, "ds_gws_barrier")),
    put(30, "ds_write_b8", B32),
    put(31, "ds_write_b16", B32),
    swap(32, "ds_add_rtn_u32", B32),
    swap(33, "ds_sub_rtn_u32", B32),
    swap(34, "ds_rsub_rtn_u32", B32),
    swap(35, "ds_inc_rtn_u32", B32),
    swap(36, "ds_dec_rtn_u32", B32),
    swap(37, "ds_min_rtn_i32", B32),
    swap(38, "ds_max_rtn_i32", B32),
    swap(39, "ds_min_rtn_u32", B32),
    swap(40, "ds_max_rtn_u32", B32),
    swap(41, "ds_and_rtn_b32", B32),
    swap(42, "ds_or_rtn_b32", B32),
    swap(43, "ds_xor_rtn_b32", B32),
    swap2(44, "ds_mskor_rtn_b32", B32, B32),
    swap(45, "ds_wrxchg_rtn_b32", B32),
    two(swap2(46, "ds_wrxchg2_rtn_b32", B32, B64)),
    two(swap2(47, "ds_wrxchg2st64_rtn_b32", B32, B64)),
    swap2(48, "ds_cmpst_rtn_b32", B32, B32),
    swap2(49, "ds_cmpst_rtn_f32", B32, B32),
    swap(50, "ds_min_rtn_f32", B32),
    swap(51, "ds_max_rtn_f32", B32),
    get(53, "ds_swizzle_b32", B32),
    get(54, "ds_read_b32", B32),
    two(get(55, "ds_read2_b32", B64)),
    two(get(56, "ds_read2st64_b32", B64)),
    get(57, "ds_read_i8", B32),
    get(58, "ds_read_u8", B32),
    get(59, "ds_read_i16", B32),
    get(60, "ds_read_u16", B32),
    bare(61, "ds_consume").dst(Place::Vector.of(B32)),
    bare(62, "ds_append").dst(Place::Vector.of(B32)),
    global(get(63, "ds_ordered_count", B32)),
    put(64, "ds_add_u64", B64),
    put(65, "ds_sub_u64", B64),
    put(66, "ds_rsub_u64", B64),
    put(67, "ds_inc_u64", B64),
    put(68, "ds_dec_u64", B64),
    put(69, "ds_min_i64", B64),
    put(70, "ds_max_i64", B64),
    put(71, "ds_min_u64", B64),
    put(72, "ds_max_u64", B64),
    put(73, "ds_and_b64", B64),
    put(74, "ds_or_b64", B64),
    put(75, "ds_xor_b64", B64),
    put2(76, "ds_mskor_b64", B64),
    put(77, "ds_write_b64", B64),
    two(put2(78, "ds_write2_b64", B64)),
    two(put2(79, "ds_write2st64_b64", B64)),
    put2(80, "ds_cmpst_b64", B64),
    put2(81, "ds_cmpst_f64", B64),
    put(82, "ds_min_f64", B64),
    put(83, "ds_max_f64", B64),
    swap(96, "ds_add_rtn_u64", B64),
    swap(97, "ds_sub_rtn_u64", B64),
    swap(98, "ds_rsub_rtn_u64", B64),
    swap(99, "ds_inc_rtn_u64", B64),
    swap(100, "ds_dec_rtn_u64", B64),
    swap(101, "ds_min_rtn_i64", B64),
    swap(102, "ds_max_rtn_i64", B64),
    swap(103, "ds_min_rtn_u64", B64),
    swap(104, "ds_max_rtn_u64", B64),
    swap(105, "ds_and_rtn_b64", B64),
    swap(106, "ds_or_rtn_b64", B64),
    swap(107, "ds_xor_rtn_b64", B64),
    swap2(108, "ds_mskor_rtn_b64", B64, B64),
    swap(109, "ds_wrxchg_rtn_b64", B64),
    two(swap2(110, "ds_wrxchg2_rtn_b64", B64, B128)),
    two(swap2(111, "ds_wrxchg2st64_rtn_b64", B64, B128)),
    swap2(112, "ds_cmpst_rtn_b64", B64, B64),
    swap2(113, "ds_cmpst_rtn_f64", B64, B64),
    swap(114, "ds_min_rtn_f64", B64),
    swap(115, "ds_max_rtn_f64", B64),
    get(118, "ds_read_b64", B64),
    two(get(119, "ds_read2_b64", B128)),
    two(get(120, "ds_read2st64_b64", B128)),
    address(128, "ds_add_src2_u32"),
    address(129, "ds_sub_src2_u32"),
    address(130, "ds_rsub_src2_u32"),
    address(131, "ds_inc_src2_u32"),
    address(132, "ds_dec_src2_u32"),
    address(133, "ds_min_src2_i32"),
    address(134, "ds_max_src2_i32"),
    address(135, "ds_min_src2_u32"),
    address(136, "ds_max_src2_u32"),
    address(137, "ds_and_src2_b32"),
    address(138, "ds_or_src2_b32"),
    address(139, "ds_xor_src2_b32"),
    address(141, "ds_write_src2_b32"),
    address(146, "ds_min_src2_f32"),
    address(147, "ds_max_src2_f32"),
    address(192, "ds_add_src2_u64"),
    address(193, "ds_sub_src2_u64"),
    address(194, "ds_rsub_src2_u64"),
    address(195, "ds_inc_src2_u64"),
    address(196, "ds_dec_src2_u64"),
    address(197, "ds_min_src2_i64"),
    address(198, "ds_max_src2_i64"),
    address(199, "ds_min_src2_u64"),
    address(200, "ds_max_src2_u64"),
    address(201, "ds_and_src2_b64"),
    address(202, "ds_or_src2_b64"),
    address(203, "ds_xor_src2_b64"),
    address(205, "ds_write_src2_b64"),
    address(210, "ds_min_src2_f64"),
    address(211, "ds_max_src2_f64"),
];
