//! Barriers, fences and synchronisation objects.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::ILLEGAL;
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::{Fields, sem};

const fn fixed(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::Fixed)
}
const fn control(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::None)
}

static BAR: OpDef = control("BAR");
static DEPBAR: OpDef = fixed("DEPBAR");
static LDGDEPBAR: OpDef = control("LDGDEPBAR");
static MEMBAR: OpDef = control("MEMBAR");
static ERRBAR: OpDef = fixed("ERRBAR");
static CGAERRBAR: OpDef = control("CGAERRBAR");
static B2R: OpDef = op("B2R", Unit::System, LatencyClass::Variable);
static R2B: OpDef = control("R2B");

/// `BAR`'s operations; reductions name their operation.
const BAR_MODE: Col = Col::Either(
    Cond::Eq(77, 3, 2),
    &[Col::Lit(".RED"), Col::Enum(74, 2, &[".POPC", ".AND", ".OR"])],
    &[Col::Enum(77, 3, &[".SYNC", ".ARV", "", ".SCAN", ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL])],
);
/// Arrivals and scans cannot be deferred.
const DEFER: Col =
    Col::When(Cond::Set(80), &[Col::Must(Cond::In(77, 3, 0b10101)), Col::Lit(".DEFER_BLOCKING")]);
/// Predicate that takes part in a reduction or scan.
const BAR_PRED: Col = Col::When(Cond::In(77, 3, 0b1100), &[Col::Pn(87, 90)]);
/// Barrier number.
const BAR_ID: Col = Col::Hex(54, 4);
/// Number of threads in a register; sm_90 leaves out `RZ`.
const BAR_REGISTER: Col = Col::Either(
    Cond::All(&[Cond::Arch(Archs::SM90), Cond::In(77, 3, 0b101)]),
    &[Col::ROpt(32)],
    &[Col::R(32)],
);
/// Number of threads; zero (all) is named only by arrivals and scans.
const THREADS: Col = Col::When(
    Cond::Any(&[Cond::Ne(42, 12, 0), Cond::Eq(77, 3, 1), Cond::Eq(77, 3, 3)]),
    &[Col::Hex(42, 12)],
);

/// `{5,3,0}`: scoreboards waited for.
fn boards_text(f: &Fields, lo: u32) -> Option<String> {
    let list: Vec<String> = (0..6).rev().filter(|i| f.bit(lo + i)).map(|i| i.to_string()).collect();
    (!list.is_empty()).then(|| format!("{{{}}}", list.join(",")))
}
const BOARDS_32: Col = Col::Fn(|f, _, out| {
    if let Some(s) = boards_text(f, 32) {
        out.operand(&s);
    }
});
const BOARDS_38: Col = Col::Fn(|f, _, out| {
    if let Some(s) = boards_text(f, 38) {
        out.operand(&s);
    }
});
const BOARD: Col = Col::Name(44, 3, &["SB0", "SB1", "SB2", "SB3", "SB4", "SB5"]);

