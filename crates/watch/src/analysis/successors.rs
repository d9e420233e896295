//! Where a thread can go from an instruction.

use upset_isa::program::{Program, Slot};
use upset_isa::{Exec, Flow, Guard, Inst, PredSrc, Target};

/// The instructions that may come next, by number.
pub(super) enum Next {
    /// These.
    Known(Vec<usize>),
    /// A register says.
    Anywhere,
}

/// Instructions after calls: where a return can lead.
pub(super) fn after_calls(program: &Program) -> Vec<usize> {
    let is_call =
        |slot: &Slot| matches!(slot, Slot::Inst(Inst { exec: Exec::Flow(Flow::Call(_)), .. }));
    let calls = program.slots.iter().enumerate().filter(|(_, slot)| is_call(slot));
    calls.map(|(i, _)| i + 1).filter(|&i| i < program.slots.len()).collect()
}

/// Where a thread can go from instruction `i`.
pub(super) fn next(program: &Program, i: usize, inst: &Inst, returns: &[usize]) -> Next {
    if inst.joins {
        // The stack says.
        return Next::Anywhere;
    }
    let after = after(program, i);
    let Exec::Flow(flow) = inst.exec else { return Next::Known(vec![after]) };
    let always = inst.guard == Guard::ALWAYS && inst.psrc[..2].iter().all(|&p| p == PredSrc::TRUE);
    let jump = |to: Vec<usize>, falls: bool| {
        let rest = (falls || !always).then_some(after);
        Next::Known(to.into_iter().chain(rest).collect())
    };
    match flow {
        Flow::Branch(t) => match resolve(program, i, t) {
            Some(to) => jump(vec![to], false),
            None => Next::Anywhere,
        },
        Flow::Call(t) | Flow::CallByStack(t) => match resolve(program, i, t) {
            // It comes back by way of a return.
            Some(to) => jump(vec![to], false),
            None => Next::Anywhere,
        },
        Flow::Ret(_) => jump(returns.to_vec(), false),
        Flow::BranchIfGroup { target, .. } => match resolve(program, i, target) {
            Some(to) => jump(vec![to], true),
            None => Next::Anywhere,
        },
        Flow::Collective { target } => match resolve(program, i, target) {
            Some(to) => jump(vec![to], true),
            None => Next::Anywhere,
        },
        // Where they lead is on the stack.
        Flow::LeaveFor(_) => Next::Anywhere,
        Flow::Exit | Flow::Kill => jump(Vec::new(), false),
        Flow::Bssy { .. }
        | Flow::Push { .. }
        | Flow::Bsync { .. }
        | Flow::Break { .. }
        | Flow::BmovRead { .. }
        | Flow::BmovWrite { .. }
        | Flow::WarpSync { .. }
        // Where its threads go on is next to where they waited.
        | Flow::EndCollective
        | Flow::Yield
        | Flow::Bar { .. }
        | Flow::BarResult
        | Flow::ReadPc { .. }
        | Flow::Trap => Next::Known(vec![after]),
    }
}

/// The instruction after `i`.
fn after(program: &Program, i: usize) -> usize {
    i + 1 + usize::from(program.layout.is_control(i + 1))
}

/// The instruction that a target names, where the code says which.
fn resolve(program: &Program, i: usize, target: Target) -> Option<usize> {
    let step = u64::from(program.layout.step());
    let after = (i as u64 + 1).wrapping_mul(step);
    let offset = match target {
        Target::Relative(by) => after.wrapping_add(by as u64),
        Target::Absolute(at) => (at as u64).wrapping_sub(program.base),
        Target::RegRelative(_) | Target::RegAbsolute(_) => return None,
    };
    let to = usize::try_from(offset / step).ok()?;
    let to = to + usize::from(program.layout.is_control(to));
    (offset.is_multiple_of(step) && to < program.slots.len()).then_some(to)
}
