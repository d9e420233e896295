//! Vector instructions with one source.

use crate::format::Format;
use crate::row::{B32, F32, F64, Kind, Place, Row, Specials, Unit};

const fn bare(op: u16, name: &'static str) -> Row {
    Row { long: true, ..Row::new(Format::Vop1, op, name, Unit::Valu) }
}

const fn row(op: u16, name: &'static str, dst: Kind, src: Kind) -> Row {
    bare(op, name)
        .dst(Place::Vector.of(dst))
        .src1(Place::VectorSource.of(src))
        .reads(Specials::EXEC)
}

const fn f32(op: u16, name: &'static str) -> Row {
    row(op, name, F32, F32)
}

const fn f64(op: u16, name: &'static str) -> Row {
    row(op, name, F64, F64)
}

/// The table.
pub const ROWS: &[Row] = &[
    bare(0, "v_nop"),
    row(1, "v_mov_b32", B32, B32),
    bare(2, "v_readfirstlane_b32")
        .dst(Place::Scalar.of(B32))
        .src1(Place::VectorOrLds.of(B32))
        .reads(Specials::EXEC),
    row(3, "v_cvt_i32_f64", B32, F64),
    row(4, "v_cvt_f64_i32", F64, B32),
    row(5, "v_cvt_f32_i32", F32, B32),
    row(6, "v_cvt_f32_u32", F32, B32),
    row(7, "v_cvt_u32_f32", B32, F32),
    row(8, "v_cvt_i32_f32", B32, F32),
    row(9, "v_mov_fed_b32", B32, B32).not_implemented(),
    row(10, "v_cvt_f16_f32", F32, F32),
    row(11, "v_cvt_f32_f16", F32, F32),
    row(12, "v_cvt_rpi_i32_f32", B32, F32),
    row(13, "v_cvt_flr_i32_f32", B32, F32),
    row(14, "v_cvt_off_f32_i4", F32, B32),
    row(15, "v_cvt_f32_f64", F32, F64),
    row(16, "v_cvt_f64_f32", F64, F32),
    row(17, "v_cvt_f32_ubyte0", F32, B32),
    row(18, "v_cvt_f32_ubyte1", F32, B32),
    row(19, "v_cvt_f32_ubyte2", F32, B32),
    row(20, "v_cvt_f32_ubyte3", F32, B32),
    row(21, "v_cvt_u32_f64", B32, F64),
    row(22, "v_cvt_f64_u32", F64, B32),
    f32(32, "v_fract_f32"),
    f32(33, "v_trunc_f32"),
    f32(34, "v_ceil_f32"),
    f32(35, "v_rndne_f32"),
    f32(36, "v_floor_f32"),
    f32(37, "v_exp_f32"),
    f32(38, "v_log_clamp_f32"),
    f32(39, "v_log_f32"),
    f32(40, "v_rcp_clamp_f32"),
    f32(41, "v_rcp_legacy_f32"),
    f32(42, "v_rcp_f32"),
    f32(43, "v_rcp_iflag_f32"),
    f32(44, "v_rsq_clamp_f32"),
    f32(45, "v_rsq_legacy_f32"),
    f32(46, "v_rsq_f32"),
    f64(47, "v_rcp_f64"),
    f64(48, "v_rcp_clamp_f64"),
    f64(49, "v_rsq_f64"),
    f64(50, "v_rsq_clamp_f64"),
    f32(51, "v_sqrt_f32"),
    f64(52, "v_sqrt_f64"),
    f32(53, "v_sin_f32"),
    f32(54, "v_cos_f32"),
    row(55, "v_not_b32", B32, B32),
    row(56, "v_bfrev_b32", B32, B32),
    row(57, "v_ffbh_u32", B32, B32),
    row(58, "v_ffbl_b32", B32, B32),
    row(59, "v_ffbh_i32", B32, B32),
    row(60, "v_frexp_exp_i32_f64", B32, F64),
    f64(61, "v_frexp_mant_f64"),
    f64(62, "v_fract_f64"),
    row(63, "v_frexp_exp_i32_f32", B32, F32),
    f32(64, "v_frexp_mant_f32"),
    bare(65, "v_clrexcp"),
    row(66, "v_movreld_b32", B32, B32).reads(Specials::M0),
    row(67, "v_movrels_b32", B32, B32).src1(Place::VectorOnly.of(B32)).reads(Specials::M0),
    row(68, "v_movrelsd_b32", B32, B32).src1(Place::VectorOnly.of(B32)).reads(Specials::M0),
];
