//! The uniform datapath: one value per warp.

use upset_isa::{Across, BitFlow, LatencyClass, OpDef, Pace, Unit};

use super::column::{PLAIN, UNNAMED, scatter};
use super::int::{COMBINE, COMPARE, SHIFT_TYPE};
use super::number;
use super::predicate::{BYTE, split_table};
use super::print::{Out, pred, ureg};
use super::{Archs, Col, Cond, Forms, Imm, Operand, Row, op, row};
use crate::{Fields, sem};

const fn uniform(name: &'static str) -> OpDef {
    op(name, Unit::Uniform, LatencyClass::Fixed)
}

static UIADD3: OpDef = uniform("UIADD3").bits(BitFlow::Upwards);
static UIMAD: OpDef = uniform("UIMAD").bits(BitFlow::Product);
static ULEA: OpDef = uniform("ULEA");
static UCLEA: OpDef = uniform("UCLEA");
static ULOP3: OpDef = uniform("ULOP3").bits(BitFlow::Bitwise);
static USHF: OpDef = uniform("USHF").bits(BitFlow::MovesByB);
static UISETP: OpDef = uniform("UISETP");
static USEL: OpDef = uniform("USEL");
static USGXT: OpDef = uniform("USGXT");
static UBMSK: OpDef = uniform("UBMSK");
static UBREV: OpDef = uniform("UBREV");
static UFLO: OpDef = uniform("UFLO");
static UPOPC: OpDef = uniform("UPOPC");
static UPRMT: OpDef = uniform("UPRMT").bits(BitFlow::MovesByB);
static UMOV: OpDef = uniform("UMOV").pace(Pace::UniformMove).bits(BitFlow::Moves);
static UP2UR: OpDef = uniform("UP2UR");
static UR2UP: OpDef = uniform("UR2UP");
static UPLOP3: OpDef = uniform("UPLOP3");
static ULDC: OpDef = uniform("ULDC");

static UF2FP: OpDef = uniform("UF2FP");
static VOTEU: OpDef = uniform("VOTEU").pace(Pace::ToUniform).across(Across::Lanes);
static R2UR: OpDef = op("R2UR", Unit::Uniform, LatencyClass::Variable);
/// Since sm_90 with a fixed latency.
static R2UR_FIXED: OpDef = uniform("R2UR");

/// A uniform register, or an immediate printed unsigned.
const U: Operand = PLAIN.uniform();
/// A uniform register or a signed immediate.
const UI: Operand = U.imm(Imm::Int);
const UF: Operand = U.imm(Imm::F32);
const SIGN: Operand = U.suffix(".SIGN");
const UD: Col = Col::U(16);
const CARRY_IN: Col = Col::When(Cond::Set(74), &[Col::Upn(87, 90)]);

/// Register or immediate at B; uniform operations set bit 91.
const RI: Forms = Forms::one91(1).or(Forms::one91(4));
/// Register or immediate, where the register form is number 6.
const RI6: Forms = Forms::one91(6).or(Forms::one91(4));

const ADD_SOURCES: Col = Col::Either(
    Cond::Set(74),
    &[Col::A(UI.inv()), Col::B(UI.inv()), Col::C(UI.inv()), Col::Upn(87, 90), Col::Upn(77, 80)],
    &[Col::A(UI.neg()), Col::B(UI.neg()), Col::C(UI.neg())],
);
const MAD_SOURCES: Col = Col::Either(
    Cond::Set(74),
    &[Col::A(UI), Col::B(UI), Col::C(UI.inv()), Col::Upn(87, 90)],
    &[Col::A(UI), Col::B(UI), Col::C(UI.neg())],
);
const LEA_HIGH: Col = Col::When(Cond::All(&[Cond::Set(80), Cond::Clear(73)]), &[Col::C(U)]);
const LEA_SOURCES: Col = Col::Either(
    Cond::Set(74),
    &[Col::A(U.inv()), Col::B(U.inv()), LEA_HIGH, Col::Hex(75, 5), Col::Upn(87, 90)],
    &[Col::A(U.neg()), Col::B(U.neg()), LEA_HIGH, Col::Hex(75, 5)],
);
/// Size of a constant load, bits 73-75.
const SIZE: Col = Col::Enum(73, 3, &[".U8", ".S8", ".U16", ".S16", "", ".64"]);
const LUT: Col = Col::Lit(".LUT");

