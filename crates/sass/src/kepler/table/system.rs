//! Barriers, traps, and what belongs to the system.

use upset_isa::{LatencyClass, OpDef, Unit};

use super::flow::test_at;
use crate::kepler::Fields;
use crate::kepler::column::{Col, Cond};
use crate::kepler::print::Out;
use crate::kepler::row::{Codes, Row, row};
use crate::kepler::sem::{flow, moves};
use crate::table::op;

const fn system(name: &'static str) -> OpDef {
    op(name, Unit::System, LatencyClass::None)
}

static BAR: OpDef = system("BAR");
static NOP: OpDef = system("NOP");
static BPT: OpDef = system("BPT");
static RTT: OpDef = system("RTT");
static SAM: OpDef = system("SAM");
static RAM: OpDef = system("RAM");
static IDE: OpDef = system("IDE");

fn test(f: &Fields, _: u64, out: &mut Out) {
    test_at(f, 10, out);
}

/// Barrier: bits 10-17, a number or a register (bit 47).
const BARRIER: Col = Col::Either(Cond::Set(47), &[Col::Hex(10, 8)], &[Col::R(10)]);
/// Threads that take part: a number or a register (bit 46).
const THREADS: Col = Col::Either(Cond::Set(46), &[Col::Hex(23, 12)], &[Col::R(23)]);
/// The same where zero, for all of them, is not printed.
const THREADS_OPT: Col = Col::Either(Cond::Set(46), &[Col::HexOpt(23, 12)], &[Col::R(23)]);
const PREDICATE: Col = Col::Pn(42, 45);
const CODE: Codes = Codes::one(2, 0xffc, 0x854);

/// Rows of this family.
pub static ROWS: &[Row] = &[
    row(&BAR, CODE, &[Col::Must(Cond::Eq(42, 4, 7)), Col::Lit(".SYNC")], &[BARRIER, THREADS_OPT])
        .when(&[Cond::Eq(35, 3, 0)])
        .flow()
        .lower(flow::bar),
    row(&BAR, CODE, &[Col::Lit(".ARV")], &[BARRIER, THREADS])
        .when(&[Cond::Eq(35, 3, 1)])
        .flow()
        .lower(flow::bar),
    row(
        &BAR,
        CODE,
        &[Col::Lit(".RED"), Col::Enum(38, 2, &[".POPC", ".AND", ".OR", ".INVALIDBARMODE3"])],
        &[BARRIER, THREADS_OPT, PREDICATE],
    )
    .when(&[Cond::Eq(35, 3, 2)])
    .flow()
    .lower(flow::bar),
    row(&BAR, CODE, &[Col::Lit(".SCAN")], &[BARRIER, THREADS, PREDICATE])
        .when(&[Cond::Eq(35, 3, 3)])
        .flow()
        .lower(flow::bar),
    row(&BAR, CODE, &[Col::Lit(".SYNCALL")], &[])
        .when(&[Cond::Eq(35, 3, 4)])
        .flow()
        .unguarded()
        .lower(flow::bar),
    row(
        &NOP,
        Codes::one(2, 0xffc, 0x858),
        &[Col::Flag(15, ".TRIG")],
        &[Col::Fn(test), Col::HexOpt(23, 16)],
    )
    .lower(moves::nop),
    row(
        &BPT,
        Codes::one(0, 0xff8, 0x000),
        &[Col::Enum(
            8,
            3,
            &[".DRAIN_ILLEGAL", ".CAL", ".PAUSE", ".TRAP", ".INT", ".DRAIN", ".???6", ".???7"],
        )],
        &[Col::HexOpt(23, 20)],
    )
    .flow()
    .unguarded()
    .lower(flow::bpt),
    row(
        &RTT,
        Codes::one(0, 0xff8, 0x1b0),
        &[Col::Enum(2, 2, &["", ".TERMINATE", ".FALLTHROUGH", ".PREEMPTED"])],
        &[],
    )
    .flow()
    .unguarded(),
    row(&SAM, Codes::one(0, 0xff8, 0x1b8), &[], &[]).flow().unguarded(),
    row(&RAM, Codes::one(0, 0xff8, 0x1c0), &[], &[]).flow().unguarded(),
    row(&IDE, Codes::one(0, 0xff8, 0x1c8), &[Col::Unless(7, ".EN")], &[Col::HexOpt(23, 16)])
        .flow()
        .unguarded(),
];
