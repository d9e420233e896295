//! Integer arithmetic and comparison.

use upset_isa::{BitFlow, LatencyClass, OpDef, Pace, Unit};

use super::float::{COMBINE, minus_dst};
use crate::kepler::column::{Col, Cond, INT};
use crate::kepler::print::Out;
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::{compare, sums};
use crate::kepler::{Fields, Form};
use crate::table::op;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}
const fn mul(name: &'static str) -> OpDef {
    op(name, Unit::Fma, LatencyClass::Fixed).pace(Pace::IntegerProduct)
}

static IADD: OpDef = alu("IADD").bits(BitFlow::Upwards);
static ISUB: OpDef = alu("ISUB").bits(BitFlow::Upwards);
static IADD32I: OpDef = alu("IADD32I").bits(BitFlow::Upwards);
static ISCADD: OpDef = alu("ISCADD").bits(BitFlow::Upwards);
static ISCADD32I: OpDef = alu("ISCADD32I").bits(BitFlow::Upwards);
static ISAD: OpDef = alu("ISAD");
static IMNMX: OpDef = alu("IMNMX");
static ISET: OpDef = alu("ISET");
static ISETP: OpDef = alu("ISETP");
static ICMP: OpDef = alu("ICMP");
static IMAD: OpDef = mul("IMAD").bits(BitFlow::Product);
static IMAD32I: OpDef = mul("IMAD32I").bits(BitFlow::Product);
static IMADSP: OpDef = mul("IMADSP");
static IMUL: OpDef = mul("IMUL").bits(BitFlow::Product);
static IMUL32I: OpDef = mul("IMUL32I").bits(BitFlow::Product);

/// Comparisons of integers.
pub(super) const COMPARE: &[&str] = &[".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"];
/// Signs of two factors; signed ones have no name.
const FACTORS: &[&str] = &[".U32.U32", ".S32.U32", ".U32.S32", ""];
const UNSIGNED: Col = Col::Unless(51, ".U32");

/// IADD and ISUB share opcodes: two bits invert A and B, both together mean
/// "plus one".
const SUMS: Codes = Codes::b(0x208, 0xc08, 0x3fc);
const PLUS_ONE: Cond = Cond::Eq(51, 2, 3);
const SUM_FLAGS: &[Col] =
    &[Col::When(PLUS_ONE, &[Col::Lit(".PO")]), Col::Flag(53, ".SAT"), Col::Flag(46, ".X")];

