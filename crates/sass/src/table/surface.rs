//! Surface accesses.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::INVALID;
use super::memory_order::{ATOMIC_ORDER, CACHE, LOAD_ORDER, OLD, SIZE_PLAIN, STORE_ORDER};
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::sem;

static SULD: OpDef = op("SULD", Unit::Texture, LatencyClass::Variable);
static SUST: OpDef = op("SUST", Unit::Texture, LatencyClass::None);
static SUATOM: OpDef = op("SUATOM", Unit::Texture, LatencyClass::Variable);
static SURED: OpDef = op("SURED", Unit::Texture, LatencyClass::None);
static SUQUERY: OpDef = op("SUQUERY", Unit::Texture, LatencyClass::Variable);

const DIM: Col = Col::Enum(61, 3, &[".1D", ".1D_BUFFER", ".1D_ARRAY", ".2D", ".2D_ARRAY", ".3D"]);
/// What happens outside the surface.
const CLAMP: Col = Col::Enum(59, 2, &[".IGN", "", ".TRAP"]);
const BYTE_ADDRESS: Col = Col::Flag(72, ".BA");
/// Channels of a formatted access.
const CHANNELS: Col = Col::Enum(
    72,
    4,
    &[
        INVALID, ".R", INVALID, ".RG", INVALID, INVALID, INVALID, INVALID, INVALID, INVALID,
        INVALID, INVALID, INVALID, INVALID, INVALID, "",
    ],
);
const OPERATION: Col =
    Col::Enum(87, 4, &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH"]);
const OPERATION_RED: Col =
    Col::Enum(87, 3, &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"]);
const TYPE: Col =
    Col::Enum(73, 3, &["", ".S32", ".U64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".SD32", ".SD64"]);
const TYPE_CAS: Col = Col::Either(
    Cond::Arch(Archs::SM80),
    &[Col::Enum(73, 3, &["", ".S32", ".U64"])],
    &[Col::Enum(73, 3, &["", ".S32", ".64"])],
);
/// Loads never see constant data up to sm_75.
const SURFACE_LOAD_ORDER: Col = Col::Either(OLD, &[STORE_ORDER], &[LOAD_ORDER]);

/// Coordinates; `RZ` is illegal up to sm_75 and has no name later.
const AT: Col = Col::Either(
    Cond::Eq(24, 8, 255),
    &[Col::Must(Cond::Arch(Archs::FROM80)), Col::Word("[???255]")],
    &[Col::Fn(|f, _, out| out.operand(&format!("[{}]", super::print::reg(f.bits(24, 8)))))],
);
/// A handle in a register, which cannot be `RZ`.
const HANDLE: Col = Col::Either(Cond::Eq(64, 8, 255), &[Col::Word("???255")], &[Col::R(64)]);
const CONSTANT: &[Col] = &[Col::Hex(54, 5), Col::Hex(40, 14)];
const CONSTANT_PLUS: &[Col] = &[Col::Hex(54, 5), Col::Hex(40, 6), Col::Hex(46, 8)];
const UNIFORM: &[Col] = &[Col::U(40), Col::Hex(46, 8)];

/// Columns used as a group.
const fn all(cols: &'static [Col]) -> Col {
    Col::When(Cond::All(&[]), cols)
}

/// Writes out the four ways to name a surface (constant, constant and sampler,
/// uniform register, register) for each instruction.
macro_rules! surfaces {
    ($($op:ident $archs:ident $boards:ident $code:literal + $step:literal
        forms $constant:literal $register:literal
        [$($mods:expr),*] ($($args:expr),*);)*) => {
        /// Rows of this family.
        pub static ROWS: &[Row] = &[$(
            with_meaning(row(
                &$op, Archs::$archs, $code, Forms::one($constant),
                &[$($mods),*], &[$($args,)* all(CONSTANT)],
            ).boards(Boards::$boards)),
            with_meaning(row(
                &$op, Archs::$archs, $code, Forms::one(3),
                &[$($mods),*], &[$($args,)* all(CONSTANT_PLUS)],
            ).boards(Boards::$boards)),
            with_meaning(row(
                &$op, later(Archs::$archs), $code, Forms::one91(7),
                &[$($mods),*], &[$($args,)* all(UNIFORM)],
            ).boards(Boards::$boards)),
            with_meaning(row(
                &$op, Archs::$archs, $code + $step, Forms::one($register),
                &[$($mods),*], &[$($args,)* HANDLE],
            ).boards(Boards::$boards)),
        )*];
    };
}

/// Loads and stores of raw bytes have a meaning.
const fn with_meaning(row: Row) -> Row {
    const CONSTANT: u16 = Forms::one(5).0;
    const IN_REGISTER: u16 = Forms::one(4).0;
    const UNIFORM: u16 = Forms::one91(7).0;
    match (row.code, row.forms.0) {
        (0x199, CONSTANT) => row.lower(sem::surface::load),
        (0x19a, IN_REGISTER) => row.lower(sem::surface::load_bindless),
        (0x199, UNIFORM) => row.lower(sem::surface::load_uniform),
        (0x19d, CONSTANT) => row.lower(sem::surface::store),
        (0x19e, IN_REGISTER) => row.lower(sem::surface::store_bindless),
        (0x19d, UNIFORM) => row.lower(sem::surface::store_uniform),
        _ => row,
    }
}

/// Uniform registers exist from sm_75.
const fn later(archs: Archs) -> Archs {
    if archs.has(crate::Arch::Sm75) { Archs::FROM75 } else { archs }
}

const D: Col = Col::Lit(".D");
const P: Col = Col::Lit(".P");
const CAS: Col = Col::Lit(".CAS");
const VALID: Col = Col::POpt(81);
const RD: Col = Col::R(16);
const RB: Col = Col::R(32);
const QUERY: Col = Col::Name(87, 1, &["COMP_STATUS", "???1"]);

surfaces! {
    SUATOM ALL Both 0x193 + 1 forms 2 1
        [D, BYTE_ADDRESS, DIM, OPERATION, CACHE, TYPE, ATOMIC_ORDER, CLAMP] (VALID, RD, AT, RB);
    SUATOM ALL Both 0x195 + 1 forms 2 1
        [D, BYTE_ADDRESS, DIM, CAS, CACHE, TYPE_CAS, ATOMIC_ORDER, CLAMP] (VALID, RD, AT, RB);
    SULD ALL Both 0x197 + 1 forms 5 4
        [P, DIM, CACHE, SURFACE_LOAD_ORDER, CHANNELS, CLAMP] (VALID, RD, AT);
    SULD ALL Both 0x199 + 1 forms 5 4
        [D, BYTE_ADDRESS, DIM, CACHE, SIZE_PLAIN, SURFACE_LOAD_ORDER, CLAMP] (VALID, RD, AT);
    SUST ALL Read 0x19b + 1 forms 5 4
        [P, DIM, CACHE, STORE_ORDER, CHANNELS, CLAMP] (AT, RB);
    SUST ALL Read 0x19d + 1 forms 5 4
        [D, BYTE_ADDRESS, DIM, CACHE, SIZE_PLAIN, STORE_ORDER, CLAMP] (AT, RB);
    SURED ALL Read 0x19f + 1 forms 2 1
        [D, BYTE_ADDRESS, DIM, OPERATION_RED, CACHE, TYPE, ATOMIC_ORDER, CLAMP] (AT, RB);
    SUQUERY SM90 Both 0x1b3 + 0 forms 5 4
        [BYTE_ADDRESS, DIM] (VALID, RD, AT, QUERY);
}
