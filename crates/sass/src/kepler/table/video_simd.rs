//! Video instructions on two halves or four bytes of a register.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::int::COMPARE;
use super::video::signed;
use crate::kepler::Fields;
use crate::kepler::column::{Col, Cond};
use crate::kepler::print::{Out, reg};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::simd as sem;
use crate::table::op;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static VADD2: OpDef = alu("VADD2");
static VABSDIFF2: OpDef = alu("VABSDIFF2");
static VMNMX2: OpDef = alu("VMNMX2");
static VSEL2: OpDef = alu("VSEL2");
static VSET2: OpDef = alu("VSET2");
static VADD4: OpDef = alu("VADD4");
static VABSDIFF4: OpDef = alu("VABSDIFF4");
static VMNMX4: OpDef = alu("VMNMX4");
static VSEL4: OpDef = alu("VSEL4");
static VSET4: OpDef = alu("VSET4");

/// Signs of two halves; signed ones have no name.
const HALVES: &[&str] = &[".U16.U16", ".S16.U16", ".U16.S16", ""];
const BYTES: &[&str] = &[".U8.U8", ".S8.U8", ".U8.S8", ""];
/// What is done with the parts of the result.
const REDUCE: &[&str] = &["", ".ACC", ".INVALIDRED2", ".INVALIDRED3"];
/// Halves that are written.
const MASK2: &[&str] = &[".???0", ".X", ".Y", ""];
/// Bytes that are written.
const MASK4: &[&str] = &[
    ".???0", ".X", ".Y", ".XY", ".Z", ".XZ", ".YZ", ".XYZ", ".W", ".XW", ".YW", ".XYW", ".ZW",
    ".XZW", ".YZW", "",
];
const BYTES_OF_A: &[&str] = &[
    ".0000",
    ".1111",
    ".2222",
    ".3333",
    "",
    ".4321",
    ".5432",
    ".6543",
    ".3201",
    ".3012",
    ".0213",
    ".3120",
    ".1230",
    ".2310",
    ".INVALIDASEL4E",
    ".INVALIDASEL4F",
];
const BYTES_OF_B: &[&str] = &[
    ".4444",
    ".5555",
    ".6666",
    ".7777",
    "",
    ".6543",
    ".5432",
    ".4321",
    ".4567",
    ".6745",
    ".5476",
    ".INVALIDBSEL4B",
    ".INVALIDBSEL4C",
    ".INVALIDBSEL4D",
    ".INVALIDBSEL4E",
];
const UD: Col = Col::Unless(41, ".UD");
const SD: Col = Col::Flag(41, ".SD");

/// Signs before A and B: two bits of which both together mean an average.
fn signs(pair: u64) -> (&'static str, &'static str) {
    match pair {
        1 => ("", "-"),
        2 => ("-", ""),
        _ => ("", ""),
    }
}

/// Halves of A and B, or of A and an immediate.
fn halves(f: &Fields, (minus_a, minus_b): (&str, &str), out: &mut Out) {
    let a = reg(f.bits(10, 8));
    if f.bit(53) {
        let (a1, a0) = (f.bits(39, 2), f.bits(37, 2));
        let (b1, b0) = (f.bits(35, 2), f.bits(33, 2));
        let part = |first: u64, second: u64, plain: (u64, u64)| match (first, second) {
            same if same == plain => String::new(),
            _ => format!(".{first}{second}"),
        };
        out.operand(&format!("{minus_a}{a}{}", part(a1, a0, (1, 0))));
        out.operand(&format!("{minus_b}{}{}", reg(f.bits(23, 8)), part(b1, b0, (3, 2))));
    } else {
        let part = [".00", ".01", "", ".11"][f.bits(39, 2) as usize];
        out.operand(&format!("{minus_a}{a}{part}"));
        out.operand(&signed(minus_b, f.bits(23, 16)));
    }
}

fn pair(f: &Fields, _: u64, out: &mut Out) {
    halves(f, ("", ""), out);
}

fn sum2(f: &Fields, _: u64, out: &mut Out) {
    halves(f, signs(f.bits(59, 2)), out);
}

/// Bytes of A and B, or of A and an immediate.
fn bytes(f: &Fields, (minus_a, minus_b): (&str, &str), out: &mut Out) {
    let part = BYTES_OF_A[f.bits(35, 4) as usize];
    out.operand(&format!("{minus_a}{}{part}", reg(f.bits(10, 8))));
    match BYTES_OF_B.get(f.bits(31, 4) as usize) {
        Some(part) => out.operand(&format!("{minus_b}{}{part}", reg(f.bits(23, 8)))),
        None => out.operand(&signed(minus_b, f.bits(23, 8))),
    }
}

