//! FP32 arithmetic.

use upset_isa::{Across, LatencyClass, OpDef, Unit};

use crate::kepler::column::{Col, Cond, F32, Source};
use crate::kepler::print::Out;
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::fp32;
use crate::kepler::{Fields, Form};
use crate::table::op;

const fn fma(name: &'static str) -> OpDef {
    op(name, Unit::Fma, LatencyClass::Fixed)
}
const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}
const fn slow(name: &'static str) -> OpDef {
    op(name, Unit::Mufu, LatencyClass::Variable)
}

static FADD: OpDef = fma("FADD");
static FADD32I: OpDef = fma("FADD32I");
static FMUL: OpDef = fma("FMUL");
static FMUL32I: OpDef = fma("FMUL32I");
static FFMA: OpDef = fma("FFMA");
static FFMA32I: OpDef = fma("FFMA32I");
static FSWZ: OpDef = fma("FSWZ").across(Across::Lanes);
static FMNMX: OpDef = alu("FMNMX");
static FSET: OpDef = alu("FSET");
static FSETP: OpDef = alu("FSETP");
static FCMP: OpDef = alu("FCMP");
static FCCO: OpDef = alu("FCCO");
static FCHK: OpDef = slow("FCHK");
static RRO: OpDef = slow("RRO");
static MUFU: OpDef = slow("MUFU");

/// Comparisons of floating-point numbers, in modifiers.
pub(super) const COMPARE: &[&str] = &[
    ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM", ".NAN", ".LTU", ".EQU", ".LEU", ".GTU",
    ".NEU", ".GEU", ".T",
];
/// FCMP prints no name for "greater than".
const COMPARE_ZERO: &[&str] = &[
    ".F", ".LT", ".EQ", ".LE", "", ".NE", ".GE", ".NUM", ".NAN", ".LTU", ".EQU", ".LEU", ".GTU",
    ".NEU", ".GEU", ".T",
];
/// Combination of a comparison with a predicate.
pub(super) const COMBINE: &[&str] = &[".AND", ".OR", ".XOR", ".INVALIDBOP3"];
/// Rounding.
pub(super) const ROUND: &[&str] = &["", ".RM", ".RP", ".RZ"];
/// Flush to zero, or multiply zero by anything to zero.
const FLUSH: &[&str] = &["", ".FTZ", ".FMZ", ".INVALIDFMZ3"];
const SCALE: &[&str] = &["", ".D2", ".D4", ".D8", ".M8", ".M4", ".M2", ".INVALIDSCALE37"];
const FUNCTION: &[&str] = &[
    ".COS",
    ".SIN",
    ".EX2",
    ".LG2",
    ".RCP",
    ".RSQ",
    ".RCP64H",
    ".RSQ64H",
    ".INVALIDMUFUOPCODE8",
    ".INVALIDMUFUOPCODE9",
    ".INVALIDMUFUOPCODEA",
    ".INVALIDMUFUOPCODEB",
    ".INVALIDMUFUOPCODEC",
    ".INVALIDMUFUOPCODED",
    ".INVALIDMUFUOPCODEE",
    ".INVALIDMUFUOPCODEF",
];

const A: Source = F32.neg(51).abs(49);
const B: Source = F32.neg(48).abs(52);

/// What FCHK and DCHK test: 0, or 63 modes without a name.
pub(super) fn check_mode(f: &Fields, _: u64, out: &mut Out) {
    match f.bits(42, 6) {
        0 => out.modifier(".DIVIDE"),
        n => out.modifier(&format!(".INVALIDCHKMODE{n}")),
    }
}

