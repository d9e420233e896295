//! Matrix operations of a warp group (sm_90).

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::PLAIN;
use super::print::{pred, ureg};
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::Fields;

const fn group(name: &'static str) -> OpDef {
    op(name, Unit::Tensor, LatencyClass::Variable)
}

static HGMMA: OpDef = group("HGMMA");
static IGMMA: OpDef = group("IGMMA");
static BGMMA: OpDef = group("BGMMA");
static QGMMA: OpDef = group("");

/// Columns of integer and bit matrices, by number of shape.
const WIDTHS: [u32; 18] =
    [8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256];

/// `.64x8x16`: 32 widths in steps of eight, with a depth of 16 or 8,
/// 32 for sparse matrices.
const HALF_SHAPE: Col = Col::Fn(|f, _, out| {
    let n = f.bits(53, 7);
    let text = match n {
        0..=31 => format!(".64x{}x16", 8 * (n + 1)),
        32..=63 if !f.bit(73) => format!(".64x{}x8", 8 * (n - 31)),
        64..=95 if f.bit(73) => format!(".64x{}x32", 8 * (n - 63)),
        _ => format!(".INVALID{n}"),
    };
    out.modifier(&text);
});

/// `.64x8x32`, or twice as deep for sparse matrices.
const INTEGER_SHAPE: Col = Col::Fn(|f, _, out| {
    let (n, sparse) = (f.bits(53, 6) as usize, f.bit(73));
    let (step, depth) = if sparse { (1, 64) } else { (0, 32) };
    let text = match WIDTHS.get(n / 3) {
        Some(w) if n % 3 == step => format!(".64x{w}x{depth}"),
        _ => format!(".INVALID{n}"),
    };
    out.modifier(&text);
});

const BIT_SHAPE: Col = Col::Fn(|f, _, out| {
    let n = f.bits(53, 6) as usize;
    match WIDTHS.get(n) {
        Some(w) => out.modifier(&format!(".64x{w}x256")),
        None => out.modifier(&format!(".INVALID{n}")),
    }
});

fn flags(f: &Fields, names: &[(u32, &str)]) -> String {
    names.iter().filter(|(bit, _)| f.bit(*bit)).map(|(_, name)| *name).collect()
}

/// Both matrices in shared memory.
const HALF_BOTH: Col = Col::Fn(|f, _, out| {
    let flags = flags(f, &[(72, ".negA"), (63, ".negB"), (61, ".tnspA"), (62, ".tnspB")]);
    out.operand(&format!("gdesc [{}]{flags}", ureg(f.bits(24, 6))));
});
/// The right matrix in shared memory, the left in registers.
const HALF_RIGHT: Col = Col::Fn(|f, _, out| {
    let flags = flags(f, &[(63, ".negB"), (62, ".tnspB")]);
    out.operand(&format!("gdesc [{}]{flags}", ureg(f.bits(32, 6))));
});
const BOTH: Col = Col::Fn(|f, _, out| out.operand(&format!("gdesc[{}]", ureg(f.bits(24, 6)))));
const RIGHT: Col = Col::Fn(|f, _, out| out.operand(&format!("gdesc[{}]", ureg(f.bits(32, 6)))));

/// Whether the accumulator is used: a uniform predicate stored inverted.
const ACCUMULATE: Col = Col::Fn(|f, _, out| {
    let (p, negate) = (7 - f.bits(87, 3), f.bit(90));
    if p != 7 || negate {
        out.operand(&pred(p, negate, true));
    }
});
/// Where the values of a sparse matrix belong.
const SPARSE: Col = Col::When(Cond::Set(73), &[Col::R(40), Col::Hex(48, 2)]);
const SPARSE_INTEGER: Col =
    Col::When(Cond::Set(73), &[Col::R(40), Col::When(Cond::Ne(48, 2, 0), &[Col::Hex(48, 2)])]);
/// Scoreboard of the group, 7 = none.
const BOARD: Col = Col::When(Cond::Ne(84, 3, 7), &[Col::Name(84, 3, &["gsb0"])]);

const LEFT: Col = Col::A(PLAIN.neg().no_reuse());
const LEFT_PLAIN: Col = Col::A(PLAIN.no_reuse());

const SPARSE_MODE: Col = Col::When(Cond::Set(73), &[Col::Lit(".SP"), Col::Flag(74, ".REGOFFSET")]);

const HALF: &[Col] = &[
    Col::Hide(Cond::Eq(76, 2, 3)),
    SPARSE_MODE,
    HALF_SHAPE,
    Col::Enum(75, 1, &[".F16", ".F32"]),
    Col::Enum(76, 2, &["", ".BF16", ".TF32"]),
];
const INTEGER: &[Col] = &[
    SPARSE_MODE,
    INTEGER_SHAPE,
    Col::Enum(76, 2, &[".U8", ".S8"]),
    Col::Enum(82, 2, &[".U8", ".S8"]),
    Col::Flag(75, ".SAT"),
];
const BITS: &[Col] = &[
    BIT_SHAPE,
    Col::Enum(77, 2, &[".???0", ".???1", ".AND", ".???3"]),
    Col::Enum(80, 1, &[".???0", ".POPC"]),
];

const SM90: Archs = Archs::SM90;
const SHARED: Forms = Forms::one91(4);
const MIXED: Forms = Forms::one91(6);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &HGMMA,
        SM90,
        0x1f0,
        SHARED,
        HALF,
        &[Col::R(16), HALF_BOTH, Col::R(64), ACCUMULATE, SPARSE, BOARD],
    )
    .boards(Boards::None),
    row(
        &HGMMA,
        SM90,
        0x1f0,
        MIXED,
        HALF,
        &[Col::R(16), LEFT, HALF_RIGHT, Col::R(64), ACCUMULATE, SPARSE, BOARD],
    )
    .boards(Boards::None),
    row(
        &IGMMA,
        SM90,
        0x1f1,
        SHARED,
        INTEGER,
        &[Col::R(16), BOTH, Col::R(64), ACCUMULATE, SPARSE_INTEGER, BOARD],
    )
    .boards(Boards::None),
    row(
        &IGMMA,
        SM90,
        0x1f1,
        MIXED,
        INTEGER,
        &[Col::R(16), LEFT_PLAIN, RIGHT, Col::R(64), ACCUMULATE, SPARSE_INTEGER, BOARD],
    )
    .boards(Boards::None),
    row(&BGMMA, SM90, 0x1f2, SHARED, BITS, &[Col::R(16), BOTH, Col::R(64), ACCUMULATE, BOARD])
        .boards(Boards::None),
    row(
        &BGMMA,
        SM90,
        0x1f2,
        MIXED,
        BITS,
        &[Col::R(16), LEFT_PLAIN, RIGHT, Col::R(64), ACCUMULATE, BOARD],
    )
    .boards(Boards::None),
    // Further forms and formats that nvdisasm 11.8 does not print.
    row(&HGMMA, SM90, 0x1f0, Forms::one91(2), &[], &[]).silent().boards(Boards::None),
    row(&IGMMA, SM90, 0x1f1, Forms::one91(2), &[], &[]).silent().boards(Boards::None),
    row(&BGMMA, SM90, 0x1f2, Forms::one91(2), &[], &[]).silent().boards(Boards::None),
    row(&QGMMA, SM90, 0x1f3, SHARED.or(MIXED).or(Forms::one91(2)), &[], &[])
        .silent()
        .boards(Boards::None),
];
