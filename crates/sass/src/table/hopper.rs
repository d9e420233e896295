//! What sm_90 added: transaction barriers, warp groups, cluster barriers, bulk copies.

use upset_isa::{Across, LatencyClass, OpDef, Unit};

use super::memory_address as at;
use super::number::hex;
use super::print::{Out, reg, ureg};
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::{Fields, sem};

const fn control(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::None)
}
const fn fixed(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::Fixed)
}
const fn memory(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::Variable)
}

static PREEXIT: OpDef = control("PREEXIT");
static ACQBULK: OpDef = fixed("ACQBULK");
static ELECT: OpDef = fixed("ELECT").across(Across::Lanes);
static STSM: OpDef = op("STSM", Unit::LoadStore, LatencyClass::None);
static SYNCS: OpDef = memory("SYNCS");
static WARPGROUP: OpDef = control("WARPGROUP");
static WARPGROUPSET: OpDef = fixed("WARPGROUPSET");
static FENCE: OpDef = memory("FENCE");
static UCGABAR_ARV: OpDef = control("UCGABAR_ARV");
/// Its neighbours, never printed.
static UCGABAR: OpDef = fixed("");
static UCGABAR_WAIT: OpDef = fixed("UCGABAR_WAIT");
static USETSHMSZ: OpDef = control("USETSHMSZ");
static UBLKCP: OpDef = memory("UBLKCP");
static UBLKRED: OpDef = memory("UBLKRED");
static UBLKPF: OpDef = memory("UBLKPF");
static USETMAXREG: OpDef = control("USETMAXREG");
static STAS: OpDef = op("STAS", Unit::LoadStore, LatencyClass::None);
static REDAS: OpDef = op("REDAS", Unit::LoadStore, LatencyClass::None);
static LDGMC: OpDef = memory("LDGMC");
static UTMALDG: OpDef = memory("UTMALDG");
static UTMASTG: OpDef = memory("UTMASTG");
static UTMAREDG: OpDef = memory("UTMAREDG");
static UTMAPF: OpDef = memory("UTMAPF");
static UTMACCTL: OpDef = memory("UTMACCTL");
static UTMACMDFLUSH: OpDef = memory("UTMACMDFLUSH");

const SM90: Archs = Archs::SM90;

/// `[UR8+0x10]`: uniform register in bits 24-29, offset in bits 40-63.
const UNIFORM: Col = Col::Fn(|f, _, out| {
    let offset = f.word.signed(40, 24);
    let plus = if offset == 0 { String::new() } else { format!("+{}", hex(offset)) };
    out.operand(&format!("[{}{plus}]", ureg(f.bits(24, 6))));
});
/// Two pairs of uniform registers; `URZ` stands for the last four.
const PAIRS: Col = Col::Fn(|f, _, out| {
    let n = match f.bits(32, 6) {
        63 => 60,
        n => n,
    };
    out.operand(&ureg(n));
    out.operand(&ureg(n + 2));
});
const PAIRS_EXIST: Col =
    Col::Must(Cond::Any(&[Cond::Eq(32, 6, 63), Cond::Not(&Cond::In(32, 6, 0b111 << 60))]));
/// `[UR12]`, `[UR8]`.
const TARGET: Col = Col::Fn(|f, _, out| out.operand(&format!("[{}]", ureg(f.bits(32, 6)))));
const TENSOR: Col = Col::Fn(|f, _, out| out.operand(&format!("[{}]", ureg(f.bits(24, 6)))));

/// Scoreboard of matrix operations of a warp group.
const GROUP_BOARD: Col =
    Col::Name(84, 3, &["gsb0", "???1", "???2", "???3", "???4", "???5", "???6", "???7"]);
