//! Special registers and everything served by the SM's control logic.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::ILLEGAL;
use super::system_registers::SPECIAL;
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn variable(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::Variable)
}
const fn control(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::None)
}

static NOP: OpDef = control("NOP");
static S2R: OpDef = variable("S2R");
static S2UR: OpDef = variable("S2UR");
static CS2R: OpDef = op("CS2R", Unit::System, LatencyClass::Fixed);
static PMTRIG: OpDef = control("PMTRIG");
static CSMTEST: OpDef = control("CSMTEST");
static BPT: OpDef = control("BPT");
static SETCTAID: OpDef = control("SETCTAID");
static GETLMEMBASE: OpDef = variable("GETLMEMBASE");
static SETLMEMBASE: OpDef = control("SETLMEMBASE");
static LEPC: OpDef = variable("LEPC");
static ULEPC: OpDef = variable("ULEPC");
static CCTL: OpDef = op("CCTL", Unit::LoadStore, LatencyClass::None);
static CCTLL: OpDef = op("CCTLL", Unit::LoadStore, LatencyClass::None);
static CCTLT: OpDef = op("CCTLT", Unit::LoadStore, LatencyClass::None);

/// The number of a breakpoint, left out when zero.
const BREAKPOINT: Col = Col::When(Cond::Ne(34, 3, 0), &[Col::Hex(34, 3)]);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&PMTRIG, Archs::ALL, 0x001, Forms::one(4), &[], &[Col::PnTrue(87, 90), Col::Hex(32, 16)])
        .lower(sem::control::nop)
        .loose91(),
    row(&CS2R, Archs::ALL, 0x005, Forms::one(4), &[Col::Unless(80, ".32")], &[Col::R(16), SPECIAL])
        .lower(sem::special::cs2r)
        .loose91(),
    row(
        &CSMTEST,
        Archs::ALL,
        0x00d,
        Forms::one(4),
        &[
            Col::Enum(62, 2, &["?", ".R", ".A", ".RA"]),
            Col::Enum(
                76,
                3,
                &[".F", ".CSM_TA", ".CSM_TR", ".CSM_MX", ".T", ".FCSM_TA", ".FCSM_TR", ".FCSM_MX"],
            ),
            Col::Enum(74, 2, &[".AND", ".OR", ".XOR"]),
        ],
        &[Col::P(81), Col::P(84), Col::Hex(32, 28), Col::Pn(87, 90)],
    )
    .loose91()
    .boards(Boards::None),
    row(&NOP, Archs::ALL, 0x118, Forms::one(4), &[], &[]).lower(sem::control::nop).loose91(),
    row(&S2R, Archs::ALL, 0x119, Forms::one(4), &[], &[Col::R(16), SPECIAL])
        .lower(sem::special::s2r)
        .loose91(),
    row(&S2UR, Archs::FROM75, 0x1c3, Forms::one(4), &[], &[Col::U(16), SPECIAL])
        .lower(sem::special::s2ur),
    row(
        &SETCTAID,
        Archs::ALL,
        0x11f,
        Forms::one(1),
        &[Col::Enum(78, 2, &[".X", ".Y", ".Z", ""])],
        &[Col::R(24)],
    )
    .loose91(),
    row(&LEPC, Archs::ALL, 0x14e, Forms::one(1), &[], &[Col::R(16)])
        .lower(sem::control::lepc)
        .loose91(),
    row(&LEPC, Archs::SM90, 0x14e, Forms::one(4), &[], &[Col::R(16), super::flow_target::BYTES])
        .lower(sem::control::lepc),
    row(&BPT, Archs::SM90, 0x15c, Forms::one(4), &[], &[])
        .lower(sem::control::bpt)
        .when(&[Cond::In(84, 3, 0b100_0100)])
        .silent()
        .boards(Boards::None),
    row(
        &BPT,
        Archs::ALL,
        0x15c,
        Forms::one(4),
        &[Col::Enum(
            84,
            3,
            &[ILLEGAL, ILLEGAL, ".PAUSE", ".TRAP", ".INT", ".DRAIN", ".PAUSE_QUIET", ILLEGAL],
        )],
        &[BREAKPOINT],
    )
    .lower(sem::control::bpt)
    .loose91()
    .boards(Boards::None),
    row(&GETLMEMBASE, Archs::ALL, 0x1c0, Forms::one(1), &[], &[Col::R(16)]).loose91(),
    row(&SETLMEMBASE, Archs::ALL, 0x1c1, Forms::one(1), &[], &[Col::R(24)])
        .loose91()
        .boards(Boards::Read),
];
