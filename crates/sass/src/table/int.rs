//! Integer arithmetic, logic and bit manipulation.

use upset_isa::{BitFlow, LatencyClass, OpDef, Pace, Unit};

use super::column::{ILLEGAL, INVALID, PLAIN, UNNAMED};
use super::print::{Out, bindless};
use super::{Archs, Col, Cond, Forms, Imm, Operand, Row, op, row};
use crate::{Fields, sem};

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}
const fn mul(name: &'static str) -> OpDef {
    op(name, Unit::Fma, LatencyClass::Fixed).pace(Pace::IntegerProduct)
}
/// Bit counts share the unit of the transcendentals and take variable time.
const fn slow(name: &'static str) -> OpDef {
    op(name, Unit::Mufu, LatencyClass::Variable)
}

static IADD3: OpDef = alu("IADD3").bits(BitFlow::Upwards);
static LEA: OpDef = alu("LEA");
static LOP3: OpDef = alu("LOP3").bits(BitFlow::Bitwise);
static SHF: OpDef = alu("SHF").bits(BitFlow::MovesByB);
static ISETP: OpDef = alu("ISETP");
static IMNMX: OpDef = alu("IMNMX");
static IABS: OpDef = alu("IABS");
static SGXT: OpDef = alu("SGXT");
static BMSK: OpDef = alu("BMSK");
static VABSDIFF: OpDef = alu("VABSDIFF");
static VABSDIFF4: OpDef = alu("VABSDIFF4");
static I2I: OpDef = alu("I2I");
static I2IP: OpDef = alu("I2IP");
static IMAD: OpDef = mul("IMAD").bits(BitFlow::Product);
static IDP: OpDef = mul("IDP");
static POPC: OpDef = slow("POPC");
static FLO: OpDef = slow("FLO");
static BREV: OpDef = slow("BREV");

/// A source whose immediate is printed signed.
pub(super) const INT: Operand = PLAIN.imm(Imm::Int);

/// Comparisons of integers, bits 76-78.
pub(super) const COMPARE: &[&str] = &[".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"];
/// Combination of a comparison with a predicate.
pub(super) const COMBINE: &[&str] = &[".AND", ".OR", ".XOR", INVALID];
/// Shift types, bits 73-74.
pub(super) const SHIFT_TYPE: &[&str] = &[".S64", ".U64", ".S32", ".U32"];
/// Narrow integer formats.
const NARROW: &[&str] = &[".U8", ".S8", ".U16", ".S16"];

const TINY: &[&str] = &[".U8", ".S8", ".U16", ".S16", ".U2", ".S2", ".U4", ".S4"];
/// Which part of the accumulator `I2IP` keeps.
const PACK75: Col = Col::Either(
    Cond::Set(78),
    &[Col::Suffix(72, 2, &["", "", ".24", ".28"])],
    &[Col::Suffix(72, 2, &["", ".H1"])],
);
const PACK80: Col = Col::Either(
    Cond::Clear(78),
    &[Col::Suffix(72, 2, &["", ".H1", UNNAMED, UNNAMED])],
    &[Col::Either(
        Cond::Clear(77),
        &[Col::Suffix(72, 2, &[UNNAMED, UNNAMED, UNNAMED, ".28"])],
        &[Col::Suffix(72, 2, &[UNNAMED, UNNAMED, ".24", UNNAMED])],
    )],
);

/// `IMAD` prints under an alias when the product is trivial.
fn imad_alias(f: &Fields, _: u64, out: &mut Out) {
    let (rz, imm) = (0xff, f.bits(32, 32) as u32);
    let b = if f.form == 1 { f.bits(32, 8) } else { f.bits(64, 8) };
    let c_is_zero = f.bits(64, 8) == rz;
    let b_is_zero = match f.form {
        1 | 2 | 3 | 7 => b == rz,
        4 => imm == 0,
        _ => false,
    };
    let shift = imm.is_power_of_two() && imm >> 31 == 0 && imm != 0x1_0000;
    // Nor at the end of a batch (yield with batch number 3).
    let batch_end = !f.bit(109) && f.bits(122, 3) == 3;
    if f.bit(74) || bindless(f) || f.form == 7 || batch_end {
    } else if f.bits(24, 8) == rz || b_is_zero || (f.form == 4 && imm == 1 && c_is_zero) {
        out.modifier(".MOV");
    } else if f.form == 4 && imm == 1 {
        out.modifier(".IADD");
    } else if f.form == 4 && shift && c_is_zero {
        out.modifier(".SHL");
    }
}

const IMAD_SOURCES: Col = Col::Either(
    Cond::Set(74),
    &[Col::A(INT), Col::B(INT), Col::C(INT.inv()), Col::Pn(87, 90)],
    &[Col::A(INT), Col::B(INT), Col::C(INT.neg())],
);

