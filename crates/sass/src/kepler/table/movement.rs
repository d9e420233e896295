//! Moves, selections, shuffles, special registers.

use upset_isa::{Across, BitFlow, LatencyClass, OpDef, Unit};

use super::special_registers;
use crate::kepler::column::{Col, Cond, INT, Imm};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::{across, flow, moves};
use crate::table::op;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static MOV: OpDef = alu("MOV").bits(BitFlow::Moves);
static MOV32I: OpDef = alu("MOV32I").bits(BitFlow::Moves);
static SEL: OpDef = alu("SEL");
static P2R: OpDef = alu("P2R");
static R2P: OpDef = alu("R2P");
static S2R: OpDef = op("S2R", Unit::System, LatencyClass::Variable);
static LEPC: OpDef = op("LEPC", Unit::System, LatencyClass::Fixed);
static B2R: OpDef = op("B2R", Unit::System, LatencyClass::Variable);
static R2B: OpDef = op("R2B", Unit::System, LatencyClass::None);
static SHFL: OpDef = op("SHFL", Unit::LoadStore, LatencyClass::Variable).across(Across::Shuffle);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    // The byte mask is printed unless it selects all.
    row(
        &MOV,
        Codes::b(0x24c, 0xc4c, 0x3fc),
        &[],
        &[Col::R(2), Col::B(INT), Col::When(Cond::Ne(42, 4, 15), &[Col::Hex(42, 4)])],
    )
    .lower(moves::mov),
    row(
        &MOV32I,
        Codes::one(2, 0xff8, 0x740),
        &[],
        &[Col::R(2), Col::Hex(23, 32), Col::When(Cond::Ne(14, 4, 15), &[Col::Hex(14, 4)])],
    )
    .lower(moves::mov32i),
    row(
        &SEL,
        Codes::b(0x250, 0xc50, 0x3fc),
        &[],
        &[Col::R(2), Col::A(INT), Col::B(INT), Col::Pn(42, 45)],
    )
    .lower(moves::sel),
    row(
        &P2R,
        Codes::b(0x264, 0xc64, 0x3fc),
        &[Col::Flag(42, ".H1")],
        &[Col::R(2), Col::Word("PR"), Col::A(INT), Col::B(INT)],
    )
    .lower(moves::p2r),
    row(
        &R2P,
        Codes::b(0x268, 0xc68, 0x3fc),
        &[Col::Flag(42, ".H1")],
        &[Col::Word("PR"), Col::A(INT), Col::B(INT.imm(Imm::Hex))],
    )
    .lower(moves::r2p),
    row(&S2R, Codes::one(2, 0xffc, 0x864), &[], &[Col::R(2), Col::Fn(special_registers::print)])
        .lower(moves::s2r),
    row(&LEPC, Codes::one(2, 0xffc, 0x868), &[], &[Col::R(2)]),
    // Barriers have 255 in the register field when their result is asked for.
    row(
        &B2R,
        Codes::one(2, 0xffc, 0x85c),
        &[Col::Must(Cond::Eq(10, 8, 255)), Col::Lit(".RESULT")],
        &[Col::R(2), Col::POpt(48)],
    )
    .when(&[Cond::Eq(35, 2, 1)])
    .lower(flow::bar_result),
    row(
        &B2R,
        Codes::one(2, 0xffc, 0x85c),
        &[Col::Must(Cond::Eq(10, 8, 255)), Col::Lit(".WARP")],
        &[Col::R(2)],
    )
    .when(&[Cond::Eq(35, 2, 2)]),
    row(
        &B2R,
        Codes::one(2, 0xffc, 0x85c),
        &[Col::Flag(35, ".INVALID")],
        &[Col::R(2), Col::Hex(10, 8)],
    ),
    row(
        &R2B,
        Codes::one(2, 0xffc, 0x860),
        &[Col::Enum(35, 2, &["", ".RESULT", ".WARP", ".INVALID"])],
        &[Col::Hex(31, 4), Col::R(23)],
    ),
    row(
        &SHFL,
        Codes::one(2, 0xffc, 0x788),
        &[Col::Enum(33, 2, &[".IDX", ".UP", ".DOWN", ".BFLY"])],
        &[
            Col::P(51),
            Col::R(2),
            Col::R(10),
            Col::Either(Cond::Set(31), &[Col::Hex(23, 5)], &[Col::R(23)]),
            Col::Either(Cond::Set(32), &[Col::Hex(37, 13)], &[Col::R(42)]),
        ],
    )
    .lower(across::shfl),
];
