//! Texture fetches.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::INVALID;
use super::memory_order::CACHE;
use super::{Archs, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn texture(name: &'static str) -> OpDef {
    op(name, Unit::Texture, LatencyClass::Variable)
}

static TEX: OpDef = texture("TEX");
static TLD: OpDef = texture("TLD");
static TLD4: OpDef = texture("TLD4");
static TMML: OpDef = texture("TMML");
static TXD: OpDef = texture("TXD");
static TXQ: OpDef = texture("TXQ");
static FOOTPRINT: OpDef = texture("FOOTPRINT");

/// Coordinates as they stand, not normalised: one scattered register each.
const SCR: Col = Col::Flag(60, ".SCR");
/// Bindless, in the forms where it is optional…
const BINDLESS: Col = Col::Flag(59, ".B");
/// … and where it is the form's own. Up to sm_75 it must be set.
const ALWAYS_BINDLESS: Col = Col::Either(
    Cond::Set(59),
    &[Col::Lit(".B")],
    &[Col::Must(Cond::Arch(Archs::FROM80)), Col::Lit(".???0")],
);
/// A uniform handle is not bindless.
const UNIFORM_BOUND: Col = Col::Must(Cond::Any(&[Cond::Arch(Archs::FROM80), Cond::Clear(59)]));
const FORMAT: Col = Col::Enum(79, 2, &["", ".F16.RN", ".F16.RZ"]);
const LOD: Col = Col::Either(
    Cond::Arch(Archs::SM70),
    &[Col::Enum(87, 3, &["", ".LZ", ".LB", ".LL", ".LC", ".LB.LC"])],
    &[Col::Enum(87, 3, &["", ".LZ", ".LB", ".LL", ".LC", ".LB.LC", ".LC.FDV"])],
);
const LOD_LOAD: Col = Col::Enum(87, 3, &[INVALID, ".LZ", INVALID, ".LL"]);
const AOFFI: Col = Col::Flag(76, ".AOFFI");
const OFFSETS: Col = Col::Enum(76, 2, &["", ".AOFFI", ".PTP"]);
const DC: Col = Col::Flag(78, ".DC");
const NDV: Col = Col::Flag(77, ".NDV");
const NDV_77: Col = Col::Flag(77, ".NDV");
const COARSE: Col = Col::Flag(76, ".COARSE");
const MS: Col = Col::Flag(78, ".MS");
const CL: Col = Col::Flag(77, ".CL");
const NODEP: Col = Col::Flag(90, ".NODEP");
const COMPONENT: Col = Col::Enum(87, 2, &[".R", ".G", ".B", ".A"]);
const LC: Col = Col::Flag(87, ".LC");

const DIM: Col =
    Col::Name(61, 3, &["1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", INVALID, "ARRAY_CUBE"]);
const DIM_LOAD: Col = Col::Name(61, 3, &["1D", "2D", "3D", INVALID, "ARRAY_1D", "ARRAY_2D"]);
const DIM_GATHER: Col =
    Col::Name(61, 3, &[INVALID, "2D", INVALID, "CUBE", INVALID, "ARRAY_2D", INVALID, "ARRAY_CUBE"]);
const DIM_GRADIENT: Col = Col::Name(61, 3, &["1D", "2D", INVALID, INVALID, "ARRAY_1D", "ARRAY_2D"]);
const DIM_FOOTPRINT: Col = Col::Name(61, 3, &[INVALID, "2D", "3D"]);
const QUERY: Col = Col::Name(
    62,
    2,
    &["TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "TEX_HEADER_SAMPLER_POS"],
);
/// Channels.
const MASK: Col = Col::When(Cond::Ne(72, 4, 15), &[Col::Hex(72, 4)]);
/// Is the handle in a register? The opcodes come in threes: optional `.B`, and
/// two that are always bindless.
const IN_REGISTER: Cond =
    Cond::Fn(|f| !f.bit(91) && (f.bit(59) || f.bits(0, 9).wrapping_sub(0x160) % 3 != 0));
/// Registers that cannot be `RZ` print its number then.
const A: Col = Col::Either(Cond::Eq(24, 8, 255), &[Col::Word("???255")], &[Col::R(24)]);
/// The handle of a bindless query cannot be `RZ`.
const QUERY_A: Col = Col::Either(IN_REGISTER, &[A], &[Col::R(24)]);
/// More coordinates, or the handle of a bindless texture, which cannot be `RZ`.
const B: Col = Col::Either(
    Cond::Eq(32, 8, 255),
    &[Col::When(IN_REGISTER, &[Col::Word("???255")])],
    &[Col::R(32)],
);

/// Validity, second and first destination, coordinates.
const FETCH: &[Col] = &[Col::POpt(81), Col::R(64), Col::R(16), A, B];
const PLAIN: &[Col] = &[Col::R(64), Col::R(16), A, B];

/// Gradients need their second register.
const GRADIENT: &[Col] = &[Col::POpt(81), Col::R(64), Col::R(16), A, Col::R(32)];

/// All registers of a footprint query must exist.
const COVER: &[Col] = &[
    Col::POpt(81),
    Col::Either(Cond::Eq(64, 8, 255), &[Col::Word("???255")], &[Col::R(64)]),
    Col::Either(Cond::Eq(16, 8, 255), &[Col::Word("???255")], &[Col::R(16)]),
    A,
    B,
];
/// `.TXD` has no name beside `.SCR`.
const KIND: Col =
    Col::Either(Cond::Clear(78), &[Col::Lit(".TEX")], &[Col::Enum(60, 1, &[".TXD", ".???1"])]);

/// How a handle is given: a constant, a register, a constant of its own, a uniform register.
const CONSTANT: &[Col] = &[Col::Hex(54, 5), Col::Hex(40, 14)];
const CONSTANT_PLUS: &[Col] = &[Col::Hex(54, 5), Col::Hex(40, 6), Col::Hex(46, 8)];
/// A uniform handle, which cannot be `URZ`.
const HANDLE: Col = Col::Either(Cond::Eq(40, 6, 63), &[Col::Word("???63")], &[Col::U(40)]);
const UNIFORM: &[Col] = &[HANDLE, Col::Hex(46, 8)];

/// Columns used as a group.
const fn all(cols: &'static [Col]) -> Col {
    Col::When(Cond::All(&[]), cols)
}

/// Writes out the four ways to name a texture (constant, register, constant of
/// its own, uniform register) for each instruction: modifiers before and after
/// `.B`, operands before and after the handle.
macro_rules! textures {
    ($($op:ident $archs:ident $code:literal [$($before:expr),*] [$($after:expr),*]
        ($($first:expr),*) ($($last:expr),*);)*) => {
        /// Rows of this family.
        pub static ROWS: &[Row] = &[$(
            with_meaning(row(
                &$op, Archs::$archs, $code, Forms::one(5),
                &[$($before,)* BINDLESS, $($after),*],
                &[$($first,)* all(CONSTANT), $($last),*],
            )),
            with_meaning(row(
                &$op, Archs::$archs, $code + 1, Forms::one(1),
                &[$($before,)* ALWAYS_BINDLESS, $($after),*],
                &[$($first,)* $($last),*],
            )),
            with_meaning(row(
                &$op, Archs::$archs, $code + 2, Forms::one(5),
                &[$($before,)* ALWAYS_BINDLESS, $($after),*],
                &[$($first,)* all(CONSTANT_PLUS), $($last),*],
            )),
            with_meaning(row(
                &$op, Archs::FROM75, uniform_code($code), Forms::one91(7),
                &[$($before,)* UNIFORM_BOUND, $($after),*],
                &[$($first,)* all(UNIFORM), $($last),*],
            )),
        )*];
    };
}

/// The rows that fetch have a meaning, but for those with a constant of their own.
const fn with_meaning(row: Row) -> Row {
    const BOUND: u16 = Forms::one(5).0;
    const IN_REGISTER: u16 = Forms::one(1).0;
    const UNIFORM: u16 = Forms::one91(7).0;
    match (row.code, row.forms.0) {
        (0x160, BOUND) => row.lower(sem::texture::tex),
        (0x161, IN_REGISTER) => row.lower(sem::texture::tex_bindless),
        (0x160, UNIFORM) => row.lower(sem::texture::tex_uniform),
        (0x163, BOUND) => row.lower(sem::texture::tld4),
        (0x164, IN_REGISTER) => row.lower(sem::texture::tld4_bindless),
        (0x163, UNIFORM) => row.lower(sem::texture::tld4_uniform),
        (0x166, BOUND) => row.lower(sem::texture::tld),
        (0x167, IN_REGISTER) => row.lower(sem::texture::tld_bindless),
        (0x166, UNIFORM) => row.lower(sem::texture::tld_uniform),
        (0x16c, BOUND) => row.lower(sem::texture::txd),
        (0x16d, IN_REGISTER) => row.lower(sem::texture::txd_bindless),
        (0x16c, UNIFORM) => row.lower(sem::texture::txd_uniform),
        _ => row,
    }
}

/// `FOOTPRINT` breaks the pattern of codes.
const fn uniform_code(code: u16) -> u16 {
    if code == 0x172 { 0x174 } else { code }
}

textures! {
    TEX ALL 0x160 [SCR] [FORMAT, LOD, AOFFI, DC, CACHE, NDV, NODEP]
        (all(FETCH)) (DIM, MASK);
    TLD4 ALL 0x163 [SCR, COMPONENT] [FORMAT, OFFSETS, DC, CACHE, NODEP]
        (all(FETCH)) (DIM_GATHER, MASK);
    TLD ALL 0x166 [SCR] [FORMAT, LOD_LOAD, AOFFI, CACHE, MS, CL, NODEP]
        (all(FETCH)) (DIM_LOAD, MASK);
    TMML ALL 0x169 [] [Col::Lit(".LOD"), NDV, NODEP]
        (all(PLAIN)) (DIM, MASK);
    TXD ALL 0x16c [] [FORMAT, LC, AOFFI, CACHE, NODEP]
        (all(GRADIENT)) (DIM_GRADIENT, MASK);
    TXQ ALL 0x16f [] [NODEP]
        (Col::R(64), Col::R(16), QUERY_A, QUERY) (Col::Hex(72, 4));
    FOOTPRINT FROM75 0x172 [SCR] [KIND, COARSE, LOD, NDV_77, NODEP]
        (all(COVER)) (DIM_FOOTPRINT);
}
