//! Scalar instructions with one source.

use crate::bit_flow::BitFlow::{Bitwise, Moves};
use crate::format::Format;
use crate::row::{B32, B64, Kind, Place, Row, Specials, Unit};
use crate::sem::Does;
use crate::sem::flow::Flow;
use crate::sem::salu::{arithmetic::*, count::*, logic::*, mask::*, select::*};
use crate::sem::scalar::ScalarFn;

const SCC: Specials = Specials::SCC;

/// A result of a source; kinds are those of the result and the source.
const fn of(op: u16, name: &'static str, (dst, src): (Kind, Kind)) -> Row {
    bare(op, name).dst(Place::Scalar.of(dst)).src1(Place::ScalarSource.of(src))
}

const fn row(op: u16, name: &'static str, kinds: (Kind, Kind), f: ScalarFn) -> Row {
    of(op, name, kinds).does(Does::Scalar(f))
}

const fn bare(op: u16, name: &'static str) -> Row {
    Row::new(Format::Sop1, op, name, Unit::Salu)
}

/// `EXEC = f(source, EXEC)`; the result is the old EXEC.
const fn saveexec(op: u16, name: &'static str, f: ScalarFn) -> Row {
    row(op, name, LONG, f).reads(Specials::EXEC).writes(Specials::EXEC.or(SCC))
}

/// A jump to a register.
const fn jump(op: u16, name: &'static str) -> Row {
    bare(op, name).src1(Place::Scalar.of(B64)).on(Unit::Branch).does(Does::Flow(Flow::SetPc))
}

/// The source is a register that M0 selects.
const fn from_relative(op: u16, name: &'static str, kind: Kind) -> Row {
    of(op, name, (kind, kind))
        .src1(Place::Scalar.of(kind))
        .reads(Specials::M0)
        .does(Does::MoveRelative { source: true, result: false })
}

/// The result is.
const fn to_relative(op: u16, name: &'static str, kind: Kind) -> Row {
    of(op, name, (kind, kind))
        .reads(Specials::M0)
        .does(Does::MoveRelative { source: false, result: true })
}

const WORD: (Kind, Kind) = (B32, B32);
const LONG: (Kind, Kind) = (B64, B64);
/// A word that tells of 64 bits.
const OF_LONG: (Kind, Kind) = (B32, B64);
/// 64 bits of which a word names one.
const BIT_OF_LONG: (Kind, Kind) = (B64, B32);

/// The table.
pub const ROWS: &[Row] = &[
    row(3, "s_mov_b32", WORD, mov).bits(Moves(0)),
    row(4, "s_mov_b64", LONG, mov).bits(Moves(0)),
    row(5, "s_cmov_b32", WORD, cmov).reads(SCC).reads_dst().bits(Bitwise),
    row(6, "s_cmov_b64", LONG, cmov).reads(SCC).reads_dst().bits(Bitwise),
    row(7, "s_not_b32", WORD, not_b32).writes(SCC).bits(Moves(0)),
    row(8, "s_not_b64", LONG, not_b64).writes(SCC).bits(Moves(0)),
    row(9, "s_wqm_b32", WORD, wqm_b32).writes(SCC),
    row(10, "s_wqm_b64", LONG, wqm_b64).writes(SCC),
    row(11, "s_brev_b32", WORD, brev_b32).bits(Moves(0)),
    row(12, "s_brev_b64", LONG, brev_b64).bits(Moves(0)),
    row(13, "s_bcnt0_i32_b32", WORD, bcnt0_b32).writes(SCC),
    row(14, "s_bcnt0_i32_b64", OF_LONG, bcnt0_b64).writes(SCC),
    row(15, "s_bcnt1_i32_b32", WORD, bcnt1_b32).writes(SCC),
    row(16, "s_bcnt1_i32_b64", OF_LONG, bcnt1_b64).writes(SCC),
    row(17, "s_ff0_i32_b32", WORD, ff0_b32),
    row(18, "s_ff0_i32_b64", OF_LONG, ff0_b64),
    row(19, "s_ff1_i32_b32", WORD, ff1_b32),
    row(20, "s_ff1_i32_b64", OF_LONG, ff1_b64),
    row(21, "s_flbit_i32_b32", WORD, flbit_b32),
    row(22, "s_flbit_i32_b64", OF_LONG, flbit_b64),
    row(23, "s_flbit_i32", WORD, flbit_i32),
    row(24, "s_flbit_i32_i64", OF_LONG, flbit_i64),
    row(25, "s_sext_i32_i8", WORD, sext_i8).bits(Moves(0)),
    row(26, "s_sext_i32_i16", WORD, sext_i16).bits(Moves(0)),
    row(27, "s_bitset0_b32", WORD, bitset0_b32).reads_dst(),
    row(28, "s_bitset0_b64", BIT_OF_LONG, bitset0_b64).reads_dst(),
    row(29, "s_bitset1_b32", WORD, bitset1_b32).reads_dst(),
    row(30, "s_bitset1_b64", BIT_OF_LONG, bitset1_b64).reads_dst(),
    bare(31, "s_getpc_b64").dst(Place::Scalar.of(B64)).does(Does::Flow(Flow::GetPc)),
    jump(32, "s_setpc_b64"),
    of(33, "s_swappc_b64", LONG).on(Unit::Branch).does(Does::Flow(Flow::SwapPc)),
    jump(34, "s_rfe_b64"),
    saveexec(36, "s_and_saveexec_b64", and_saveexec_b64).bits(Bitwise),
    saveexec(37, "s_or_saveexec_b64", or_saveexec_b64).bits(Bitwise),
    saveexec(38, "s_xor_saveexec_b64", xor_saveexec_b64).bits(Bitwise),
    saveexec(39, "s_andn2_saveexec_b64", andn2_saveexec_b64).bits(Bitwise),
    saveexec(40, "s_orn2_saveexec_b64", orn2_saveexec_b64).bits(Bitwise),
    saveexec(41, "s_nand_saveexec_b64", nand_saveexec_b64).bits(Bitwise),
    saveexec(42, "s_nor_saveexec_b64", nor_saveexec_b64).bits(Bitwise),
    saveexec(43, "s_xnor_saveexec_b64", xnor_saveexec_b64).bits(Bitwise),
    row(44, "s_quadmask_b32", WORD, quadmask_b32).writes(SCC),
    row(45, "s_quadmask_b64", LONG, quadmask_b64).writes(SCC),
    from_relative(46, "s_movrels_b32", B32),
    from_relative(47, "s_movrels_b64", B64),
    to_relative(48, "s_movreld_b32", B32),
    to_relative(49, "s_movreld_b64", B64),
    bare(50, "s_cbranch_join")
        .src1(Place::Scalar.of(B32))
        .on(Unit::Branch)
        .writes(Specials::EXEC)
        .does(Does::Flow(Flow::Join)),
    of(51, "s_mov_regrd_b32", WORD).not_implemented(),
    row(52, "s_abs_i32", WORD, abs_i32).writes(SCC),
    of(53, "s_mov_fed_b32", WORD).not_implemented(),
];