fn quad(f: &Fields, _: u64, out: &mut Out) {
    bytes(f, ("", ""), out);
}

fn sum4(f: &Fields, _: u64, out: &mut Out) {
    bytes(f, signs(f.bits(58, 2)), out);
}

const OPERANDS2: &[Col] = &[Col::Dst(50), Col::Fn(pair), Col::R(42)];
const OPERANDS4: &[Col] = &[Col::Dst(50), Col::Fn(quad), Col::R(42)];
/// Where most instructions on halves have mask and reduction.
const TAIL2: [Col; 3] = [Col::Flag(58, ".SAT"), Col::Enum(56, 2, REDUCE), Col::Enum(54, 2, MASK2)];
/// The same for bytes.
const TAIL4: [Col; 2] = [Col::Enum(56, 2, REDUCE), Col::Scatter(&[54, 55, 39, 40], MASK4)];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &VADD2,
        Codes::one(1, 0xe00, 0x200),
        &[
            UD,
            Col::Scatter(&[51, 52], HALVES),
            Col::When(Cond::Eq(59, 2, 3), &[Col::Lit(".AVRG")]),
            TAIL2[0],
            TAIL2[1],
            TAIL2[2],
        ],
        &[Col::Dst(50), Col::Fn(sum2), Col::R(42)],
    )
    .lower(sem::vadd2),
    row(
        &VABSDIFF2,
        Codes::one(2, 0xf80, 0xa80),
        &[SD, Col::Scatter(&[51, 52], HALVES), TAIL2[0], TAIL2[1], TAIL2[2]],
        OPERANDS2,
    )
    .lower(sem::vabsdiff2),
    row(
        &VMNMX2,
        Codes::one(1, 0xf00, 0xf00),
        &[UD, Col::Scatter(&[51, 52], HALVES), Col::Flag(59, ".MX"), TAIL2[0], TAIL2[1], TAIL2[2]],
        OPERANDS2,
    )
    .lower(sem::vmnmx2),
    row(
        &VSEL2,
        Codes::one(2, 0xff8, 0x790),
        &[
            UD,
            Col::Scatter(&[51, 52], HALVES),
            Col::Flag(54, ".SAT"),
            Col::Enum(48, 2, REDUCE),
            Col::Enum(46, 2, MASK2),
        ],
        &[Col::Dst(50), Col::Fn(pair), Col::Pn(42, 45)],
    ),
    row(
        &VSET2,
        Codes::one(2, 0xf00, 0x100),
        &[
            Col::Enum(57, 3, COMPARE),
            Col::Scatter(&[41, 56], HALVES),
            Col::Enum(51, 2, REDUCE),
            Col::Enum(54, 2, MASK2),
        ],
        OPERANDS2,
    )
    .lower(sem::vset2),
    row(
        &VADD4,
        Codes::one(1, 0xf00, 0xd00),
        &[
            UD,
            Col::Scatter(&[51, 52], BYTES),
            Col::When(Cond::Eq(58, 2, 3), &[Col::Lit(".AVRG")]),
            Col::Flag(53, ".SAT"),
            TAIL4[0],
            TAIL4[1],
        ],
        &[Col::Dst(50), Col::Fn(sum4), Col::R(42)],
    )
    .lower(sem::vadd4),
    row(
        &VABSDIFF4,
        Codes::one(2, 0xfc0, 0x800),
        &[SD, Col::Scatter(&[51, 52], BYTES), Col::Flag(53, ".SAT"), TAIL4[0], TAIL4[1]],
        OPERANDS4,
    )
    .lower(sem::vabsdiff4),
    row(
        &VMNMX4,
        Codes::one(2, 0xf80, 0xf00),
        &[
            UD,
            Col::Scatter(&[51, 52], BYTES),
            Col::Flag(58, ".MX"),
            Col::Flag(53, ".SAT"),
            TAIL4[0],
            TAIL4[1],
        ],
        OPERANDS4,
    )
    .lower(sem::vmnmx4),
    row(
        &VSEL4,
        Codes::one(2, 0xffc, 0x874),
        &[
            UD,
            Col::Scatter(&[51, 52], BYTES),
            Col::Flag(53, ".SAT"),
            Col::Enum(48, 2, REDUCE),
            Col::Scatter(&[46, 47, 39, 40], MASK4),
        ],
        &[Col::Dst(50), Col::Fn(quad), Col::Pn(42, 45)],
    ),
    row(
        &VSET4,
        Codes::one(2, 0xf80, 0xe80),
        &[Col::Enum(51, 3, COMPARE), Col::Scatter(&[41, 58], BYTES), TAIL4[0], TAIL4[1]],
        OPERANDS4,
    )
    .lower(sem::vset4),
];
