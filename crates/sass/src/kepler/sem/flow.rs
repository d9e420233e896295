//! Control flow by the stack, and CTA barriers.

use upset_isa::codes::when;
use upset_isa::control::stack::EntryKind;
use upset_isa::{BarOp, BarReduce, Exec, Flow, Inst, RZ, Src, Target, Width};

use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// A flow instruction with its test of the condition codes.
fn tested(f: &Fields, flow: Flow) -> Lowered {
    let mut i = f.inst(Exec::Flow(flow));
    i.mods = when(f.test());
    Ok(i)
}

/// One without guard and test.
fn always(f: &Fields, flow: Flow) -> Lowered {
    Ok(Inst::new(f.op, Exec::Flow(flow)))
}

/// Targets in constants (bit 7): no compiler was seen to make them.
fn in_code(f: &Fields) -> Result<(), LowerError> {
    if f.bit(7) { Err(LowerError::Unimplemented("targets in constants")) } else { Ok(()) }
}

fn relative(f: &Fields) -> Result<Target, LowerError> {
    in_code(f)?;
    Ok(Target::Relative(f.branch()))
}

/// Targets of this machine's code are 32 bits wide: offsets from its beginning.
fn absolute(f: &Fields) -> Result<Target, LowerError> {
    in_code(f)?;
    Ok(Target::Absolute(i64::from(f.imm32())))
}

fn with_register(f: &Fields, target: Target) -> Lowered {
    let mut i = tested(f, Flow::Branch(target))?;
    i.src[0] = f.ra(W)?;
    Ok(i)
}

/// `BRA`.
pub fn bra(f: &Fields) -> Lowered {
    tested(f, Flow::Branch(relative(f)?))
}

/// `JMP`.
pub fn jmp(f: &Fields) -> Lowered {
    tested(f, Flow::Branch(absolute(f)?))
}

/// `BRX`.
pub fn brx(f: &Fields) -> Lowered {
    in_code(f)?;
    with_register(f, Target::RegRelative(f.branch()))
}

/// `JMX`.
pub fn jmx(f: &Fields) -> Lowered {
    in_code(f)?;
    with_register(f, Target::RegAbsolute(i64::from(f.offset32())))
}

/// `CAL`.
pub fn cal(f: &Fields) -> Lowered {
    always(f, Flow::CallByStack(relative(f)?))
}

/// `JCAL`.
pub fn jcal(f: &Fields) -> Lowered {
    always(f, Flow::CallByStack(absolute(f)?))
}

fn push(f: &Fields, kind: EntryKind) -> Lowered {
    always(f, Flow::Push { kind, target: relative(f)? })
}

/// `SSY`.
pub fn ssy(f: &Fields) -> Lowered {
    push(f, EntryKind::Sync)
}

/// `PBK`.
pub fn pbk(f: &Fields) -> Lowered {
    push(f, EntryKind::Break)
}

/// `PCNT`.
pub fn pcnt(f: &Fields) -> Lowered {
    push(f, EntryKind::Continue)
}

/// `PRET`.
pub fn pret(f: &Fields) -> Lowered {
    push(f, EntryKind::Call)
}

/// `PLONGJMP`.
pub fn plongjmp(f: &Fields) -> Lowered {
    push(f, EntryKind::LongJump)
}

/// `BRK`.
pub fn brk(f: &Fields) -> Lowered {
    tested(f, Flow::LeaveFor(EntryKind::Break))
}

/// `CONT`.
pub fn cont(f: &Fields) -> Lowered {
    tested(f, Flow::LeaveFor(EntryKind::Continue))
}

/// `RET`.
pub fn ret(f: &Fields) -> Lowered {
    tested(f, Flow::LeaveFor(EntryKind::Call))
}

/// `LONGJMP`.
pub fn longjmp(f: &Fields) -> Lowered {
    tested(f, Flow::LeaveFor(EntryKind::LongJump))
}

/// `EXIT`.
pub fn exit(f: &Fields) -> Lowered {
    tested(f, Flow::Exit)
}

/// `KIL`.
pub fn kil(f: &Fields) -> Lowered {
    tested(f, Flow::Kill)
}

/// `BAR`: number and count are immediates, or registers.
pub fn bar(f: &Fields) -> Lowered {
    let op = match f.bits(35, 3) {
        0 | 4 => BarOp::Sync,
        1 => BarOp::Arrive,
        2 => BarOp::Reduce(match f.bits(38, 2) {
            0 => BarReduce::Popc,
            1 => BarReduce::And,
            2 => BarReduce::Or,
            _ => return Err(LowerError::IllegalEncoding),
        }),
        _ => return Err(LowerError::Unimplemented("BAR.SCAN")),
    };
    let all = f.bits(35, 3) == 4;
    let number = (f.bit(47) || all).then(|| if all { 0 } else { f.bits(10, 8) as u8 });
    let count = match f.bits(23, 12) as u16 {
        n if f.bit(46) && n != 0 && !all => Some(n),
        _ => None,
    };
    let counted = !f.bit(46) && !all && f.bits(23, 8) != u64::from(RZ);
    let mut i = f.inst(Exec::Flow(Flow::Bar { op, index: number, count, counted, packed: false }));
    if all {
        i.guard = upset_isa::Guard::ALWAYS;
    }
    i.src = [f.ra(W)?, f.rb(W)?, Src::Zero];
    i.psrc[0] = f.ps(42, 45);
    if !matches!(op, BarOp::Reduce(_)) {
        i.psrc[0] = upset_isa::PredSrc::TRUE;
    }
    Ok(i)
}

/// `B2R.RESULT`.
pub fn bar_result(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Flow(Flow::BarResult));
    i.dst = f.rd(W)?;
    i.pdst[0] = f.pd(48);
    Ok(i)
}

/// `BPT`: only `.TRAP` stops the program.
pub fn bpt(f: &Fields) -> Lowered {
    match f.bits(8, 3) {
        3 => always(f, Flow::Trap),
        _ => Ok(Inst::new(f.op, Exec::Nop)),
    }
}
