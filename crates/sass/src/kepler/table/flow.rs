//! Branches, calls and the stack of divergence.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::predicate::TESTS;
use crate::kepler::Fields;
use crate::kepler::column::Col;
use crate::kepler::print::{Out, address, reg};
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::flow as sem;
use crate::table::{number, op};

const fn flow(name: &'static str) -> OpDef {
    op(name, Unit::Branch, LatencyClass::None)
}

static JMX: OpDef = flow("JMX");
static JMP: OpDef = flow("JMP");
static JCAL: OpDef = flow("JCAL");
static BRA: OpDef = flow("BRA");
static BRX: OpDef = flow("BRX");
static CAL: OpDef = flow("CAL");
static PRET: OpDef = flow("PRET");
static PLONGJMP: OpDef = flow("PLONGJMP");
static SSY: OpDef = flow("SSY");
static PBK: OpDef = flow("PBK");
static PCNT: OpDef = flow("PCNT");
static EXIT: OpDef = flow("EXIT");
static LONGJMP: OpDef = flow("LONGJMP");
static RET: OpDef = flow("RET");
static KIL: OpDef = flow("KIL");
static BRK: OpDef = flow("BRK");
static CONT: OpDef = flow("CONT");
static GETCRSPTR: OpDef = flow("GETCRSPTR");
static GETLMEMBASE: OpDef = flow("GETLMEMBASE");
static SETCRSPTR: OpDef = flow("SETCRSPTR");
static SETLMEMBASE: OpDef = flow("SETLMEMBASE");

/// `CC.LT`: the test at `lo`, unless it is always true.
pub(super) fn test_at(f: &Fields, lo: u32, out: &mut Out) {
    let test = f.bits(lo, 5);
    if test != 15 {
        out.operand(&format!("CC.{}", TESTS[test as usize]));
    }
}

fn test(f: &Fields, _: u64, out: &mut Out) {
    test_at(f, 2, out);
}

/// A target that lies in a constant (bit 7), offset in bytes.
fn in_constant(f: &Fields, place: &str, out: &mut Out) {
    out.operand(&format!("c[{:#x}][{place}]", f.bits(39, 5)));
}

/// Target relative to the next word.
fn relative(f: &Fields, pc: u64, out: &mut Out) {
    if f.bit(7) {
        return in_constant(f, &number::hex(i64::from(f.offset16())), out);
    }
    let target = (pc as i64).wrapping_add(8).wrapping_add(f.branch());
    out.operand(&number::hex(target));
}

/// Absolute target.
fn absolute(f: &Fields, _: u64, out: &mut Out) {
    if f.bit(7) {
        return in_constant(f, &number::hex(i64::from(f.offset16())), out);
    }
    out.operand(&format!("{:#x}", f.imm32()));
}

/// Target in a register, plus a number.
fn indirect(f: &Fields, number: i64, out: &mut Out) {
    let base = f.bits(10, 8);
    if f.bit(7) {
        return in_constant(f, &address(base, i64::from(f.offset16())), out);
    }
    out.operand(&reg(base));
    if number != 0 {
        out.extend(&format!(" {}", number::hex(number)));
    }
}

fn indirect_relative(f: &Fields, _: u64, out: &mut Out) {
    indirect(f, f.branch(), out);
}

fn indirect_absolute(f: &Fields, _: u64, out: &mut Out) {
    indirect(f, i64::from(f.offset32()), out);
}

const fn code(value: u16) -> Codes {
    Codes::one(0, 0xff8, value)
}

const UNIFORM: Col = Col::Flag(9, ".U");
/// Only lanes within the limit.
const LIMIT: Col = Col::Flag(8, ".LMT");
const NO_COUNT: Col = Col::Unless(8, ".NOINC");

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&JMX, code(0x100), &[LIMIT], &[Col::Fn(test), Col::Fn(indirect_absolute)])
        .flow()
        .lower(sem::jmx),
    row(&JMP, code(0x108), &[UNIFORM, LIMIT], &[Col::Fn(test), Col::Fn(absolute)])
        .flow()
        .lower(sem::jmp),
    row(&JCAL, code(0x110), &[NO_COUNT], &[Col::Fn(absolute)]).flow().unguarded().lower(sem::jcal),
    row(&BRA, code(0x120), &[UNIFORM, LIMIT], &[Col::Fn(test), Col::Fn(relative)])
        .flow()
        .lower(sem::bra),
    row(&BRX, code(0x128), &[LIMIT], &[Col::Fn(test), Col::Fn(indirect_relative)])
        .flow()
        .lower(sem::brx),
    row(&CAL, code(0x130), &[NO_COUNT], &[Col::Fn(relative)]).flow().unguarded().lower(sem::cal),
    row(&PRET, code(0x138), &[NO_COUNT], &[Col::Fn(relative)]).flow().unguarded().lower(sem::pret),
    row(&PLONGJMP, code(0x140), &[], &[Col::Fn(relative)]).flow().unguarded().lower(sem::plongjmp),
    row(&SSY, code(0x148), &[], &[Col::Fn(relative)]).flow().unguarded().lower(sem::ssy),
    row(&PBK, code(0x150), &[], &[Col::Fn(relative)]).flow().unguarded().lower(sem::pbk),
    row(&PCNT, code(0x158), &[], &[Col::Fn(relative)]).flow().unguarded().lower(sem::pcnt),
    row(&GETCRSPTR, code(0x160), &[], &[Col::R(2)]).flow().unguarded(),
    row(&GETLMEMBASE, code(0x168), &[], &[Col::R(2)]).flow().unguarded(),
    row(&SETCRSPTR, code(0x170), &[], &[Col::R(10)]).flow().unguarded(),
    row(&SETLMEMBASE, code(0x178), &[], &[Col::R(10)]).flow().unguarded(),
    row(&EXIT, code(0x180), &[Col::Flag(7, ".KEEPREFCOUNT")], &[Col::Fn(test)])
        .flow()
        .lower(sem::exit),
    row(&LONGJMP, code(0x188), &[], &[Col::Fn(test)]).flow().lower(sem::longjmp),
    row(&RET, code(0x190), &[], &[Col::Fn(test)]).flow().lower(sem::ret),
    row(&KIL, code(0x198), &[], &[Col::Fn(test)]).flow().lower(sem::kil),
    row(&BRK, code(0x1a0), &[], &[Col::Fn(test)]).flow().lower(sem::brk),
    row(&CONT, code(0x1a8), &[], &[Col::Fn(test)]).flow().lower(sem::cont),
];
