//! Vector instructions with one source.

use crate::bit_flow::BitFlow::{Byte, Moves};
use crate::format::Format;
use crate::row::{B32, F16, F32, F64, Kind, Place, Row, Specials, Unit};
use crate::sem::vector::{Pace, VectorFn};
use crate::sem::{Does, bits, convert, frexp, half, reciprocal, round, transcendental};

const fn bare(op: u16, name: &'static str) -> Row {
    Row { long: true, ..Row::new(Format::Vop1, op, name, Unit::Valu) }
}

const fn operands(op: u16, name: &'static str, dst: Kind, src: Kind) -> Row {
    bare(op, name)
        .dst(Place::Vector.of(dst))
        .src1(Place::VectorSource.of(src))
        .reads(Specials::EXEC)
}

/// Conversions from and to double precision have a pace of their own.
const fn row(op: u16, name: &'static str, dst: Kind, src: Kind, f: VectorFn) -> Row {
    let pace = if dst.dwords + src.dwords > 2 { Pace::ConvertDouble } else { Pace::Full };
    operands(op, name, dst, src).does(Does::Vector(f)).pace(pace)
}

const fn f32(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, F32, F32, f)
}

/// Transcendental functions of single precision.
const fn slow32(op: u16, name: &'static str, f: VectorFn) -> Row {
    f32(op, name, f).pace(Pace::Quarter)
}

const fn f64(op: u16, name: &'static str, f: VectorFn) -> Row {
    row(op, name, F64, F64, f).pace(Pace::Double)
}

/// Transcendental functions of double precision.
const fn slow64(op: u16, name: &'static str, f: VectorFn) -> Row {
    f64(op, name, f).pace(Pace::DoubleProduct)
}

const fn moves(op: u16, name: &'static str, (source, result): (bool, bool)) -> Row {
    let row = operands(op, name, B32, B32).reads(Specials::M0);
    let row = if source { row.src1(Place::VectorOnly.of(B32)) } else { row };
    row.does(Does::MoveRelative { source, result })
}

/// The table.
pub const ROWS: &[Row] = &[
    bare(0, "v_nop").does(Does::Nothing),
    row(1, "v_mov_b32", B32, B32, bits::mov).bits(Moves(0)),
    bare(2, "v_readfirstlane_b32")
        .dst(Place::Scalar.of(B32))
        .src1(Place::VectorOrLds.of(B32))
        .reads(Specials::EXEC)
        .does(Does::ReadFirstLane),
    row(3, "v_cvt_i32_f64", B32, F64, convert::i32_f64),
    row(4, "v_cvt_f64_i32", F64, B32, convert::f64_i32),
    row(5, "v_cvt_f32_i32", F32, B32, convert::f32_i32),
    row(6, "v_cvt_f32_u32", F32, B32, convert::f32_u32),
    row(7, "v_cvt_u32_f32", B32, F32, convert::u32_f32),
    row(8, "v_cvt_i32_f32", B32, F32, convert::i32_f32),
    operands(9, "v_mov_fed_b32", B32, B32).not_implemented(),
    row(10, "v_cvt_f16_f32", F16, F32, half::f16_f32),
    row(11, "v_cvt_f32_f16", F32, F16, half::f32_f16),
    row(12, "v_cvt_rpi_i32_f32", B32, F32, convert::rpi_i32_f32),
    row(13, "v_cvt_flr_i32_f32", B32, F32, convert::flr_i32_f32),
    row(14, "v_cvt_off_f32_i4", F32, B32, convert::f32_off_i4),
    row(15, "v_cvt_f32_f64", F32, F64, convert::f32_f64),
    row(16, "v_cvt_f64_f32", F64, F32, convert::f64_f32),
    row(17, "v_cvt_f32_ubyte0", F32, B32, convert::f32_ubyte::<0>).bits(Byte(0)),
    row(18, "v_cvt_f32_ubyte1", F32, B32, convert::f32_ubyte::<1>).bits(Byte(1)),
    row(19, "v_cvt_f32_ubyte2", F32, B32, convert::f32_ubyte::<2>).bits(Byte(2)),
    row(20, "v_cvt_f32_ubyte3", F32, B32, convert::f32_ubyte::<3>).bits(Byte(3)),
    row(21, "v_cvt_u32_f64", B32, F64, convert::u32_f64),
    row(22, "v_cvt_f64_u32", F64, B32, convert::f64_u32),
    f32(32, "v_fract_f32", round::fract_f32),
    f32(33, "v_trunc_f32", round::trunc_f32),
    f32(34, "v_ceil_f32", round::ceil_f32),
    f32(35, "v_rndne_f32", round::rndne_f32),
    f32(36, "v_floor_f32", round::floor_f32),
    slow32(37, "v_exp_f32", transcendental::exp_f32),
    slow32(38, "v_log_clamp_f32", transcendental::log_clamp_f32),
    slow32(39, "v_log_f32", transcendental::log_f32),
    slow32(40, "v_rcp_clamp_f32", reciprocal::rcp_clamp_f32),
    slow32(41, "v_rcp_legacy_f32", reciprocal::rcp_legacy_f32),
    slow32(42, "v_rcp_f32", reciprocal::rcp_f32),
    slow32(43, "v_rcp_iflag_f32", reciprocal::rcp_f32),
    slow32(44, "v_rsq_clamp_f32", reciprocal::rsq_clamp_f32),
    slow32(45, "v_rsq_legacy_f32", reciprocal::rsq_legacy_f32),
    slow32(46, "v_rsq_f32", reciprocal::rsq_f32),
    slow64(47, "v_rcp_f64", reciprocal::rcp_f64),
    slow64(48, "v_rcp_clamp_f64", reciprocal::rcp_clamp_f64),
    slow64(49, "v_rsq_f64", reciprocal::rsq_f64),
    slow64(50, "v_rsq_clamp_f64", reciprocal::rsq_clamp_f64),
    slow32(51, "v_sqrt_f32", reciprocal::sqrt_f32),
    slow64(52, "v_sqrt_f64", reciprocal::sqrt_f64),
    slow32(53, "v_sin_f32", transcendental::sin_f32),
    slow32(54, "v_cos_f32", transcendental::cos_f32),
    row(55, "v_not_b32", B32, B32, bits::not).bits(Moves(0)),
    row(56, "v_bfrev_b32", B32, B32, bits::reverse).bits(Moves(0)),
    row(57, "v_ffbh_u32", B32, B32, bits::first_high),
    row(58, "v_ffbl_b32", B32, B32, bits::first_low),
    row(59, "v_ffbh_i32", B32, B32, bits::first_high_signed),
    row(60, "v_frexp_exp_i32_f64", B32, F64, frexp::exp_f64).pace(Pace::Double),
    f64(61, "v_frexp_mant_f64", frexp::mant_f64),
    f64(62, "v_fract_f64", round::fract_f64),
    row(63, "v_frexp_exp_i32_f32", B32, F32, frexp::exp_f32),
    f32(64, "v_frexp_mant_f32", frexp::mant_f32),
    bare(65, "v_clrexcp").does(Does::Nothing),
    moves(66, "v_movreld_b32", (false, true)),
    moves(67, "v_movrels_b32", (true, false)),
    moves(68, "v_movrelsd_b32", (true, true)),
];
