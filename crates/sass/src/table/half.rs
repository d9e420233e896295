//! Packed half-precision arithmetic.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::{ILLEGAL, INVALID, PLAIN};
use super::float::{COMPARE, FLUSH};
use super::int::COMBINE;
use super::{Archs, Col, Cond, Forms, Imm, Operand, Row, op, row};
use crate::sem::fp16;

const fn half(name: &'static str) -> OpDef {
    op(name, Unit::Half, LatencyClass::Fixed)
}

// The field for a predicate is there, but arithmetic does not read it.
static HADD2: OpDef = half("HADD2").leaves_preds();
static HMUL2: OpDef = half("HMUL2").leaves_preds();
static HFMA2: OpDef = half("HFMA2").leaves_preds();
static HMNMX2: OpDef = half("HMNMX2");
static VHMNMX: OpDef = half("VHMNMX");
static HSET2: OpDef = half("HSET2");
static HSETP2: OpDef = half("HSETP2");

const H2: Operand = PLAIN.imm(Imm::F16x2).packed().neg().abs();
const B2: Operand = H2.imm(Imm::Bf16x2);
/// sm_90 has no FP32 operands, and can negate the high half of B.
const H90: Operand = H2.parts(&["", INVALID, ".H0_H0", ".H1_H1"]);
const B90: Operand = H90.imm(Imm::Bf16x2);
const HB: Operand =
    H90.parts(&["", ".F32", ".H0_H0", ".H1_H1", ".H0_NH1", INVALID, INVALID, INVALID]).part_bit(86);
const BB: Operand = HB.imm(Imm::Bf16x2);
/// Without selection of halves.
const MMA: Operand = H2.parts(&[]);
const MMAB: Operand = B2.parts(&[]);

const FTZ: Col = Col::Flag(80, ".FTZ");
const SAT: Col = Col::Flag(77, ".SAT");
const F32: Col = Col::Flag(78, ".F32");
const RELU: Col = Col::Flag(79, ".RELU");
/// A predicate that goes with rectification.
const RELU_MASK: Col = Col::When(Cond::Set(79), &[Col::PnTrue(87, 90)]);
const NAN: Col = Col::Flag(81, ".NAN");
/// Saturation and rectification exclude each other.
const SAT_OR_RELU: Col = Col::Must(Cond::Any(&[Cond::Clear(77), Cond::Clear(79)]));
const FLUSH90: Col = Col::Scatter(&[80, 76], &["", ".FTZ", ".FMZ", ".OOB"]);

