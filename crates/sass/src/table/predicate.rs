//! Operations on predicates.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::{INVALID, PLAIN};
use super::int::{COMBINE, INT};
use super::print::Out;
use super::{Archs, Col, Cond, Forms, Operand, Row, op, row};
use crate::{Fields, sem};

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static PLOP3: OpDef = alu("PLOP3");
static P2R: OpDef = alu("P2R");
static R2P: OpDef = alu("R2P");
static CSMTEST: OpDef = alu("CSMTEST");

/// Bytes of a register, bits 76-77.
pub(super) const BYTE: &[&str] = &["", ".B1", ".B2", ".B3"];
/// A register whose sign serves as predicate.
const SIGN: Operand = PLAIN.suffix(".SIGN");

/// Tests of the clip-and-cull state.
const CSM: &[&str] =
    &[".F", ".CSM_TA", ".CSM_TR", ".CSM_MX", ".T", ".FCSM_TA", ".FCSM_TR", ".FCSM_MX"];

/// The first look-up table of the form with three predicates, in two pieces.
pub(super) fn split_table(f: &Fields, _: u64, out: &mut Out) {
    out.operand(&format!("{:#x}", f.bits(64, 3) | f.bits(72, 5) << 3));
}

/// The third predicate may be a uniform one.
const THIRD: Col = Col::Either(
    Cond::All(&[Cond::Set(67), Cond::Arch(Archs::FROM75)]),
    &[Col::Upn(68, 71)],
    &[Col::Pn(68, 71)],
);
const TABLES: [Col; 2] = [Col::Hex(72, 8), Col::Hex(16, 8)];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &PLOP3,
        Archs::ALL,
        0x01c,
        Forms::one(4),
        &[Col::Lit(".LUT")],
        &[
            Col::P(81),
            Col::P(84),
            Col::Pn(87, 90),
            Col::Pn(77, 80),
            THIRD,
            Col::Fn(split_table),
            Col::Hex(16, 8),
        ],
    )
    .lower(sem::predicate::plop3),
    row(
        &PLOP3,
        Archs::ALL,
        0x01d,
        Forms::B.but(Forms::one(4)),
        &[Col::Lit(".LUT")],
        &[
            Col::P(81),
            Col::P(84),
            Col::Pn(87, 90),
            Col::B(SIGN),
            Col::Must(Cond::Any(&[Cond::Clear(67), Cond::Arch(Archs::FROM80)])),
            THIRD,
            TABLES[0],
            TABLES[1],
        ],
    ),
    row(
        &PLOP3,
        Archs::ALL,
        0x01e,
        Forms::B.but(Forms::one(4)),
        &[Col::Lit(".LUT")],
        &[
            Col::P(81),
            Col::P(84),
            Col::Pn(87, 90),
            Col::B(SIGN),
            Col::C(SIGN),
            TABLES[0],
            TABLES[1],
        ],
    ),
    row(
        &PLOP3,
        Archs::ALL,
        0x01f,
        Forms::B.but(Forms::one(4)),
        &[Col::Lit(".LUT")],
        &[Col::P(81), Col::P(84), Col::A(SIGN), Col::B(SIGN), Col::C(SIGN), TABLES[0], TABLES[1]],
    ),
    row(
        &P2R,
        Archs::ALL,
        0x003,
        Forms::B,
        &[Col::Enum(76, 2, BYTE)],
        &[Col::R(16), Col::Word("PR"), Col::A(INT), Col::B(INT)],
    )
    .lower(sem::moves::p2r),
    row(
        &R2P,
        Archs::ALL,
        0x004,
        Forms::B,
        &[],
        &[Col::Word("PR"), Col::A(PLAIN), Col::Suffix(76, 2, BYTE), Col::B(PLAIN)],
    )
    .lower(sem::moves::r2p),
    row(
        &CSMTEST,
        Archs::ALL,
        0x00d,
        Forms::one(4),
        &[
            Col::Enum(62, 2, &[INVALID, ".R", ".A", ".RA"]),
            Col::Enum(76, 3, CSM),
            Col::Enum(74, 2, COMBINE),
        ],
        &[Col::P(81), Col::P(84), Col::Hex(32, 28), Col::Pn(87, 90)],
    )
    .loose91(),
];
