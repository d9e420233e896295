//! Asynchronous copies and the barriers that count them.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::column::INVALID;
use super::memory_address as at;
use super::memory_order::{ATOMIC_ORDER, CACHE};
use super::number::hex;
use super::print::{reg, ureg};
use super::{Archs, Boards, Col, Cond, Forms, Row, op, row};
use crate::{Fields, sem};

static LDGSTS: OpDef = op("LDGSTS", Unit::LoadStore, LatencyClass::Variable);
static ARRIVES: OpDef = op("ARRIVES", Unit::LoadStore, LatencyClass::None);
static ATOM: OpDef = op("ATOM", Unit::LoadStore, LatencyClass::Variable);
static ATOMS: OpDef = op("ATOMS", Unit::LoadStore, LatencyClass::Variable);

const COPY: &[Col] = &[
    Col::Lit(".E"),
    Col::Unless(81, ".BYPASS"),
    CACHE,
    Col::Enum(71, 2, &["", ".LTC64B", ".LTC128B", ".LTC256B"]),
    Col::Enum(73, 3, &[INVALID, INVALID, INVALID, INVALID, "", ".64", ".128"]),
    Col::Flag(82, ".ZFILL"),
    Col::Enum(
        77,
        4,
        &[
            "",
            ".CONSTANT.PRIVATE",
            ".CONSTANT.CTA",
            ".CONSTANT.CTA.PRIVATE",
            ".CONSTANT",
            ".MMIO.CTA",
            ".GPU.PRIVATE",
            ".MMIO.CTA.PRIVATE",
            ".MMIO.SM",
            ".CONSTANT.SM",
            ".MMIO.VC",
            ".CONSTANT.SM.PRIVATE",
            ".MMIO.GPU",
            ".CONSTANT.VC",
            ".CONSTANT.VC.PRIVATE",
            ".CONSTANT.GPU",
        ],
    ),
];

fn plus(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!("+{}", hex(offset)) }
}

/// `[R4+0x10]` in shared memory: register in bits 16-23, offset in bits 44-63.
const SHARED: Col = Col::Fn(|f, _, out| {
    let offset = f.word.signed(44, 20);
    out.operand(&match (f.bits(16, 8), offset) {
        (255, 0) => "[RZ]".to_owned(),
        (255, _) => format!("[{}]", hex(offset)),
        (r, _) => format!("[{}{}]", reg(r), plus(offset)),
    });
});

/// `[R4+UR8+0x10]` in shared memory.
const SHARED_UNIFORM: Col = Col::Fn(|f, _, out| {
    let (uniform, offset) = (ureg(f.bits(64, 6)), plus(f.word.signed(44, 20)));
    out.operand(&match f.bits(16, 8) {
        255 => format!("[{uniform}{offset}]"),
        r => format!("[{}+{uniform}{offset}]", reg(r)),
    });
});

fn source(f: &Fields, uniform: &str) -> String {
    let width = if f.bit(70) { ".64" } else { ".U32" };
    format!("[{}{width}{uniform}{}]", reg(f.bits(24, 8)), plus(f.word.signed(32, 12)))
}

/// `[R8.64+UR4+0x10]` in global memory: bit 76 says that the uniform register is
/// a descriptor.
const GLOBAL: Col = Col::Fn(|f, _, out| {
    let uniform = match f.bits(64, 6) {
        63 => String::new(),
        _ if f.bit(76) => String::new(),
        n => format!("+{}", ureg(n)),
    };
    let descriptor = if f.bit(76) { at::descriptor(f, 64) } else { String::new() };
    out.operand(&(descriptor + &source(f, &uniform)));
});
const GLOBAL_PLAIN: Col = Col::Fn(|f, _, out| out.operand(&source(f, "")));

/// `.E` without which there is no name.
const COUNT_E: Col = Col::Enum(72, 1, &[".???0", ".E"]);

