//! Logic, shifts, bit fields.

use upset_isa::{BitFlow, LatencyClass, OpDef, Pace, Unit};

use crate::kepler::column::{Col, INT, Imm};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::bits;
use crate::table::op;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}
/// 32 lanes of an SM can shift (the programming guide's table of throughput).
const fn shift(name: &'static str) -> OpDef {
    alu(name).pace(Pace::FirstGroup)
}
/// Bit counts share the unit of the transcendentals.
const fn slow(name: &'static str) -> OpDef {
    op(name, Unit::Mufu, LatencyClass::Variable)
}

static LOP: OpDef = alu("LOP").bits(BitFlow::Bitwise);
static LOP32I: OpDef = alu("LOP32I").bits(BitFlow::Bitwise);
static SHL: OpDef = shift("SHL").bits(BitFlow::MovesByB);
static SHR: OpDef = shift("SHR").bits(BitFlow::MovesByB);
static SHF: OpDef = shift("SHF").bits(BitFlow::MovesByB);
static BFE: OpDef = shift("BFE").bits(BitFlow::MovesByB);
static BFI: OpDef = shift("BFI");
static PRMT: OpDef = alu("PRMT").bits(BitFlow::MovesByB);
static POPC: OpDef = slow("POPC");
static FLO: OpDef = slow("FLO");

const LOGIC: &[&str] = &[".AND", ".OR", ".XOR", ".PASS_B"];
/// What a funnel shift takes for the largest distance.
const FUNNEL: &[&str] = &["", ".INVALIDMAXSHIFT3", ".U64", ".S64"];
/// Which half of the shifted pair, and whether the condition code takes part.
const HALF: &[&str] = &["", ".HI", ".X", ".XHI"];
const PERMUTE: &[&str] = &[
    "",
    ".F4E",
    ".B4E",
    ".RC8",
    ".ECL",
    ".ECR",
    ".RC16",
    ".INVALIDPMODE7",
    ".???8",
    ".???9",
    ".???10",
    ".???11",
    ".???12",
    ".???13",
    ".???14",
    ".???15",
];
const UNSIGNED: Col = Col::Unless(51, ".U32");

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &LOP,
        Codes::b(0x220, 0xc20, 0x3fc),
        &[Col::Enum(44, 2, LOGIC), Col::Flag(46, ".X")],
        &[Col::Dst(50), Col::A(INT.inv(42)), Col::B(INT.inv(43))],
    )
    .lower(bits::lop),
    row(
        &LOP32I,
        Codes::one(0, 0xe00, 0x200),
        &[Col::Enum(56, 2, LOGIC), Col::Flag(60, ".X")],
        &[Col::Dst(55), Col::A(INT.inv(58)), Col::Hex(23, 32), Col::Suffix(59, ".INV")],
    )
    .lower(bits::lop32i),
    row(
        &SHL,
        Codes::b(0x224, 0xc24, 0x3fc),
        &[Col::Flag(42, ".W"), Col::Flag(46, ".X")],
        &[Col::Dst(50), Col::A(INT), Col::B(INT)],
    )
    .lower(bits::shl),
    row(
        &SHR,
        Codes::b(0x214, 0xc14, 0x3fc),
        &[
            UNSIGNED,
            Col::Flag(42, ".W"),
            Col::Enum(46, 2, &["", ".INVALIDSHRXMODE1", ".X", ".XHI"]),
            Col::Flag(43, ".BREV"),
        ],
        &[Col::Dst(50), Col::A(INT), Col::B(INT)],
    )
    .lower(bits::shr),
    row(
        &SHF,
        Codes::no_const(0x1fc, 0xb7c, 0x3fc),
        &[Col::Lit(".L"), Col::Flag(53, ".W"), Col::Enum(40, 2, FUNNEL), Col::Enum(51, 2, HALF)],
        &[Col::Dst(50), Col::A(INT), Col::B(INT.imm(Imm::Shift)), Col::C(INT)],
    )
    .lower(bits::shf_l),
    row(
        &SHF,
        Codes::no_const(0x27c, 0xc7c, 0x3fc),
        &[Col::Lit(".R"), Col::Flag(53, ".W"), Col::Enum(40, 2, FUNNEL), Col::Enum(51, 2, HALF)],
        &[Col::Dst(50), Col::A(INT), Col::B(INT.imm(Imm::Shift)), Col::C(INT)],
    )
    .lower(bits::shf_r),
    row(
        &BFE,
        Codes::b(0x200, 0xc00, 0x3fc),
        &[UNSIGNED, Col::Flag(43, ".BREV")],
        &[Col::Dst(50), Col::A(INT), Col::B(INT)],
    )
    .lower(bits::bfe),
    row(
        &BFI,
        Codes::bc(0x1f8, 0xb78, 0x3fc),
        &[],
        &[Col::Dst(50), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(bits::bfi),
    row(
        &PRMT,
        Codes::bc(0x1e0, 0xb60, 0x3f8),
        &[Col::Enum(51, 4, PERMUTE)],
        &[Col::R(2), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(bits::prmt),
    row(
        &POPC,
        Codes::b(0x204, 0xc04, 0x3fc),
        &[],
        &[Col::R(2), Col::A(INT.inv(42)), Col::B(INT.inv(43))],
    )
    .lower(bits::popc),
    row(
        &FLO,
        Codes::b(0x218, 0xc18, 0x3fc),
        &[UNSIGNED, Col::Flag(44, ".SH")],
        &[Col::Dst(50), Col::B(INT.inv(43))],
    )
    .lower(bits::flo),
];
