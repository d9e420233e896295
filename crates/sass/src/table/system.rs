//! Special registers and everything served by the SM's control logic.

use upset_isa::{LatencyClass, OpDef, Pace, Unit};

use super::column::ILLEGAL;
use super::memory_address as at;
use super::system_registers::SPECIAL;
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn variable(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::Variable)
}
const fn fixed(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::Fixed)
}
const fn control(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::None)
}

static NOP: OpDef = fixed("NOP");
static S2R: OpDef = variable("S2R");
static S2UR: OpDef = variable("S2UR");
static CS2R: OpDef = fixed("CS2R").pace(Pace::Clock);
static PMTRIG: OpDef = fixed("PMTRIG");
static CSMTEST: OpDef = fixed("CSMTEST");
static BPT: OpDef = control("BPT");
static SETCTAID: OpDef = control("SETCTAID");
static GETLMEMBASE: OpDef = variable("GETLMEMBASE");
static SETLMEMBASE: OpDef = control("SETLMEMBASE");
static LEPC: OpDef = fixed("LEPC");
static ULEPC: OpDef = fixed("ULEPC");
static CCTL: OpDef = op("CCTL", Unit::LoadStore, LatencyClass::None);
static CCTLL: OpDef = op("CCTLL", Unit::LoadStore, LatencyClass::None);
static CCTLT: OpDef = op("CCTLT", Unit::LoadStore, LatencyClass::None);

/// From sm_80 those that pause or drain have no stall count.
const DRAINED: Col = Col::Must(Cond::Any(&[
    Cond::Arch(Archs::TO75),
    Cond::Not(&Cond::In(84, 3, 0b110_0100)),
    Cond::Eq(105, 5, 0),
]));

/// Operations on one cache line, then those on a whole cache.
const LINE: Col = Col::Enum(
    87,
    4,
    &[
        ".PF1", ".PF2", ".WB", ".IV", ".IVALL", ".RS", ".IVALLP", ".WBALL", ".WBALLP", ".PML2",
        ".DML2", ".RML2", ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL,
    ],
);
/// With a uniform register, values without a name are legal from sm_80.
const LINE_UNIFORM: Col = Col::Either(
    Cond::Arch(Archs::FROM80),
    &[Col::Enum(
        87,
        4,
        &[
            ".PF1", ".PF2", ".WB", ".IV", ".???4", ".RS", ".???6", ".???7", ".???8", ".PML2",
            ".DML2", ".RML2", ".???12", ".???13", ".???14", ".???15",
        ],
    )],
    &[Col::Must(Cond::In(87, 4, 0b10_1111)), LINE],
);
const LINE_LOCAL_UNIFORM: Col = Col::Either(
    Cond::Arch(Archs::FROM80),
    &[Col::Enum(
        87,
        4,
        &[
            ".PF1", ".PF2", ".WB", ".IV", ".???4", ".RS", ".???6", ".???7", ".???8", ".???9",
            ".???10", ".???11", ".???12", ".???13", ".???14", ".???15",
        ],
    )],
    &[Col::Must(Cond::In(87, 4, 0b10_1111)), LINE],
);
/// Is the operation one on a whole cache?
const WHOLE: Cond = Cond::In(87, 4, 0b1_1101_0000);
/// Whole caches have no address.
const NO_ADDRESS: Col = Col::Must(Cond::Eq(24, 8, 255));
/// The last three operations exist from sm_80.
const LEGAL_LINE: Col = Col::Must(Cond::Any(&[Cond::Arch(Archs::FROM80), Cond::In(87, 4, 0x1ff)]));
const CACHE_KIND: Col =
    Col::Enum(78, 3, &["", ".U", ".C", ".I", ".???4", ".???5", ".???6", ".???7"]);
