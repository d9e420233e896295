//! Operations on predicates.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::PLAIN;
use super::int::INT;
use super::print::Out;
use super::{Archs, Col, Cond, Forms, Operand, Row, op, row};
use crate::{Fields, sem};

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static PLOP3: OpDef = alu("PLOP3");
static P2R: OpDef = alu("P2R");
static R2P: OpDef = alu("R2P");

/// Bytes of a register, bits 76-77.
pub(super) const BYTE: &[&str] = &["", ".B1", ".B2", ".B3"];
/// A register whose sign serves as predicate.
const SIGN: Operand = PLAIN.suffix(".SIGN");

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
/// The mask of predicates to write; all of them goes without saying.
const ALL_BY_DEFAULT: Col =
    Col::Either(Cond::All(&[Cond::Form(1 << 4), Cond::Eq(32, 32, 255)]), &[], &[Col::B(PLAIN)]);
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
            Col::Must(Cond::Any(&[Cond::Clear(67), Cond::Not(&Cond::Arch(Archs::SM75))])),
            Col::Pn(68, 71),
            TABLES[0],
            TABLES[1],
        ],
    )
    .lower(sem::predicate::plop3_one_sign),
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
    )
    .lower(sem::predicate::plop3_two_signs),
    row(
        &PLOP3,
        Archs::ALL,
        0x01f,
        Forms::B.but(Forms::one(4)),
        &[Col::Lit(".LUT")],
        &[Col::P(81), Col::P(84), Col::A(SIGN), Col::B(SIGN), Col::C(SIGN), TABLES[0], TABLES[1]],
    )
    .lower(sem::predicate::plop3_three_signs),
    row(
        &P2R,
        Archs::ALL,
        0x003,
        Forms::B,
        &[Col::Enum(76, 2, BYTE)],
        &[
            Col::R(16),
            Col::Word("PR"),
            Col::A(INT),
            Col::Either(Cond::Arch(Archs::SM90), &[Col::B(PLAIN)], &[Col::B(INT)]),
        ],
    )
    .lower(sem::moves::p2r),
    row(
        &R2P,
        Archs::ALL,
        0x004,
        Forms::B,
        &[],
        &[Col::Word("PR"), Col::A(PLAIN), Col::Suffix(76, 2, BYTE), ALL_BY_DEFAULT],
    )
    .lower(sem::moves::r2p),
];
