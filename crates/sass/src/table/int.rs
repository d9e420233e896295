//! Integer arithmetic.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::PLAIN;
use super::{Archs, Col, Cond, Forms, Imm, Operand, Row, op, row};

static IADD3: OpDef = op("IADD3", Unit::Alu, LatencyClass::Fixed);

/// A signed integer source.
const INT: Operand = PLAIN.imm(Imm::Int);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    // IADD3.X R4, P0, P1, R2, ~R1, R3, P2, !PT: with .X the signs are complements
    // and two carries come in.
    row(
        &IADD3,
        Archs::ALL,
        0x010,
        Forms::B,
        &[Col::Flag(74, ".X")],
        &[
            Col::R(16),
            Col::POpt(81),
            Col::POpt(84),
            Col::Either(
                Cond::Set(74),
                &[
                    Col::A(INT.inv()),
                    Col::B(INT.inv()),
                    Col::C(INT.inv()),
                    Col::Pn(87, 90),
                    Col::Pn(77, 80),
                ],
                &[Col::A(INT.neg()), Col::B(INT.neg()), Col::C(INT.neg())],
            ),
        ],
    ),
];
