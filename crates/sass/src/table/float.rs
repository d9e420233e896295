//! FP32 and FP64 arithmetic.

use upset_isa::{Across, LatencyClass, OpDef, Unit};

use super::column::{ILLEGAL, INVALID, PLAIN};
use super::int::COMBINE;
use super::print::Out;
use super::{Archs, Col, Cond, Forms, Imm, Operand, Row, op, row};
use crate::Fields;
use crate::sem::{fp32, fp64, mufu};

const fn fma(name: &'static str) -> OpDef {
    op(name, Unit::Fma, LatencyClass::Fixed)
}
const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}
/// Double precision waits on scoreboards where the unit is narrow (sm_75).
const fn double(name: &'static str) -> OpDef {
    op(name, Unit::Fp64, LatencyClass::Variable)
}
const fn mufu(name: &'static str) -> OpDef {
    op(name, Unit::Mufu, LatencyClass::Variable)
}

static FADD: OpDef = fma("FADD");
static FMUL: OpDef = fma("FMUL");
static FFMA: OpDef = fma("FFMA");
static FSWZADD: OpDef = fma("FSWZADD").across(Across::Lanes);
static FMNMX: OpDef = alu("FMNMX");
static FSEL: OpDef = alu("FSEL");
static FSET: OpDef = alu("FSET");
static FSETP: OpDef = alu("FSETP");
static FCHK: OpDef = mufu("FCHK");
static MUFU: OpDef = mufu("MUFU");
static DADD: OpDef = double("DADD");
static DMUL: OpDef = double("DMUL");
static DFMA: OpDef = double("DFMA");
static DSETP: OpDef = double("DSETP");

const F32: Operand = PLAIN.imm(Imm::F32).neg().abs();
/// One half of a register.
pub(super) const F16: Operand =
    PLAIN.imm(Imm::F16).neg().abs().parts(&["", ".H1", INVALID, INVALID]);
const F64: Operand = PLAIN.imm(Imm::F64).neg().abs();

/// Rounding, bits 78-79.
pub(super) const ROUND: Col = Col::Enum(78, 2, &["", ".RM", ".RP", ".RZ"]);
/// Flush to zero, or multiply zero by anything to zero.
pub(super) const FLUSH: Col = Col::Scatter(&[80, 76], &["", ".FTZ", ".FMZ", INVALID]);
const FTZ: Col = Col::Flag(80, ".FTZ");
const SAT: Col = Col::Flag(77, ".SAT");

/// Comparisons of floating-point numbers, bits 76-79.
pub(super) const COMPARE: &[&str] = &[
    ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM", ".NAN", ".LTU", ".EQU", ".LEU", ".GTU",
    ".NEU", ".GEU", ".T",
];
const DCOMPARE: &[&str] = &[
    ".MIN", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM", ".NAN", ".LTU", ".EQU", ".LEU",
    ".GTU", ".NEU", ".GEU", ".MAX",
];

/// Functions of `MUFU`, bits 74-77; the FP16 form lacks the two that take the
/// high word of an FP64.
const FUNCTION: &[&str] =
    &[".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT", ".TANH"];
const FUNCTION70: &[&str] =
    &[".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT"];
const FUNCTION16: &[&str] =
    &[".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", INVALID, INVALID, ".SQRT", ".TANH"];

