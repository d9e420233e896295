//! How many instructions an SM of GTX Titan begins in a cycle, against what its
//! description says by hand.

use upset_chip::ChipSpec;
use upset_isa::int::compare::cmp;
use upset_isa::{LatencyClass, OpDef, Pace, Src, Unit};
use upset_state::{ArrayId, Force, Kind};

use super::assembler::{Code, r};
use super::machines::Way;

static FMA: OpDef = OpDef::new("FADD", Unit::Fma, LatencyClass::Fixed);
static PRODUCT: OpDef =
    OpDef::new("IMAD", Unit::Fma, LatencyClass::Fixed).pace(Pace::IntegerProduct);
static ALU: OpDef = OpDef::new("IADD", Unit::Alu, LatencyClass::Fixed);
static SHIFT: OpDef = OpDef::new("SHL", Unit::Alu, LatencyClass::Fixed).pace(Pace::FirstGroup);
static FP64: OpDef = OpDef::new("DADD", Unit::Fp64, LatencyClass::Fixed);
static MUFU: OpDef = OpDef::new("MUFU", Unit::Mufu, LatencyClass::Variable);

/// The next instruction together with this one.
const TOGETHER: u8 = 0x04;
/// Registers that results go to in turn: each is free again when it comes back.
const FIRST: u8 = 8;
const RESULTS: usize = 24;
const WARP: u32 = 32;

/// One SM whose transcendentals are done as fast as the rest.
fn chip(changes: &[&str]) -> ChipSpec {
    let all: Vec<&str> = ["sm.count=1", "mufu.latency=9"].iter().chain(changes).copied().collect();
    ChipSpec::load("titan", &all).expect("a chip")
}

/// Rounds over independent instructions, in turn of the operations in `ops`.
/// Every second comes together with the one before it if `pairs`.
fn body(ops: &[&'static OpDef], count: usize, rounds: u32, pairs: bool) -> Code {
    let mut c = Code::default();
    c.mov(6, Src::Imm(rounds));
    // A line of code then begins with the first of a pair.
    c.nop();
    c.label("round");
    for n in 0..count {
        let sum = |_: u32, s: &upset_isa::Sources<'_>, r: &mut upset_isa::Results| {
            r.d[0] = *s.a();
        };
        c.alu(sum, FIRST + (n % RESULTS) as u8, [r(0), r(1), Src::Zero]).op = ops[n % ops.len()];
        if pairs && n % 2 == 0 {
            c.control(TOGETHER);
        }
    }
    c.add(6, r(6), Src::Imm(u32::MAX));
    c.compare(0, cmp::NE, r(6), Src::Zero);
    c.branch("round");
    c.guard(0, true);
    c.exit();
    c
}

/// Cycles that one more instruction takes when so many warps issue it: from two
/// lengths of the body and two numbers of rounds, so that what begins, ends and
/// repeats the rounds cancels.
fn per_instruction(chip: &ChipSpec, ops: &[&'static OpDef], warps: u32, pairs: bool) -> f64 {
    const SHORT: usize = 96;
    const LONG: usize = 288;
    const ROUNDS: u32 = 10;
    let cycles = |count: usize, rounds: u32| {
        let code = body(ops, count, rounds, pairs);
        let ended = code.run_on(chip, (WARP * warps, 1), &Way::default(), |_| {});
        ended.expect("ends").1 as f64
    };
    let round = |count| (cycles(count, 2 * ROUNDS) - cycles(count, ROUNDS)) / f64::from(ROUNDS);
    (round(LONG) - round(SHORT)) / (LONG - SHORT) as f64
}

/// Warp instructions per cycle of a full SM.
fn rate(changes: &[&str], ops: &[&'static OpDef], pairs: bool) -> f64 {
    32.0 / per_instruction(&chip(changes), ops, 32, pairs)
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.02, "{found:.3} per cycle, not {expected}");
}

#[test]
fn one_warp_issues_two_instructions_in_a_cycle_where_its_code_says_so() {
    let alone = |changes: &[&str], pairs| per_instruction(&chip(changes), &[&FMA], 1, pairs);
    assert_eq!(alone(&[], false), 1.0);
    assert_eq!(alone(&[], true), 0.5);
    // One slot or one group of lanes: one after the other.
    assert_eq!(alone(&["scheduler.issue_width=1"], true), 1.0);
    assert_eq!(alone(&["fma.count=1"], true), 1.0);
    // Lanes of which a warp takes two cycles: four groups begin two a cycle.
    assert_eq!(alone(&["fma.lanes=16", "fma.count=4"], true), 0.5);
    assert_eq!(alone(&["fma.lanes=16", "fma.count=2"], true), 1.0);
}

#[test]
fn a_full_sm_begins_what_its_groups_of_lanes_take() {
    // Eight slots for six groups, and for fewer.
    near(rate(&[], &[&FMA], true), 6.0);
    near(rate(&["fma.count=8"], &[&FMA], true), 8.0);
    near(rate(&["fma.count=4"], &[&FMA], true), 4.0);
    near(rate(&["fma.count=3"], &[&FMA], true), 3.0);
    // One slot each: four.
    near(rate(&[], &[&FMA], false), 4.0);
    near(rate(&["scheduler.issue_width=1"], &[&FMA], true), 4.0);
    near(rate(&["scheduler.per_sm=2"], &[&FMA], true), 4.0);
    near(rate(&[], &[&ALU], true), 5.0);
    // Units of two kinds at once.
    near(rate(&[], &[&FMA, &ALU], true), 8.0);
}

#[test]
fn fp64_runs_at_a_third_and_others_at_a_sixth_of_the_fp32_rate() {
    near(rate(&[], &[&FP64], false), 2.0);
    near(rate(&["fp64.count=8"], &[&FP64], false), 4.0);
    near(rate(&["fp64.lanes=32"], &[&FP64], false), 4.0);
    near(rate(&[], &[&MUFU], false), 1.0);
    near(rate(&["mufu.lanes=32"], &[&MUFU], false), 2.0);
    near(rate(&[], &[&PRODUCT], false), 1.0);
    near(rate(&[], &[&SHIFT], true), 1.0);
}

/// Pairs and shared units skip what need not be looked at, as the rest does:
/// without faults, and with a line of a scheduler stuck.
#[test]
fn looking_at_every_cycle_finds_nothing_more() {
    let (chip, ops) = (chip(&[]), [&FMA, &ALU, &PRODUCT, &FP64, &SHIFT, &MUFU]);
    let code = body(&ops, 42, 2, true);
    let ended = |slow, stuck| {
        let way = Way { slow, stuck, limit: 3_000, ..Way::default() };
        code.run_on(&chip, (WARP * 9, 1), &way, |_| {}).map(|(_, cycles)| cycles)
    };
    let right = ended(false, None).expect("ends");
    assert_eq!(ended(true, None), Ok(right));
    let mut others = 0;
    for n in 0..24 {
        let array = ArrayId::data(Kind::Sched, n % 4);
        let stuck = Force { array, bit: u64::from(n / 4), value: n % 8 < 4 };
        let fast = ended(false, Some(stuck));
        assert_eq!(ended(true, Some(stuck)), fast, "{stuck:?}");
        others += usize::from(fast != Ok(right));
    }
    assert!(others > 6, "{others} of 24 changed anything");
}
