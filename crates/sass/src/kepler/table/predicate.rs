//! Predicates and the condition code as operands; votes.

use upset_isa::{Across, LatencyClass, OpDef, Pace, Unit};

use super::float::COMBINE;
use crate::kepler::column::Col;
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::{across, moves};
use crate::table::op;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static PSET: OpDef = alu("PSET");
static PSETP: OpDef = alu("PSETP");
static CSET: OpDef = alu("CSET");
static CSETP: OpDef = alu("CSETP");
static VOTE: OpDef = alu("VOTE").across(Across::Lanes).pace(Pace::Vote);

/// What can be tested in the condition code.
pub(super) const TESTS: &[&str] = &[
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU",
    "GEU", "T", "OFF", "LO", "SFF", "LS", "HI", "SFT", "HS", "OFT", "CSM_TA", "CSM_TR", "CSM_MX",
    "FCSM_TA", "FCSM_TR", "FCSM_MX", "RLE", "RGT",
];
const DOT: Col = Col::Lit(".");
const TEST: Col = Col::Enum(10, 5, TESTS);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &PSET,
        Codes::one(2, 0xffc, 0x844),
        &[Col::Flag(47, ".BF"), Col::Enum(27, 2, COMBINE), Col::Enum(48, 2, COMBINE)],
        &[Col::Dst(50), Col::Pn(14, 17), Col::Pn(32, 35), Col::Pn(42, 45)],
    )
    .lower(moves::pset),
    row(
        &PSETP,
        Codes::one(2, 0xffc, 0x848),
        &[Col::Enum(27, 2, COMBINE), Col::Enum(48, 2, COMBINE)],
        &[Col::P(5), Col::P(2), Col::Pn(14, 17), Col::Pn(32, 35), Col::Pn(42, 45)],
    )
    .lower(moves::psetp),
    row(
        &CSET,
        Codes::one(2, 0xffc, 0x84c),
        &[Col::Flag(47, ".BF"), DOT, TEST, Col::Enum(48, 2, COMBINE)],
        &[Col::Dst(50), Col::Word("CC"), Col::Pn(42, 45)],
    )
    .lower(moves::cset),
    row(
        &CSETP,
        Codes::one(2, 0xffc, 0x850),
        &[DOT, TEST, Col::Enum(48, 2, COMBINE)],
        &[Col::P(5), Col::P(2), Col::Word("CC"), Col::Pn(42, 45)],
    )
    .lower(moves::csetp),
    row(
        &VOTE,
        Codes::one(2, 0xffc, 0x86c),
        &[Col::Enum(51, 2, &[".ALL", ".ANY", ".EQ", ".INVALIDVMODE3"])],
        &[Col::ROpt(2), Col::P(48), Col::Pn(42, 45)],
    )
    .lower(across::vote),
    row(
        &VOTE,
        Codes::one(2, 0xffc, 0x870),
        &[Col::Lit(".VTG"), Col::Enum(51, 2, &[".R", ".A", ".RA", ".INVALIDVTGMODE3"])],
        &[Col::Hex(23, 28)],
    ),
];
