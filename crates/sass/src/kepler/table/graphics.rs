//! Attributes and other things of graphics shaders.

use upset_isa::{LatencyClass, OpDef, Unit};

use crate::kepler::Fields;
use crate::kepler::column::{Col, Cond, INT};
use crate::kepler::print::{Out, place};
use crate::kepler::row::{Codes, Row, row};
use crate::table::{number, op};

static IPA: OpDef = op("IPA", Unit::Mufu, LatencyClass::Variable);
static ALD: OpDef = op("ALD", Unit::LoadStore, LatencyClass::Variable);
static AST: OpDef = op("AST", Unit::LoadStore, LatencyClass::None);
static AL2P: OpDef = op("AL2P", Unit::LoadStore, LatencyClass::Variable);
static OUT: OpDef = op("OUT", Unit::System, LatencyClass::Variable);
static PIXLD: OpDef = op("PIXLD", Unit::System, LatencyClass::Variable);
static VILD: OpDef = op("VILD", Unit::LoadStore, LatencyClass::Variable);

const SIZE: Col = Col::Enum(50, 2, &["", ".64", ".96", ".128"]);
/// A patch's attributes, or the physical addresses that AL2P gives.
const SPACE: Col = Col::Either(
    Cond::Set(34),
    &[Col::Lit(".P")],
    &[Col::When(Cond::Ne(10, 8, 255), &[Col::Lit(".PHYS")])],
);
/// Physical addresses have no offset.
const PLACE: Col =
    Col::Must(Cond::Any(&[Cond::Set(34), Cond::Eq(10, 8, 255), Cond::Eq(23, 11, 0)]));

/// An attribute's place: eleven bits of signed offset from a register, ten
/// unsigned ones alone.
fn at(f: &Fields, lo: u32, out: &mut Out) {
    let width = if f.bits(10, 8) == 255 { 10 } else { 11 };
    out.operand(&format!("a[{}]", place(f, lo, width)));
}

fn attribute(f: &Fields, _: u64, out: &mut Out) {
    at(f, 23, out);
}

fn interpolated(f: &Fields, _: u64, out: &mut Out) {
    at(f, 31, out);
}

/// The same without brackets; the register has been printed.
fn attribute_offset(f: &Fields, _: u64, out: &mut Out) {
    let offset = match f.bits(10, 8) {
        255 => f.bits(23, 10) as i64,
        _ => f.word.signed(23, 11),
    };
    if offset != 0 {
        out.operand(&number::hex(offset));
    }
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &IPA,
        Codes::one(2, 0xff8, 0x748),
        &[
            Col::Enum(53, 2, &[".PASS", "", ".CONSTANT", ".SC"]),
            Col::Enum(51, 2, &["", ".CENTROID", ".OFFSET", ".INVALID"]),
            Col::Flag(50, ".SAT"),
        ],
        &[Col::R(2), Col::Fn(interpolated), Col::R(23), Col::ROpt(42)],
    ),
    row(
        &ALD,
        Codes::one(2, 0xffc, 0x7ec),
        &[PLACE, Col::Flag(35, ".O"), SPACE, SIZE],
        &[Col::R(2), Col::Fn(attribute), Col::ROpt(42)],
    ),
    row(
        &AST,
        Codes::one(2, 0xffc, 0x7f0),
        &[PLACE, SPACE, SIZE],
        &[Col::Fn(attribute), Col::R(2), Col::ROpt(42)],
    ),
    row(
        &AL2P,
        Codes::one(2, 0xffc, 0x7d0),
        &[Col::Flag(35, ".O"), SIZE],
        &[Col::R(2), Col::ROpt(10), Col::Fn(attribute_offset)],
    ),
    row(
        &OUT,
        Codes::b(0x1f0, 0xb70, 0x3fc),
        &[Col::Enum(42, 2, &[".INVALIDOUTSTYPE0", ".EMIT", ".CUT", ".EMIT_THEN_CUT"])],
        &[Col::R(2), Col::A(INT), Col::B(INT)],
    ),
    row(
        &PIXLD,
        Codes::one(2, 0xffc, 0x7f4),
        &[Col::Enum(
            34,
            3,
            &[
                "",
                ".COVMASK",
                ".COVERED",
                ".OFFSET",
                ".CENTROID_OFFSET",
                ".MY_INDEX",
                ".INVALID0",
                ".INVALID1",
            ],
        )],
        &[Col::R(2), Col::POpt(48), Col::Mem("", 23, 8)],
    ),
    row(&VILD, Codes::one(2, 0xffc, 0x7f8), &[], &[Col::R(2), Col::Mem("v", 23, 8)]),
];
