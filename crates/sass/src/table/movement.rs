//! Moves, selections, permutations.

use upset_isa::{BitFlow, LatencyClass, OpDef, Unit};

use super::column::{INVALID, PLAIN};
use super::{Archs, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static MOV: OpDef = alu("MOV").bits(BitFlow::Moves);
static SEL: OpDef = alu("SEL");
static PRMT: OpDef = alu("PRMT").bits(BitFlow::MovesByB);

/// Permutation modes, bits 72-74.
pub(super) const PERMUTE: &[&str] = &["", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16", INVALID];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    // The byte mask is printed unless it selects all.
    row(
        &MOV,
        Archs::ALL,
        0x002,
        Forms::B,
        &[],
        &[Col::R(16), Col::B(PLAIN), Col::When(Cond::Ne(72, 4, 15), &[Col::Hex(72, 4)])],
    )
    .lower(sem::moves::mov),
    row(
        &SEL,
        Archs::ALL,
        0x007,
        Forms::B,
        &[],
        &[Col::R(16), Col::A(PLAIN), Col::B(PLAIN), Col::Pn(87, 90)],
    )
    .lower(sem::moves::sel),
    row(
        &PRMT,
        Archs::ALL,
        0x016,
        Forms::BC,
        &[Col::Enum(72, 3, PERMUTE)],
        &[Col::R(16), Col::A(PLAIN), Col::B(PLAIN), Col::C(PLAIN)],
    )
    .lower(sem::bits::prmt),
];
