//! Scalar instructions with two sources.

use crate::bit_flow::BitFlow::{Bitwise, Moves, Upwards};
use crate::format::Format;
use crate::row::{B32, B64, Kind, Place, Row, Specials, Unit};
use crate::sem::Does;
use crate::sem::flow::Flow;
use crate::sem::salu::{arithmetic::*, logic::*, select::*, shift::*};
use crate::sem::scalar::ScalarFn;

const SCC: Specials = Specials::SCC;

/// Kinds are those of the result and of the sources.
const fn row(op: u16, name: &'static str, (d, a, b): (Kind, Kind, Kind), f: ScalarFn) -> Row {
    Row::new(Format::Sop2, op, name, Unit::Salu)
        .dst(Place::Scalar.of(d))
        .src2(Place::ScalarSource.of(a), Place::ScalarSource.of(b))
        .does(Does::Scalar(f))
}

const WORDS: (Kind, Kind, Kind) = (B32, B32, B32);
const LONGS: (Kind, Kind, Kind) = (B64, B64, B64);

/// 32 bits; SCC tells of the result.
const fn b32(op: u16, name: &'static str, f: ScalarFn) -> Row {
    row(op, name, WORDS, f).writes(SCC)
}

/// 64 bits; SCC tells of the result.
const fn b64(op: u16, name: &'static str, f: ScalarFn) -> Row {
    row(op, name, LONGS, f).writes(SCC)
}

/// 64 bits, moved or cut out by a 32-bit source.
const fn shift64(op: u16, name: &'static str, f: ScalarFn) -> Row {
    row(op, name, (B64, B64, B32), f).writes(SCC)
}

/// The table.
pub const ROWS: &[Row] = &[
    b32(0, "s_add_u32", add_u32).bits(Upwards),
    b32(1, "s_sub_u32", sub_u32).bits(Upwards),
    b32(2, "s_add_i32", add_i32).bits(Upwards),
    b32(3, "s_sub_i32", sub_i32).bits(Upwards),
    b32(4, "s_addc_u32", addc_u32).reads(SCC).bits(Upwards),
    b32(5, "s_subb_u32", subb_u32).reads(SCC).bits(Upwards),
    b32(6, "s_min_i32", min_i32),
    b32(7, "s_min_u32", min_u32),
    b32(8, "s_max_i32", max_i32),
    b32(9, "s_max_u32", max_u32),
    row(10, "s_cselect_b32", WORDS, cselect).reads(SCC).bits(Bitwise),
    row(11, "s_cselect_b64", LONGS, cselect).reads(SCC).bits(Bitwise),
    b32(14, "s_and_b32", and_b32).bits(Bitwise),
    b64(15, "s_and_b64", and_b64).bits(Bitwise),
    b32(16, "s_or_b32", or_b32).bits(Bitwise),
    b64(17, "s_or_b64", or_b64).bits(Bitwise),
    b32(18, "s_xor_b32", xor_b32).bits(Bitwise),
    b64(19, "s_xor_b64", xor_b64).bits(Bitwise),
    b32(20, "s_andn2_b32", andn2_b32).bits(Bitwise),
    b64(21, "s_andn2_b64", andn2_b64).bits(Bitwise),
    b32(22, "s_orn2_b32", orn2_b32).bits(Bitwise),
    b64(23, "s_orn2_b64", orn2_b64).bits(Bitwise),
    b32(24, "s_nand_b32", nand_b32).bits(Bitwise),
    b64(25, "s_nand_b64", nand_b64).bits(Bitwise),
    b32(26, "s_nor_b32", nor_b32).bits(Bitwise),
    b64(27, "s_nor_b64", nor_b64).bits(Bitwise),
    b32(28, "s_xnor_b32", xnor_b32).bits(Bitwise),
    b64(29, "s_xnor_b64", xnor_b64).bits(Bitwise),
    b32(30, "s_lshl_b32", lshl_b32).bits(Moves(0b10)),
    shift64(31, "s_lshl_b64", lshl_b64).bits(Moves(0b10)),
    b32(32, "s_lshr_b32", lshr_b32).bits(Moves(0b10)),
    shift64(33, "s_lshr_b64", lshr_b64).bits(Moves(0b10)),
    b32(34, "s_ashr_i32", ashr_i32).bits(Moves(0b10)),
    shift64(35, "s_ashr_i64", ashr_i64).bits(Moves(0b10)),
    row(36, "s_bfm_b32", WORDS, bfm_b32),
    row(37, "s_bfm_b64", (B64, B32, B32), bfm_b64),
    row(38, "s_mul_i32", WORDS, mul_i32).bits(Upwards),
    b32(39, "s_bfe_u32", bfe_u32).bits(Moves(0b10)),
    b32(40, "s_bfe_i32", bfe_i32).bits(Moves(0b10)),
    shift64(41, "s_bfe_u64", bfe_u64).bits(Moves(0b10)),
    shift64(42, "s_bfe_i64", bfe_i64).bits(Moves(0b10)),
    Row::new(Format::Sop2, 43, "s_cbranch_g_fork", Unit::Branch)
        .src2(Place::ScalarInline.of(B64), Place::ScalarInline.of(B64))
        .reads(Specials::EXEC)
        .writes(Specials::EXEC)
        .does(Does::Flow(Flow::Fork)),
    b32(44, "s_absdiff_i32", absdiff_i32),
];
