//! Video instructions on one value: parts of registers as operands, and a
//! second operation with C.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::float::COMBINE;
use super::int::COMPARE;
use crate::kepler::Fields;
use crate::kepler::column::{Col, Cond};
use crate::kepler::print::{Out, reg};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::video as sem;
use crate::table::op;

const fn alu(name: &'static str) -> OpDef {
    op(name, Unit::Alu, LatencyClass::Fixed)
}

static VADD: OpDef = alu("VADD");
static VABSDIFF: OpDef = alu("VABSDIFF");
static VMNMX: OpDef = alu("VMNMX");
static VSET: OpDef = alu("VSET");
static VSETP: OpDef = alu("VSETP");
static VSHR: OpDef = alu("VSHR");
static VSHL: OpDef = alu("VSHL");
static VMAD: OpDef = op("VMAD", Unit::Fma, LatencyClass::Fixed);

/// What is done with the result and C.
const SECOND: Col =
    Col::Enum(54, 3, &[".MRG_16H", ".MRG_16L", ".MRG_8B0", ".MRG_8B2", ".ACC", ".MIN", ".MAX", ""]);
const SAT: Col = Col::Flag(58, ".SAT");
/// The result is unsigned.
const UD: Col = Col::Unless(57, ".UD");
/// Both signs of VADD set mean "plus one".
const PO: Col = Col::When(Cond::Eq(59, 2, 3), &[Col::Lit(".PO")]);

/// Type and part that a selector names.
fn selected(sign: bool, selector: u64) -> (&'static str, &'static str) {
    let (types, part) = match selector {
        0..=3 => ([".U8", ".S8"], ["", ".B1", ".B2", ".B3"][selector as usize]),
        4 | 5 => ([".U16", ".S16"], ["", ".H1"][selector as usize - 4]),
        6 => ([".U32", ".S32"], ""),
        _ => ([".INVALIDSEL7", ".INVALIDSEL7"], ""),
    };
    (types[usize::from(sign)], part)
}

fn operand_a(f: &Fields) -> (&'static str, &'static str) {
    selected(f.bit(51), f.bits(39, 3))
}

/// B's sign bit; shifts have none.
fn operand_b(f: &Fields, sign: bool) -> (&'static str, &'static str) {
    match (f.bit(53), sign) {
        (true, _) => selected(sign, f.bits(31, 3)),
        (false, false) => (".U16", ""),
        (false, true) => (".S16", ""),
    }
}

/// Prints the types unless they are the usual ones.
fn print_types(types: (&str, &str), usual: (&str, &str), out: &mut Out) {
    if types != usual {
        out.modifier(types.0);
        out.modifier(types.1);
    }
}

fn types(f: &Fields, _: u64, out: &mut Out) {
    print_types((operand_a(f).0, operand_b(f, f.bit(52)).0), (".S32", ".S32"), out);
}

fn shift_types(f: &Fields, _: u64, out: &mut Out) {
    print_types((operand_a(f).0, operand_b(f, false).0), (".S32", ".U32"), out);
}

fn print_a(f: &Fields, sign: &str, out: &mut Out) {
    out.operand(&format!("{sign}{}{}", reg(f.bits(10, 8)), operand_a(f).1));
}

fn print_b(f: &Fields, sign: &str, out: &mut Out) {
    if f.bit(53) {
        out.operand(&format!("{sign}{}{}", reg(f.bits(23, 8)), operand_b(f, false).1));
    } else {
        out.operand(&signed(sign, f.bits(23, 16)));
    }
}

/// An immediate with a sign, which zero has not.
pub(super) fn signed(sign: &str, value: u64) -> String {
    format!("{}{value:#x}", if value == 0 { "" } else { sign })
}

fn pair(f: &Fields, _: u64, out: &mut Out) {
    print_a(f, "", out);
    print_b(f, "", out);
}

/// Operands of VADD.
fn sum(f: &Fields, _: u64, out: &mut Out) {
    let (minus_a, minus_b) = match f.bits(59, 2) {
        1 => ("", "-"),
        2 => ("-", ""),
        _ => ("", ""),
    };
    print_a(f, minus_a, out);
    print_b(f, minus_b, out);
}

/// Operands of VMAD: signs of product and C, both together mean "plus one".
fn product(f: &Fields, _: u64, out: &mut Out) {
    let signs = f.bits(56, 2);
    print_a(f, if signs == 2 { "-" } else { "" }, out);
    print_b(f, "", out);
    out.operand(&format!("{}{}", if signs == 1 { "-" } else { "" }, reg(f.bits(42, 8))));
}

const OPERANDS: &[Col] = &[Col::Dst(50), Col::Fn(pair), Col::R(42)];

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(
        &VADD,
        Codes::one(1, 0xe00, 0x000),
        &[UD, Col::Fn(types), PO, SAT, SECOND],
        &[Col::Dst(50), Col::Fn(sum), Col::R(42)],
    )
    .lower(sem::vadd),
    row(
        &VABSDIFF,
        Codes::one(2, 0xf80, 0xa00),
        &[Col::Flag(57, ".SD"), Col::Fn(types), SAT, SECOND],
        OPERANDS,
    )
    .lower(sem::vabsdiff),
    row(
        &VMNMX,
        Codes::one(1, 0xf00, 0xe00),
        &[UD, Col::Fn(types), Col::Flag(59, ".MX"), SAT, SECOND],
        OPERANDS,
    )
    .lower(sem::vmnmx),
    row(
        &VSET,
        Codes::one(2, 0xf00, 0x000),
        &[Col::Enum(57, 3, COMPARE), Col::Fn(types), SECOND],
        OPERANDS,
    )
    .lower(sem::vset),
    row(
        &VSETP,
        Codes::one(2, 0xffc, 0x878),
        &[Col::Scatter(&[46, 47, 50], COMPARE), Col::Fn(types), Col::Enum(48, 2, COMBINE)],
        &[Col::P(5), Col::P(2), Col::Fn(pair), Col::Pn(42, 45)],
    )
    .lower(sem::vsetp),
    row(
        &VSHR,
        Codes::one(2, 0xf80, 0xb00),
        &[UD, Col::Fn(shift_types), Col::Flag(52, ".W"), SAT, SECOND],
        OPERANDS,
    )
    .lower(sem::vshr),
    row(
        &VSHL,
        Codes::one(2, 0xf80, 0xb80),
        &[UD, Col::Fn(shift_types), Col::Flag(52, ".W"), SAT, SECOND],
        OPERANDS,
    )
    .lower(sem::vshl),
    row(
        &VMAD,
        Codes::one(2, 0xf80, 0xf80),
        &[
            Col::Fn(types),
            Col::When(Cond::Eq(56, 2, 3), &[Col::Lit(".PO")]),
            Col::Enum(54, 2, &["", ".SHR_7", ".SHR_15", ".INVALIDVMADSCALE3"]),
            SAT,
        ],
        &[Col::Dst(50), Col::Fn(product)],
    )
    .lower(sem::vmad),
];
