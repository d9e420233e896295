//! Loads and stores.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::ILLEGAL;
use super::memory_address as at;
use super::memory_order::{
    CACHE, INVERTED_PRED, LOAD_ORDER, OLD, PREFETCH, SIZE, SIZE_PLAIN, STORE_ORDER, ZD, ZD_PRED,
};
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn load(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::Variable)
}
const fn store(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::None)
}

static LD: OpDef = load("LD");
static LDG: OpDef = load("LDG");
static LDC: OpDef = load("LDC");
static LDL: OpDef = load("LDL");
static LDS: OpDef = load("LDS");
static LDSM: OpDef = load("LDSM");
static ST: OpDef = store("ST");
static STG: OpDef = store("STG");
static STL: OpDef = store("STL");
static STS: OpDef = store("STS");

const E: Col = Col::Flag(72, ".E");

/// From sm_80 a descriptor (bit 76) comes with a 64-bit register (bit 90) only.
const DESCRIPTOR: Col = Col::Must(Cond::Any(&[OLD, Cond::Clear(76), Cond::Set(90)]));

/// Tells whether there were data; always printed with `.ZD`.
const VALID: Col = Col::Either(Cond::All(&[OLD, Cond::Set(87)]), &[Col::P(81)], &[Col::POpt(81)]);