/// Types of IMADSP: the sum is signed when a factor is.
fn special_types(f: &Fields, _: u64, out: &mut Out) {
    let (a, b, c) = (f.bits(51, 3) as usize, f.bits(56, 2) as usize, f.bits(54, 2) as usize);
    let sign = |signed: bool| if signed { 'S' } else { 'U' };
    let Some(third) = ["32", "24", "16H0"].get(c) else {
        return out.modifier(".SD");
    };
    let first = ["32", "24", "16H0", "16H1"][a >> 1];
    let second = ["24", "16H0"][b >> 1];
    let (sa, sb) = (a & 1 == 1, b & 1 == 1);
    out.modifier(&format!(".{}{first}.{}{second}.{}{third}", sign(sa), sign(sb), sign(sa || sb)));
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&ISUB, SUMS, SUM_FLAGS, &[Col::Dst(50), Col::A(INT), Col::B(INT)])
        .when(&[Cond::Eq(51, 2, 1)])
        .lower(sums::iadd),
    row(&ISUB, SUMS, SUM_FLAGS, &[Col::Dst(50), Col::B(INT), Col::A(INT)])
        .when(&[Cond::Eq(51, 2, 2), Cond::NotForm(Form::Reg)])
        .lower(sums::iadd),
    row(
        &IADD,
        SUMS,
        SUM_FLAGS,
        &[Col::Dst(50), Col::Either(PLUS_ONE, &[Col::A(INT)], &[Col::A(INT.neg(52))]), Col::B(INT)],
    )
    .lower(sums::iadd),
    row(
        &IADD32I,
        Codes::one(1, 0xf00, 0x400),
        &[
            Col::Enum(58, 2, &["", ".ILLEGAL1", "", ".PO"]),
            Col::Flag(57, ".SAT"),
            Col::Flag(56, ".X"),
        ],
        &[
            Col::Dst(55),
            Col::Either(Cond::Eq(58, 2, 2), &[Col::A(INT.neg(59))], &[Col::A(INT)]),
            Col::Signed(23, 32),
        ],
    )
    .lower(sums::iadd32i),
    row(
        &ISCADD,
        Codes::b(0x20c, 0xc0c, 0x3fc),
        &[Col::When(PLUS_ONE, &[Col::Lit(".PO")])],
        &[
            Col::Dst(50),
            Col::Either(
                PLUS_ONE,
                &[Col::A(INT), Col::B(INT)],
                &[Col::A(INT.neg(52)), Col::B(INT.neg(51))],
            ),
            Col::Hex(42, 5),
        ],
    )
    .lower(sums::iscadd),
    row(
        &ISCADD32I,
        Codes::one(0, 0xe00, 0xa00),
        &[],
        &[Col::Dst(55), Col::R(10), Col::Signed(23, 32), Col::Hex(56, 5)],
    )
    .lower(sums::iscadd32i),
    row(
        &ISAD,
        Codes::bc(0x1f4, 0xb74, 0x3fc),
        &[UNSIGNED],
        &[Col::Dst(50), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(compare::isad),
    row(
        &IMNMX,
        Codes::b(0x210, 0xc10, 0x3fc),
        &[UNSIGNED, Col::Enum(46, 2, &["", ".XLO", ".XMED", ".XHI"])],
        &[Col::Dst(50), Col::A(INT), Col::B(INT), Col::Pn(42, 45)],
    )
    .lower(compare::imnmx),
    row(
        &ISET,
        Codes::b(0x1a8, 0xb28, 0x3f8),
        &[
            Col::Flag(47, ".BF"),
            Col::Enum(52, 3, COMPARE),
            UNSIGNED,
            Col::Flag(46, ".X"),
            Col::Enum(48, 2, COMBINE),
        ],
        &[Col::Dst(50), Col::A(INT), Col::B(INT), Col::Pn(42, 45)],
    )
    .lower(compare::iset),
    row(
        &ISETP,
        Codes::b(0x1b0, 0xb30, 0x3f8),
        &[Col::Enum(52, 3, COMPARE), UNSIGNED, Col::Flag(46, ".X"), Col::Enum(48, 2, COMBINE)],
        &[Col::P(5), Col::P(2), Col::A(INT), Col::B(INT), Col::Pn(42, 45)],
    )
    .lower(compare::isetp),
    row(
        &ICMP,
        Codes::bc(0x1a0, 0xb20, 0x3f8),
        &[Col::Enum(52, 3, COMPARE), UNSIGNED],
        &[Col::R(2), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(compare::icmp),
    row(
        &IMAD,
        Codes::bc(0x100, 0xa00, 0x3c0),
        &[
            Col::Scatter(&[51, 56], FACTORS),
            Col::Flag(57, ".HI"),
            Col::When(Cond::Eq(54, 2, 3), &[Col::Lit(".PO")]),
            Col::Flag(53, ".SAT"),
            Col::Flag(52, ".X"),
        ],
        &[
            Col::Dst(50),
            // The sign of the product stands before A.
            Col::Either(
                Cond::Eq(54, 2, 3),
                &[Col::A(INT), Col::B(INT), Col::C(INT)],
                &[Col::A(INT.neg(55)), Col::B(INT), Col::C(INT.neg(54))],
            ),
        ],
    )
    .lower(sums::imad),
    row(
        &IMAD32I,
        Codes::one(0, 0xe00, 0x800),
        &[
            Col::Scatter(&[57, 60], FACTORS),
            Col::Flag(56, ".HI"),
            Col::When(Cond::Eq(58, 2, 3), &[Col::Lit(".PO")]),
        ],
        &[
            Col::Dst(55),
            Col::Either(Cond::Eq(58, 2, 2), &[Col::A(INT.neg(59))], &[Col::A(INT)]),
            Col::Signed(23, 32),
            Col::Either(Cond::Eq(58, 2, 1), &[Col::Fn(minus_dst)], &[Col::R(2)]),
        ],
    )
    .lower(sums::imad32i),
    row(
        &IMADSP,
        Codes::bc(0x140, 0xa40, 0x3c0),
        &[Col::Fn(special_types)],
        &[Col::Dst(50), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(sums::imadsp),
    row(
        &IMUL,
        Codes::b(0x21c, 0xc1c, 0x3fc),
        &[Col::Scatter(&[43, 44], FACTORS), Col::Flag(42, ".HI")],
        &[Col::Dst(50), Col::A(INT), Col::B(INT)],
    )
    .lower(sums::imul),
    row(
        &IMUL32I,
        Codes::one(2, 0xf80, 0x280),
        &[Col::Scatter(&[57, 58], FACTORS), Col::Flag(56, ".HI")],
        &[Col::Dst(55), Col::R(10), Col::Signed(23, 32)],
    )
    .lower(sums::imul32i),
];
