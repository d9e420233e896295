//! Surfaces: addresses and accesses.

use upset_isa::{LatencyClass, OpDef, Unit};

use crate::kepler::column::{Col, Cond, INT};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::surface as sem;
use crate::table::op;

static SUCLAMP: OpDef = op("SUCLAMP", Unit::Alu, LatencyClass::Fixed);
static SUBFM: OpDef = op("SUBFM", Unit::Alu, LatencyClass::Fixed);
static SUEAU: OpDef = op("SUEAU", Unit::Alu, LatencyClass::Fixed);
static SULDGA: OpDef = op("SULDGA", Unit::LoadStore, LatencyClass::Variable);
static SUSTGA: OpDef = op("SUSTGA", Unit::LoadStore, LatencyClass::None);

const CLAMP: &[&str] = &[
    "",
    ".SD.R2",
    ".SD.R4",
    ".SD.R8",
    ".SD.R16",
    ".PL.R1",
    ".PL.R2",
    ".PL.R4",
    ".PL.R8",
    ".PL.R16",
    ".BL.R1",
    ".BL.R2",
    ".BL.R4",
    ".BL.R8",
    ".BL.R16",
    ".INVALIDSMODE15",
];
const SIZE: &[&str] = &[".U8", ".S8", ".U16", ".S16", ".32", ".64", ".128", ".INVALIDSIZE7"];
const LOAD_CACHE: &[&str] = &[".CA", "", ".CS", ".CV"];
const STORE_CACHE: &[&str] = &[".WB", "", ".CS", ".WT"];
const LOAD_OUTSIDE: &[&str] = &[".Z", ".TRAP", ".INVALIDSURFACECLAMP3", ".SDCL"];
const STORE_OUTSIDE: &[&str] = &[".IGN", ".TRAP", ".INVALIDSURFACECLAMP3", ".SDCL"];
/// Formatted stores print no name for what is usual.
const FORMATTED_OUTSIDE: &[&str] = &[".IGN", ".TRAP", ".INVALIDSURFACECLAMP3", ""];
const FORMATTED_TYPE: &[&str] = &["", ".S32", ".U8", ".S8"];
const TYPE: &[&str] = &[".U32", ".S32", ".U8", ".S8"];
/// Components of a formatted store.
const COMPONENTS: &[&str] = &[
    "", ".R", ".G", ".RG", ".B", ".RB", ".GB", ".RGB", ".A", ".RA", ".GA", ".RGA", ".BA", ".RBA",
    ".GBA", "",
];
const FORMATTED: &[&str] = &["", ".INVALIDRF1", ".INVALIDRF2", ".INVALIDRF3"];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &SUCLAMP,
        Codes::b(0x180, 0xb00, 0x3e0),
        &[Col::Unless(56, ".1D"), Col::Unless(51, ".U32"), Col::Enum(52, 4, CLAMP)],
        &[Col::P(48), Col::R(2), Col::A(INT), Col::B(INT), Col::Signed(42, 6)],
    )
    .lower(sem::suclamp),
    row(
        &SUBFM,
        Codes::bc(0x1e8, 0xb68, 0x3fc),
        &[Col::Flag(50, ".3D")],
        &[Col::P(51), Col::R(2), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(sem::subfm),
    row(
        &SUEAU,
        Codes::bc(0x1ec, 0xb6c, 0x3fc),
        &[],
        &[Col::R(2), Col::A(INT), Col::B(INT), Col::C(INT)],
    )
    .lower(sem::sueau),
    row(
        &SULDGA,
        Codes::one(2, 0xf80, 0x300),
        &[
            Col::Must(Cond::Eq(48, 4, 0)),
            Col::Lit(".B"),
            Col::Enum(54, 2, LOAD_CACHE),
            Col::Enum(56, 3, SIZE),
            Col::Enum(46, 2, LOAD_OUTSIDE),
            Col::Enum(52, 2, TYPE),
        ],
        &[Col::R(2), Col::At, Col::Const, Col::Pn(42, 45)],
    )
    .lower(sem::suldga),
    row(
        &SULDGA,
        Codes::one(2, 0xffc, 0x798),
        &[
            Col::Must(Cond::Eq(48, 4, 0)),
            Col::Lit(".B"),
            Col::Enum(31, 2, LOAD_CACHE),
            Col::Enum(33, 3, SIZE),
            Col::Enum(46, 2, LOAD_OUTSIDE),
            Col::Enum(52, 2, TYPE),
        ],
        &[Col::R(2), Col::At, Col::R(23), Col::Pn(42, 45)],
    )
    .lower(sem::suldga_register),
    row(
        &SUSTGA,
        Codes::one(2, 0xf80, 0x380),
        &[
            Col::Lit(".B"),
            Col::Enum(54, 2, STORE_CACHE),
            Col::Enum(56, 3, SIZE),
            Col::Enum(2, 2, STORE_OUTSIDE),
            Col::Enum(8, 2, TYPE),
        ],
        &[Col::At, Col::Const, Col::R(42), Col::Pn(50, 53)],
    )
    .lower(sem::sustga)
    .when(&[Cond::Eq(4, 4, 0)]),
    row(
        &SUSTGA,
        Codes::one(2, 0xf80, 0x380),
        &[
            Col::Lit(".P"),
            Col::Enum(54, 2, STORE_CACHE),
            Col::Enum(4, 4, COMPONENTS),
            Col::Enum(56, 2, FORMATTED),
            Col::Enum(2, 2, FORMATTED_OUTSIDE),
            Col::Enum(8, 2, FORMATTED_TYPE),
        ],
        &[Col::At, Col::Const, Col::R(42), Col::Pn(50, 53)],
    ),
    row(
        &SUSTGA,
        Codes::one(2, 0xffc, 0x79c),
        &[
            Col::Lit(".B"),
            Col::Enum(31, 2, STORE_CACHE),
            Col::Enum(33, 3, SIZE),
            Col::Enum(23, 2, STORE_OUTSIDE),
            Col::Enum(29, 2, TYPE),
        ],
        &[Col::At, Col::R(2), Col::R(42), Col::Pn(50, 53)],
    )
    .lower(sem::sustga_register)
    .when(&[Cond::Eq(25, 4, 0)]),
    row(
        &SUSTGA,
        Codes::one(2, 0xffc, 0x79c),
        &[
            Col::Lit(".P"),
            Col::Enum(31, 2, STORE_CACHE),
            Col::Enum(25, 4, COMPONENTS),
            Col::Enum(33, 2, FORMATTED),
            Col::Enum(23, 2, FORMATTED_OUTSIDE),
            Col::Enum(29, 2, FORMATTED_TYPE),
        ],
        &[Col::At, Col::R(2), Col::R(42), Col::Pn(50, 53)],
    ),
];
