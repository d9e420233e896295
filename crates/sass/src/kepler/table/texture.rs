//! Texture fetches.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::memory::SIZE;
use crate::kepler::Fields;
use crate::kepler::column::{Col, Cond};
use crate::kepler::print::Out;
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::{memory, texture as sem};
use crate::table::op;

const fn texture(name: &'static str) -> OpDef {
    op(name, Unit::Texture, LatencyClass::Variable)
}

static TEX: OpDef = texture("TEX");
/// Loads through the texture unit's cache.
static LDG: OpDef = texture("LDG");
static TLD: OpDef = texture("TLD");
static TLD4: OpDef = texture("TLD4");
static TXD: OpDef = texture("TXD");
static TXQ: OpDef = texture("TXQ");
static TMML: OpDef = texture("TMML");
static TXA: OpDef = texture("TXA");
static TEXDEPBAR: OpDef = op("TEXDEPBAR", Unit::Texture, LatencyClass::None);
static STP: OpDef = op("STP", Unit::Texture, LatencyClass::None);

const NODEP: Col = Col::Flag(31, ".NODEP");
pub(super) const PHASE: Col = Col::Enum(32, 2, &["", ".T", ".P", ".INVALIDPHASE3"]);
const SHAPE: Col =
    Col::Name(38, 3, &["1D", "ARRAY_1D", "2D", "ARRAY_2D", "3D", "ARRAY_3D", "CUBE", "ARRAY_CUBE"]);
/// Components that are written.
const MASK: Col = Col::Hex(34, 4);
const LEVEL: Col =
    Col::Enum(44, 3, &["", ".LZ", ".LB", ".LL", ".INVALIDBLOD4", ".INVALIDBLOD5", ".LBA", ".LLA"]);
const COMPONENT: Col = Col::Enum(45, 2, &[".R", ".G", ".B", ".A"]);
const OFFSET: Col = Col::Enum(43, 2, &["", ".AOFFI", ".PTP", ".INVALIDBTOFF03"]);
const AOFFI: Col = Col::Flag(43, ".AOFFI");
const DC: Col = Col::Flag(42, ".DC");
const NDV: Col = Col::Flag(41, ".NDV");
const TLD_MODS: [Col; 6] = [
    Col::Enum(44, 1, &[".LZ", ".LL"]),
    Col::Flag(41, ".AOFFI"),
    Col::Flag(43, ".MS"),
    Col::Flag(42, ".CL"),
    NODEP,
    PHASE,
];
/// Bindless forms have the handle in a register and print zero for it.
const NO_HANDLE: Col = Col::Word("0x0");
const BINDLESS: Col = Col::Lit(".B");

/// What TXQ asks for, bits 25-30.
fn query(f: &Fields, _: u64, out: &mut Out) {
    let n = f.bits(25, 6);
    let name = match n {
        1 => "TEX_HEADER_DIMENSION",
        2 => "TEX_HEADER_TEXTURE_TYPE",
        5 => "TEX_HEADER_SAMPLER_POS",
        16 => "TEX_SAMPLER_FILTER",
        18 => "TEX_SAMPLER_LOD",
        20 => "TEX_SAMPLER_WRAP",
        22 => "TEX_SAMPLER_BORDER_COLOR",
        _ => return out.operand(&(n / 2).to_string()),
    };
    out.operand(name);
}

/// Queries that exist: three with odd or small numbers, else the even ones from 6 on.
const QUERIES: Col = Col::Must(Cond::Any(&[
    Cond::Eq(25, 6, 1),
    Cond::Eq(25, 6, 2),
    Cond::Eq(25, 6, 5),
    Cond::All(&[Cond::Clear(25), Cond::Ne(25, 6, 0), Cond::Ne(25, 6, 4)]),
]));