/// Fence scope.
const SCOPE: &[&str] = &[".CTA", ".SM", ".GPU", ".SYS", "?", ".VC"];
const SCOPE_90: &[&str] = &[".CTA", ".SM", ".GPU", ".SYS", "?", ".VC", ".CTA.PARTIAL"];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &DEPBAR,
        Archs::ALL,
        0x11a,
        Forms::one(4),
        &[Col::Flag(47, ".LE")],
        &[Col::When(Cond::Set(47), &[BOARD, Col::Hex(38, 6)]), BOARDS_32],
    )
    .lower(sem::control::depbar)
    .loose91()
    .boards(Boards::None),
    row(
        &DEPBAR,
        Archs::SM90,
        0x11a,
        Forms::one91(6),
        &[Col::Enum(47, 1, &[".???0", ".LE"])],
        &[BOARD, Col::U(32), BOARDS_38],
    )
    .lower(sem::control::depbar_uniform)
    .boards(Boards::None),
    row(
        &B2R,
        Archs::ALL,
        0x11c,
        Forms::one(1),
        &[Col::Enum(78, 2, &["", ".RESULT", ".WARP", ILLEGAL])],
        &[
            Col::R(16),
            Col::When(Cond::Eq(78, 2, 0), &[BAR_ID]),
            Col::When(Cond::Eq(78, 2, 1), &[Col::POpt(81)]),
        ],
    )
    .lower(sem::control::b2r)
    .loose91(),
    row(
        &BAR,
        Archs::ALL,
        0x11d,
        Forms::one(1),
        &[BAR_MODE, DEFER],
        &[Col::R(32), Col::R(32), BAR_PRED],
    )
    .lower(sem::control::bar)
    .loose91()
    .boards(Boards::Read),
    row(
        &BAR,
        Archs::ALL,
        0x11d,
        Forms::one(2),
        &[BAR_MODE, DEFER],
        &[Col::R(32), THREADS, BAR_PRED],
    )
    .lower(sem::control::bar)
    .loose91()
    .boards(Boards::Read),
    row(
        &BAR,
        Archs::ALL,
        0x11d,
        Forms::one(4),
        &[BAR_MODE, DEFER],
        &[BAR_ID, BAR_REGISTER, BAR_PRED],
    )
    .lower(sem::control::bar)
    .loose91()
    .boards(Boards::Read),
    row(&BAR, Archs::TO80, 0x11d, Forms::one(5), &[Col::Lit(".SYNCALL"), DEFER], &[])
        .lower(sem::control::bar)
        .when(&[Cond::Eq(77, 3, 4)])
        .loose91()
        .boards(Boards::Read),
    row(&BAR, Archs::SM90, 0x11d, Forms::one(5), &[], &[])
        .lower(sem::control::bar)
        .when(&[Cond::Eq(77, 3, 4)])
        .silent()
        .boards(Boards::Read),
    row(&BAR, Archs::ALL, 0x11d, Forms::one(5), &[BAR_MODE, DEFER], &[BAR_ID, THREADS, BAR_PRED])
        .lower(sem::control::bar)
        .loose91()
        .boards(Boards::Read),
    row(
        &R2B,
        Archs::TO80,
        0x11e,
        Forms::one(1),
        &[Col::Enum(78, 2, &["", "?", ".WARP"])],
        &[BAR_ID, Col::R(32)],
    )
    .loose91()
    .boards(Boards::Read),
    row(&R2B, Archs::SM90, 0x11e, Forms::one(1), &[], &[]).silent().boards(Boards::Read),
    row(
        &MEMBAR,
        Archs::TO75,
        0x192,
        Forms::one(4),
        &[Col::Enum(79, 2, &[".SC", ".ALL", ""]), Col::Enum(76, 3, SCOPE), Col::Flag(72, ".MMIO")],
        &[],
    )
    .lower(sem::ordering::membar)
    .loose91()
    .boards(Boards::Read),
    row(
        &MEMBAR,
        Archs::SM90,
        0x192,
        Forms::one(4),
        &[
            Col::Enum(
                76,
                3,
                &[".???0", ".???1", ".???2", ".???3", ".???4", ".VC", ".???6", ".???7"],
            ),
            Col::Lit(".ASYNC"),
        ],
        &[],
    )
    .lower(sem::ordering::membar)
    .when(&[Cond::Set(73)])
    .boards(Boards::Read),
    row(
        &MEMBAR,
        Archs::FROM80,
        0x192,
        Forms::one(4),
        &[
            Col::Enum(79, 2, &[".SC", ".ALL", "", ".MMIO"]),
            Col::Either(
                Cond::Arch(Archs::SM90),
                &[Col::Enum(76, 3, SCOPE_90)],
                &[Col::Enum(76, 3, SCOPE)],
            ),
        ],
        &[],
    )
    .lower(sem::ordering::membar)
    .boards(Boards::Read),
    row(&CGAERRBAR, Archs::SM90, 0x1ab, Forms::one(2), &[], &[]).lower(sem::control::nop),
    row(&ERRBAR, Archs::ALL, 0x1ab, Forms::one(4), &[], &[]).lower(sem::control::nop).loose91(),
    row(&LDGDEPBAR, Archs::FROM80, 0x1af, Forms::one(4), &[], &[])
        .lower(sem::asynchronous::ldgdepbar),
];