/// LEA's sources: the high part of the 64-bit A comes from C, unless A is
/// sign-extended (bit 73).
const LEA_HIGH: Col = Col::When(Cond::All(&[Cond::Set(80), Cond::Clear(73)]), &[Col::C(PLAIN)]);
const LEA_SOURCES: Col = Col::Either(
    Cond::Set(74),
    &[Col::A(PLAIN.inv()), Col::B(PLAIN.inv()), LEA_HIGH, Col::Hex(75, 5), Col::Pn(87, 90)],
    &[Col::A(PLAIN.neg()), Col::B(PLAIN.neg()), LEA_HIGH, Col::Hex(75, 5)],
);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    // With .X the signs are complements and two carries come in.
    row(
        &IADD3,
        Archs::ALL,
        0x010,
        Forms::B,
        &[Col::Flag(74, ".X")],
        &[
            Col::R(16),
            Col::POpt(81),
            Col::POpt(84),
            Col::Either(
                Cond::Set(74),
                &[
                    Col::A(INT.inv()),
                    Col::B(INT.inv()),
                    Col::C(INT.inv()),
                    Col::Pn(87, 90),
                    Col::Pn(77, 80),
                ],
                &[Col::A(INT.neg()), Col::B(INT.neg()), Col::C(INT.neg())],
            ),
        ],
    )
    .lower(sem::int::iadd3),
    row(
        &IMAD,
        Archs::ALL,
        0x024,
        Forms::BC,
        &[Col::Fn(imad_alias), Col::Unless(73, ".U32"), Col::Flag(74, ".X")],
        &[Col::R(16), IMAD_SOURCES],
    )
    .lower(sem::int_mul::imad),
    row(
        &IMAD,
        Archs::ALL,
        0x025,
        Forms::BC.but(Forms::one(2)),
        &[Col::Lit(".WIDE"), Col::Unless(73, ".U32"), Col::Flag(74, ".X")],
        &[Col::R(16), Col::POpt(81), IMAD_SOURCES],
    )
    .lower(sem::int_mul::imad_wide),
    row(
        &IMAD,
        Archs::FROM75,
        0x027,
        Forms::BC.but(Forms::one(2)),
        &[Col::Lit(".HI"), Col::Unless(73, ".U32"), Col::Flag(74, ".X")],
        &[Col::R(16), Col::POpt(81), IMAD_SOURCES],
    )
    .lower(sem::int_mul::imad_hi),
    row(
        &LEA,
        Archs::ALL,
        0x011,
        Forms::B,
        &[
            Col::Flag(80, ".HI"),
            Col::Flag(74, ".X"),
            Col::Flag(73, ".SX32"),
            Col::Must(Cond::Any(&[Cond::Clear(73), Cond::Set(80)])),
        ],
        &[Col::R(16), Col::POpt(81), LEA_SOURCES],
    )
    .lower(sem::int::lea),
    // The high word of A as immediate.
    row(
        &LEA,
        Archs::ALL,
        0x011,
        Forms::one(2),
        &[
            Col::Enum(80, 1, &[UNNAMED, ".HI"]),
            Col::Flag(74, ".X"),
            Col::Must(Cond::Any(&[
                Cond::All(&[Cond::Set(80), Cond::Clear(73)]),
                Cond::Arch(Archs::FROM80),
            ])),
        ],
        &[
            Col::R(16),
            Col::POpt(81),
            Col::Either(Cond::Set(74), &[Col::A(PLAIN.inv())], &[Col::A(PLAIN.neg())]),
            Col::B(PLAIN),
            Col::C(PLAIN),
            Col::Hex(75, 5),
            Col::When(Cond::Set(74), &[Col::Pn(87, 90)]),
        ],
    )
    .lower(sem::int::lea),
    row(
        &LOP3,
        Archs::ALL,
        0x012,
        Forms::B,
        &[Col::Lit(".LUT"), Col::Flag(80, ".PAND")],
        &[
            Col::POpt(81),
            Col::R(16),
            Col::A(PLAIN),
            Col::B(PLAIN),
            Col::C(PLAIN),
            Col::Hex(72, 8),
            Col::Pn(87, 90),
        ],
    )
    .lower(sem::logic::lop3),
    row(
        &SHF,
        Archs::ALL,
        0x019,
        Forms::BC,
        &[
            Col::Enum(76, 1, &[".L", ".R"]),
            Col::Flag(75, ".W"),
            Col::Enum(73, 2, SHIFT_TYPE),
            Col::Flag(80, ".HI"),
        ],
        &[Col::R(16), Col::A(PLAIN), Col::B(PLAIN), Col::C(PLAIN)],
    )
    .lower(sem::shift::shf),
    row(
        &ISETP,
        Archs::ALL,
        0x00c,
        Forms::B,
        &[
            Col::Enum(76, 3, COMPARE),
            Col::Unless(73, ".U32"),
            Col::Enum(74, 2, COMBINE),
            Col::Flag(72, ".EX"),
        ],
        &[
            Col::P(81),
            Col::P(84),
            Col::A(INT),
            Col::B(INT),
            Col::Pn(87, 90),
            // The carry of the low halves.
            Col::Either(
                Cond::Arch(Archs::TO75),
                &[Col::PnTrue(68, 71)],
                &[Col::When(Cond::Set(72), &[Col::Pn(68, 71)])],
            ),
        ],
    )
    .lower(sem::int::isetp),
    row(
        &IMNMX,
        Archs::FROM75,
        0x017,
        Forms::B,
        &[Col::Unless(73, ".U32")],
        &[Col::R(16), Col::A(INT), Col::B(INT), Col::Pn(87, 90)],
    )
    .lower(sem::extreme::imnmx),
    row(&IABS, Archs::ALL, 0x013, Forms::B, &[], &[Col::R(16), Col::B(INT)]).lower(sem::int::iabs),
    row(
        &SGXT,
        Archs::ALL,
        0x01a,
        Forms::B,
        &[Col::Flag(75, ".W"), Col::Unless(73, ".U32")],
        &[Col::R(16), Col::A(PLAIN), Col::B(PLAIN)],
    )
    .lower(sem::shift::sgxt),
    row(
        &BMSK,
        Archs::ALL,
        0x01b,
        Forms::B,
        &[Col::Flag(75, ".W")],
        &[Col::R(16), Col::A(PLAIN), Col::B(PLAIN)],
    )
    .lower(sem::shift::bmsk),
    row(
        &VABSDIFF,
        Archs::ALL,
        0x014,
        Forms::BC,
        &[Col::Unless(73, ".U32")],
        &[Col::R(16), Col::POpt(81), Col::A(PLAIN), Col::B(PLAIN), Col::C(PLAIN)],
    )
    .lower(sem::packed::vabsdiff),
    row(
        &VABSDIFF4,
        Archs::ALL,
        0x015,
        Forms::BC,
        &[Col::Unless(73, ".U8"), Col::Flag(75, ".ACC")],
        &[Col::R(16), Col::POpt(81), Col::A(PLAIN), Col::B(PLAIN), Col::C(PLAIN)],
    )
    .lower(sem::packed::vabsdiff4),
    row(
        &I2I,
        Archs::FROM75,
        0x038,
        Forms::B,
        &[Col::Enum(76, 2, NARROW), Col::Lit(".S32.SAT")],
        &[Col::R(16), Col::B(INT)],
    )
    .lower(sem::packed::i2i),
    row(
        &I2IP,
        Archs::SM75,
        0x039,
        Forms::B,
        &[
            Col::Enum(76, 3, TINY),
            Col::Lit(".S32.SAT"),
            // Parts of a byte go with their own selection of the accumulator.
            Col::Must(Cond::Any(&[
                Cond::Clear(78),
                Cond::All(&[Cond::Clear(77), Cond::Eq(72, 2, 3)]),
                Cond::All(&[Cond::Set(77), Cond::Eq(72, 2, 2)]),
            ])),
        ],
        &[Col::R(16), Col::A(INT), Col::B(INT), Col::C(INT), PACK75],
    )
    .lower(sem::packed::i2ip),
    row(
        &I2IP,
        Archs::FROM80,
        0x039,
        Forms::B,
        &[
            Col::Enum(76, 3, TINY),
            Col::Lit(".S32"),
            Col::Either(
                Cond::Arch(Archs::SM90),
                &[Col::Enum(74, 2, &["", ".SAT", ".SATRELU", INVALID])],
                &[Col::Lit(".SAT")],
            ),
        ],
        &[Col::R(16), Col::A(INT), Col::B(INT), Col::C(INT), PACK80],
    )
    .lower(sem::packed::i2ip),
    row(
        &IDP,
        Archs::ALL,
        0x026,
        Forms::B.but(Forms::one(4)),
        &[
            Col::Enum(76, 2, &[".4A", ".2A.LO", ILLEGAL, ".2A.HI"]),
            Col::Either(
                Cond::Set(76),
                &[Col::Enum(73, 1, &[".U16", ".S16"])],
                &[Col::Enum(73, 1, &[".U8", ".S8"])],
            ),
            Col::Enum(74, 1, &[".U8", ".S8"]),
        ],
        &[
            Col::R(16),
            Col::A(INT),
            Col::B(INT),
            Col::Either(Cond::Arch(Archs::SM70), &[Col::C(INT)], &[Col::C(INT.neg())]),
        ],
    )
    .lower(sem::packed::idp),
    row(&POPC, Archs::ALL, 0x109, Forms::B, &[], &[Col::R(16), Col::B(PLAIN.inv().no_reuse())])
        .lower(sem::bits::popc),
    row(
        &FLO,
        Archs::ALL,
        0x100,
        Forms::B,
        &[Col::Unless(73, ".U32"), Col::Flag(74, ".SH")],
        &[Col::R(16), Col::POpt(81), Col::B(PLAIN.inv().no_reuse())],
    )
    .lower(sem::bits::flo),
    row(&BREV, Archs::ALL, 0x101, Forms::B, &[], &[Col::R(16), Col::B(PLAIN.no_reuse())])
        .lower(sem::bits::brev),
];
