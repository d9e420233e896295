//! FP64 arithmetic.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::float::{COMBINE, COMPARE, ROUND, check_mode};
use crate::kepler::column::{Col, F64, Source};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::fp64;
use crate::table::op;

const fn double(name: &'static str) -> OpDef {
    op(name, Unit::Fp64, LatencyClass::Fixed)
}

static DADD: OpDef = double("DADD");
static DMUL: OpDef = double("DMUL");
static DFMA: OpDef = double("DFMA");
static DMNMX: OpDef = double("DMNMX");
static DSET: OpDef = double("DSET");
static DSETP: OpDef = double("DSETP");
static DCHK: OpDef = op("DCHK", Unit::Mufu, LatencyClass::Variable);

const A: Source = F64.neg(51).abs(49);
const B: Source = F64.neg(48).abs(52);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &DADD,
        Codes::b(0x238, 0xc38, 0x3fc),
        &[Col::Enum(42, 2, ROUND)],
        &[Col::Dst(50), Col::A(A), Col::B(B)],
    )
    .lower(fp64::dadd),
    row(
        &DMUL,
        Codes::b(0x240, 0xc40, 0x3fc),
        &[Col::Enum(42, 2, ROUND)],
        &[Col::Dst(50), Col::A(F64.neg(51)), Col::B(F64)],
    )
    .lower(fp64::dmul),
    row(
        &DFMA,
        Codes::bc(0x1b8, 0xb38, 0x3f8),
        &[Col::Enum(53, 2, ROUND)],
        &[Col::Dst(50), Col::A(F64.neg(51)), Col::B(F64), Col::C(F64.neg(52))],
    )
    .lower(fp64::dfma),
    row(
        &DMNMX,
        Codes::b(0x228, 0xc28, 0x3fc),
        &[],
        &[Col::Dst(50), Col::A(A), Col::B(B), Col::Pn(42, 45)],
    )
    .lower(fp64::dmnmx),
    row(
        &DSET,
        Codes::b(0x080, 0x900, 0x3c0),
        &[Col::Flag(55, ".BF"), Col::Enum(51, 4, COMPARE), Col::Enum(48, 2, COMBINE)],
        &[Col::Dst(50), Col::A(F64.neg(46).abs(57)), Col::B(F64.neg(56).abs(47)), Col::Pn(42, 45)],
    )
    .lower(fp64::dset),
    row(
        &DSETP,
        Codes::b(0x1c0, 0xb40, 0x3f8),
        &[Col::Enum(51, 4, COMPARE), Col::Enum(48, 2, COMBINE)],
        &[
            Col::P(5),
            Col::P(2),
            Col::A(F64.neg(46).abs(9)),
            Col::B(F64.neg(8).abs(47)),
            Col::Pn(42, 45),
        ],
    )
    .lower(fp64::dsetp),
    row(
        &DCHK,
        Codes::b(0x23c, 0xc3c, 0x3fc),
        &[Col::Fn(check_mode)],
        &[Col::P(5), Col::A(A), Col::B(B)],
    ),
];
