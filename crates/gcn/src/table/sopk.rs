//! Scalar instructions with a 16-bit constant.

use crate::bit_flow::BitFlow::{Bitwise, Upwards};
use crate::format::Format;
use crate::row::{B32, B64, Imm, Place, Row, Specials, Unit};
use crate::sem::Does;
use crate::sem::flow::Flow;
use crate::sem::salu::{arithmetic::*, compare::*, select::*};
use crate::sem::scalar::ScalarFn;

const SCC: Specials = Specials::SCC;

const fn bare(op: u16, name: &'static str) -> Row {
    Row::new(Format::Sopk, op, name, Unit::Salu).imm(Imm::Number)
}

const fn writes(op: u16, name: &'static str) -> Row {
    bare(op, name).dst(Place::Scalar.of(B32))
}

const fn result(op: u16, name: &'static str, f: ScalarFn) -> Row {
    writes(op, name).does(Does::Scalar(f))
}

/// The register is the source.
const fn compare(op: u16, name: &'static str, f: ScalarFn) -> Row {
    bare(op, name).src1(Place::Scalar.of(B32)).writes(SCC).does(Does::Scalar(f))
}

/// The table.
pub const ROWS: &[Row] = &[
    result(0, "s_movk_i32", movk),
    result(2, "s_cmovk_i32", cmovk).reads(SCC).reads_dst().bits(Bitwise),
    compare(3, "s_cmpk_eq_i32", cmpk_eq_i32),
    compare(4, "s_cmpk_lg_i32", cmpk_lg_i32),
    compare(5, "s_cmpk_gt_i32", cmpk_gt_i32),
    compare(6, "s_cmpk_ge_i32", cmpk_ge_i32),
    compare(7, "s_cmpk_lt_i32", cmpk_lt_i32),
    compare(8, "s_cmpk_le_i32", cmpk_le_i32),
    compare(9, "s_cmpk_eq_u32", cmpk_eq_u32),
    compare(10, "s_cmpk_lg_u32", cmpk_lg_u32),
    compare(11, "s_cmpk_gt_u32", cmpk_gt_u32),
    compare(12, "s_cmpk_ge_u32", cmpk_ge_u32),
    compare(13, "s_cmpk_lt_u32", cmpk_lt_u32),
    compare(14, "s_cmpk_le_u32", cmpk_le_u32),
    result(15, "s_addk_i32", addk_i32).reads_dst().writes(SCC).bits(Upwards),
    result(16, "s_mulk_i32", mulk_i32).reads_dst().bits(Upwards),
    bare(17, "s_cbranch_i_fork")
        .src1(Place::Scalar.of(B64))
        .imm(Imm::Branch)
        .on(Unit::Branch)
        .reads(Specials::EXEC)
        .writes(Specials::EXEC)
        .does(Does::Flow(Flow::Fork)),
    writes(18, "s_getreg_b32").imm(Imm::Hwreg).does(Does::GetReg),
    bare(19, "s_setreg_b32").src1(Place::Scalar.of(B32)).imm(Imm::Hwreg).does(Does::SetReg),
    writes(20, "s_getreg_regrd_b32").imm(Imm::Hwreg).not_implemented(),
    bare(21, "s_setreg_imm32_b32").src1(Place::Literal.of(B32)).imm(Imm::Hwreg).does(Does::SetReg),
];