/// Memory descriptor of a bulk copy.
const DESCRIPTOR: Col = Col::When(
    Cond::Set(76),
    &[Col::Fn(|f, _, out| out.operand(&format!("desc[{}]", ureg(f.bits(40, 6)))))],
);
const DIMENSIONS: Col = Col::Enum(79, 3, &[".1D", ".2D", ".3D", ".4D", ".5D"]);
const REDUCTION: Col =
    Col::Enum(87, 3, &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"]);
const BULK_ORDER: Col = Col::Enum(
    77,
    4,
    &[
        "",
        "!",
        "!",
        "!",
        "!",
        ".STRONG.SM",
        "!",
        ".STRONG.GPU",
        "!",
        "!",
        ".STRONG.SYS",
        "!",
        "!",
        "!",
        "!",
        "!",
    ],
);
const IM2COL: Col = Col::Flag(82, ".IM2COL");

/// Most orders have no name in distributed shared memory.
const CLUSTER_ORDER: Col = Col::Enum(
    77,
    4,
    &[
        "",
        ".???0.PRIVATE",
        ".???0.???1",
        ".???0.???1.PRIVATE",
        ".???2.PRIVATE",
        ".???2.???1",
        ".???3.PRIVATE",
        ".???2.???3",
        ".???3.???4",
        ".???0.???2",
        ".???2.SYS",
        ".???0.???2.PRIVATE",
        ".???3.SYS",
        ".???0.???3",
        ".???0.???3.PRIVATE",
        ".???0.???4",
    ],
);

/// An address in the shared memory of a cluster; a 64-bit one may do without the
/// uniform register.
fn cluster_address(f: &Fields, wide: u32, out: &mut Out) {
    let offset = f.word.signed(40, 24);
    let plus = if offset == 0 { String::new() } else { format!("+{}", hex(offset)) };
    let uniform = match f.bits(64, 6) {
        63 if f.bit(wide) => String::new(),
        n => format!("+{}", ureg(n)),
    };
    let text = match (f.bits(24, 8), f.bit(wide)) {
        (255, true) => format!("[???255.64{uniform}{plus}]"),
        (r, true) => format!("[{}.64{uniform}{plus}]", reg(r)),
        (r, false) => format!("[{}.U32{uniform}{plus}]", reg(r)),
    };
    out.operand(&text);
}

/// A multicast load reduces what it finds: system scope only.
const MULTICAST_E: Col = Col::Enum(72, 1, &[".???0", ".E"]);
const MULTICAST_ORDER: Col =
    Col::When(Cond::All(&[]), &[Col::Must(Cond::Eq(77, 4, 10)), Col::Lit(".STRONG.SYS")]);
const MULTICAST_DESCRIPTOR: Col = Col::Must(Cond::Any(&[Cond::Clear(71), Cond::Set(70)]));

/// Giving registers back to the pool, or trying to get more.
const MAX_REGISTERS: &[Col] = &[
    Col::Enum(72, 2, &["!", ".DEALLOC", ".TRY_ALLOC", "!"]),
    Col::Enum(74, 1, &[".???0", ".CTAPOOL"]),
];

const SHAPE: &[Col] = &[
    Col::Enum(75, 1, &[".16", ".???1"]),
    Col::Enum(78, 1, &[".M88", ".MT88"]),
    Col::Enum(72, 2, &["", ".2", ".4"]),
];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&PREEXIT, SM90, 0x02d, Forms::one(4), &[], &[]),
    row(&ACQBULK, SM90, 0x02e, Forms::one(4), &[], &[]),
    row(
        &ELECT,
        SM90,
        0x02f,
        Forms::one(4),
        &[Col::Flag(85, ".IGNOREKILL")],
        &[Col::P(81), Col::U(16), Col::Pn(87, 90)],
    )
    .lower(crate::sem::warp::elect),
    row(
        &ELECT,
        SM90,
        0x02f,
        Forms::one91(4),
        &[Col::Flag(85, ".IGNOREKILL")],
        &[
            Col::P(81),
            Col::U(16),
            Col::Fn(|f, _, out| {
                let not = if f.bit(72) { "~" } else { "" };
                out.operand(&format!("{not}{}", ureg(f.bits(24, 6))));
            }),
        ],
    ),
    row(&STSM, SM90, 0x044, Forms::one(4), SHAPE, &[at::MATRIX, Col::R(32)]).boards(Boards::Read),
    row(&STSM, SM90, 0x044, Forms::one91(4), SHAPE, &[at::UNIFORM_64, Col::R(32)])
        .boards(Boards::Read),
    row(
        &WARPGROUPSET,
        SM90,
        0x15e,
        Forms::one91(6),
        &[Col::Enum(79, 1, &[".AC", ".SB"])],
        &[Col::U(32), Col::When(Cond::Set(79), &[GROUP_BOARD])],
    ),
    row(
        &SYNCS,
        SM90,
        0x1a7,
        Forms::one91(2),
        &[
            Col::Enum(70, 2, &[".???0", ".PHASECHK", ".???2", ".???3"]),
            Col::Lit(".TRANS64"),
            Col::Flag(72, ".TRYWAIT"),
        ],
        &[Col::P(81), at::UNIFORM_64, Col::R(32)],
    )
    .lower(sem::asynchronous::syncs_phasechk),
    row(
        &SYNCS,
        SM90,
        0x1a7,
        Forms::one91(4),
        &[
            Col::Enum(70, 2, &[".ARRIVE", ".???1", ".???2", ".???3"]),
            Col::Lit(".TRANS64"),
            Col::Enum(73, 2, &["", ".TMASK", ".RED"]),
            Col::Flag(75, ".OPTOUT"),
            Col::Enum(84, 3, &["", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0"]),
        ],
        &[Col::R(16), at::UNIFORM_64, Col::R(32)],
    )
    .lower(sem::asynchronous::syncs_arrive),
    row(
        &SYNCS,
        SM90,
        0x1b1,
        Forms::one(4),
        &[Col::Enum(73, 1, &[".CCTL", ".???1"]), Col::Enum(72, 1, &[".IVALL", ".WBALL"])],
        &[],
    )
    .lower(sem::control::nop),
    row(
        &SYNCS,
        SM90,
        0x1b1,
        Forms::one91(2),
        &[Col::Enum(73, 1, &[".???0", ".LD"]), Col::Lit(".64"), Col::Flag(74, ".WATCH")],
        &[Col::R(16), at::UNIFORM_64],
    )
    .lower(sem::asynchronous::syncs_ld),
    row(
        &SYNCS,
        SM90,
        0x1b1,
        Forms::one91(4),
        &[Col::Enum(73, 1, &[".CCTL", ".???1"]), Col::Enum(72, 1, &[".IV", ".WB"])],
        &[at::UNIFORM_64],
    )
    .lower(sem::control::nop),
    row(
        &SYNCS,
        SM90,
        0x1b2,
        Forms::one91(1),
        &[Col::Enum(72, 2, &[".???0", ".???1", ".CAS", ".???3"]), Col::Lit(".64")],
        &[Col::U(16), UNIFORM, PAIRS, PAIRS_EXIST],
    )
    .uniform(),
    row(
        &SYNCS,
        SM90,
        0x1b2,
        Forms::one91(2),
        &[Col::Enum(72, 2, &[".???0", ".EXCH", ".???2", ".???3"]), Col::Lit(".64")],
        &[Col::U(16), UNIFORM, Col::U(32)],
    )
    .uniform()
    .lower(sem::asynchronous::syncs_exch),
    row(
        &SYNCS,
        SM90,
        0x1b2,
        Forms::one91(4),
        &[Col::Enum(72, 2, &[".LD", ".???1", ".???2", ".???3"]), Col::Lit(".64")],
        &[Col::U(16), UNIFORM],
    )
    .uniform(),
    row(
        &WARPGROUP,
        SM90,
        0x1c5,
        Forms::one(4),
        &[
            Col::Enum(79, 2, &[".ARRIVE", ".WAIT", ".DEPBAR", "!"]),
            Col::When(Cond::Set(80), &[Col::Enum(47, 1, &[".???0", ".LE"])]),
        ],
        &[Col::When(Cond::Set(80), &[GROUP_BOARD, Col::Hex(72, 3)])],
    )
    .boards(Boards::None),
    row(
        &FENCE,
        SM90,
        0x1c6,
        Forms::one(1),
        &[Col::Lit(".VIEW.ASYNC"), Col::Enum(72, 1, &[".S", ".G"])],
        &[],
    )
    .boards(Boards::Write)
    .lower(sem::control::nop),
    row(&UCGABAR_ARV, SM90, 0x1c7, Forms::one91(4), &[Col::Hide(Cond::Set(72))], &[]).uniform(),
    row(&UCGABAR, SM90, 0x1c7, Forms::one91(1).or(Forms::one91(2)), &[], &[]).silent().uniform(),
    row(&UCGABAR_WAIT, SM90, 0x1c7, Forms::one91(6), &[], &[]).uniform(),
    row(&USETSHMSZ, SM90, 0x1c9, Forms::one91(1), &[], &[Col::U(32)]).uniform(),
    row(&USETSHMSZ, SM90, 0x1c9, Forms::one91(4), &[Col::Lit(".FLUSH")], &[])
        .when(&[Cond::Set(72)])
        .uniform(),
    row(&USETSHMSZ, SM90, 0x1c9, Forms::one91(4), &[], &[Col::Hex(32, 20)]).uniform(),
    row(
        &UTMALDG,
        SM90,
        0x1b4,
        Forms::one91(1),
        &[DIMENSIONS, IM2COL, Col::Flag(75, ".MULTICAST")],
        &[TARGET, TENSOR, Col::U(64), DESCRIPTOR],
    )
    .uniform(),
    row(&UTMALDG, SM90, 0x1b4, Forms::one91(2), &[DIMENSIONS], &[TARGET, TENSOR, DESCRIPTOR])
        .uniform(),
    row(
        &UTMASTG,
        SM90,
        0x1b5,
        Forms::one91(1),
        &[DIMENSIONS, IM2COL],
        &[TARGET, TENSOR, DESCRIPTOR],
    )
    .uniform(),
    row(
        &UTMAREDG,
        SM90,
        0x1b6,
        Forms::one91(1),
        &[DIMENSIONS, IM2COL, REDUCTION],
        &[TARGET, TENSOR, DESCRIPTOR],
    )
    .uniform(),
    row(&UTMACMDFLUSH, SM90, 0x1b7, Forms::one(4), &[], &[])
        .uniform()
        .lower(sem::asynchronous::utmacmdflush),
    row(
        &UTMAPF,
        SM90,
        0x1b8,
        Forms::one91(1),
        &[Col::Lit(".L2"), DIMENSIONS, Col::Enum(82, 1, &[".???0", ".IM2COL"])],
        &[TARGET, TENSOR, Col::U(64), DESCRIPTOR],
    )
    .uniform(),
    row(
        &UTMAPF,
        SM90,
        0x1b8,
        Forms::one91(2),
        &[Col::Lit(".L2"), DIMENSIONS],
        &[TARGET, TENSOR, DESCRIPTOR],
    )
    .uniform(),
    row(&UTMACCTL, SM90, 0x1b9, Forms::one(4), &[Col::Enum(83, 1, &[".???0", ".IVALL"])], &[])
        .uniform(),
    row(&UTMACCTL, SM90, 0x1b9, Forms::one91(4), &[Col::Enum(82, 1, &[".IV", ".PF"])], &[TENSOR])
        .uniform(),
    row(
        &UBLKCP,
        SM90,
        0x1ba,
        Forms::one91(1),
        &[
            Col::Enum(73, 1, &[".G", ".S"]),
            Col::Enum(74, 1, &[".G", ".S"]),
            Col::Flag(75, ".MULTICAST"),
            Col::Enum(81, 2, &["", ".LTC64B", ".LTC128B", ".LTC256B"]),
            Col::Flag(83, ".SEQUENCED"),
            BULK_ORDER,
        ],
        &[TARGET, TENSOR, Col::U(64), DESCRIPTOR],
    )
    .uniform()
    .lower(sem::asynchronous::ublkcp),
    row(
        &UBLKRED,
        SM90,
        0x1bb,
        Forms::one91(1),
        &[
            Col::Enum(73, 1, &[".G", ".S"]),
            Col::Enum(74, 1, &[".???0", ".S"]),
            REDUCTION,
            Col::Enum(
                81,
                4,
                &[
                    "",
                    ".S32",
                    ".U64",
                    ".S64",
                    ".F16.RN",
                    ".F32.RN",
                    ".F32.FTZ.RN",
                    ".F64.RN",
                    ".BF16.RN",
                ],
            ),
            BULK_ORDER,
        ],
        &[TARGET, TENSOR, Col::U(64), DESCRIPTOR],
    )
    .uniform()
    .lower(sem::asynchronous::ublkred),
    row(
        &UBLKPF,
        SM90,
        0x1bc,
        Forms::one91(1),
        &[Col::Lit(".L2")],
        &[TENSOR, Col::U(64), DESCRIPTOR],
    )
    .uniform()
    .lower(sem::control::nop),
    row(
        &USETMAXREG,
        SM90,
        0x1c8,
        Forms::one91(1),
        MAX_REGISTERS,
        &[Col::When(Cond::Set(73), &[Col::Up(81)]), Col::U(32)],
    )
    .uniform(),
    row(
        &USETMAXREG,
        SM90,
        0x1c8,
        Forms::one91(4),
        MAX_REGISTERS,
        &[Col::When(Cond::Set(73), &[Col::Up(81)]), Col::Hex(32, 10)],
    )
    .uniform(),
    row(
        &STAS,
        SM90,
        0x1bd,
        Forms::one91(6),
        &[Col::Enum(73, 3, &["?", "?", "?", "?", "", ".64", ".128"]), CLUSTER_ORDER],
        &[Col::Fn(|f, _, out| cluster_address(f, 90, out)), Col::R(32)],
    ),
    row(
        &REDAS,
        SM90,
        0x1be,
        Forms::one91(6),
        &[
            Col::Enum(87, 4, &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"]),
            Col::Enum(73, 3, &["", ".S32", ".64"]),
            CLUSTER_ORDER,
        ],
        &[Col::Fn(|f, _, out| cluster_address(f, 72, out)), Col::R(32)],
    ),
    row(
        &LDGMC,
        SM90,
        0x1a4,
        Forms::one91(4),
        &[
            MULTICAST_E,
            Col::Enum(87, 4, &[".ADD", ".MIN", ".MAX", "?", "?", ".AND", ".OR", ".XOR"]),
            Col::Enum(73, 3, &[".32", ".S32", ".64", ".S64"]),
            MULTICAST_ORDER,
        ],
        &[Col::R(16), at::GLOBAL_ATOMIC, MULTICAST_DESCRIPTOR],
    ),
    row(
        &LDGMC,
        SM90,
        0x1a5,
        Forms::one91(4),
        &[
            MULTICAST_E,
            Col::Enum(88, 2, &[".ADD", ".MIN", ".MAX", ".F32ADD"]),
            Col::Scatter(
                &[73, 74, 75, 76, 87],
                &[
                    ".F16x2.RN",
                    ".F16x4.RN",
                    ".F16x8.RN",
                    ".BF16x2.RN",
                    ".BF16x4.RN",
                    ".BF16x8.RN",
                    "?",
                    "?",
                    "?",
                    "?",
                    "?",
                    "?",
                    ".F32.RN",
                    ".F32x2.RN",
                    ".F32x4.RN",
                    ".F64.RN",
                ],
            ),
            MULTICAST_ORDER,
        ],
        &[Col::R(16), at::GLOBAL_ATOMIC, MULTICAST_DESCRIPTOR],
    ),
];