/// Number formats: bits 78 and 85.
const TYPE: &[u8] = &[78, 85];
/// Formats where FP32 results do not exist.
const PURE: &[&str] = &["", INVALID, ".BF16_V2", INVALID];
const BF16: Cond = Cond::All(&[Cond::Clear(78), Cond::Set(85)]);
const BF16_AND_F32: Cond = Cond::All(&[Cond::Set(78), Cond::Set(85)]);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &HADD2,
        Archs::TO80,
        0x030,
        Forms::C,
        &[F32, FTZ, SAT],
        &[Col::R(16), Col::A(H2), Col::C32(H2)],
    )
    .lower(fp16::hadd2),
    // Widening: A has neither bars nor reuse, an immediate no high half.
    row(
        &HADD2,
        Archs::SM90,
        0x030,
        Forms::C,
        &[Col::Lit(".F32"), FTZ, SAT],
        &[
            Col::R(16),
            Col::A(Operand { abs: false, reuse: false, ..H90 }),
            Col::C32(H90.imm(Imm::F16)),
        ],
    )
    .when(&[Cond::Set(78), Cond::Clear(85)])
    .lower(fp16::hadd2),
    row(
        &HADD2,
        Archs::SM90,
        0x030,
        Forms::C,
        &[Col::Scatter(TYPE, &["", ".F32", ".BF16_V2", ILLEGAL]), FTZ, SAT],
        &[
            Col::R(16),
            Col::Either(BF16, &[Col::A(B90), Col::C32(B90)], &[Col::A(H90), Col::C32(H90)]),
        ],
    )
    .lower(fp16::hadd2),
    row(
        &HMUL2,
        Archs::TO80,
        0x032,
        Forms::B,
        &[F32, FLUSH, SAT],
        &[Col::R(16), Col::A(H2), Col::B(H2)],
    )
    .lower(fp16::hmul2),
    row(
        &HMUL2,
        Archs::SM90,
        0x032,
        Forms::B,
        &[Col::Scatter(TYPE, PURE), FLUSH, SAT],
        &[Col::R(16), Col::Either(BF16, &[Col::A(B90), Col::B(B90)], &[Col::A(H90), Col::B(H90)])],
    )
    .lower(fp16::hmul2),
    row(
        &HFMA2,
        Archs::TO75,
        0x031,
        Forms::BC,
        &[F32, FLUSH, SAT],
        &[Col::R(16), Col::A(H2), Col::B(H2), Col::C(H2)],
    )
    .lower(fp16::hfma2),
    row(
        &HFMA2,
        Archs::SM90,
        0x031,
        Forms::BC,
        &[SAT_OR_RELU],
        &[Col::A(H90), Col::B(HB), Col::C(H90)],
    )
    .when(&[BF16_AND_F32])
    .silent(),
    row(
        &HFMA2,
        Archs::SM80,
        0x031,
        Forms::BC,
        &[Col::Scatter(TYPE, &["", ".F32", ".BF16_V2", INVALID]), FLUSH, RELU, SAT, SAT_OR_RELU],
        &[
            Col::R(16),
            Col::Either(
                BF16,
                &[Col::A(B2), Col::B(B2), Col::C(B2)],
                &[Col::A(H2), Col::B(H2), Col::C(H2)],
            ),
            RELU_MASK,
        ],
    )
    .lower(fp16::hfma2),
    row(
        &HFMA2,
        Archs::SM90,
        0x031,
        Forms::BC,
        &[Col::Scatter(TYPE, &["", ".F32", ".BF16_V2", INVALID]), FLUSH90, RELU, SAT, SAT_OR_RELU],
        &[
            Col::R(16),
            Col::Either(
                BF16,
                &[Col::A(B90), Col::B(BB), Col::C(B90)],
                &[Col::A(H90), Col::B(HB), Col::C(H90)],
            ),
            RELU_MASK,
        ],
    )
    .lower(fp16::hfma2),
    row(
        &HFMA2,
        Archs::SM80,
        0x035,
        Forms::BC,
        &[Col::Lit(".MMA"), FLUSH, RELU, SAT, SAT_OR_RELU],
        &[Col::R(16), Col::A(MMA), Col::B(MMA), Col::C(MMA), RELU_MASK],
    )
    .lower(fp16::hfma2_mma),
    row(
        &HFMA2,
        Archs::SM90,
        0x035,
        Forms::BC,
        &[Col::Lit(".MMA"), Col::Scatter(TYPE, PURE), FLUSH, RELU, SAT, SAT_OR_RELU],
        &[
            Col::R(16),
            Col::Either(
                BF16,
                &[Col::A(MMAB), Col::B(MMAB), Col::C(MMAB)],
                &[Col::A(MMA), Col::B(MMA), Col::C(MMA)],
            ),
            RELU_MASK,
        ],
    )
    .lower(fp16::hfma2_mma),
    row(
        &HMNMX2,
        Archs::SM80,
        0x040,
        Forms::B,
        &[Col::Scatter(TYPE, &["", ".F32", ".BF16_V2", INVALID]), FTZ, NAN],
        &[
            Col::R(16),
            Col::Either(BF16, &[Col::A(B2), Col::B(B2)], &[Col::A(H2), Col::B(H2)]),
            Col::Pn(87, 90),
        ],
    )
    .lower(fp16::hmnmx2),
    row(&HMNMX2, Archs::SM90, 0x040, Forms::B, &[], &[Col::A(H90), Col::B(H90)])
        .when(&[BF16_AND_F32])
        .silent(),
    row(
        &HMNMX2,
        Archs::SM90,
        0x040,
        Forms::B,
        &[Col::Scatter(TYPE, PURE), FTZ, NAN, Col::Flag(82, ".XORSIGN"), Col::Flag(65, ".IS_A")],
        &[
            Col::R(16),
            Col::When(Cond::Set(65), &[Col::P(66), Col::P(69)]),
            Col::Either(BF16, &[Col::A(B90), Col::B(B90)], &[Col::A(H90), Col::B(H90)]),
            Col::Pn(87, 90),
        ],
    )
    .lower(fp16::hmnmx2),
    row(
        &VHMNMX,
        Archs::SM90,
        0x047,
        Forms::B,
        &[Col::Scatter(TYPE, PURE), FTZ, NAN, Col::Flag(82, ".XORSIGN")],
        &[
            Col::R(16),
            Col::Either(BF16, &[Col::A(B90), Col::B(B90)], &[Col::A(H90), Col::B(H90)]),
            Col::C(H90.parts_at(76)),
            Col::Pn(87, 90),
        ],
    )
    .later()
    .lower(fp16::vhmnmx),
    row(
        &HSET2,
        Archs::TO80,
        0x033,
        Forms::C,
        &[Col::Flag(71, ".BF"), Col::Enum(76, 4, COMPARE), FTZ, Col::Enum(69, 2, COMBINE)],
        &[Col::R(16), Col::A(H2), Col::C32(H2), Col::Pn(87, 90)],
    )
    .lower(fp16::hset2),
    row(
        &HSET2,
        Archs::SM90,
        0x033,
        Forms::C,
        &[
            Col::Enum(64, 2, PURE),
            Col::Flag(71, ".BF"),
            Col::Enum(76, 4, COMPARE),
            FTZ,
            Col::Enum(69, 2, COMBINE),
        ],
        &[
            Col::R(16),
            Col::Either(
                Cond::Eq(64, 2, 2),
                &[Col::A(B90), Col::C32(B90)],
                &[Col::A(H90), Col::C32(H90)],
            ),
            Col::Pn(87, 90),
        ],
    )
    .lower(fp16::hset2),
    row(
        &HSETP2,
        Archs::TO80,
        0x034,
        Forms::C,
        &[Col::Enum(76, 4, COMPARE), Col::Flag(71, ".H_AND"), FTZ, Col::Enum(69, 2, COMBINE)],
        &[Col::P(81), Col::P(84), Col::A(H2), Col::C32(H2), Col::Pn(87, 90)],
    )
    .lower(fp16::hsetp2),
    row(
        &HSETP2,
        Archs::SM90,
        0x034,
        Forms::C,
        &[
            Col::Enum(64, 2, PURE),
            Col::Enum(76, 4, COMPARE),
            Col::Flag(71, ".H_AND"),
            FTZ,
            Col::Enum(69, 2, COMBINE),
        ],
        &[
            Col::P(81),
            Col::P(84),
            Col::Either(
                Cond::Eq(64, 2, 2),
                &[Col::A(B90), Col::C32(B90)],
                &[Col::A(H90), Col::C32(H90)],
            ),
            Col::Pn(87, 90),
        ],
    )
    .lower(fp16::hsetp2),
];
