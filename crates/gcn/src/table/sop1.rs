//! Scalar instructions with one source.

use crate::format::Format;
use crate::row::{B32, B64, Kind, Place, Row, Specials, Unit};

const SCC: Specials = Specials::SCC;

const fn row(op: u16, name: &'static str, dst: Kind, src: Kind) -> Row {
    bare(op, name).dst(Place::Scalar.of(dst)).src1(Place::ScalarSource.of(src))
}

const fn bare(op: u16, name: &'static str) -> Row {
    Row::new(Format::Sop1, op, name, Unit::Salu)
}

/// `EXEC = f(source, EXEC)`; the result is the old EXEC.
const fn saveexec(op: u16, name: &'static str) -> Row {
    row(op, name, B64, B64).reads(Specials::EXEC).writes(Specials::EXEC.or(SCC))
}

/// A jump to a register.
const fn jump(op: u16, name: &'static str) -> Row {
    bare(op, name).src1(Place::Scalar.of(B64)).on(Unit::Branch)
}

/// A register that M0 selects.
const fn relative(op: u16, name: &'static str, kind: Kind, src: Place) -> Row {
    row(op, name, kind, kind).src1(src.of(kind)).reads(Specials::M0)
}

/// The table.
pub const ROWS: &[Row] = &[
    row(3, "s_mov_b32", B32, B32),
    row(4, "s_mov_b64", B64, B64),
    row(5, "s_cmov_b32", B32, B32).reads(SCC).reads_dst(),
    row(6, "s_cmov_b64", B64, B64).reads(SCC).reads_dst(),
    row(7, "s_not_b32", B32, B32).writes(SCC),
    row(8, "s_not_b64", B64, B64).writes(SCC),
    row(9, "s_wqm_b32", B32, B32).writes(SCC),
    row(10, "s_wqm_b64", B64, B64).writes(SCC),
    row(11, "s_brev_b32", B32, B32),
    row(12, "s_brev_b64", B64, B64),
    row(13, "s_bcnt0_i32_b32", B32, B32).writes(SCC),
    row(14, "s_bcnt0_i32_b64", B32, B64).writes(SCC),
    row(15, "s_bcnt1_i32_b32", B32, B32).writes(SCC),
    row(16, "s_bcnt1_i32_b64", B32, B64).writes(SCC),
    row(17, "s_ff0_i32_b32", B32, B32),
    row(18, "s_ff0_i32_b64", B32, B64),
    row(19, "s_ff1_i32_b32", B32, B32),
    row(20, "s_ff1_i32_b64", B32, B64),
    row(21, "s_flbit_i32_b32", B32, B32),
    row(22, "s_flbit_i32_b64", B32, B64),
    row(23, "s_flbit_i32", B32, B32),
    row(24, "s_flbit_i32_i64", B32, B64),
    row(25, "s_sext_i32_i8", B32, B32),
    row(26, "s_sext_i32_i16", B32, B32),
    row(27, "s_bitset0_b32", B32, B32).reads_dst(),
    row(28, "s_bitset0_b64", B64, B32).reads_dst(),
    row(29, "s_bitset1_b32", B32, B32).reads_dst(),
    row(30, "s_bitset1_b64", B64, B32).reads_dst(),
    bare(31, "s_getpc_b64").dst(Place::Scalar.of(B64)),
    jump(32, "s_setpc_b64"),
    row(33, "s_swappc_b64", B64, B64).on(Unit::Branch),
    jump(34, "s_rfe_b64"),
    saveexec(36, "s_and_saveexec_b64"),
    saveexec(37, "s_or_saveexec_b64"),
    saveexec(38, "s_xor_saveexec_b64"),
    saveexec(39, "s_andn2_saveexec_b64"),
    saveexec(40, "s_orn2_saveexec_b64"),
    saveexec(41, "s_nand_saveexec_b64"),
    saveexec(42, "s_nor_saveexec_b64"),
    saveexec(43, "s_xnor_saveexec_b64"),
    row(44, "s_quadmask_b32", B32, B32).writes(SCC),
    row(45, "s_quadmask_b64", B64, B64).writes(SCC),
    relative(46, "s_movrels_b32", B32, Place::Scalar),
    relative(47, "s_movrels_b64", B64, Place::Scalar),
    relative(48, "s_movreld_b32", B32, Place::ScalarSource),
    relative(49, "s_movreld_b64", B64, Place::ScalarSource),
    bare(50, "s_cbranch_join").src1(Place::Scalar.of(B32)).on(Unit::Branch).writes(Specials::EXEC),
    row(51, "s_mov_regrd_b32", B32, B32).not_implemented(),
    row(52, "s_abs_i32", B32, B32).writes(SCC),
    row(53, "s_mov_fed_b32", B32, B32).not_implemented(),
];
