//! Shader attributes, interpolation and pixel state: never in compute code,
//! one bit away from it.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::{ILLEGAL, INVALID, PLAIN, UNNAMED};
use super::number;
use super::print::{Out, reg, ureg};
use super::{Archs, Boards, Col, Cond, Forms, Imm, Row, op, row};
use crate::{Arch, Fields};

const fn shader(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::Variable)
}

static OUT: OpDef = shader("OUT");
static PIXLD: OpDef = shader("PIXLD");
static ISBERD: OpDef = shader("ISBERD");
static ISBEWR: OpDef = shader("ISBEWR");
static AL2P: OpDef = shader("AL2P");
static ALD: OpDef = shader("ALD");
static AST: OpDef = shader("AST");
static IPA: OpDef = shader("IPA");
static LDTRAM: OpDef = shader("LDTRAM");

const SLOW: super::Operand = PLAIN.no_reuse();
/// Width of an attribute access, bits 74-75.
const WIDTH: Col = Col::Enum(74, 2, &["", ".64", ".96", ".128"]);
const ISBE_SIZE: Col = Col::Enum(74, 2, &["", ".U16", ".32", INVALID]);
/// Forms with a flexible operand, none of them bindless.
const PLAIN_B: Forms = Forms::one(4).or(Forms::one(5));

/// A register that should be `RZ` here.
fn not_a_register(f: &Fields, lo: u32, out: &mut Out) {
    match f.bits(lo, 8) {
        255 => out.operand("RZ"),
        n => out.operand(&format!("???{n}")),
    }
}

/// As [`not_a_register`], nothing for `RZ`.
fn stray_register(f: &Fields, lo: u32, out: &mut Out) {
    match f.bits(lo, 8) {
        255 => {}
        n => out.operand(&format!("???{n}")),
    }
}

/// `a[0x10]`, `a[UR2+0x10]`: interpolated attributes.
fn interpolated(f: &Fields, _: u64, out: &mut Out) {
    let offset = f.bits(64, 8) * 4;
    out.operand(&match (f.bit(91), offset) {
        (false, _) => format!("a[{offset:#x}]"),
        (true, 0) => format!("a[{}]", ureg(f.bits(24, 6))),
        (true, _) => format!("a[{}+{offset:#x}]", ureg(f.bits(24, 6))),
    });
}

/// `a[UR2+0x10]`, `a[UR2]`.
fn indexed_by_uniform(f: &Fields, pc: u64, out: &mut Out) {
    match f.bits(64, 8) {
        0 => out.operand(&format!("a[{}]", ureg(f.bits(24, 6)))),
        _ => interpolated(f, pc, out),
    }
}

/// `a[R2+0x10]`, `a[UR2+0x10]`: attributes in memory.
fn attribute(f: &Fields, _: u64, out: &mut Out) {
    let offset = f.word.signed(40, 11);
    let base = match (f.form, f.bits(24, 8)) {
        (2, n) => ureg(n & 63),
        (_, 255) => String::new(),
        (_, n) => reg(n),
    };
    out.operand(&match (base.is_empty(), offset) {
        (true, _) => format!("a[{:#x}]", f.bits(40, 10)),
        (false, 0) => format!("a[{base}]"),
        (false, v) => format!("a[{base}+{}]", number::hex(v)),
    });
}

/// `[R2]`; on sm_90 `[R2+0x10]`, `[0x10]`.
fn address(f: &Fields, _: u64, out: &mut Out) {
    let offset = if f.arch == Arch::Sm90 { f.bits(40, 16) } else { 0 };
    out.operand(&match (f.bits(24, 8), offset) {
        (255, v @ 1..) => format!("[{v:#x}]"),
        (n, 0) => format!("[{}]", reg(n)),
        (n, v) => format!("[{}+{v:#x}]", reg(n)),
    });
}

const ADDRESS: Col = Col::Fn(address);
const ATTRIBUTE: Col = Col::Fn(attribute);
const INTERPOLATED: Col = Col::Fn(interpolated);
const MODE: Col = Col::Enum(78, 2, &[".PASS", ".CONSTANT", ".STATE", INVALID]);
const STREAM: &[&str] = &[".FINAL", ".EMIT", ".CUT", ".EMIT_THEN_CUT"];