/// Formats of `UF2FP`.
fn packed_format(f: &Fields, _: u64, out: &mut Out) {
    match scatter(f, &[75, 76, 84, 85]) {
        9 => {}
        v => out.modifier(&format!(".???{v}")),
    }
}

/// `[UR2+0x10], UP0`; without a register neither sign nor predicate.
fn uldc_address(f: &Fields, _: u64, out: &mut Out) {
    if f.bits(24, 6) == 63 {
        return out.operand(&format!("[{:#x}]", f.bits(38, 32)));
    }
    let plus = match f.word.signed(38, 32) {
        0 => String::new(),
        v => format!("+{}", number::hex(v)),
    };
    out.operand(&format!("[{}{plus}]", ureg(f.bits(24, 6))));
    out.operand(&pred(f.bits(87, 3), f.bit(90), true));
}

/// `c[0x3][0x10]`, or `cx[UR2][0x10]`; offsets in bytes.
fn uldc_constant(f: &Fields, _: u64, out: &mut Out) {
    if f.bit(91) {
        out.operand(&format!("cx[{}][{:#x}]", ureg(f.bits(24, 6)), f.bits(38, 16)));
    } else {
        let offset = number::hex(f.word.signed(38, 16));
        out.operand(&format!("c[{:#x}][{offset}]", f.bits(54, 5)));
    }
}