/// The per-lane signs of FSWZ: two bits each, last lane first.
fn swizzle_signs(f: &Fields, _: u64, out: &mut Out) {
    let signs: String =
        (0..4).rev().map(|i| ["PP", "NP", "PN", "ZP"][f.bits(31 + 2 * i, 2) as usize]).collect();
    out.operand(&signs);
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &FADD,
        Codes::b(0x22c, 0xc2c, 0x3fc),
        &[Col::Flag(47, ".FTZ"), Col::Enum(42, 2, ROUND), Col::Flag(53, ".SAT")],
        &[Col::Dst(50), Col::A(A), Col::B(B)],
    )
    .lower(fp32::fadd),
    row(
        &FADD32I,
        Codes::one(0, 0xe00, 0x400),
        &[Col::Flag(58, ".FTZ")],
        &[
            Col::Dst(55),
            Col::A(F32.neg(59).abs(57)),
            Col::Float32,
            Col::Suffix(56, ".NEG"),
            Col::Suffix(60, ".ABS"),
        ],
    )
    .lower(fp32::fadd32i),
    row(
        &FMUL,
        Codes::b(0x234, 0xc34, 0x3fc),
        &[
            Col::Enum(47, 2, FLUSH),
            Col::Enum(44, 3, SCALE),
            Col::Enum(42, 2, ROUND),
            Col::Flag(53, ".SAT"),
        ],
        &[Col::Dst(50), Col::A(F32.neg(51)), Col::B(F32)],
    )
    .lower(fp32::fmul),
    row(
        &FMUL32I,
        Codes::one(2, 0xf80, 0x200),
        &[Col::Enum(56, 2, FLUSH), Col::Flag(58, ".SAT")],
        &[Col::Dst(55), Col::R(10), Col::Float32],
    )
    .lower(fp32::fmul32i),
    row(
        &FFMA,
        Codes::bc(0x0c0, 0x940, 0x3c0),
        &[Col::Enum(56, 2, FLUSH), Col::Enum(54, 2, ROUND), Col::Flag(53, ".SAT")],
        &[Col::Dst(50), Col::A(F32.neg(51)), Col::B(F32), Col::C(F32.neg(52))],
    )
    .lower(fp32::ffma),
    row(
        &FFMA32I,
        Codes::one(0, 0xe00, 0x600),
        &[Col::Enum(56, 2, FLUSH), Col::Flag(58, ".SAT")],
        &[
            Col::Dst(55),
            Col::A(F32.neg(59)),
            Col::Float32,
            // The destination is the third source too.
            Col::Either(Cond::Set(60), &[Col::Fn(minus_dst)], &[Col::R(2)]),
        ],
    )
    .lower(fp32::ffma32i),
    row(
        &FSWZ,
        Codes::one(2, 0xffc, 0x7fc),
        &[
            Col::Enum(
                44,
                3,
                &[
                    ".0000",
                    ".1111",
                    ".2222",
                    ".3333",
                    ".1032",
                    ".2301",
                    ".INVALIDSWIZZLEMODE6",
                    ".INVALIDSWIZZLEMODE7",
                ],
            ),
            Col::Flag(47, ".FTZ"),
            Col::Enum(42, 2, ROUND),
            Col::Flag(41, ".NDV"),
        ],
        &[Col::Dst(50), Col::R(10), Col::R(23), Col::Fn(swizzle_signs)],
    ),
    row(
        &FMNMX,
        Codes::b(0x230, 0xc30, 0x3fc),
        &[Col::Flag(47, ".FTZ")],
        &[Col::Dst(50), Col::A(A), Col::B(B), Col::Pn(42, 45)],
    )
    .lower(fp32::fmnmx),
    row(
        &FSET,
        Codes::b(0x000, 0x800, 0x380),
        &[
            Col::Flag(55, ".BF"),
            Col::Enum(51, 4, COMPARE),
            Col::Flag(58, ".FTZ"),
            Col::Enum(48, 2, COMBINE),
        ],
        &[Col::Dst(50), Col::A(F32.neg(46).abs(57)), Col::B(F32.neg(56).abs(47)), Col::Pn(42, 45)],
    )
    .lower(fp32::fset),
    row(
        &FSETP,
        Codes::b(0x1d8, 0xb58, 0x3f8),
        &[Col::Enum(51, 4, COMPARE), Col::Flag(50, ".FTZ"), Col::Enum(48, 2, COMBINE)],
        &[
            Col::P(5),
            Col::P(2),
            Col::A(F32.neg(46).abs(9)),
            Col::B(F32.neg(8).abs(47)),
            Col::Pn(42, 45),
        ],
    )
    .lower(fp32::fsetp),
    row(
        &FCMP,
        Codes::bc(0x1d0, 0xb50, 0x3f8),
        &[Col::Enum(51, 4, COMPARE_ZERO), Col::Flag(50, ".FTZ")],
        &[Col::R(2), Col::A(F32), Col::B(F32), Col::C(F32)],
    )
    .lower(fp32::fcmp),
    row(
        &FCCO,
        Codes::bc(0x1c8, 0xb48, 0x3f8),
        &[Col::Enum(8, 2, &[".SP", ".DP0Z", ".DP1XY", ".DP1Z"])],
        &[
            Col::P(5),
            Col::When(Cond::Ne(2, 3, 0), &[Col::P(2)]),
            Col::A(F32),
            Col::B(F32),
            Col::Either(Cond::NotForm(Form::ConstC), &[Col::ROpt(42)], &[Col::C(F32)]),
        ],
    ),
    row(
        &FCHK,
        Codes::b(0x244, 0xc44, 0x3fc),
        &[Col::Fn(check_mode)],
        &[Col::P(5), Col::A(A), Col::B(B)],
    )
    .lower(fp32::fchk),
    row(
        &RRO,
        Codes::b(0x248, 0xc48, 0x3fc),
        &[Col::Enum(42, 1, &[".SINCOS", ".EX2"])],
        &[Col::R(2), Col::B(B)],
    )
    .lower(fp32::rro),
    row(
        &MUFU,
        Codes::one(2, 0xffc, 0x840),
        &[Col::Enum(23, 4, FUNCTION), Col::Flag(53, ".SAT")],
        &[Col::R(2), Col::A(A)],
    )
    .lower(fp32::mufu),
];

/// The destination as a negated source.
pub(super) fn minus_dst(f: &Fields, _: u64, out: &mut Out) {
    out.operand(&format!("-{}", crate::kepler::print::reg(f.bits(2, 8))));
}
