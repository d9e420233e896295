//! Conversions between number formats.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::{ILLEGAL, INVALID, PLAIN, UNNAMED, scatter};
use super::float::{F16, ROUND};
use super::int::INT;
use super::print::Out;
use super::{Archs, Col, Cond, Forms, Imm, Operand, Row, op, row};
use crate::Fields;
use crate::sem::convert;

const fn mufu(name: &'static str) -> OpDef {
    op(name, Unit::Mufu, LatencyClass::Variable)
}

const fn half(name: &'static str) -> OpDef {
    op(name, Unit::Half, LatencyClass::Fixed)
}

static F2F: OpDef = mufu("F2F");
static F2I: OpDef = mufu("F2I");
static I2F: OpDef = mufu("I2F");
static FRND: OpDef = mufu("FRND");
static F2FP: OpDef = half("F2FP");
static I2FP: OpDef = half("I2FP");
static F2IP: OpDef = half("F2IP");

const FTZ: Col = Col::Flag(80, ".FTZ");
/// Rounding to an integer, bits 78-79.
const TO_INT: Col = Col::Enum(78, 2, &["", ".FLOOR", ".CEIL", ".TRUNC"]);

// Formats: 1 FP16, 2 FP32, 3 FP64, 4 BF16. Bits 75-76 (and 77) name the
// destination's, bits 84-85 (and 86, sm_90) the source's.
const FORMATS: &[&str] = &["", ".F16", ".F32", ".F64", ".BF16"];
/// FP32 goes without saying.
const SHORT: &[&str] = &["", ".F16", "", ".F64", ".BF16"];
const INTEGERS: &[&str] = &[".U8", ".S8", ".U16", ".S16", ".U32", "", ".U64", ".S64"];
const NARROW: &[&str] = &[".U8", ".S8", ".U16", ".S16", ".U32", "", UNNAMED, UNNAMED];
const TO: &[u8] = &[75, 76, 77];
const FROM90: &[u8] = &[84, 85, 86];

/// Sets of (source, destination) pairs as [`Cond::Among`] takes them.
const PAIR70: &[u8] = &[75, 76, 84, 85];
const PAIR75: &[u8] = &[75, 76, 77, 84, 85];
const PAIR90: &[u8] = &[75, 76, 77, 84, 85, 86];

const fn pairs4(list: &[(u32, u32)]) -> u64 {
    set(list, 2)
}
const fn pairs8(list: &[(u32, u32)]) -> u64 {
    set(list, 3)
}
const fn set(list: &[(u32, u32)], width: u32) -> u64 {
    let (mut mask, mut i) = (0, 0);
    while i < list.len() {
        mask |= 1 << (list[i].0 << width | list[i].1);
        i += 1;
    }
    mask
}

const BF16: Operand = F16.imm(Imm::Bf16);
const F: Operand = PLAIN.neg().abs().no_reuse();
/// A floating-point source of the format in bits 84-85.
const SOURCE: Col = Col::Either(
    Cond::Eq(84, 2, 1),
    &[Col::B(F16.no_reuse())],
    &[Col::Either(Cond::Eq(84, 2, 2), &[Col::B(F.imm(Imm::F32))], &[Col::B(F.imm(Imm::F64))])],
);
const SOURCE90: Col = Col::Either(Cond::Eq(84, 3, 4), &[Col::B(BF16.no_reuse())], &[SOURCE]);
/// An integer source of the size in bits 84-85; immediates only from 32 bits on.
const INT_SOURCE: Col = Col::Either(
    Cond::Clear(85),
    &[
        Col::Must(Cond::Not(&Cond::Form(1 << 4))),
        Col::Either(
            Cond::Clear(84),
            &[Col::B(I.parts(&["", ".B1", ".B2", ".B3"]))],
            &[Col::B(I.parts(&["", ".H1", INVALID, INVALID]))],
        ),
    ],
    &[Col::Either(Cond::Clear(74), &[Col::B(PLAIN.no_reuse())], &[Col::B(I)])],
);
const I: Operand = INT.no_reuse();

/// Sources of the packing conversions.
const P: Operand = PLAIN.imm(Imm::F32);
/// One that may carry a suffix of its own place.
const MERGED: Operand = P.parts(&["", "", "", ""]);
const HIGH: Col = Col::Suffix(72, 1, &["", ".H1"]);
const SATFINITE: Col = Col::Flag(77, ".SATFINITE");
const RELU: Col = Col::Flag(75, ".RELU");
const PACK_ROUNDING: Cond = Cond::In(79, 3, 0b1_1001);
const PACK_ROUND: Col =
    Col::Enum(79, 3, &["", UNNAMED, UNNAMED, ".RZ", UNNAMED, UNNAMED, UNNAMED, UNNAMED]);