/// `c[0x3][UR2+0x10]`.
fn uldc_indexed(f: &Fields, _: u64, out: &mut Out) {
    let plus = match f.word.signed(38, 16) {
        0 => String::new(),
        v => format!("+{}", number::hex(v)),
    };
    out.operand(&format!("c[{:#x}][{}{plus}]", f.bits(54, 5), ureg(f.bits(24, 6))));
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &UIADD3,
        Archs::FROM75,
        0x090,
        RI,
        &[Col::Flag(74, ".X")],
        &[UD, Col::UpOpt(81), Col::UpOpt(84), ADD_SOURCES],
    )
    .lower(sem::uniform::uiadd3)
    .uniform(),
    row(
        &UIADD3,
        Archs::FROM75,
        0x097,
        RI,
        &[Col::Lit(".64"), Col::Flag(74, ".X")],
        &[UD, Col::UpOpt(81), Col::UpOpt(84), ADD_SOURCES],
    )
    .lower(sem::uniform::uiadd3_64)
    .uniform(),
    row(
        &UIMAD,
        Archs::FROM75,
        0x0a4,
        RI.or(Forms::one91(2)),
        &[Col::Unless(73, ".U32"), Col::Flag(74, ".X")],
        &[UD, MAD_SOURCES],
    )
    .lower(sem::uniform::uimad)
    .uniform(),
    row(
        &UIMAD,
        Archs::FROM75,
        0x0a5,
        RI,
        &[Col::Lit(".WIDE"), Col::Unless(73, ".U32"), Col::Flag(74, ".X")],
        &[UD, Col::UpOpt(81), MAD_SOURCES],
    )
    .lower(sem::uniform::uimad_wide)
    .uniform(),
    row(
        &ULEA,
        Archs::FROM75,
        0x091,
        RI,
        &[
            Col::Flag(80, ".HI"),
            Col::Flag(74, ".X"),
            Col::Flag(73, ".SX32"),
            Col::Must(Cond::Any(&[Cond::Clear(73), Cond::Set(80)])),
        ],
        &[UD, Col::UpOpt(81), LEA_SOURCES],
    )
    .lower(sem::uniform::ulea)
    .uniform(),
    row(
        &ULEA,
        Archs::FROM75,
        0x091,
        Forms::one91(2),
        &[
            Col::Enum(80, 1, &[UNNAMED, ".HI"]),
            Col::Flag(74, ".X"),
            Col::Must(Cond::Any(&[
                Cond::All(&[Cond::Set(80), Cond::Clear(73)]),
                Cond::Arch(Archs::FROM80),
            ])),
        ],
        &[
            UD,
            Col::UpOpt(81),
            Col::Either(Cond::Set(74), &[Col::A(U.inv())], &[Col::A(U.neg())]),
            Col::B(U),
            Col::C(U),
            Col::Hex(75, 5),
            CARRY_IN,
        ],
    )
    .lower(sem::uniform::ulea)
    .uniform(),
    row(
        &UCLEA,
        Archs::FROM75,
        0x0bc,
        RI6,
        &[],
        &[
            UD,
            Col::Up(81),
            Col::A(U),
            Col::Either(Cond::Form(1 << 4), &[Col::Hex(32, 16)], &[Col::B(U)]),
            Col::Hex(73, 4),
        ],
    )
    .uniform(),
    row(
        &ULOP3,
        Archs::FROM75,
        0x092,
        RI,
        &[LUT, Col::Flag(80, ".PAND")],
        &[Col::UpOpt(81), UD, Col::A(U), Col::B(U), Col::C(U), Col::Hex(72, 8), Col::Upn(87, 90)],
    )
    .lower(sem::uniform::ulop3)
    .uniform(),
    row(
        &USHF,
        Archs::FROM75,
        0x099,
        RI.or(Forms::one91(2)),
        &[
            Col::Enum(76, 1, &[".L", ".R"]),
            Col::Flag(75, ".W"),
            Col::Enum(73, 2, SHIFT_TYPE),
            Col::Flag(80, ".HI"),
        ],
        &[UD, Col::A(U), Col::B(U), Col::C(U)],
    )
    .lower(sem::uniform::ushf)
    .uniform(),
    row(
        &UISETP,
        Archs::FROM75,
        0x08c,
        RI,
        &[
            Col::Enum(76, 3, COMPARE),
            Col::Unless(73, ".U32"),
            Col::Enum(74, 2, COMBINE),
            Col::Flag(72, ".EX"),
        ],
        &[
            Col::Up(81),
            Col::Up(84),
            Col::A(UI),
            Col::B(UI),
            Col::Upn(87, 90),
            Col::When(Cond::Set(72), &[Col::Upn(68, 71)]),
        ],
    )
    .lower(sem::uniform::uisetp)
    .uniform(),
    row(&USEL, Archs::FROM75, 0x087, RI, &[], &[UD, Col::A(U), Col::B(U), Col::Upn(87, 90)])
        .lower(sem::uniform::usel)
        .uniform(),
    row(
        &USGXT,
        Archs::FROM75,
        0x09a,
        RI,
        &[Col::Flag(75, ".W"), Col::Unless(73, ".U32")],
        &[UD, Col::A(U), Col::B(U)],
    )
    .lower(sem::uniform::usgxt)
    .uniform(),
    row(&UBMSK, Archs::FROM75, 0x09b, RI, &[Col::Flag(75, ".W")], &[UD, Col::A(U), Col::B(U)])
        .lower(sem::uniform::ubmsk)
        .uniform(),
    row(&UBREV, Archs::FROM75, 0x0be, RI, &[], &[UD, Col::B(U)])
        .lower(sem::uniform::ubrev)
        .uniform(),
    row(&UPOPC, Archs::FROM75, 0x0bf, RI, &[], &[UD, Col::B(U.inv())])
        .lower(sem::uniform::upopc)
        .uniform(),
    row(
        &UFLO,
        Archs::FROM75,
        0x0bd,
        RI,
        &[Col::Unless(73, ".U32"), Col::Flag(74, ".SH")],
        &[UD, Col::UpOpt(81), Col::B(U.inv())],
    )
    .lower(sem::uniform::uflo)
    .uniform(),
    row(
        &UPRMT,
        Archs::FROM75,
        0x096,
        RI,
        &[Col::Enum(72, 1, &["", UNNAMED])],
        &[UD, Col::A(U), Col::B(U), Col::C(U)],
    )
    .lower(sem::uniform::uprmt)
    .uniform(),
    row(&UMOV, Archs::FROM75, 0x082, Forms::one(4).or(Forms::one91(6)), &[], &[UD, Col::B(U)])
        .lower(sem::uniform::umov)
        .uniform(),
    row(
        &UP2UR,
        Archs::FROM75,
        0x083,
        RI6,
        &[Col::Enum(76, 2, BYTE)],
        &[UD, Col::Word("UPR"), Col::A(U), Col::B(U)],
    )
    .lower(sem::uniform::up2ur)
    .uniform(),
    row(
        &UR2UP,
        Archs::FROM75,
        0x084,
        RI6,
        &[],
        &[
            Col::Word("UPR"),
            Col::A(U),
            Col::Suffix(76, 2, BYTE),
            // The mask of all predicates is not printed.
            Col::When(
                Cond::Not(&Cond::All(&[Cond::Form(1 << 4), Cond::Eq(32, 32, 255)])),
                &[Col::B(U)],
            ),
        ],
    )
    .lower(sem::uniform::ur2up)
    .uniform(),
    row(
        &UPLOP3,
        Archs::FROM75,
        0x09c,
        Forms::one(4),
        &[LUT],
        &[
            Col::Up(81),
            Col::Up(84),
            Col::Upn(87, 90),
            Col::Upn(77, 80),
            Col::Upn(68, 71),
            Col::Fn(split_table),
            Col::Hex(16, 8),
        ],
    )
    .lower(sem::uniform::uplop3)
    .uniform(),
    row(
        &UPLOP3,
        Archs::FROM75,
        0x09d,
        Forms::one91(1),
        &[LUT],
        &[
            Col::Up(81),
            Col::Up(84),
            Col::Upn(87, 90),
            Col::B(SIGN),
            Col::Upn(68, 71),
            Col::Hex(72, 8),
            Col::Hex(16, 8),
        ],
    )
    .uniform(),
    row(
        &UPLOP3,
        Archs::FROM75,
        0x09e,
        Forms::one91(1),
        &[LUT],
        &[
            Col::Up(81),
            Col::Up(84),
            Col::Upn(87, 90),
            Col::B(SIGN),
            Col::C(SIGN),
            Col::Hex(72, 8),
            Col::Hex(16, 8),
        ],
    )
    .uniform(),
    row(
        &UPLOP3,
        Archs::FROM75,
        0x09f,
        Forms::one91(1),
        &[LUT],
        &[
            Col::Up(81),
            Col::Up(84),
            Col::A(SIGN),
            Col::B(SIGN),
            Col::C(SIGN),
            Col::Hex(72, 8),
            Col::Hex(16, 8),
        ],
    )
    .uniform(),
    row(&ULDC, Archs::FROM75, 0x0b8, Forms::one91(4), &[SIZE], &[UD, Col::Fn(uldc_address)])
        .uniform(),
    row(
        &ULDC,
        Archs::FROM75,
        0x0b9,
        Forms::one(5).or(Forms::one91(5)),
        &[SIZE],
        &[UD, Col::Fn(uldc_constant)],
    )
    .lower(sem::memory::uldc)
    .uniform(),
    row(&ULDC, Archs::FROM75, 0x0bb, Forms::one91(5), &[SIZE], &[UD, Col::Fn(uldc_indexed)])
        .lower(sem::memory::uldc_indexed)
        .uniform(),
    // From the first active lane; the predicate says which lanes differ from it.
    row(
        &R2UR,
        Archs::SM75.or(Archs::SM80),
        0x1c2,
        Forms::one(1),
        &[Col::Flag(84, ".OR")],
        &[
            Col::Either(Cond::Set(84), &[Col::P(81)], &[Col::POpt(81)]),
            UD,
            Col::A(PLAIN.no_reuse()),
        ],
    )
    .lower(sem::moves::r2ur),
    row(
        &R2UR_FIXED,
        Archs::SM90,
        0x0ca,
        Forms::one(1),
        &[Col::Flag(84, ".OR")],
        &[Col::Either(Cond::Set(84), &[Col::P(81)], &[Col::POpt(81)]), UD, Col::A(PLAIN)],
    )
    .lower(sem::moves::r2ur),
    row(
        &VOTEU,
        Archs::FROM75,
        0x086,
        Forms::one(4),
        &[Col::Enum(72, 2, &[".ALL", ".ANY", ".EQ"])],
        &[Col::UOpt(16), Col::Up(81), Col::Pn(87, 90)],
    )
    .lower(sem::warp::voteu),
    // Packing; one pair of formats goes without saying, the others have no name.
    row(
        &UF2FP,
        Archs::SM90,
        0x0ba,
        RI.or(Forms::one91(2)),
        &[
            Col::Fn(packed_format),
            Col::Either(
                Cond::Form(1 << 2),
                &[Col::Enum(78, 1, &[UNNAMED, ".MERGE_C"])],
                &[Col::Enum(78, 1, &[".PACK_AB", ".MERGE_C"])],
            ),
            Col::Enum(79, 3, &["", UNNAMED, UNNAMED, ".RZ", UNNAMED, UNNAMED, UNNAMED, UNNAMED]),
        ],
        &[
            UD,
            Col::Either(
                Cond::Any(&[Cond::Set(78), Cond::Form(1 << 2)]),
                &[
                    Col::B(UF),
                    Col::C(UF),
                    Col::When(Cond::Not(&Cond::Form(1 << 2)), &[Col::Suffix(72, 1, &["", ".H1"])]),
                ],
                &[Col::A(UF), Col::B(UF)],
            ),
        ],
    )
    .uniform(),
];
