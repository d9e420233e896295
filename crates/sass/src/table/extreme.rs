//! Sums, minima and maxima that compilers of CUDA 12 and 13 use on sm_90.
//!
//! nvdisasm 11.8 accepts them and prints nothing; the text is that of 13.4.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::PLAIN;
use super::{Archs, Col, Cond, Forms, Imm, Row, op, row};
use crate::sem;

static VIADD: OpDef = op("VIADD", Unit::Alu, LatencyClass::Fixed);
static VIADDMNMX: OpDef = op("VIADDMNMX", Unit::Alu, LatencyClass::Fixed);
static VIMNMX: OpDef = op("VIMNMX", Unit::Alu, LatencyClass::Fixed);
static VIMNMX3: OpDef = op("VIMNMX3", Unit::Alu, LatencyClass::Fixed);

const SM90: Archs = Archs::SM90;
const A: Col = Col::A(PLAIN);
const B: Col = Col::B(PLAIN);
const C: Col = Col::C(PLAIN);
const MINIMUM: Col = Col::Pn(87, 90);

const KIND: &[Col] = &[Col::Enum(72, 2, &[".U32", "", ".U16x2", ".S16x2"]), Col::Flag(76, ".RELU")];

/// Whose halves were taken: of the low ones, of the high ones.
const TAKEN: Col = Col::When(Cond::Ne(81, 3, 7), &[Col::P(81), Col::P(84)]);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &VIADD,
        SM90,
        0x036,
        Forms::B,
        &[Col::Flag(73, ".16x2")],
        &[Col::R(16), A, Col::B(PLAIN.neg())],
    )
    .later()
    .lower(sem::extreme::viadd),
    row(
        &VIADDMNMX,
        SM90,
        0x046,
        Forms::BC,
        KIND,
        &[Col::R(16), A, Col::B(PLAIN.neg()), C, MINIMUM],
    )
    .later()
    .lower(sem::extreme::viaddmnmx),
    row(
        &VIMNMX,
        SM90,
        0x048,
        Forms::B,
        KIND,
        &[Col::R(16), TAKEN, A, Col::B(PLAIN.imm(Imm::Int)), MINIMUM],
    )
    .later()
    .lower(sem::extreme::vimnmx),
    row(&VIMNMX3, SM90, 0x00f, Forms::B, KIND, &[Col::R(16), A, B, C, MINIMUM])
        .later()
        .lower(sem::extreme::vimnmx3),
];
