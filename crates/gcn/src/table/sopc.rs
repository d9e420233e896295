//! Scalar compares.

use crate::format::Format;
use crate::row::{B32, B64, Kind, Place, Row, Specials, Unit};
use crate::sem::Does;
use crate::sem::salu::compare::*;
use crate::sem::scalar::ScalarFn;

const fn sources(op: u16, name: &'static str, a: Kind) -> Row {
    Row::new(Format::Sopc, op, name, Unit::Salu)
        .src2(Place::ScalarSource.of(a), Place::ScalarSource.of(B32))
}

const fn row(op: u16, name: &'static str, a: Kind, f: ScalarFn) -> Row {
    sources(op, name, a).writes(Specials::SCC).does(Does::Scalar(f))
}

/// The table.
pub const ROWS: &[Row] = &[
    row(0, "s_cmp_eq_i32", B32, cmp_eq_i32),
    row(1, "s_cmp_lg_i32", B32, cmp_lg_i32),
    row(2, "s_cmp_gt_i32", B32, cmp_gt_i32),
    row(3, "s_cmp_ge_i32", B32, cmp_ge_i32),
    row(4, "s_cmp_lt_i32", B32, cmp_lt_i32),
    row(5, "s_cmp_le_i32", B32, cmp_le_i32),
    row(6, "s_cmp_eq_u32", B32, cmp_eq_u32),
    row(7, "s_cmp_lg_u32", B32, cmp_lg_u32),
    row(8, "s_cmp_gt_u32", B32, cmp_gt_u32),
    row(9, "s_cmp_ge_u32", B32, cmp_ge_u32),
    row(10, "s_cmp_lt_u32", B32, cmp_lt_u32),
    row(11, "s_cmp_le_u32", B32, cmp_le_u32),
    row(12, "s_bitcmp0_b32", B32, bitcmp0_b32),
    row(13, "s_bitcmp1_b32", B32, bitcmp1_b32),
    row(14, "s_bitcmp0_b64", B64, bitcmp0_b64),
    row(15, "s_bitcmp1_b64", B64, bitcmp1_b64),
    sources(16, "s_setvskip", B32).does(Does::SetVskip),
];