/// A register address is for patches and physical addresses only.
const REGISTER_RULE: Col =
    Col::Must(Cond::Any(&[Cond::Set(76), Cond::Set(77), Cond::Eq(24, 8, 255), Cond::Form(1 << 2)]));

/// A physical address needs a register: without one it is an ordinary access.
const PHYSICAL: Col = Col::When(
    Cond::All(&[Cond::Set(77), Cond::Clear(91), Cond::Ne(24, 8, 255)]),
    &[Col::Lit(".PHYS")],
);

/// Wider physical accesses have no name.
const PHYSICAL_WIDTH: Col = Col::Enum(74, 2, &["", ".???1", ".???2", ".???3"]);
const PHYSICAL_RULE: Col =
    Col::Must(Cond::All(&[Cond::Clear(76), Cond::Clear(91), Cond::Ne(24, 8, 255)]));
const PHYSICAL_ADDRESS: Col =
    Col::Fn(|f, _, out| out.operand(&format!("a[{}]", reg(f.bits(24, 8)))));

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&OUT, Archs::TO75, 0x124, Forms::one(1), &[Col::Lit(".FINAL")], &[Col::A(SLOW)])
        .when(&[Cond::Eq(78, 2, 0)])
        .boards(Boards::Read),
    row(
        &OUT,
        Archs::FROM80,
        0x124,
        Forms::one(1),
        &[Col::Lit(".FINAL")],
        &[
            Col::Fn(|f, _, out| stray_register(f, 16, out)),
            Col::A(SLOW),
            Col::Fn(|f, _, out| stray_register(f, 32, out)),
        ],
    )
    .when(&[Cond::Eq(78, 2, 0)])
    .boards(Boards::Read),
    row(
        &OUT,
        Archs::ALL,
        0x124,
        Forms::one(1),
        &[Col::Enum(78, 2, STREAM)],
        &[
            Col::R(16),
            Col::A(SLOW),
            Col::Either(
                Cond::Eq(78, 2, 2),
                &[Col::Fn(|f, _, out| not_a_register(f, 32, out))],
                &[Col::B(SLOW)],
            ),
        ],
    ),
    row(
        &OUT,
        Archs::ALL,
        0x124,
        Forms::one(4).or(Forms::one91(6)),
        &[Col::Either(
            Cond::Arch(Archs::TO75),
            &[Col::Enum(78, 2, &[ILLEGAL, ".EMIT", ILLEGAL, ".EMIT_THEN_CUT"])],
            &[Col::Enum(78, 2, &[UNNAMED, ".EMIT", UNNAMED, ".EMIT_THEN_CUT"])],
        )],
        &[Col::R(16), Col::A(SLOW), Col::B(SLOW.imm(Imm::Int))],
    ),
    row(
        &PIXLD,
        Archs::ALL,
        0x125,
        Forms::one(4),
        &[Col::Enum(
            78,
            3,
            &[
                "",
                ".COVMASK",
                ".CENTROID_OFFSET",
                ".MY_INDEX",
                ".INNER_COVERAGE",
                UNNAMED,
                UNNAMED,
                UNNAMED,
            ],
        )],
        &[Col::R(16), Col::POpt(81)],
    )
    .loose91(),
    row(
        &ISBERD,
        Archs::ALL,
        0x123,
        Forms::one(4),
        &[
            Col::Flag(79, ".O"),
            Col::Enum(76, 2, &["", ".PATCH", ".PRIM", ".ATTR"]),
            Col::Flag(78, ".SKEW"),
            ISBE_SIZE,
        ],
        &[Col::R(16), ADDRESS],
    ),
    row(
        &ISBEWR,
        Archs::FROM75,
        0x127,
        Forms::one(4),
        &[
            Col::Enum(79, 1, &[UNNAMED, ".O"]),
            Col::Enum(76, 2, &["", INVALID, INVALID, ".ATTR"]),
            Col::Flag(78, ".SKEW"),
            ISBE_SIZE,
        ],
        &[ADDRESS, Col::R(32)],
    )
    .boards(Boards::Read),
    row(
        &AL2P,
        Archs::ALL,
        0x120,
        Forms::one(4),
        &[Col::Flag(79, ".O"), WIDTH],
        &[
            Col::R(16),
            Col::Either(
                Cond::Eq(24, 8, 255),
                &[Col::Hex(40, 10)],
                &[Col::R(24), Col::Signed(40, 11)],
            ),
        ],
    )
    .loose91(),
    // From sm_80 a physical access has a register and no offset.
    row(
        &ALD,
        Archs::FROM80,
        0x121,
        Forms::one(1).or(Forms::one91(2)),
        &[Col::Flag(79, ".O"), Col::Lit(".PHYS"), PHYSICAL_WIDTH, PHYSICAL_RULE],
        &[Col::R(16), PHYSICAL_ADDRESS, Col::ROpt(32)],
    )
    .when(&[Cond::Set(77)]),
    row(
        &AST,
        Archs::FROM80,
        0x122,
        Forms::one(1).or(Forms::one91(2)),
        &[Col::Lit(".PHYS"), PHYSICAL_WIDTH, PHYSICAL_RULE],
        &[PHYSICAL_ADDRESS, Col::R(32), Col::ROpt(64)],
    )
    .when(&[Cond::Set(77)])
    .boards(Boards::Read),
    // nvdisasm stops at some of these words: two of its patterns match.
    row(
        &ALD,
        Archs::ALL,
        0x121,
        Forms::one(1).or(Forms::one91(2)),
        &[PHYSICAL, Col::Flag(79, ".O"), Col::Flag(76, ".P"), WIDTH, REGISTER_RULE],
        &[
            Col::R(16),
            ATTRIBUTE,
            Col::Either(
                Cond::Set(76),
                &[Col::Fn(|f, _, out| stray_register(f, 32, out))],
                &[Col::ROpt(32)],
            ),
        ],
    ),
    row(
        &AST,
        Archs::ALL,
        0x122,
        Forms::one(1).or(Forms::one91(2)),
        &[PHYSICAL, Col::Flag(76, ".P"), WIDTH, REGISTER_RULE],
        &[
            ATTRIBUTE,
            Col::R(32),
            Col::Either(
                Cond::All(&[
                    Cond::Arch(Archs::FROM80),
                    Cond::Set(76),
                    Cond::Clear(91),
                    Cond::Ne(24, 8, 255),
                ]),
                &[Col::Fn(|f, _, out| stray_register(f, 64, out))],
                &[Col::ROpt(64)],
            ),
        ],
    )
    .boards(Boards::Read),
    row(
        &IPA,
        Archs::ALL,
        0x126,
        Forms::one(1).or(Forms::one91(2)),
        &[MODE, Col::Enum(76, 2, &["", ".CENTROID", ".OFFSET", ILLEGAL])],
        &[Col::R(16), Col::POpt(81), INTERPOLATED, Col::When(Cond::Eq(76, 2, 2), &[Col::R(32)])],
    ),
    row(
        &IPA,
        Archs::ALL,
        0x126,
        PLAIN_B.or(Forms::one91(4)),
        &[
            MODE,
            Col::Either(
                Cond::Arch(Archs::TO75),
                &[Col::Enum(76, 2, &[ILLEGAL, ILLEGAL, ".OFFSET", ILLEGAL])],
                &[Col::Enum(76, 2, &[UNNAMED, UNNAMED, ".OFFSET", UNNAMED])],
            ),
        ],
        &[Col::R(16), Col::POpt(81), INTERPOLATED, Col::B(SLOW)],
    ),
    row(
        &LDTRAM,
        Archs::FROM75,
        0x1ad,
        Forms::one91(1),
        &[Col::Enum(72, 1, &[".AB", ".C"])],
        &[
            Col::R(16),
            Col::Either(
                Cond::All(&[Cond::Eq(24, 6, 63), Cond::Ne(64, 8, 0)]),
                &[Col::Fn(|f, _, out| out.operand(&format!("a[{:#x}]", f.bits(64, 8) * 4)))],
                &[Col::Fn(indexed_by_uniform)],
            ),
        ],
    ),
];