const TEXTURE_LINE: Col = Col::Either(
    Cond::Arch(Archs::FROM80),
    &[Col::Enum(85, 2, &[".???0", ".IVTH", ".???2", ".???3"])],
    &[Col::Must(Cond::Eq(85, 2, 1)), Col::Lit(".IVTH")],
);
/// `[R8+UR12]`
const PAIR: Col = Col::Fn(|f, _, out| {
    let uniform = super::print::ureg(f.bits(32, 6));
    match f.bits(24, 8) {
        255 => out.operand(&format!("[{uniform}]")),
        r => out.operand(&format!("[{}+{uniform}]", super::print::reg(r))),
    }
});

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
    .loose91(),
    row(&NOP, Archs::ALL, 0x118, Forms::one(4), &[], &[]).lower(sem::control::nop).loose91(),
    row(&S2R, Archs::ALL, 0x119, Forms::one(4), &[], &[Col::R(16), SPECIAL])
        .lower(sem::special::s2r)
        .loose91(),
    row(&S2UR, Archs::FROM75, 0x1c3, Forms::one(4), &[], &[Col::U(16), SPECIAL])
        .uniform()
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
    row(&BPT, Archs::SM90, 0x15c, Forms::one(4), &[], &[DRAINED])
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
        &[BREAKPOINT, DRAINED],
    )
    .lower(sem::control::bpt)
    .loose91()
    .boards(Boards::None),
    row(&GETLMEMBASE, Archs::ALL, 0x1c0, Forms::one(1), &[], &[Col::R(16)]).loose91(),
    row(&SETLMEMBASE, Archs::ALL, 0x1c1, Forms::one(1), &[], &[Col::R(24)])
        .loose91()
        .boards(Boards::Read),
    row(
        &CCTL,
        Archs::ALL,
        0x18f,
        Forms::one(4),
        &[
            CACHE_KIND,
            LINE,
            NO_ADDRESS,
            Col::Must(Cond::Clear(80)),
            Col::Must(Cond::Any(&[Cond::Arch(Archs::FROM80), Cond::Clear(72)])),
        ],
        &[],
    )
    .lower(sem::ordering::cctl)
    .when(&[WHOLE])
    .boards(Boards::None),
    row(
        &CCTL,
        Archs::ALL,
        0x18f,
        Forms::one(4),
        &[Col::Flag(72, ".E"), CACHE_KIND, LINE, LEGAL_LINE],
        &[at::LONG],
    )
    .lower(sem::ordering::cctl)
    .boards(Boards::Read),
    row(
        &CCTL,
        Archs::FROM75,
        0x18f,
        Forms::one91(6),
        &[Col::Flag(72, ".E"), CACHE_KIND, LINE_UNIFORM],
        &[PAIR],
    )
    .lower(sem::ordering::cctl)
    .boards(Boards::Read),
    row(
        &CCTLL,
        Archs::ALL,
        0x190,
        Forms::one(4),
        &[LINE, NO_ADDRESS, Col::Must(Cond::In(87, 4, 1 << 4 | 1 << 7))],
        &[],
    )
    .lower(sem::ordering::cctll)
    .when(&[WHOLE])
    .boards(Boards::None),
    row(
        &CCTLL,
        Archs::ALL,
        0x190,
        Forms::one(4),
        &[LINE, Col::Must(Cond::In(87, 4, 0x1ff))],
        &[at::SHORT],
    )
    .lower(sem::ordering::cctll)
    .boards(Boards::Read),
    row(&CCTLL, Archs::FROM75, 0x190, Forms::one91(6), &[LINE_LOCAL_UNIFORM], &[PAIR])
        .lower(sem::ordering::cctll)
        .boards(Boards::Read),
    row(&CCTLT, Archs::ALL, 0x191, Forms::one(1), &[Col::Lit(".IVALL")], &[])
        .lower(sem::ordering::cctlt)
        .when(&[Cond::Eq(85, 2, 2)])
        .boards(Boards::None),
    row(
        &CCTLT,
        Archs::ALL,
        0x191,
        Forms::one(1),
        &[Col::Must(Cond::Eq(85, 2, 1)), Col::Lit(".IVTH")],
        &[Col::Either(Cond::Eq(32, 8, 255), &[Col::Word("???255")], &[Col::R(32)])],
    )
    .lower(sem::ordering::cctlt)
    .boards(Boards::Read),
    row(
        &CCTLT,
        Archs::ALL,
        0x191,
        Forms::one(5),
        &[TEXTURE_LINE],
        &[Col::Hex(54, 5), Col::Hex(40, 14)],
    )
    .lower(sem::ordering::cctlt)
    .boards(Boards::Read),
    row(
        &CCTLT,
        Archs::FROM75,
        0x191,
        Forms::one91(6),
        &[TEXTURE_LINE],
        &[Col::Either(Cond::Eq(32, 6, 63), &[Col::Word("???63")], &[Col::U(32)])],
    )
    .lower(sem::ordering::cctlt)
    .boards(Boards::Read),
    row(&ULEPC, Archs::SM90, 0x1ce, Forms::one91(1), &[], &[Col::U(16)])
        .uniform()
        .lower(sem::control::ulepc),
    row(&ULEPC, Archs::SM90, 0x1ce, Forms::one91(4), &[], &[Col::U(16), super::flow_target::BYTES])
        .uniform()
        .lower(sem::control::ulepc),
];
