//! Instructions that nvdisasm 11.8 accepts and prints nothing for.
//!
//! Some have a name in later releases (those that compiled code uses have
//! families of their own); of the others only the operands are known, from which
//! registers may carry a reuse flag.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::PLAIN;
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};

static HIDDEN: OpDef = op("?", Unit::Alu, LatencyClass::Fixed);
static HIDDEN_SYSTEM: OpDef = op("?", Unit::System, LatencyClass::None);
static CLMAD: OpDef = op("CLMAD", Unit::Alu, LatencyClass::Fixed);

const A: Col = Col::A(PLAIN);
const B: Col = Col::B(PLAIN);
const C: Col = Col::C(PLAIN);
const R: Forms = Forms::one(1);

/// They wait for nothing and name a stall count.
const NO_WAIT: &[Col] = &[Col::Must(Cond::Eq(116, 6, 0)), Col::Must(Cond::Ne(105, 5, 0))];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&HIDDEN, Archs::FROM75, 0x018, R, &[], &[A, B, C]).silent(),
    row(&HIDDEN_SYSTEM, Archs::SM75, 0x1d0, R, &[], &[]).boards(Boards::None).silent(),
    row(&HIDDEN_SYSTEM, Archs::SM75, 0x1d5, R, &[], &[]).boards(Boards::None).silent(),
    row(&HIDDEN, Archs::SM75, 0x1d1, R, NO_WAIT, &[]).boards(Boards::Read).silent(),
    row(&HIDDEN, Archs::SM75, 0x1d2, R, NO_WAIT, &[]).boards(Boards::Write).silent(),
    row(&HIDDEN, Archs::SM75, 0x1d3, R, NO_WAIT, &[]).boards(Boards::None).silent(),
    row(&HIDDEN, Archs::SM75, 0x1d4, Forms::one(4), &[], &[]).silent(),
    row(&HIDDEN, Archs::FROM80, 0x00e, R, &[], &[B, C]).silent(),
    row(
        &CLMAD,
        Archs::FROM80,
        0x02c,
        Forms::BC.but(Forms::one(2)).but(Forms::one(4)),
        &[Col::Enum(77, 1, &[".LO", ".HI"])],
        &[Col::R(16), A, B, C],
    )
    .later(),
    row(&HIDDEN, Archs::FROM80, 0x041, R, &[], &[A, B, C]).silent(),
    row(&HIDDEN, Archs::FROM80, 0x042, R, &[], &[A, B, C]).silent(),
    row(
        &HIDDEN,
        Archs::FROM80,
        0x078,
        Forms::one91(2).or(Forms::one91(4)).or(Forms::one91(5)).or(Forms::one91(6)),
        &[],
        &[B],
    )
    .silent(),
    row(&HIDDEN, Archs::FROM80, 0x079, Forms::one91(7), &[], &[A, B]).silent(),
];
