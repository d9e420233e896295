//! Local and global data share.

use crate::format::Format;
use crate::row::{B32, B64, Kind, Offsets, Place, Row, Slot, Specials, Unit, bits};
use crate::sem::Does;
use crate::sem::atomic::{self as a, AtomicFn};
use crate::sem::share::{ShareAccess, ShareOp};

/// On Southern Islands M0 bounds every access.
const fn bare(op: u16, name: &'static str) -> Row {
    Row::new(Format::Ds, op, name, Unit::Lds).reads(Specials::M0.or(Specials::EXEC)).raises(0, 1, 0)
}

const ADDRESS: Slot = Place::Vector.of(B32);

const fn address(op: u16, name: &'static str) -> Row {
    bare(op, name).src1(ADDRESS)
}

/// With a meaning: elements of so many bytes.
const fn does(row: Row, access: ShareAccess, bytes: u8) -> Row {
    row.does(Does::Share(ShareOp { access, bytes, unit: 1 }))
}

/// With a meaning, two elements at two offsets in units.
const fn two(row: Row, access: ShareAccess, bytes: u8, unit: u16) -> Row {
    let row = row.does(Does::Share(ShareOp { access, bytes, unit }));
    Row { offsets: Offsets::Two, ..row }
}

const fn size(data: Kind) -> u8 {
    4 * data.dwords
}

const fn pair(data: Kind) -> Slot {
    Place::Vector.of(bits(2 * data.dwords))
}

const fn put(op: u16, name: &'static str, data: Kind) -> Row {
    bare(op, name).src2(ADDRESS, Place::Vector.of(data))
}

const fn put2(op: u16, name: &'static str, data: Kind) -> Row {
    bare(op, name).src3(ADDRESS, Place::Vector.of(data), Place::Vector.of(data))
}

const fn write(op: u16, name: &'static str, data: Kind, bytes: u8) -> Row {
    does(put(op, name, data), ShareAccess::Write, bytes)
}

const fn write2(op: u16, name: &'static str, data: Kind, unit: u16) -> Row {
    two(put2(op, name, data), ShareAccess::Write, size(data), unit)
}

const fn read(op: u16, name: &'static str, bytes: u8, signed: bool) -> Row {
    let result = if bytes == 8 { B64 } else { B32 };
    let row = address(op, name).dst(Place::Vector.of(result));
    does(row, ShareAccess::Read { signed }, bytes)
}

const fn read2(op: u16, name: &'static str, data: Kind, unit: u16) -> Row {
    let row = address(op, name).dst(pair(data));
    two(row, ShareAccess::Read { signed: false }, size(data), unit)
}

/// An atomic with one operand.
const fn change(op: u16, name: &'static str, data: Kind, f: AtomicFn) -> Row {
    does(put(op, name, data), ShareAccess::Atomic(f), size(data))
}

/// An atomic with two operands, of which the first is compared or masks.
const fn change2(op: u16, name: &'static str, data: Kind, f: AtomicFn) -> Row {
    does(put2(op, name, data), ShareAccess::Atomic(f), size(data))
}

/// One operand, the old value returned.
const fn swap(op: u16, name: &'static str, data: Kind, f: AtomicFn) -> Row {
    change(op, name, data, f).dst(Place::Vector.of(data))
}

/// Two operands, the old value returned.
const fn swap2(op: u16, name: &'static str, data: Kind, f: AtomicFn) -> Row {
    change2(op, name, data, f).dst(Place::Vector.of(data))
}

/// Two elements exchanged.
const fn exchange2(op: u16, name: &'static str, data: Kind, unit: u16) -> Row {
    let row = put2(op, name, data).dst(pair(data));
    two(row, ShareAccess::Atomic(a::swap), size(data), unit)
}

/// Both operands are in LDS.
const fn from_lds(op: u16, name: &'static str, bytes: u8, f: AtomicFn) -> Row {
    does(address(op, name), ShareAccess::FromLds(f), bytes)
}

/// A counter that M0 and the offset name.
const fn count(op: u16, name: &'static str, f: AtomicFn) -> Row {
    does(bare(op, name).dst(Place::Vector.of(B32)), ShareAccess::Count(f), 4)
}

const fn swizzle(op: u16, name: &'static str) -> Row {
    does(address(op, name).dst(Place::Vector.of(B32)), ShareAccess::Swizzle, 4)
}

/// Global synchronisation: barriers and semaphores of the whole chip.
const fn global(row: Row) -> Row {
    Row { global_only: true, ..row.not_implemented() }
}

