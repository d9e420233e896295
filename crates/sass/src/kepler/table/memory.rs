//! Loads, stores, atomics, caches.

use upset_isa::{LatencyClass, OpDef, Unit};

use crate::kepler::Fields;
use crate::kepler::column::{Col, Cond};
use crate::kepler::print::{Out, address, reg};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::{atomic, memory};
use crate::table::op;

const fn load(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::Variable)
}
const fn store(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::None)
}

static LD: OpDef = load("LD");
static ST: OpDef = store("ST");
static LDL: OpDef = load("LDL");
static LDS: OpDef = load("LDS");
static STL: OpDef = store("STL");
static STS: OpDef = store("STS");
static LDSLK: OpDef = load("LDSLK");
static STSCUL: OpDef = load("STSCUL");
static LDC: OpDef = load("LDC");
static ATOM: OpDef = load("ATOM");
static RED: OpDef = store("RED");
static CCTL: OpDef = store("CCTL");
static CCTLL: OpDef = store("CCTLL");
static CCTLS: OpDef = store("CCTLS");
static MEMBAR: OpDef = store("MEMBAR");

const LOAD_SIZE: &[&str] = &[".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128"];
/// Sizes of accesses that know no wider ones.
pub(super) const SIZE: &[&str] =
    &[".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".INVALIDSIZE7"];
const LOAD_CACHE: &[&str] = &["", ".CG", ".CS", ".CV"];
const LOCAL_CACHE: &[&str] = &["", ".CG", ".LU", ".CV"];
const STORE_CACHE: &[&str] = &["", ".CG", ".CS", ".WT"];
const ATOMIC: &[&str] = &[
    ".ADD",
    ".MIN",
    ".MAX",
    ".INC",
    ".DEC",
    ".AND",
    ".OR",
    ".XOR",
    ".EXCH",
    ".INVALIDATOMOP9",
    ".SAFEADD",
    ".INVALIDATOMOP11",
    ".INVALIDATOMOP12",
    ".INVALIDATOMOP13",
    ".INVALIDATOMOP14",
    ".INVALIDATOMOP15",
];
const REDUCTION: &[&str] = &[
    ".ADD",
    ".MIN",
    ".MAX",
    ".INC",
    ".DEC",
    ".AND",
    ".OR",
    ".XOR",
    ".INVALIDREDOP8",
    ".INVALIDREDOP9",
    ".INVALIDREDOP10",
    ".INVALIDREDOP11",
    ".INVALIDREDOP12",
    ".INVALIDREDOP13",
    ".INVALIDREDOP14",
    ".INVALIDREDOP15",
];
const ATOMIC_SIZE: &[&str] = &[
    "",
    ".S32",
    ".U64",
    ".F32.FTZ.RN",
    ".U128",
    ".S64",
    ".INVALIDATOMICSIZE6",
    ".INVALIDATOMICSIZE7",
];
const CACHE_OP: &[&str] = &[
    ".QRY1",
    ".PF1",
    ".PF1.5",
    ".PF2",
    ".WB",
    ".IV",
    ".IVALL",
    ".RS",
    ".WBALL",
    ".RSLB",
    ".INVALIDCCTLOP10",
    ".INVALIDCCTLOP11",
    ".INVALIDCCTLOP12",
    ".INVALIDCCTLOP13",
    ".INVALIDCCTLOP14",
    ".INVALIDCCTLOP15",
];
const CACHE: &[&str] = &[
    "",
    ".U",
    ".C",
    ".I",
    ".CRS",
    ".INVALIDCACHETYPE5",
    ".INVALIDCACHETYPE6",
    ".INVALIDCACHETYPE7",
];
const LOCAL_CACHES: &[&str] = &["", ".CRS", ".INVALIDLCACHETYPE2", ".INVALIDLCACHETYPE3"];

/// `c[0x3][R2+0x10]`: offset in bits 23-38, bank in bits 39-43.
fn constant(f: &Fields, _: u64, out: &mut Out) {
    let place = address(f.bits(10, 8), i64::from(f.offset16()));
    let place = if place == "RZ" { "0x0".to_owned() } else { place };
    out.operand(&format!("c[{:#x}][{place}]", f.bits(39, 5)));
}

/// Address of a cache operation: words, `width` bits from bit 25. The query
/// has no blank before it.
fn cache_address(f: &Fields, width: u32, out: &mut Out) {
    let offset = match f.bits(10, 8) {
        255 => f.bits(25, width) as i64,
        _ => f.word.signed(25, width),
    };
    let text = format!("[{}]", address(f.bits(10, 8), offset * 4));
    match f.bits(2, 4) {
        0 => out.extend(&text),
        _ => out.operand(&text),
    }
}

fn global_cache_address(f: &Fields, _: u64, out: &mut Out) {
    cache_address(f, 30, out);
}

fn local_cache_address(f: &Fields, _: u64, out: &mut Out) {
    cache_address(f, 22, out);
}

/// The value to compare with and the new value: two registers from bits 23-30
/// on, of which bits 53-54 replace one by zero.
fn swap_operands(f: &Fields, _: u64, out: &mut Out) {
    let first = f.bits(23, 8);
    let second = first + if f.bit(52) { 2 } else { 1 };
    let named = |r: u64| if r >= 255 { "???255".to_owned() } else { reg(r) };
    let (a, b) = match f.bits(53, 2) {
        0 => (named(first), named(second)),
        1 => (reg(first), reg(255)),
        _ => (reg(255), named(first)),
    };
    out.operand(&a);
    out.operand(&b);
}

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &LD,
        Codes::one(0, 0xe00, 0xc00),
        &[Col::Flag(55, ".E"), Col::Enum(59, 2, LOAD_CACHE), Col::Enum(56, 3, LOAD_SIZE)],
        &[Col::R(2), Col::Mem("", 23, 32)],
    )
    .lower(memory::ld),
    row(
        &ST,
        Codes::one(0, 0xe00, 0xe00),
        &[Col::Flag(55, ".E"), Col::Enum(59, 2, STORE_CACHE), Col::Enum(56, 3, SIZE)],
        &[Col::Mem("", 23, 32), Col::R(2)],
    )
    .lower(memory::st),
    row(
        &LDL,
        Codes::one(2, 0xffc, 0x7a0),
        &[Col::Enum(47, 2, LOCAL_CACHE), Col::Enum(51, 3, SIZE)],
        &[Col::R(2), Col::Mem("", 23, 24)],
    )
    .lower(memory::ldl),
    row(
        &LDS,
        Codes::one(2, 0xffc, 0x7a4),
        &[Col::Enum(51, 3, LOAD_SIZE)],
        &[Col::R(2), Col::Mem("", 23, 24)],
    )
    .lower(memory::lds),
    row(
        &STL,
        Codes::one(2, 0xffc, 0x7a8),
        &[Col::Enum(47, 2, STORE_CACHE), Col::Enum(51, 3, SIZE)],
        &[Col::Mem("", 23, 24), Col::R(2)],
    )
    .lower(memory::stl),
    row(
        &STS,
        Codes::one(2, 0xffc, 0x7ac),
        &[Col::Enum(51, 3, SIZE)],
        &[Col::Mem("", 23, 24), Col::R(2)],
    )
    .lower(memory::sts),
    row(
        &LDSLK,
        Codes::one(2, 0xffc, 0x774),
        &[Col::Enum(51, 3, SIZE)],
        &[Col::P(48), Col::R(2), Col::Mem("", 23, 24)],
    )
    .lower(atomic::ldslk),
    row(
        &STSCUL,
        Codes::one(2, 0xffc, 0x784),
        &[Col::Enum(51, 3, SIZE)],
        &[Col::P(48), Col::Mem("", 23, 24), Col::R(2)],
    )
    .lower(atomic::stscul),
    row(
        &LDC,
        Codes::one(2, 0xffc, 0x7c8),
        &[Col::Enum(51, 3, SIZE), Col::Enum(47, 2, &["", ".IL", ".IS", ".ISL"])],
        &[Col::R(2), Col::Fn(constant)],
    )
    .lower(memory::ldc),
    row(
        &RED,
        Codes::one(2, 0xf80, 0x680),
        &[Col::Flag(51, ".E"), Col::Enum(55, 4, REDUCTION), Col::Enum(52, 3, ATOMIC_SIZE)],
        &[Col::Mem("", 31, 20), Col::R(23)],
    )
    .when(&[Cond::Eq(2, 8, 255)])
    .lower(atomic::red),
    row(
        &ATOM,
        Codes::one(2, 0xf80, 0x680),
        &[Col::Flag(51, ".E"), Col::Enum(55, 4, ATOMIC), Col::Enum(52, 3, ATOMIC_SIZE)],
        &[Col::R(2), Col::Mem("", 31, 20), Col::R(23)],
    )
    .lower(atomic::atom),
    row(
        &ATOM,
        Codes::one(2, 0xff8, 0x778),
        &[Col::Flag(51, ".E"), Col::Lit(".CAS"), Col::Flag(52, ".64")],
        &[Col::Must(Cond::Ne(53, 2, 3)), Col::R(2), Col::Mem("", 31, 20), Col::Fn(swap_operands)],
    )
    .lower(atomic::atom_cas),
    row(
        &CCTL,
        Codes::one(2, 0xff0, 0x7b0),
        &[Col::Flag(55, ".E"), Col::Enum(6, 3, CACHE), Col::Enum(2, 4, CACHE_OP)],
        &[Col::Fn(global_cache_address)],
    )
    .lower(atomic::cctl),
    row(
        &CCTLL,
        Codes::one(2, 0xffc, 0x7c0),
        &[Col::Enum(6, 2, LOCAL_CACHES), Col::Enum(2, 4, CACHE_OP)],
        &[Col::Fn(local_cache_address)],
    )
    .lower(atomic::cctl),
    row(&CCTLS, Codes::one(2, 0xffc, 0x7c4), &[Col::Lit(".RSLB")], &[]),
    row(
        &MEMBAR,
        Codes::one(2, 0xffc, 0x7cc),
        &[Col::Enum(10, 2, &[".CTA", ".GL", ".SYS", ".INVALIDMEMBAR3"])],
        &[],
    )
    .lower(atomic::membar),
];
