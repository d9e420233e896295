//! Packed half-precision arithmetic.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::PLAIN;
use super::float::{COMPARE, FLUSH};
use super::int::COMBINE;
use super::{Archs, Col, Forms, Imm, Operand, Row, op, row};
use crate::sem::fp16;

const fn half(name: &'static str) -> OpDef {
    op(name, Unit::Half, LatencyClass::Fixed)
}

static HADD2: OpDef = half("HADD2");
static HMUL2: OpDef = half("HMUL2");
static HFMA2: OpDef = half("HFMA2");
static HSET2: OpDef = half("HSET2");
static HSETP2: OpDef = half("HSETP2");

const H2: Operand = PLAIN.imm(Imm::F16x2).packed().neg().abs();

const FTZ: Col = Col::Flag(80, ".FTZ");
const SAT: Col = Col::Flag(77, ".SAT");
const F32: Col = Col::Flag(78, ".F32");

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &HADD2,
        Archs::ALL,
        0x030,
        Forms::C,
        &[F32, FTZ, SAT],
        &[Col::R(16), Col::A(H2), Col::C32(H2)],
    )
    .lower(fp16::hadd2),
    row(
        &HMUL2,
        Archs::ALL,
        0x032,
        Forms::B,
        &[F32, FLUSH, SAT],
        &[Col::R(16), Col::A(H2), Col::B(H2)],
    )
    .lower(fp16::hmul2),
    row(
        &HFMA2,
        Archs::ALL,
        0x031,
        Forms::BC,
        &[F32, FLUSH, SAT],
        &[Col::R(16), Col::A(H2), Col::B(H2), Col::C(H2)],
    )
    .lower(fp16::hfma2),
    row(
        &HSET2,
        Archs::ALL,
        0x033,
        Forms::C,
        &[Col::Flag(71, ".BF"), Col::Enum(76, 4, COMPARE), FTZ, Col::Enum(69, 2, COMBINE)],
        &[Col::R(16), Col::A(H2), Col::C32(H2), Col::Pn(87, 90)],
    )
    .lower(fp16::hset2),
    row(
        &HSETP2,
        Archs::ALL,
        0x034,
        Forms::C,
        &[Col::Enum(76, 4, COMPARE), Col::Flag(71, ".H_AND"), FTZ, Col::Enum(69, 2, COMBINE)],
        &[Col::P(81), Col::P(84), Col::A(H2), Col::C32(H2), Col::Pn(87, 90)],
    )
    .lower(fp16::hsetp2),
];