/// Access size of shared memory.
const SHARED_SIZE: Col = Col::Either(
    OLD,
    &[
        Col::Flag(76, ".U"),
        Col::Enum(73, 3, &[".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ILLEGAL]),
    ],
    &[Col::Enum(73, 3, &[".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".???7"])],
);

const CONSTANT_SIZE: Col = Col::Enum(73, 3, &[".U8", ".S8", ".U16", ".S16", "", ".64"]);
/// How the register indexes banks.
const INDEX_MODE: Col = Col::Enum(78, 2, &["", ".IL", ".IS", ".ISL"]);

/// `c[0x3][R2+0x10]`
const INDEXED_CONSTANT: Col = Col::Fn(|f, _, out| {
    let offset = f.word.signed(38, 16);
    let (r, hex) = (super::print::reg(f.bits(24, 8)), super::number::hex(offset));
    let index = match (f.bits(24, 8), offset) {
        (_, 0) => r,
        (255, _) => hex,
        _ => format!("{r}+{hex}"),
    };
    out.operand(&format!("c[{:#x}][{index}]", f.bits(54, 5)));
});

/// `cx[UR4][R2+0x10]`
const INDEXED_BINDLESS: Col = Col::Fn(|f, _, out| {
    let offset = f.word.signed(38, 16);
    let r = super::print::reg(f.bits(64, 8));
    let index = match (f.bits(64, 8), offset) {
        (255, _) => format!("{:#x}", f.bits(38, 16)),
        (_, 0) => r,
        _ => format!("{r}+{}", super::number::hex(offset)),
    };
    out.operand(&format!("cx[{}][{index}]", super::print::ureg(f.bits(24, 6))));
});

/// Element size of `LDSM`; values 1 to 4 print nothing at all.
const ELEMENT: Col = Col::Enum(75, 3, &[".16"]);
/// Matrix shapes of `LDSM`.
const SHAPE: Col = Col::Enum(78, 2, &[".M88", ".MT88", ".M816", ".M832"]);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &LD,
        Archs::ALL,
        0x180,
        Forms::one(4),
        &[E, CACHE, PREFETCH, SIZE, LOAD_ORDER, ZD],
        &[ZD_PRED, Col::R(16), at::LONG, INVERTED_PRED],
    )
    .lower(sem::memory::ld),
    row(
        &LD,
        Archs::FROM75,
        0x180,
        Forms::one91(4),
        &[at::GLOBAL_LOAD_E, CACHE, PREFETCH, SIZE, LOAD_ORDER, ZD],
        &[ZD_PRED, Col::R(16), at::GLOBAL_LOAD, INVERTED_PRED, DESCRIPTOR],
    )
    .lower(sem::memory::ld),
    row(
        &LDG,
        Archs::ALL,
        0x181,
        Forms::one(1),
        &[E, CACHE, PREFETCH, SIZE, LOAD_ORDER, ZD],
        &[VALID, Col::R(16), at::SHORT, INVERTED_PRED],
    )
    .lower(sem::memory::ldg),
    row(
        &LDG,
        Archs::FROM75,
        0x181,
        Forms::one91(4),
        &[at::GLOBAL_LOAD_E, CACHE, PREFETCH, SIZE, LOAD_ORDER, ZD],
        &[VALID, Col::R(16), at::GLOBAL_LOAD, INVERTED_PRED, DESCRIPTOR],
    )
    .lower(sem::memory::ldg),
    row(
        &LDC,
        Archs::ALL,
        0x182,
        Forms::one(5),
        &[CONSTANT_SIZE, INDEX_MODE],
        &[Col::R(16), INDEXED_CONSTANT],
    )
    .lower(sem::memory::ldc),
    row(
        &LDC,
        Archs::FROM75,
        0x182,
        Forms::one91(2),
        &[CONSTANT_SIZE, Col::When(Cond::Arch(Archs::FROM80), &[INDEX_MODE])],
        &[Col::R(16), INDEXED_BINDLESS],
    )
    .lower(sem::memory::ldc),
    row(&LDL, Archs::ALL, 0x183, Forms::one(4), &[CACHE, SIZE_PLAIN], &[Col::R(16), at::SHORT])
        .lower(sem::memory::ldl),
    row(
        &LDL,
        Archs::FROM75,
        0x183,
        Forms::one91(4),
        &[CACHE, SIZE_PLAIN],
        &[Col::R(16), at::LOCAL_32],
    )
    .lower(sem::memory::ldl),
    row(
        &LDS,
        Archs::ALL,
        0x184,
        Forms::one(4),
        &[SHARED_SIZE, ZD],
        &[ZD_PRED, Col::R(16), at::SCALED],
    )
    .lower(sem::memory::lds),
    row(
        &LDS,
        Archs::FROM75,
        0x184,
        Forms::one91(4),
        &[SHARED_SIZE, ZD],
        &[ZD_PRED, Col::R(16), at::SCALED_UNIFORM_32],
    )
    .lower(sem::memory::lds),
    row(&LDSM, Archs::FROM75, 0x03b, Forms::one(4).or(Forms::one91(4)), &[], &[])
        .when(&[Cond::In(75, 3, 0b11110)])
        .silent(),
    row(
        &LDSM,
        Archs::FROM75,
        0x03b,
        Forms::one(4),
        &[ELEMENT, SHAPE, Col::Enum(72, 2, &["", ".2", ".4"])],
        &[Col::R(16), at::MATRIX],
    ),
    row(
        &LDSM,
        Archs::FROM75,
        0x03b,
        Forms::one91(4),
        &[ELEMENT, SHAPE, Col::Enum(72, 2, &["", ".2", ".4"])],
        &[Col::R(16), at::MATRIX_UNIFORM],
    ),
    row(
        &ST,
        Archs::ALL,
        0x185,
        Forms::one(1),
        &[E, CACHE, SIZE, STORE_ORDER],
        &[at::LONG, Col::R(64)],
    )
    .lower(sem::memory::st)
    .boards(Boards::Read),
    row(
        &ST,
        Archs::FROM75,
        0x185,
        Forms::one91(4),
        &[at::GLOBAL_STORE_E, CACHE, SIZE, STORE_ORDER],
        &[at::GLOBAL_STORE, Col::R(32), DESCRIPTOR],
    )
    .lower(sem::memory::st)
    .boards(Boards::Read),
    row(
        &STG,
        Archs::ALL,
        0x186,
        Forms::one(1),
        &[E, CACHE, SIZE, STORE_ORDER],
        &[at::SHORT, Col::R(32)],
    )
    .lower(sem::memory::stg)
    .boards(Boards::Read),
    row(
        &STG,
        Archs::FROM75,
        0x186,
        Forms::one91(4),
        &[at::GLOBAL_STORE_E, CACHE, SIZE, STORE_ORDER],
        &[at::GLOBAL_STORE, Col::R(32), DESCRIPTOR],
    )
    .lower(sem::memory::stg)
    .boards(Boards::Read),
    row(&STL, Archs::ALL, 0x187, Forms::one(1), &[CACHE, SIZE_PLAIN], &[at::SHORT, Col::R(32)])
        .lower(sem::memory::stl)
        .boards(Boards::Read),
    row(
        &STL,
        Archs::FROM75,
        0x187,
        Forms::one91(4),
        &[CACHE, SIZE_PLAIN],
        &[at::LOCAL_64, Col::R(32)],
    )
    .lower(sem::memory::stl)
    .boards(Boards::Read),
    row(&STS, Archs::ALL, 0x188, Forms::one(1), &[SIZE_PLAIN], &[at::SCALED, Col::R(32)])
        .lower(sem::memory::sts)
        .boards(Boards::Read),
    row(
        &STS,
        Archs::FROM75,
        0x188,
        Forms::one91(4),
        &[SIZE_PLAIN],
        &[at::SCALED_UNIFORM_64, Col::R(32)],
    )
    .lower(sem::memory::sts)
    .boards(Boards::Read),
];
