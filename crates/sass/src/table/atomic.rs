//! Atomics and reductions.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::memory_address as at;
use super::memory_order::{ATOMIC_ORDER, CACHE, OLD};
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::sem;

const fn atomic(name: &'static str) -> OpDef {
    op(name, Unit::LoadStore, LatencyClass::Variable)
}

static ATOM: OpDef = atomic("ATOM");
static ATOMG: OpDef = atomic("ATOMG");
static ATOMS: OpDef = atomic("ATOMS");
static RED: OpDef = op("RED", Unit::LoadStore, LatencyClass::None);
static REDG: OpDef = op("REDG", Unit::LoadStore, LatencyClass::None);
static QSPC: OpDef = atomic("QSPC");

const E: Col = Col::Flag(72, ".E");

/// From sm_80 a descriptor (bit 71) comes with a 64-bit register only.
/// sm_80 wants a register then.
const DESCRIPTOR: Col = Col::Must(Cond::Any(&[
    OLD,
    Cond::Clear(71),
    Cond::All(&[Cond::Set(70), Cond::Arch(Archs::SM90)]),
    Cond::All(&[Cond::Set(70), Cond::Ne(24, 8, 255)]),
]));
const DESCRIPTOR_RED: Col = Col::Must(Cond::Any(&[OLD, Cond::Clear(71), Cond::Set(90)]));