/// The table.
pub const ROWS: &[Row] = &[
    change(0, "ds_add_u32", B32, a::add32),
    change(1, "ds_sub_u32", B32, a::sub32),
    change(2, "ds_rsub_u32", B32, a::rsub32),
    change(3, "ds_inc_u32", B32, a::inc),
    change(4, "ds_dec_u32", B32, a::dec),
    change(5, "ds_min_i32", B32, a::min_i32),
    change(6, "ds_max_i32", B32, a::max_i32),
    change(7, "ds_min_u32", B32, a::min_u),
    change(8, "ds_max_u32", B32, a::max_u),
    change(9, "ds_and_b32", B32, a::and),
    change(10, "ds_or_b32", B32, a::or),
    change(11, "ds_xor_b32", B32, a::xor),
    change2(12, "ds_mskor_b32", B32, a::mskor),
    write(13, "ds_write_b32", B32, 4),
    write2(14, "ds_write2_b32", B32, 4),
    write2(15, "ds_write2st64_b32", B32, 256),
    change2(16, "ds_cmpst_b32", B32, a::compare_swap),
    change2(17, "ds_cmpst_f32", B32, a::compare_swap_f32),
    change(18, "ds_min_f32", B32, a::min_f32),
    change(19, "ds_max_f32", B32, a::max_f32),
    global(address(25, "ds_gws_init")),
    global(bare(26, "ds_gws_sema_v")),
    global(address(27, "ds_gws_sema_br")),
    global(bare(28, "ds_gws_sema_p")),
    global(address(29, "ds_gws_barrier")),
    write(30, "ds_write_b8", B32, 1),
    write(31, "ds_write_b16", B32, 2),
    swap(32, "ds_add_rtn_u32", B32, a::add32),
    swap(33, "ds_sub_rtn_u32", B32, a::sub32),
    swap(34, "ds_rsub_rtn_u32", B32, a::rsub32),
    swap(35, "ds_inc_rtn_u32", B32, a::inc),
    swap(36, "ds_dec_rtn_u32", B32, a::dec),
    swap(37, "ds_min_rtn_i32", B32, a::min_i32),
    swap(38, "ds_max_rtn_i32", B32, a::max_i32),
    swap(39, "ds_min_rtn_u32", B32, a::min_u),
    swap(40, "ds_max_rtn_u32", B32, a::max_u),
    swap(41, "ds_and_rtn_b32", B32, a::and),
    swap(42, "ds_or_rtn_b32", B32, a::or),
    swap(43, "ds_xor_rtn_b32", B32, a::xor),
    swap2(44, "ds_mskor_rtn_b32", B32, a::mskor),
    swap(45, "ds_wrxchg_rtn_b32", B32, a::swap),
    exchange2(46, "ds_wrxchg2_rtn_b32", B32, 4),
    exchange2(47, "ds_wrxchg2st64_rtn_b32", B32, 256),
    swap2(48, "ds_cmpst_rtn_b32", B32, a::compare_swap),
    swap2(49, "ds_cmpst_rtn_f32", B32, a::compare_swap_f32),
    swap(50, "ds_min_rtn_f32", B32, a::min_f32),
    swap(51, "ds_max_rtn_f32", B32, a::max_f32),
    swizzle(53, "ds_swizzle_b32"),
    read(54, "ds_read_b32", 4, false),
    read2(55, "ds_read2_b32", B32, 4),
    read2(56, "ds_read2st64_b32", B32, 256),
    read(57, "ds_read_i8", 1, true),
    read(58, "ds_read_u8", 1, false),
    read(59, "ds_read_i16", 2, true),
    read(60, "ds_read_u16", 2, false),
    count(61, "ds_consume", a::sub32),
    count(62, "ds_append", a::add32),
    global(address(63, "ds_ordered_count").dst(Place::Vector.of(B32))),
    change(64, "ds_add_u64", B64, a::add64),
    change(65, "ds_sub_u64", B64, a::sub64),
    change(66, "ds_rsub_u64", B64, a::rsub64),
    change(67, "ds_inc_u64", B64, a::inc),
    change(68, "ds_dec_u64", B64, a::dec),
    change(69, "ds_min_i64", B64, a::min_i64),
    change(70, "ds_max_i64", B64, a::max_i64),
    change(71, "ds_min_u64", B64, a::min_u),
    change(72, "ds_max_u64", B64, a::max_u),
    change(73, "ds_and_b64", B64, a::and),
    change(74, "ds_or_b64", B64, a::or),
    change(75, "ds_xor_b64", B64, a::xor),
    change2(76, "ds_mskor_b64", B64, a::mskor),
    write(77, "ds_write_b64", B64, 8),
    write2(78, "ds_write2_b64", B64, 8),
    write2(79, "ds_write2st64_b64", B64, 512),
    change2(80, "ds_cmpst_b64", B64, a::compare_swap),
    change2(81, "ds_cmpst_f64", B64, a::compare_swap_f64),
    change(82, "ds_min_f64", B64, a::min_f64),
    change(83, "ds_max_f64", B64, a::max_f64),
    swap(96, "ds_add_rtn_u64", B64, a::add64),
    swap(97, "ds_sub_rtn_u64", B64, a::sub64),
    swap(98, "ds_rsub_rtn_u64", B64, a::rsub64),
    swap(99, "ds_inc_rtn_u64", B64, a::inc),
    swap(100, "ds_dec_rtn_u64", B64, a::dec),
    swap(101, "ds_min_rtn_i64", B64, a::min_i64),
    swap(102, "ds_max_rtn_i64", B64, a::max_i64),
    swap(103, "ds_min_rtn_u64", B64, a::min_u),
    swap(104, "ds_max_rtn_u64", B64, a::max_u),
    swap(105, "ds_and_rtn_b64", B64, a::and),
    swap(106, "ds_or_rtn_b64", B64, a::or),
    swap(107, "ds_xor_rtn_b64", B64, a::xor),
    swap2(108, "ds_mskor_rtn_b64", B64, a::mskor),
    swap(109, "ds_wrxchg_rtn_b64", B64, a::swap),
    exchange2(110, "ds_wrxchg2_rtn_b64", B64, 8),
    exchange2(111, "ds_wrxchg2st64_rtn_b64", B64, 512),
    swap2(112, "ds_cmpst_rtn_b64", B64, a::compare_swap),
    swap2(113, "ds_cmpst_rtn_f64", B64, a::compare_swap_f64),
    swap(114, "ds_min_rtn_f64", B64, a::min_f64),
    swap(115, "ds_max_rtn_f64", B64, a::max_f64),
    read(118, "ds_read_b64", 8, false),
    read2(119, "ds_read2_b64", B64, 8),
    read2(120, "ds_read2st64_b64", B64, 512),
    from_lds(128, "ds_add_src2_u32", 4, a::add32),
    from_lds(129, "ds_sub_src2_u32", 4, a::sub32),
    from_lds(130, "ds_rsub_src2_u32", 4, a::rsub32),
    from_lds(131, "ds_inc_src2_u32", 4, a::inc),
    from_lds(132, "ds_dec_src2_u32", 4, a::dec),
    from_lds(133, "ds_min_src2_i32", 4, a::min_i32),
    from_lds(134, "ds_max_src2_i32", 4, a::max_i32),
    from_lds(135, "ds_min_src2_u32", 4, a::min_u),
    from_lds(136, "ds_max_src2_u32", 4, a::max_u),
    from_lds(137, "ds_and_src2_b32", 4, a::and),
    from_lds(138, "ds_or_src2_b32", 4, a::or),
    from_lds(139, "ds_xor_src2_b32", 4, a::xor),
    from_lds(141, "ds_write_src2_b32", 4, a::swap),
    from_lds(146, "ds_min_src2_f32", 4, a::min_f32),
    from_lds(147, "ds_max_src2_f32", 4, a::max_f32),
    from_lds(192, "ds_add_src2_u64", 8, a::add64),
    from_lds(193, "ds_sub_src2_u64", 8, a::sub64),
    from_lds(194, "ds_rsub_src2_u64", 8, a::rsub64),
    from_lds(195, "ds_inc_src2_u64", 8, a::inc),
    from_lds(196, "ds_dec_src2_u64", 8, a::dec),
    from_lds(197, "ds_min_src2_i64", 8, a::min_i64),
    from_lds(198, "ds_max_src2_i64", 8, a::max_i64),
    from_lds(199, "ds_min_src2_u64", 8, a::min_u),
    from_lds(200, "ds_max_src2_u64", 8, a::max_u),
    from_lds(201, "ds_and_src2_b64", 8, a::and),
    from_lds(202, "ds_or_src2_b64", 8, a::or),
    from_lds(203, "ds_xor_src2_b64", 8, a::xor),
    from_lds(205, "ds_write_src2_b64", 8, a::swap),
    from_lds(210, "ds_min_src2_f64", 8, a::min_f64),
    from_lds(211, "ds_max_src2_f64", 8, a::max_f64),
];
