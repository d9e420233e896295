use upset_isa::Unit;
use upset_isa::int::warp::vote;
use upset_isa::program::Layout;
use upset_isa::{
    BarOp, BarReduce, ConstAddr, Dst, Guard, Inst, LatencyClass, MemKind, MemOp, OpDef, PredDst,
    PredSrc, Space, SpecialReg, Src, Target, Width,
};

use super::*;

static OP: OpDef = OpDef::new("TEST", Unit::Alu, LatencyClass::Fixed);
static JUMP: OpDef = OpDef::new("JUMP", Unit::Branch, LatencyClass::None);
static LOAD: OpDef = OpDef::new("LOAD", Unit::LoadStore, LatencyClass::Variable);

const PARAMETERS: u32 = 0x160;
const W: Width = Width::W1;

fn alu(dst: u8, sources: &[Src]) -> Inst {
    let mut inst = Inst::new(&OP, Exec::Alu(vote));
    inst.dst = Dst::Reg(dst, W);
    inst.src[..sources.len()].copy_from_slice(sources);
    inst
}

/// Compares registers into a predicate.
fn compare(pred: u8, a: u8) -> Inst {
    let mut inst = alu(upset_isa::RZ, &[Src::Reg(a, W)]);
    inst.pdst[0] = PredDst { pred, uniform: false };
    inst
}

fn access(kind: MemKind, space: Space, dst: Dst, src: [Src; 3]) -> Inst {
    let op = MemOp {
        space,
        kind,
        bytes: 4,
        signed: false,
        addr64: false,
        ureg: None,
        offset: 0,
        shift: 0,
        bank: None,
        cached: true,
        hints: 0,
    };
    let mut inst = Inst::new(&LOAD, Exec::Mem(op));
    (inst.dst, inst.src) = (dst, src);
    inst
}

fn load(dst: u8, space: Space) -> Inst {
    access(MemKind::Load, space, Dst::Reg(dst, W), [Src::Reg(20, W), Src::Zero, Src::Zero])
}

fn store(data: u8, space: Space) -> Inst {
    access(MemKind::Store, space, Dst::None, [Src::Reg(20, W), Src::Reg(data, W), Src::Zero])
}

fn flow(flow: Flow) -> Inst {
    Inst::new(&JUMP, Exec::Flow(flow))
}

fn on(mut inst: Inst, pred: u8) -> Inst {
    inst.guard = Guard { pred, negate: false, uniform: false };
    inst
}

/// To so many instructions after the next.
fn jump(by: i64) -> Inst {
    flow(Flow::Branch(Target::Relative(by * 16)))
}

fn parameter() -> Src {
    Src::Const(ConstAddr::Bank { bank: 0, offset: 0x168 }, W)
}

fn special(dst: u8, register: SpecialReg) -> Inst {
    let mut inst = Inst::new(&OP, Exec::Special(register));
    inst.dst = Dst::Reg(dst, W);
    inst
}

fn of(code: Vec<Inst>) -> Steering {
    let mut slots: Vec<Slot> = code.into_iter().map(Slot::Inst).collect();
    slots.push(Slot::Inst(flow(Flow::Exit)));
    let words = vec![0; slots.len()];
    steering(&Program { base: 0x7000, layout: Layout::Wide, slots, words }, 0, PARAMETERS)
}

#[test]
fn threads_and_parameters_steer_without_data() {
    let thread = of(vec![special(0, SpecialReg::TidX), compare(0, 0), on(jump(0), 0)]);
    assert_eq!((thread.level, thread.at), (Level::Launch, None));
    let grid = Src::Const(ConstAddr::Bank { bank: 0, offset: 0xc }, W);
    assert_eq!(of(vec![alu(0, &[grid]), compare(0, 0), on(jump(0), 0)]).level, Level::Launch);
    let bound = of(vec![alu(0, &[parameter()]), compare(0, 0), on(flow(Flow::Exit), 0)]);
    assert_eq!(bound.level, Level::Parameters);
    assert!(bound.is_constant(Counter::WarpInsts) && !bound.is_constant(Counter::StallFetch));
}

#[test]
fn what_was_loaded_steers_through_registers_predicates_and_conditions() {
    let data = of(vec![load(0, Space::Global), alu(1, &[Src::Reg(0, W)]), compare(2, 1), {
        on(jump(0), 2)
    }]);
    assert_eq!((data.level, data.at), (Level::Data, Some(48)));
    assert!(!data.is_constant(Counter::WarpInsts) && data.is_constant(Counter::CtasExited));
    // The same by a condition of the jump, and of an exit.
    for last in [jump(0), flow(Flow::Exit)] {
        let mut last = last;
        last.psrc[0] = PredSrc { pred: 2, negate: true, uniform: false };
        assert_eq!(of(vec![load(0, Space::Shared), compare(2, 0), last]).level, Level::Data);
    }
    for register in [SpecialReg::ClockLo, SpecialReg::VirtualSm] {
        assert_eq!(
            of(vec![special(0, register), compare(0, 0), on(jump(0), 0)]).level,
            Level::Data
        );
    }
    let variable = Src::Const(ConstAddr::Bank { bank: 3, offset: 0 }, W);
    assert_eq!(of(vec![alu(0, &[variable]), compare(0, 0), on(jump(0), 0)]).level, Level::Data);
}