/// The per-lane signs of `FSWZADD`: two bits each, last lane first.
fn swizzle_signs(f: &Fields, _: u64, out: &mut Out) {
    let signs: String =
        (0..4).rev().map(|i| ["PP", "PN", "NP", "ZP"][f.bits(32 + 2 * i, 2) as usize]).collect();
    out.operand(&signs);
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &FADD,
        Archs::ALL,
        0x021,
        Forms::C,
        &[FTZ, ROUND, SAT],
        &[Col::R(16), Col::A(F32), Col::C32(F32)],
    )
    .lower(fp32::fadd),
    row(
        &FMUL,
        Archs::ALL,
        0x020,
        Forms::B,
        &[
            FLUSH,
            Col::Enum(84, 3, &[INVALID, ".D8", ".D4", ".D2", "", ".M2", ".M4", ".M8"]),
            ROUND,
            SAT,
        ],
        &[Col::R(16), Col::A(F32), Col::B(F32)],
    )
    .lower(fp32::fmul),
    row(
        &FFMA,
        Archs::ALL,
        0x023,
        Forms::BC,
        &[FLUSH, ROUND, SAT],
        &[Col::R(16), Col::A(F32), Col::B(F32), Col::C(F32)],
    )
    .lower(fp32::ffma),
    row(
        &FSWZADD,
        Archs::ALL,
        0x022,
        Forms::one(4),
        &[FTZ, ROUND, Col::Flag(77, ".NDV")],
        &[Col::R(16), Col::A(PLAIN), Col::C(PLAIN), Col::Fn(swizzle_signs)],
    )
    .lower(fp32::fswzadd)
    .loose91(),
    row(
        &FMNMX,
        Archs::ALL,
        0x009,
        Forms::B,
        &[
            FTZ,
            Col::When(Cond::Arch(Archs::FROM80), &[Col::Flag(81, ".NAN")]),
            Col::When(
                Cond::Arch(Archs::SM90),
                &[Col::Flag(82, ".XORSIGN"), Col::Flag(65, ".IS_A")],
            ),
        ],
        &[
            Col::R(16),
            Col::When(Cond::All(&[Cond::Arch(Archs::SM90), Cond::Set(65)]), &[Col::P(66)]),
            Col::A(F32),
            Col::B(F32),
            Col::Pn(87, 90),
        ],
    )
    .lower(fp32::fmnmx),
    row(
        &FSEL,
        Archs::ALL,
        0x008,
        Forms::B,
        &[FTZ],
        &[Col::R(16), Col::A(F32), Col::B(F32), Col::Pn(87, 90)],
    )
    .lower(fp32::fsel),
    row(
        &FSET,
        Archs::ALL,
        0x00a,
        Forms::B,
        &[Col::Lit(".BF"), Col::Enum(76, 4, COMPARE), FTZ, Col::Enum(74, 2, COMBINE)],
        &[Col::R(16), Col::A(F32), Col::B(F32), Col::Pn(87, 90)],
    )
    .lower(fp32::fset),
    row(
        &FSETP,
        Archs::ALL,
        0x00b,
        Forms::B,
        &[Col::Enum(76, 4, COMPARE), FTZ, Col::Enum(74, 2, COMBINE)],
        &[Col::P(81), Col::P(84), Col::A(F32), Col::B(F32), Col::Pn(87, 90)],
    )
    .lower(fp32::fsetp),
    row(
        &FCHK,
        Archs::ALL,
        0x102,
        Forms::B,
        &[],
        &[Col::P(81), Col::A(F32.no_reuse()), Col::B(F32.no_reuse())],
    )
    .lower(fp32::fchk),
    row(
        &MUFU,
        Archs::SM75.or(Archs::SM80),
        0x108,
        Forms::B,
        &[Col::Enum(74, 4, FUNCTION16), Col::Lit(".F16")],
        &[Col::R(16), Col::B(F16.no_reuse())],
    )
    .when(&[Cond::Set(73)])
    .lower(mufu::mufu),
    row(
        &MUFU,
        Archs::SM90,
        0x108,
        Forms::B,
        &[Col::Enum(74, 4, FUNCTION16), Col::Enum(72, 2, &["", ".F16", ".BF16", ILLEGAL])],
        &[
            Col::R(16),
            Col::Either(
                Cond::Set(73),
                &[Col::B(F16.imm(Imm::Bf16).no_reuse())],
                &[Col::B(F16.no_reuse())],
            ),
        ],
    )
    .when(&[Cond::Ne(72, 2, 0)])
    .lower(mufu::mufu),
    row(
        &MUFU,
        Archs::ALL,
        0x108,
        Forms::B,
        &[Col::Either(
            Cond::Arch(Archs::SM70),
            &[Col::Enum(74, 4, FUNCTION70)],
            &[Col::Enum(74, 4, FUNCTION)],
        )],
        &[
            Col::R(16),
            Col::Either(Cond::Eq(75, 3, 3), &[Col::B(F64.no_reuse())], &[Col::B(F32.no_reuse())]),
        ],
    )
    .lower(mufu::mufu),
    row(&DADD, Archs::ALL, 0x029, Forms::C, &[ROUND], &[Col::R(16), Col::A(F64), Col::C(F64)])
        .lower(fp64::dadd),
    row(&DMUL, Archs::ALL, 0x028, Forms::B, &[ROUND], &[Col::R(16), Col::A(F64), Col::B(F64)])
        .lower(fp64::dmul),
    row(
        &DFMA,
        Archs::ALL,
        0x02b,
        Forms::BC,
        &[ROUND],
        &[Col::R(16), Col::A(F64), Col::B(F64), Col::C(F64)],
    )
    .lower(fp64::dfma),
    row(
        &DSETP,
        Archs::ALL,
        0x02a,
        Forms::C,
        &[Col::Enum(76, 4, DCOMPARE), Col::Enum(74, 2, COMBINE)],
        &[Col::P(81), Col::P(84), Col::A(F64), Col::C32(F64), Col::Pn(87, 90)],
    )
    .lower(fp64::dsetp),
];
