//! Conversions.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::float::ROUND;
use crate::kepler::Fields;
use crate::kepler::column::{Col, INT, Imm, Source};
use crate::kepler::print::Out;
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::convert;
use crate::table::op;

const fn slow(name: &'static str) -> OpDef {
    op(name, Unit::Mufu, LatencyClass::Variable)
}

static F2F: OpDef = slow("F2F");
static F2I: OpDef = slow("F2I");
static I2F: OpDef = slow("I2F");
static I2I: OpDef = slow("I2I");

const INTEGER: &[&str] = &[".U8", ".U16", ".U32", ".U64", ".S8", ".S16", ".S32", ".S64"];
const FLOAT_SOURCE: &[&str] = &[".INVALIDFPSRC0", ".F16", ".F32", ".F64"];
const FLOAT_RESULT: &[&str] = &[".INVALIDFPDEST0", ".F16", ".F32", ".F64"];

/// One half of an FP16 pair.
fn half(f: &Fields) -> &'static str {
    if f.bit(44) { ".H1" } else { "" }
}

/// A byte or half of an integer.
fn part(f: &Fields) -> &'static str {
    match (f.bits(12, 2), f.bits(44, 2)) {
        (_, 0) => "",
        (1, 1) => ".H0",
        (1, _) => ".H1",
        (_, 1) => ".B1",
        (_, 2) => ".B2",
        _ => ".B3",
    }
}

const FLOAT: Source = INT.imm(Imm::Typed).neg(48).abs(52).part(half);
const INTEGER_SOURCE: Source = INT.neg(48).abs(52).part(part);

/// Between formats of one size F2F rounds to an integer or passes the number
/// on, else it rounds the result.
fn rounding(f: &Fields, _: u64, out: &mut Out) {
    let mode = f.bits(42, 2) as usize;
    let names = match (f.bits(10, 2) == f.bits(12, 2), f.bit(45)) {
        (false, _) => ROUND,
        (true, false) => &["", ".PASS", ".PASS", ".PASS"],
        (true, true) => &[".ROUND", ".FLOOR", ".CEIL", ".TRUNC"],
    };
    out.modifier(names[mode]);
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &F2F,
        Codes::b(0x254, 0xc54, 0x3fc),
        &[
            Col::Flag(47, ".FTZ"),
            Col::Enum(10, 2, FLOAT_RESULT),
            Col::Enum(12, 2, FLOAT_SOURCE),
            Col::Fn(rounding),
            Col::Flag(53, ".SAT"),
        ],
        &[Col::Dst(50), Col::B(FLOAT)],
    )
    .lower(convert::f2f),
    row(
        &F2I,
        Codes::b(0x258, 0xc58, 0x3fc),
        &[
            Col::Flag(47, ".FTZ"),
            Col::Scatter(&[10, 11, 14], INTEGER),
            Col::Enum(12, 2, FLOAT_SOURCE),
            Col::Enum(42, 2, &["", ".FLOOR", ".CEIL", ".TRUNC"]),
        ],
        &[Col::Dst(50), Col::B(FLOAT)],
    )
    .lower(convert::f2i),
    row(
        &I2F,
        Codes::b(0x25c, 0xc5c, 0x3fc),
        &[
            Col::Enum(10, 2, FLOAT_SOURCE),
            Col::Scatter(&[12, 13, 15], INTEGER),
            Col::Enum(42, 2, ROUND),
        ],
        &[Col::Dst(50), Col::B(INTEGER_SOURCE)],
    )
    .lower(convert::i2f),
    row(
        &I2I,
        Codes::b(0x260, 0xc60, 0x3fc),
        &[
            Col::Scatter(&[10, 11, 14], INTEGER),
            Col::Scatter(&[12, 13, 15], INTEGER),
            Col::Flag(53, ".SAT"),
        ],
        &[Col::Dst(50), Col::B(INTEGER_SOURCE)],
    )
    .lower(convert::i2i),
];