#[test]
fn data_that_only_guard_other_instructions_do_not_steer() {
    let steering =
        of(vec![load(0, Space::Global), compare(2, 0), on(alu(1, &[Src::Reg(0, W)]), 2)]);
    assert_eq!(steering.level, Level::Launch);
    // Unless what they wrote steers: a register that a guard left in some lanes.
    let code = vec![load(0, Space::Global), compare(2, 0), on(alu(1, &[Src::Imm(1)]), 2), {
        compare(3, 1)
    }];
    assert_eq!(of([code, vec![on(jump(0), 3)]].concat()).level, Level::Data);
}

#[test]
fn a_register_that_is_written_anew_forgets_its_data() {
    let code = vec![load(0, Space::Global), alu(0, &[Src::Imm(3)]), compare(0, 0), on(jump(0), 0)];
    assert_eq!(of(code).level, Level::Launch);
}

#[test]
fn loops_carry_levels_round() {
    // R1 takes R0 of the round before, which is data only after the first one.
    let code = vec![
        alu(1, &[Src::Reg(0, W)]),
        compare(0, 1),
        on(flow(Flow::Exit), 0),
        load(0, Space::Global),
        jump(-5),
    ];
    let steering = of(code);
    assert_eq!((steering.level, steering.at), (Level::Data, Some(32)));
}

#[test]
fn spilled_registers_are_what_was_spilled() {
    let spill = |first: Inst| {
        of(vec![first, store(0, Space::Local), load(1, Space::Local), compare(0, 1), {
            on(jump(0), 0)
        }])
    };
    assert_eq!(spill(alu(0, &[parameter()])).level, Level::Parameters);
    assert_eq!(spill(load(0, Space::Global)).level, Level::Data);
    // Also when the store comes later in the code than the load: a loop.
    let code = vec![
        load(1, Space::Local),
        compare(0, 1),
        on(flow(Flow::Exit), 0),
        load(0, Space::Global),
        store(0, Space::Generic),
        jump(-6),
    ];
    assert_eq!(of(code).level, Level::Data);
}

#[test]
fn barriers_reduce_and_masks_steer() {
    let reduce = |pred| {
        let mut bar = flow(Flow::Bar {
            op: BarOp::Reduce(BarReduce::Or),
            index: Some(0),
            count: None,
            counted: false,
            packed: false,
        });
        bar.psrc[0] = PredSrc { pred, negate: false, uniform: false };
        let mut result = flow(Flow::BarResult);
        result.pdst[0] = PredDst { pred: 4, uniform: false };
        of(vec![load(0, Space::Global), compare(2, 0), bar, result, on(jump(0), 4)])
    };
    assert_eq!(reduce(2).level, Level::Data);
    assert_eq!(reduce(1).level, Level::Launch);
    let mut sync = flow(Flow::WarpSync { exclusive: false });
    sync.src[0] = Src::Reg(0, W);
    assert_eq!(of(vec![load(0, Space::Global), sync]).level, Level::Data);
}

#[test]
fn uniform_registers_are_taken_anywhere() {
    let mut to_uniform = Inst::new(&OP, Exec::ToUniform);
    (to_uniform.dst, to_uniform.src[0]) = (Dst::UReg(4, W), Src::Reg(0, W));
    let by = |r| alu(1, &[Src::UReg(r, W)]);
    // The read comes before the write in the code: another path's write counts.
    let code = |r| vec![by(r), compare(0, 1), on(jump(0), 0), load(0, Space::Global), to_uniform];
    assert_eq!(of(code(4)).level, Level::Data);
    assert_eq!(of(code(5)).level, Level::Launch);
}

#[test]
fn calls_come_back_and_unknown_targets_are_data() {
    let mut ret = flow(Flow::Ret(Target::RegRelative(0)));
    ret.src[0] = Src::Reg(8, Width::W2);
    // 0: call 3; 1: compare; 2: jump to the exit; 3: function: load; 4: return.
    let code = |first: Inst| {
        vec![
            first,
            flow(Flow::Call(Target::Absolute(0x7000 + 64))),
            compare(0, 0),
            on(jump(2), 0),
            load(0, Space::Global),
            ret,
        ]
    };
    assert_eq!(of(code(alu(8, &[Src::Imm(32)]))).at, Some(48));
    let mut indirect = jump(0);
    indirect.exec = Exec::Flow(Flow::Branch(Target::RegAbsolute(0)));
    assert_eq!(of(vec![indirect]).level, Level::Data);
}

#[test]
fn what_is_not_in_the_code_stays_zero() {
    let steering = of(vec![load(0, Space::Global), compare(0, 0), on(jump(0), 0)]);
    for absent in [Counter::Fp64, Counter::Tensor, Counter::ConvOpened, Counter::BarArrived] {
        assert!(steering.is_constant(absent), "{}", absent.name());
    }
    for present in [Counter::Alu, Counter::LoadStore, Counter::Branch, Counter::Diverged] {
        assert!(!steering.is_constant(present), "{}", present.name());
    }
    // What cannot be reached is not there: the third instruction is jumped over.
    let skipped = of(vec![jump(1), load(0, Space::Global)]);
    assert!(skipped.absent.contains(&Counter::LoadStore));
}