/// What is counted: arrivals (64 bits) or lanes (32 bits).
const ARRIVAL: Cond = Cond::Any(&[
    Cond::All(&[Cond::Arch(Archs::SM80), Cond::Eq(87, 4, 9)]),
    Cond::All(&[Cond::Arch(Archs::SM90), Cond::Eq(87, 4, 10)]),
]);
const COUNTED: Col = Col::Either(
    ARRIVAL,
    &[Col::Lit(".ARRIVE")],
    &[
        Col::Must(Cond::Any(&[
            Cond::All(&[Cond::Arch(Archs::SM80), Cond::Eq(87, 4, 10)]),
            Cond::All(&[Cond::Arch(Archs::SM90), Cond::Eq(87, 4, 11)]),
        ])),
        Col::Lit(".POPC.INC"),
    ],
);

fn size(f: &Fields, width: u32) -> String {
    match (ARRIVAL.holds(f), f.bits(73, width)) {
        (true, 2) => ".64".to_owned(),
        (false, 0) => ".32".to_owned(),
        (_, n) => format!(".???{n}"),
    }
}
const SIZE: Col = Col::Fn(|f, _, out| {
    out.modifier(&size(f, if f.arch == crate::Arch::Sm80 { 4 } else { 3 }));
});
const SIZE_SHARED: Col = Col::Fn(|f, _, out| {
    out.modifier(&size(f, if f.arch == crate::Arch::Sm80 { 2 } else { 3 }));
});

/// A descriptor (bit 71) comes with a 64-bit register.
const DESCRIPTOR: Col = Col::Must(Cond::Any(&[Cond::Clear(71), Cond::Set(70)]));

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &LDGSTS,
        Archs::FROM80,
        0x1ae,
        Forms::one91(7),
        COPY,
        &[
            SHARED,
            GLOBAL,
            Col::PnTrue(87, 90),
            Col::Must(Cond::Any(&[Cond::Clear(76), Cond::Set(70)])),
        ],
    )
    .lower(sem::asynchronous::ldgsts),
    row(
        &LDGSTS,
        Archs::FROM80,
        0x1ae,
        Forms::one91(6),
        COPY,
        &[SHARED_UNIFORM, GLOBAL_PLAIN, Col::PnTrue(87, 90), Col::Must(Cond::Set(70))],
    )
    .lower(sem::asynchronous::ldgsts),
    row(
        &ARRIVES,
        Archs::FROM80,
        0x1b0,
        Forms::one91(4),
        &[
            Col::Enum(72, 1, &[".LDGSTSBAR", ".???1"]),
            Col::Enum(
                73,
                3,
                &[".???0", ".???1", ".???2", ".???3", ".???4", ".64", ".???6", ".???7"],
            ),
            Col::When(Cond::Arch(Archs::SM90), &[Col::Enum(70, 2, &["", ".ARVCNT", ".TRANSCNT"])]),
        ],
        &[at::UNIFORM_64],
    )
    .boards(Boards::Read)
    .lower(sem::asynchronous::arrives),
    row(
        &ATOM,
        Archs::SM80,
        0x18a,
        Forms::one91(7),
        &[COUNT_E, COUNTED, CACHE, SIZE, ATOMIC_ORDER],
        &[Col::P(81), Col::R(16), at::GLOBAL_COUNT],
    ),
    row(
        &ATOM,
        Archs::SM90,
        0x18a,
        Forms::one91(7),
        &[COUNT_E, COUNTED, CACHE, SIZE, ATOMIC_ORDER],
        &[Col::P(81), Col::R(16), at::GLOBAL_ATOMIC, DESCRIPTOR],
    ),
    row(
        &ATOMS,
        Archs::FROM80,
        0x18c,
        Forms::one91(7),
        &[COUNTED, SIZE_SHARED],
        &[Col::R(16), at::SCALED_UNIFORM_64],
    )
    .lower(sem::atomic::atoms_counted),
];