const UNROUNDED: &[&str] = &["", UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED, UNNAMED];
const PACK_TO: &[u8] = &[76, 86, 87];
const NO_TEXT: Col = Col::Hide(Cond::Among(PACK_TO, 1 << 2));
const PACK_FORMAT: Col =
    Col::Scatter(PACK_TO, &[".F16", ".BF16", UNNAMED, ".TF32", ".E5M2", ".E4M3", UNNAMED, UNNAMED]);
/// The source is FP32.
const PACK90: Cond = Cond::Eq(73, 2, 0);

const STOCHASTIC: &[Col] = &[Col::R(16), Col::A(P), Col::B(P), Col::C(MERGED), HIGH];
const PACKED: &[Col] = &[
    Col::R(16),
    Col::Either(
        Cond::Any(&[Cond::Set(78), Cond::Form(C_FORMS)]),
        &[Col::B(P), Col::C(MERGED), HIGH],
        &[Col::A(P), Col::B(P)],
    ),
];
/// Forms whose flexible operand is C.
const C_FORMS: u8 = 0b1000_1100;
const MERGE_OR_B: Cond = Cond::Any(&[Cond::Set(78), Cond::Not(&Cond::Form(C_FORMS))]);

/// At least one side has 64 bits.
const WIDE_TO: Col = Col::Must(Cond::Any(&[Cond::Eq(75, 2, 3), Cond::Eq(84, 2, 3)]));

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &F2F,
        Archs::SM70,
        0x104,
        Forms::B,
        &[FTZ, Col::Enum(75, 2, FORMATS), Col::Enum(84, 2, FORMATS), ROUND],
        &[Col::R(16), SOURCE, Col::Must(Cond::Among(PAIR70, pairs4(&[(1, 2), (2, 1)])))],
    )
    .lower(convert::f2f),
    row(&F2F, Archs::SM75, 0x104, Forms::B, &[], &[])
        .lower(convert::f2f)
        .when(&[Cond::Among(PAIR75, pairs8(&[(2, 4)]))])
        .silent(),
    row(
        &F2F,
        Archs::SM75.or(Archs::SM80),
        0x104,
        Forms::B,
        &[FTZ, Col::Scatter(TO, FORMATS), Col::Enum(84, 2, FORMATS), ROUND],
        &[Col::R(16), SOURCE, Col::Must(Cond::Among(PAIR75, pairs8(&[(1, 2), (2, 1), (2, 4)])))],
    )
    .lower(convert::f2f),
    row(&F2F, Archs::SM90, 0x104, Forms::B, &[], &[])
        .lower(convert::f2f)
        .when(&[Cond::Among(PAIR90, pairs8(&[(2, 5), (5, 2)]))])
        .silent(),
    row(
        &F2F,
        Archs::SM90,
        0x104,
        Forms::B,
        &[FTZ, Col::Scatter(TO, FORMATS), Col::Scatter(FROM90, FORMATS), ROUND],
        &[
            Col::R(16),
            SOURCE90,
            Col::Must(Cond::Among(
                PAIR90,
                pairs8(&[(1, 2), (1, 4), (2, 1), (2, 4), (4, 1), (4, 2)]),
            )),
        ],
    )
    .lower(convert::f2f),
    row(
        &F2F,
        Archs::SM70,
        0x110,
        Forms::B,
        &[FTZ, Col::Enum(75, 2, FORMATS), Col::Enum(84, 2, FORMATS), ROUND],
        &[
            Col::R(16),
            SOURCE,
            Col::Must(Cond::Among(PAIR70, pairs4(&[(1, 3), (2, 3), (3, 1), (3, 2)]))),
        ],
    )
    .lower(convert::f2f),
    row(
        &F2F,
        Archs::SM75.or(Archs::SM80),
        0x110,
        Forms::B,
        &[FTZ, Col::Scatter(TO, FORMATS), Col::Enum(84, 2, FORMATS), ROUND],
        &[
            Col::R(16),
            SOURCE,
            Col::Must(Cond::Among(PAIR75, pairs8(&[(1, 3), (2, 3), (3, 1), (3, 2)]))),
        ],
    )
    .lower(convert::f2f),
    row(
        &F2F,
        Archs::SM90,
        0x110,
        Forms::B,
        &[FTZ, Col::Scatter(TO, FORMATS), Col::Scatter(FROM90, FORMATS), ROUND],
        &[
            Col::R(16),
            SOURCE90,
            Col::Must(Cond::Among(
                PAIR90,
                pairs8(&[(1, 3), (2, 3), (3, 1), (3, 2), (3, 4), (4, 3)]),
            )),
        ],
    )
    .lower(convert::f2f),
    row(
        &F2I,
        Archs::TO80,
        0x105,
        Forms::B,
        &[
            FTZ,
            Col::Scatter(&[72, 75, 76], NARROW),
            Col::Must(Cond::Any(&[Cond::Ne(75, 2, 3), Cond::Arch(Archs::SM80)])),
            Col::Enum(84, 2, &[ILLEGAL, ".F16", "", ILLEGAL]),
            TO_INT,
            Col::Flag(77, ".NTZ"),
        ],
        &[Col::R(16), SOURCE],
    )
    .lower(convert::f2i),
    row(
        &F2I,
        Archs::SM90,
        0x105,
        Forms::B,
        &[
            FTZ,
            Col::Scatter(&[72, 75, 76], NARROW),
            Col::Scatter(FROM90, SHORT),
            Col::Must(Cond::In(84, 3, 0b10110)),
            TO_INT,
            Col::Flag(77, ".NTZ"),
        ],
        &[Col::R(16), SOURCE90],
    )
    .lower(convert::f2i),
    row(
        &F2I,
        Archs::TO80,
        0x111,
        Forms::B,
        &[
            FTZ,
            Col::Scatter(&[72, 75, 76], INTEGERS),
            Col::Enum(84, 2, &[ILLEGAL, ".F16", "", ".F64"]),
            WIDE_TO,
            TO_INT,
            Col::Flag(77, ".NTZ"),
        ],
        &[Col::R(16), SOURCE],
    )
    .lower(convert::f2i),
    row(
        &F2I,
        Archs::SM90,
        0x111,
        Forms::B,
        &[
            FTZ,
            Col::Scatter(&[72, 75, 76], INTEGERS),
            Col::Scatter(FROM90, SHORT),
            Col::Must(Cond::Any(&[
                Cond::Eq(84, 3, 3),
                Cond::All(&[Cond::Eq(75, 2, 3), Cond::In(84, 3, 0b10110)]),
            ])),
            TO_INT,
            Col::Flag(77, ".NTZ"),
        ],
        &[Col::R(16), SOURCE90],
    )
    .lower(convert::f2i),
    row(
        &I2F,
        Archs::TO75,
        0x106,
        Forms::B,
        &[
            Col::Enum(75, 2, &[ILLEGAL, ".F16", "", ILLEGAL]),
            Col::Scatter(&[74, 84, 85], NARROW),
            Col::Must(Cond::Ne(84, 2, 3)),
            ROUND,
        ],
        &[Col::R(16), INT_SOURCE],
    )
    .lower(convert::i2f),
    row(
        &I2F,
        Archs::SM80,
        0x106,
        Forms::B,
        &[
            Col::Enum(75, 2, &[UNNAMED, ".F16", "", UNNAMED]),
            Col::Scatter(&[74, 84, 85], NARROW),
            Col::Must(Cond::Ne(84, 2, 3)),
            ROUND,
        ],
        &[Col::R(16), INT_SOURCE],
    )
    .lower(convert::i2f),
    row(
        &I2F,
        Archs::SM90,
        0x106,
        Forms::B,
        &[
            Col::Enum(75, 3, &[UNNAMED, ".F16", "", UNNAMED, ".BF16", UNNAMED, UNNAMED, UNNAMED]),
            Col::Scatter(&[74, 84, 85], NARROW),
            Col::Must(Cond::Ne(84, 2, 3)),
            ROUND,
        ],
        &[Col::R(16), INT_SOURCE],
    )
    .lower(convert::i2f),
    row(
        &I2F,
        Archs::TO80,
        0x112,
        Forms::B,
        &[
            Col::Enum(75, 2, &[ILLEGAL, ".F16", "", ".F64"]),
            Col::Scatter(&[74, 84, 85], INTEGERS),
            WIDE_TO,
            ROUND,
        ],
        &[Col::R(16), INT_SOURCE],
    )
    .lower(convert::i2f),
    row(
        &I2F,
        Archs::SM90,
        0x112,
        Forms::B,
        &[
            Col::Scatter(TO, SHORT),
            Col::Scatter(&[74, 84, 85], INTEGERS),
            Col::Must(Cond::Any(&[
                Cond::Eq(75, 3, 3),
                Cond::All(&[Cond::Eq(84, 2, 3), Cond::In(75, 3, 0b11110)]),
            ])),
            ROUND,
        ],
        &[Col::R(16), INT_SOURCE],
    )
    .lower(convert::i2f),
    row(
        &FRND,
        Archs::TO80,
        0x107,
        Forms::B,
        &[FTZ, Col::Enum(84, 2, SHORT), TO_INT],
        &[Col::R(16), SOURCE, Col::Must(Cond::Among(PAIR70, pairs4(&[(1, 1), (2, 2)])))],
    )
    .lower(convert::frnd),
    row(
        &FRND,
        Archs::SM90,
        0x107,
        Forms::B,
        &[FTZ, Col::Scatter(FROM90, SHORT), TO_INT],
        &[Col::R(16), SOURCE90, Col::Must(Cond::Among(PAIR90, pairs8(&[(1, 1), (2, 2), (4, 4)])))],
    )
    .lower(convert::frnd),
    row(
        &FRND,
        Archs::TO75,
        0x113,
        Forms::B,
        &[FTZ, Col::Lit(".F64"), TO_INT],
        &[Col::R(16), Col::B(F.imm(Imm::F64)), Col::Must(Cond::Among(PAIR70, pairs4(&[(3, 3)])))],
    )
    .lower(convert::frnd),
    row(
        &FRND,
        Archs::SM80,
        0x113,
        Forms::B,
        &[FTZ, Col::Fn(|f, _, out| frnd_wide(f, PAIR70, 15, out)), TO_INT],
        &[Col::R(16), Col::B(F.imm(Imm::F64))],
    )
    .lower(convert::frnd),
    row(
        &FRND,
        Archs::SM90,
        0x113,
        Forms::B,
        &[FTZ, Col::Fn(|f, _, out| frnd_wide(f, PAIR90, 27, out)), TO_INT],
        &[Col::R(16), Col::B(F.imm(Imm::F64))],
    )
    .lower(convert::frnd),
    // Packing of two numbers into one register.
    row(&F2FP, Archs::SM75, 0x03e, Forms::BC, &[Col::Must(PACK_ROUNDING)], STOCHASTIC)
        .when(&[Cond::Set(81)])
        .silent(),
    row(
        &F2FP,
        Archs::SM75,
        0x03e,
        Forms::BC,
        &[Col::Must(PACK_ROUNDING), Col::Must(MERGE_OR_B)],
        PACKED,
    )
    .silent(),
    row(
        &F2FP,
        Archs::SM80,
        0x03e,
        Forms::BC,
        &[
            SATFINITE,
            RELU,
            Col::Enum(76, 1, &["", UNNAMED]),
            Col::Enum(78, 1, &[".PACK_AB", ".MERGE_C"]),
            Col::Lit(".RS"),
            Col::Flag(82, ".REG_RS"),
            Col::Scatter(&[83, 84], &[".7b", "", ".9b", ".10b"]),
            Col::Flag(85, ".LTN25"),
            Col::Must(PACK_ROUNDING),
        ],
        STOCHASTIC,
    )
    .when(&[Cond::Set(81)]),
    row(
        &F2FP,
        Archs::SM80,
        0x03e,
        Forms::BC,
        &[
            SATFINITE,
            RELU,
            Col::Flag(76, ".BF16"),
            Col::Either(
                Cond::Form(C_FORMS),
                &[Col::Enum(78, 1, &[UNNAMED, ".MERGE_C"])],
                &[Col::Enum(78, 1, &[".PACK_AB", ".MERGE_C"])],
            ),
            Col::Enum(79, 2, &["", "", "", ".RZ"]),
            Col::Must(PACK_ROUNDING),
        ],
        PACKED,
    )
    .lower(convert::f2fp),
    row(
        &F2FP,
        Archs::SM90,
        0x03e,
        Forms::B,
        &[NO_TEXT, SATFINITE, RELU, PACK_FORMAT, Col::Lit(".F32.PACK_AB"), PACK_ROUND],
        &[Col::R(16), Col::A(P), Col::B(P), Col::Must(PACK90)],
    )
    .when(&[Cond::Clear(78), Cond::Eq(89, 2, 0)])
    .lower(convert::f2fp),
    row(
        &F2FP,
        Archs::SM90,
        0x03e,
        Forms::BC,
        &[NO_TEXT, SATFINITE, RELU, PACK_FORMAT, Col::Lit(".F32.MERGE_C"), PACK_ROUND],
        &[Col::R(16), Col::B(P), Col::C(MERGED), HIGH, Col::Must(PACK90)],
    )
    .when(&[Cond::Set(78), Cond::Eq(89, 2, 0)])
    .lower(convert::f2fp),
    row(
        &F2FP,
        Archs::SM90,
        0x03e,
        Forms::B,
        &[
            NO_TEXT,
            RELU,
            PACK_FORMAT,
            Col::Enum(73, 2, &[ILLEGAL, ILLEGAL, ".E5M2", ".E4M3"]),
            Col::Lit(".UNPACK_B"),
            Col::Enum(79, 3, UNROUNDED),
        ],
        &[Col::R(16), Col::B(MERGED), Col::Suffix(88, 1, &["", ".H1"])],
    )
    .when(&[Cond::Clear(78), Cond::Eq(89, 2, 1)]),
    row(
        &F2FP,
        Archs::SM90,
        0x03e,
        Forms::B,
        &[
            RELU,
            Col::Scatter(
                PACK_TO,
                &[UNNAMED, UNNAMED, UNNAMED, ".TF32", UNNAMED, UNNAMED, UNNAMED, UNNAMED],
            ),
            Col::Lit(".F32.PACK_B"),
            PACK_ROUND,
        ],
        &[Col::R(16), Col::B(P), Col::Must(PACK90)],
    )
    .when(&[Cond::Set(78), Cond::Eq(89, 2, 1)]),
    row(
        &F2FP,
        Archs::SM90,
        0x03e,
        Forms::BC,
        &[NO_TEXT, SATFINITE, RELU, PACK_FORMAT, Col::Lit(".F16.UNPACK_B_MERGE_C"), PACK_ROUND],
        &[Col::R(16), Col::B(P), Col::C(MERGED), HIGH, Col::Must(Cond::Eq(73, 2, 1))],
    )
    .when(&[Cond::Clear(78), Cond::Eq(89, 2, 2)]),
    row(
        &F2FP,
        Archs::SM90,
        0x03e,
        Forms::BC,
        &[NO_TEXT, SATFINITE, RELU, PACK_FORMAT, Col::Lit(".F32.PACK_AB_MERGE_C"), PACK_ROUND],
        &[Col::R(16), Col::A(P), Col::B(P), Col::C(MERGED), HIGH, Col::Must(PACK90)],
    )
    .when(&[Cond::Set(78), Cond::Eq(89, 2, 2)]),
    row(
        &I2FP,
        Archs::SM90,
        0x045,
        Forms::B,
        &[
            Col::Enum(75, 3, &[INVALID, INVALID, ".F32"]),
            Col::Scatter(
                &[74, 84, 85],
                &[INVALID, INVALID, INVALID, INVALID, ".U32", ".S32", INVALID, INVALID],
            ),
            Col::Enum(78, 2, &["", INVALID, INVALID, ".RZ"]),
            Col::Must(Cond::Any(&[Cond::Not(&Cond::Form(1 << 4)), Cond::Eq(84, 2, 2)])),
        ],
        &[Col::R(16), Col::Either(Cond::Clear(74), &[Col::B(PLAIN)], &[Col::B(INT)])],
    )
    .lower(convert::i2fp),
    row(
        &F2IP,
        Archs::SM90,
        0x043,
        Forms::BC,
        &[
            Col::Enum(76, 2, &[".U8", ".S8", INVALID, INVALID]),
            Col::Lit(".F32"),
            Col::Enum(78, 2, &["", INVALID, INVALID, ".TRUNC"]),
            Col::Flag(74, ".NTZ"),
            Col::Flag(75, ".RELU"),
        ],
        &[Col::R(16), Col::A(P), Col::B(P), Col::C(MERGED), HIGH],
    )
    .lower(convert::f2ip),
];

/// The format of a rounding in double precision: one pair has a name.
fn frnd_wide(f: &Fields, pair: &[u8], named: usize, out: &mut Out) {
    match scatter(f, pair) {
        v if v == named => out.modifier(".F64"),
        v => out.modifier(&format!(".???{v}")),
    }
}
