//! Image access: legal, not implemented. How many address registers an image
//! instruction reads depends on the descriptor; four stand for all of them.

use crate::format::Format;
use crate::row::{B32, B128, NO, Place, Row, Slot, Specials, Unit, bits};

/// Data is as wide as the mask of channels says; four is the most.
const DATA: Slot = Place::Vector.of(B128);

const fn row(op: u16, name: &'static str, sampler: Slot, data: Slot) -> Row {
    Row::new(Format::Mimg, op, name, Unit::Vmem)
        .src4([Place::Vector.of(B128), Place::Descriptor.of(bits(8)), sampler, data])
        .reads(Specials::EXEC)
        .not_implemented()
}

const fn load(op: u16, name: &'static str) -> Row {
    row(op, name, NO, NO).dst(DATA).raises(1, 0, 0)
}

const fn store(op: u16, name: &'static str) -> Row {
    row(op, name, NO, DATA).raises(1, 0, 1)
}

const fn atomic(op: u16, name: &'static str) -> Row {
    Row { returns_by_glc: true, ..row(op, name, NO, Place::Vector.of(B32)) }
        .dst(Place::Vector.of(B32))
        .raises(1, 0, 1)
}

/// Compare and swap: the new value and the one to compare with.
const fn compare(op: u16, name: &'static str) -> Row {
    Row { returns_by_glc: true, ..row(op, name, NO, Place::Vector.of(bits(2))) }
        .dst(Place::Vector.of(B32))
        .raises(1, 0, 1)
}

const fn sample(op: u16, name: &'static str) -> Row {
    row(op, name, Place::Descriptor.of(B128), NO).dst(DATA).raises(1, 0, 0)
}

/// Four texels of one channel: the mask is no width here.
const fn gather(op: u16, name: &'static str) -> Row {
    Row { gathers: true, ..sample(op, name) }
}

/// The table.
pub const ROWS: &[Row] = &[
    load(0, "image_load"),
    load(1, "image_load_mip"),
    load(2, "image_load_pck"),
    load(3, "image_load_pck_sgn"),
    load(4, "image_load_mip_pck"),
    load(5, "image_load_mip_pck_sgn"),
    store(8, "image_store"),
    store(9, "image_store_mip"),
    store(10, "image_store_pck"),
    store(11, "image_store_mip_pck"),
    load(14, "image_get_resinfo"),
    atomic(15, "image_atomic_swap"),
    compare(16, "image_atomic_cmpswap"),
    atomic(17, "image_atomic_add"),
    atomic(18, "image_atomic_sub"),
    atomic(19, "image_atomic_rsub"),
    atomic(20, "image_atomic_smin"),
    atomic(21, "image_atomic_umin"),
    atomic(22, "image_atomic_smax"),
    atomic(23, "image_atomic_umax"),
    atomic(24, "image_atomic_and"),
    atomic(25, "image_atomic_or"),
    atomic(26, "image_atomic_xor"),
    atomic(27, "image_atomic_inc"),
    atomic(28, "image_atomic_dec"),
    compare(29, "image_atomic_fcmpswap"),
    atomic(30, "image_atomic_fmin"),
    atomic(31, "image_atomic_fmax"),
    sample(32, "image_sample"),
    sample(33, "image_sample_cl"),
    sample(34, "image_sample_d"),
    sample(35, "image_sample_d_cl"),
    sample(36, "image_sample_l"),
    sample(37, "image_sample_b"),
    sample(38, "image_sample_b_cl"),
    sample(39, "image_sample_lz"),
    sample(40, "image_sample_c"),
    sample(41, "image_sample_c_cl"),
    sample(42, "image_sample_c_d"),
    sample(43, "image_sample_c_d_cl"),
    sample(44, "image_sample_c_l"),
    sample(45, "image_sample_c_b"),
    sample(46, "image_sample_c_b_cl"),
    sample(47, "image_sample_c_lz"),
    sample(48, "image_sample_o"),
    sample(49, "image_sample_cl_o"),
    sample(50, "image_sample_d_o"),
    sample(51, "image_sample_d_cl_o"),
    sample(52, "image_sample_l_o"),
    sample(53, "image_sample_b_o"),
    sample(54, "image_sample_b_cl_o"),
    sample(55, "image_sample_lz_o"),
    sample(56, "image_sample_c_o"),
    sample(57, "image_sample_c_cl_o"),
    sample(58, "image_sample_c_d_o"),
    sample(59, "image_sample_c_d_cl_o"),
    sample(60, "image_sample_c_l_o"),
    sample(61, "image_sample_c_b_o"),
    sample(62, "image_sample_c_b_cl_o"),
    sample(63, "image_sample_c_lz_o"),
    gather(64, "image_gather4"),
    gather(65, "image_gather4_cl"),
    gather(68, "image_gather4_l"),
    gather(69, "image_gather4_b"),
    gather(70, "image_gather4_b_cl"),
    gather(71, "image_gather4_lz"),
    gather(72, "image_gather4_c"),
    gather(73, "image_gather4_c_cl"),
    gather(76, "image_gather4_c_l"),
    gather(77, "image_gather4_c_b"),
    gather(78, "image_gather4_c_b_cl"),
    gather(79, "image_gather4_c_lz"),
    gather(80, "image_gather4_o"),
    gather(81, "image_gather4_cl_o"),
    gather(84, "image_gather4_l_o"),
    gather(85, "image_gather4_b_o"),
    gather(86, "image_gather4_b_cl_o"),
    gather(87, "image_gather4_lz_o"),
    gather(88, "image_gather4_c_o"),
    gather(89, "image_gather4_c_cl_o"),
    gather(92, "image_gather4_c_l_o"),
    gather(93, "image_gather4_c_b_o"),
    gather(94, "image_gather4_c_b_cl_o"),
    gather(95, "image_gather4_c_lz_o"),
    sample(96, "image_get_lod"),
    sample(104, "image_sample_cd"),
    sample(105, "image_sample_cd_cl"),
    sample(106, "image_sample_c_cd"),
    sample(107, "image_sample_c_cd_cl"),
    sample(108, "image_sample_cd_o"),
    sample(109, "image_sample_cd_cl_o"),
    sample(110, "image_sample_c_cd_o"),
    sample(111, "image_sample_c_cd_cl_o"),
];
