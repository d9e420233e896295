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

static F2F: OpDef = mufu("F2F");
static F2I: OpDef = mufu("F2I");
static I2F: OpDef = mufu("I2F");
static FRND: OpDef = mufu("FRND");

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
    &[Col::B(I)],
);
const I: Operand = INT.no_reuse();

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
];

/// The format of a rounding in double precision: one pair has a name.
fn frnd_wide(f: &Fields, pair: &[u8], named: usize, out: &mut Out) {
    match scatter(f, pair) {
        v if v == named => out.modifier(".F64"),
        v => out.modifier(&format!(".???{v}")),
    }
}