/// LDG is TEX without coordinates beyond an address: the handle is a size, and
/// the mask has as many components as the size has words.
const LOAD: &[Cond] = &[
    Cond::Eq(23, 9, 255),
    Cond::Clear(38),
    Cond::Eq(40, 7, 1 << 4),
    Cond::Eq(50, 10, 0),
    Cond::Any(&[
        Cond::All(&[Cond::Eq(34, 4, 1), Cond::Ne(47, 3, 5), Cond::Ne(47, 3, 6)]),
        Cond::All(&[Cond::Eq(34, 4, 3), Cond::Eq(47, 3, 5)]),
        Cond::All(&[Cond::Eq(34, 4, 15), Cond::Eq(47, 3, 6)]),
    ]),
];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &LDG,
        Codes::one(1, 0xf00, 0x600),
        &[Col::Flag(39, ".E"), Col::Enum(47, 3, SIZE), PHASE],
        &[Col::R(2), Col::At],
    )
    .when(LOAD)
    .lower(memory::ldg),
    row(
        &TEX,
        Codes::one(1, 0xf00, 0x600),
        &[LEVEL, AOFFI, DC, NDV, NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::ROpt(23), Col::Hex(47, 13), SHAPE, MASK],
    )
    .lower(sem::tex),
    row(
        &TEX,
        Codes::one(2, 0xffc, 0x7d8),
        &[BINDLESS, LEVEL, AOFFI, DC, NDV, NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::ROpt(23), NO_HANDLE, SHAPE, MASK],
    )
    .lower(sem::tex_bindless),
    row(
        &TLD4,
        Codes::one(1, 0xf00, 0x700),
        &[COMPONENT, OFFSET, DC, NDV, NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::ROpt(23), Col::Hex(47, 13), SHAPE, MASK],
    )
    .lower(sem::tld4),
    row(
        &TLD4,
        Codes::one(2, 0xffc, 0x7dc),
        &[COMPONENT, BINDLESS, OFFSET, DC, NDV, NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::ROpt(23), NO_HANDLE, SHAPE, MASK],
    )
    .lower(sem::tld4_bindless),
    row(
        &TLD,
        Codes::one(2, 0xfc0, 0x700),
        &TLD_MODS,
        &[Col::R(2), Col::R(10), Col::ROpt(23), Col::Hex(45, 13), SHAPE, MASK],
    )
    .lower(sem::tld),
    row(
        &TLD,
        Codes::one(2, 0xffc, 0x780),
        &[BINDLESS, TLD_MODS[0], TLD_MODS[1], TLD_MODS[2], TLD_MODS[3], NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::ROpt(23), NO_HANDLE, SHAPE, MASK],
    )
    .lower(sem::tld_bindless),
    row(
        &TXD,
        Codes::one(2, 0xff8, 0x760),
        &[Col::Flag(54, ".AOFFI"), NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::R(23), Col::Hex(41, 13), SHAPE, MASK],
    )
    .lower(sem::txd),
    row(
        &TXD,
        Codes::one(2, 0xff8, 0x7e0),
        &[BINDLESS, Col::Flag(54, ".AOFFI"), NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::R(23), NO_HANDLE, SHAPE, MASK],
    )
    .lower(sem::txd_bindless),
    row(
        &TXQ,
        Codes::one(2, 0xffc, 0x754),
        &[NODEP, PHASE],
        &[QUERIES, Col::R(2), Col::R(10), Col::Fn(query), Col::Hex(41, 13), MASK],
    ),
    row(
        &TXQ,
        Codes::one(2, 0xffc, 0x7d4),
        &[BINDLESS, NODEP, PHASE],
        &[QUERIES, Col::R(2), Col::R(10), Col::Fn(query), NO_HANDLE, MASK],
    ),
    row(
        &TMML,
        Codes::one(2, 0xffc, 0x768),
        &[Col::Lit(".LOD"), Col::Flag(30, ".NDV"), NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::Hex(41, 13), SHAPE, MASK],
    ),
    row(
        &TMML,
        Codes::one(2, 0xffc, 0x7e8),
        &[BINDLESS, Col::Lit(".LOD"), NDV, NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::ROpt(23), NO_HANDLE, SHAPE, MASK],
    ),
    row(
        &TXA,
        Codes::one(2, 0xffc, 0x76c),
        &[Col::Flag(30, ".NDV"), NODEP, PHASE],
        &[Col::R(2), Col::R(10), Col::Hex(41, 13), MASK],
    ),
    row(&TEXDEPBAR, Codes::one(2, 0xffc, 0x770), &[], &[Col::Hex(23, 6)]).lower(sem::texdepbar),
    row(&STP, Codes::one(2, 0xffc, 0x750), &[Col::Flag(34, ".WAIT"), PHASE], &[Col::Hex(23, 8)])
        .unguarded(),
];