const OPERATION: Col =
    Col::Enum(87, 4, &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH"]);
const OPERATION_G: Col = Col::Enum(
    87,
    4,
    &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH", ".SAFEADD"],
);
const OPERATION_RED: Col =
    Col::Enum(87, 3, &[".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR"]);
/// Operations on floating-point numbers (sm_90).
const OPERATION_FLOAT: Col = Col::Enum(88, 2, &[".ADD", ".MIN", ".MAX"]);

const OLD_TYPE: &[&str] = &["", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN"];
const TYPE: Col = Col::Either(
    OLD,
    &[Col::Enum(73, 3, OLD_TYPE)],
    &[Col::Either(
        Cond::Arch(Archs::SM80),
        &[Col::Enum(73, 4, OLD_TYPE)],
        &[Col::Enum(73, 3, &["", ".S32", ".64", ".S64", ".128"])],
    )],
);
const TYPE_RED: Col = Col::Either(
    OLD,
    &[Col::Enum(73, 3, OLD_TYPE)],
    &[Col::Either(
        Cond::Arch(Archs::SM80),
        &[Col::Enum(73, 4, OLD_TYPE)],
        &[Col::Enum(73, 3, &["", ".S32", ".64", ".S64"])],
    )],
);
const TYPE_CAS: Col = Col::Either(
    OLD,
    &[Col::Enum(73, 3, &["", ".S32", ".64"])],
    &[Col::Either(
        Cond::Arch(Archs::SM80),
        &[Col::Enum(73, 4, &["", ".S32", ".64"])],
        &[Col::Enum(73, 3, &["", ".S32", ".64", "?", ".128"])],
    )],
);
const TYPE_SHARED: Col = Col::Either(
    Cond::Arch(Archs::SM90),
    &[Col::Enum(73, 3, &["", ".S32", ".64", "?", ".128"])],
    &[Col::Enum(73, 2, &["", ".S32", ".64"])],
);
const TYPE_FLOAT: Col = Col::Scatter(
    &[73, 74, 75, 76, 87],
    &[
        ".F16x2.RN",
        ".F16x4.RN",
        ".F16x8.RN",
        ".BF16x2.RN",
        ".BF16x4.RN",
        ".BF16x8.RN",
        "?",
        "?",
        "?",
        ".F32.FTZ.RN",
        ".F32x2.FTZ.RN",
        ".F32x4.FTZ.RN",
        ".F32.RN",
        ".F32x2.RN",
        ".F32x4.RN",
        ".F64.RN",
    ],
);

const CAS: Col =
    Col::Either(Cond::Set(87), &[Col::Lit(".CAST"), Col::Flag(88, ".SPIN")], &[Col::Lit(".CAS")]);
const SPACE: Col = Col::Either(
    Cond::Arch(Archs::SM90),
    &[Col::Enum(73, 2, &[".G", ".L", ".S", ".D"])],
    &[Col::Enum(73, 2, &[".G", ".L", ".S"])],
);

const fn global(
    op: &'static OpDef,
    archs: Archs,
    code: u16,
    mods: &'static [Col],
    args: &'static [Col],
) -> Row {
    row(op, archs, code, Forms::one(1), mods, args)
}
const fn uniform(
    op: &'static OpDef,
    archs: Archs,
    code: u16,
    mods: &'static [Col],
    args: &'static [Col],
) -> Row {
    row(op, archs, code, Forms::one91(4), mods, args)
}

/// Up to sm_75 the register pair of `ATOMG.CAS` cannot be `RZ`.
const COMPARED: Col =
    Col::Either(Cond::All(&[OLD, Cond::Eq(32, 8, 255)]), &[Col::Word("???255")], &[Col::R(32)]);
const ARGS: &[Col] = &[Col::P(81), Col::R(16), at::SHORT, Col::R(32)];
const ARGS_CAS: &[Col] = &[Col::P(81), Col::R(16), at::SHORT, Col::R(32), Col::R(64)];
const ARGS_UNIFORM: &[Col] = &[Col::P(81), Col::R(16), at::GLOBAL_ATOMIC, Col::R(32), DESCRIPTOR];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    global(&ATOM, Archs::ALL, 0x18a, &[E, OPERATION, CACHE, TYPE, ATOMIC_ORDER], ARGS)
        .lower(sem::atomic::atom),
    uniform(
        &ATOM,
        Archs::FROM75,
        0x18a,
        &[at::GLOBAL_ATOMIC_E, OPERATION, CACHE, TYPE, ATOMIC_ORDER],
        ARGS_UNIFORM,
    )
    .lower(sem::atomic::atom),
    global(&ATOM, Archs::ALL, 0x18b, &[E, CAS, CACHE, TYPE_CAS, ATOMIC_ORDER], ARGS_CAS)
        .lower(sem::atomic::atom_cas),
    row(
        &ATOMS,
        Archs::ALL,
        0x18c,
        Forms::one(1),
        &[OPERATION, TYPE_SHARED],
        &[Col::R(16), at::SCALED, Col::R(32)],
    )
    .lower(sem::atomic::atoms),
    row(
        &ATOMS,
        Archs::FROM75,
        0x18c,
        Forms::one91(4),
        &[OPERATION, TYPE_SHARED],
        &[Col::R(16), at::SCALED_UNIFORM_64, Col::R(32)],
    )
    .lower(sem::atomic::atoms),
    row(
        &ATOMS,
        Archs::ALL,
        0x18d,
        Forms::one(1),
        &[CAS, TYPE_SHARED],
        &[Col::R(16), at::SCALED, Col::R(32), Col::R(64)],
    )
    .lower(sem::atomic::atoms_cas),
    row(
        &RED,
        Archs::TO80,
        0x18e,
        Forms::one(4),
        &[E, OPERATION_RED, CACHE, TYPE_RED, ATOMIC_ORDER],
        &[at::SHORT, Col::R(32)],
    )
    .lower(sem::atomic::red)
    .boards(Boards::Read),
    row(
        &RED,
        Archs::SM75.or(Archs::SM80),
        0x18e,
        Forms::one91(4),
        &[at::GLOBAL_REDUCTION_E, OPERATION_RED, CACHE, TYPE_RED, ATOMIC_ORDER],
        &[at::GLOBAL_REDUCTION, Col::R(32), DESCRIPTOR_RED],
    )
    .lower(sem::atomic::red)
    .boards(Boards::Read),
    row(
        &REDG,
        Archs::SM90,
        0x18e,
        Forms::one(4),
        &[E, OPERATION_RED, CACHE, TYPE_RED, ATOMIC_ORDER],
        &[at::SHORT, Col::R(32)],
    )
    .lower(sem::atomic::red)
    .boards(Boards::Read),
    row(
        &REDG,
        Archs::SM90,
        0x18e,
        Forms::one91(4),
        &[at::GLOBAL_REDUCTION_E, OPERATION_RED, CACHE, TYPE_RED, ATOMIC_ORDER],
        &[at::GLOBAL_REDUCTION, Col::R(32), DESCRIPTOR_RED],
    )
    .lower(sem::atomic::red)
    .boards(Boards::Read),
    global(&ATOM, Archs::SM90, 0x1a2, &[E, OPERATION_FLOAT, CACHE, TYPE_FLOAT, ATOMIC_ORDER], ARGS)
        .lower(sem::atomic::atom_float),
    uniform(
        &ATOM,
        Archs::SM90,
        0x1a2,
        &[at::GLOBAL_ATOMIC_E, OPERATION_FLOAT, CACHE, TYPE_FLOAT, ATOMIC_ORDER],
        ARGS_UNIFORM,
    )
    .lower(sem::atomic::atom_float),
    global(
        &ATOMG,
        Archs::SM90,
        0x1a3,
        &[E, OPERATION_FLOAT, CACHE, TYPE_FLOAT, ATOMIC_ORDER],
        ARGS,
    )
    .lower(sem::atomic::atomg_float),
    uniform(
        &ATOMG,
        Archs::SM90,
        0x1a3,
        &[at::GLOBAL_ATOMIC_E, OPERATION_FLOAT, CACHE, TYPE_FLOAT, ATOMIC_ORDER],
        ARGS_UNIFORM,
    )
    .lower(sem::atomic::atomg_float),
    row(
        &REDG,
        Archs::SM90,
        0x1a6,
        Forms::one(4),
        &[E, OPERATION_FLOAT, CACHE, TYPE_FLOAT, ATOMIC_ORDER],
        &[at::SHORT, Col::R(32)],
    )
    .lower(sem::atomic::redg_float)
    .boards(Boards::Read),
    row(
        &REDG,
        Archs::SM90,
        0x1a6,
        Forms::one91(4),
        &[at::GLOBAL_REDUCTION_E, OPERATION_FLOAT, CACHE, TYPE_FLOAT, ATOMIC_ORDER],
        &[at::GLOBAL_REDUCTION, Col::R(32), DESCRIPTOR_RED],
    )
    .lower(sem::atomic::redg_float)
    .boards(Boards::Read),
    global(&ATOMG, Archs::ALL, 0x1a8, &[E, OPERATION_G, CACHE, TYPE, ATOMIC_ORDER], ARGS)
        .lower(sem::atomic::atomg),
    uniform(
        &ATOMG,
        Archs::FROM75,
        0x1a8,
        &[at::GLOBAL_ATOMIC_E, OPERATION_G, CACHE, TYPE, ATOMIC_ORDER],
        ARGS_UNIFORM,
    )
    .lower(sem::atomic::atomg),
    global(
        &ATOMG,
        Archs::ALL,
        0x1a9,
        &[E, Col::Lit(".CAS"), CACHE, TYPE_CAS, ATOMIC_ORDER],
        &[Col::P(81), Col::R(16), at::SHORT, COMPARED, Col::R(64)],
    )
    .lower(sem::atomic::atomg_cas),
    global(&QSPC, Archs::ALL, 0x1aa, &[E, SPACE], &[Col::P(81), Col::R(16), at::SHORT])
        .lower(sem::memory::qspc),
    uniform(
        &QSPC,
        Archs::FROM75,
        0x1aa,
        &[at::GLOBAL_QUERY_E, SPACE],
        &[Col::P(81), Col::R(16), at::GLOBAL_QUERY],
    )
    .lower(sem::memory::qspc),
];
