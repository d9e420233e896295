//! What one instruction does to levels, and what steers it.

use upset_isa::texture::texture_rows;
use upset_isa::{BarOp, Exec, Flow, Inst, MemKind, MemOp, Space, SpecialReg, Target};

use super::level::{Level, Shared, State, View, Writer};

/// Carries an instruction out on levels.
pub(super) fn apply(inst: &Inst, own: &mut State, shared: &mut Shared, parameters: i32) {
    let (was, all) = (own.clone(), shared.clone());
    let view = View { own: &was, shared: &all, parameters };
    let guard = view.guard(inst.guard);
    let guarded = !inst.guard.is_always();
    let mut to = Writer { own, shared, guarded };
    let operands = guard.max(view.operands(inst));
    let (level, words) = match inst.exec {
        Exec::Mem(m) => memory(inst, &m, &view, &mut to),
        Exec::Tex(t) => {
            for row in texture_rows(inst, &t) {
                to.registers(row, 1, Level::Data);
            }
            (Level::Data, None)
        }
        Exec::Surface(s) => (Level::Data, Some(s.mem.bytes.div_ceil(4))),
        Exec::Special(register) => (special(register), None),
        Exec::ReadPreds { .. } => (operands.max(view.all_predicates()), None),
        Exec::WritePreds { .. } => {
            to.some_predicates(operands);
            return;
        }
        Exec::Flow(Flow::Bar { op: BarOp::Reduce(_), .. }) => {
            to.shared.reduced = operands.max(to.shared.reduced);
            return;
        }
        Exec::Flow(Flow::BarResult) => (all.reduced, None),
        // Who waits at a convergence barrier follows from the ways taken.
        Exec::Flow(_) => (Level::Launch, None),
        Exec::Alu(_) | Exec::ToUniform | Exec::Matrix(_) => (operands, None),
        // What condition codes depend on is not followed.
        Exec::AluCodes { .. } => (Level::Data, None),
        Exec::Fence(_) | Exec::CacheControl(_) | Exec::DepBar { .. } | Exec::Nop => return,
        Exec::Unimplemented => (Level::Data, Some(4)),
    };
    let level = level.max(guard);
    to.destination(inst.dst, words, level);
    for p in inst.pdst {
        to.predicate(p, level);
    }
}

/// Level and words of what a memory access returns.
fn memory(inst: &Inst, m: &MemOp, view: &View<'_>, to: &mut Writer<'_>) -> (Level, Option<u8>) {
    let words = m.bytes.div_ceil(4);
    let base = m.ureg.map_or(Level::Launch, |(r, w)| view.uniform(r, w.words()));
    let address = view.source(inst.src[0], m.addr64.then_some(2)).max(base);
    let asked = address.max(view.guard(inst.guard)).max(view.condition(inst.psrc[0]));
    match m.kind {
        MemKind::QuerySpace(_) => (asked, None),
        MemKind::Copy(_) | MemKind::Bulk(_) | MemKind::CopiesEnd(_) => (Level::Launch, None),
        MemKind::Store => {
            // A generic address may be one of local memory.
            if matches!(m.space, Space::Local | Space::Generic) {
                let data = view.source(inst.src[1], Some(words)).max(asked);
                to.shared.local = data.max(to.shared.local);
            }
            (Level::Launch, None)
        }
        MemKind::Load => {
            let level = match m.space {
                Space::Local => view.shared.local.max(asked),
                Space::Const => match m.bank {
                    Some(bank) => view.constant(bank).max(asked),
                    None => Level::Data,
                },
                Space::Generic | Space::Global | Space::Shared => Level::Data,
            };
            (level, Some(words))
        }
        MemKind::Atomic(..)
        | MemKind::Reduce(..)
        | MemKind::LoadLock
        | MemKind::StoreUnlock
        | MemKind::PhaseCheck => (Level::Data, Some(words)),
    }
}

fn special(register: SpecialReg) -> Level {
    use SpecialReg as S;
    match register {
        S::LaneId | S::TidX | S::TidY | S::TidZ | S::Tid | S::CtaidX | S::CtaidY | S::CtaidZ => {
            Level::Launch
        }
        S::Ntid | S::EqMask | S::LtMask | S::LeMask | S::GtMask | S::GeMask => Level::Launch,
        S::VirtCfg | S::VirtLimits | S::SharedWindowLo | S::SharedWindowHi => Level::Launch,
        S::LocalWindowLo | S::LocalWindowHi | S::SharedSize | S::Zero | S::Other(_) => {
            Level::Launch
        }
        S::VirtId | S::VirtualSm => Level::Data,
        S::ClockLo | S::ClockHi | S::GlobalTimerLo | S::GlobalTimerHi => Level::Data,
    }
}

/// The level of what decides where threads go, and who of them.
pub(super) fn steers(inst: &Inst, view: &View<'_>) -> Level {
    let Exec::Flow(flow) = inst.exec else {
        return if inst.joins { view.guard(inst.guard) } else { Level::Launch };
    };
    let conditions = inst.psrc[..2].iter().map(|&p| view.condition(p)).max().unwrap_or_default();
    let jump = view.guard(inst.guard).max(conditions);
    let a = || view.source(inst.src[0], None);
    let target = |t: Target| match t {
        Target::Relative(_) | Target::Absolute(_) => Level::Launch,
        Target::RegRelative(_) | Target::RegAbsolute(_) => a(),
    };
    match flow {
        // Condition codes may decide.
        _ if inst.mods != 0 => Level::Data,
        Flow::Branch(t) | Flow::Call(t) | Flow::Ret(t) | Flow::CallByStack(t) => {
            jump.max(target(t))
        }
        Flow::Push { target: t, .. } => jump.max(target(t)),
        Flow::BranchIfGroup { target: t, masked, .. } => {
            jump.max(target(t)).max(if masked { a() } else { Level::Launch })
        }
        Flow::LeaveFor(_)
        | Flow::Exit
        | Flow::Kill
        | Flow::Bsync { .. }
        | Flow::Break { .. }
        | Flow::EndCollective => jump,
        Flow::Bssy { .. } | Flow::Yield | Flow::Trap => view.guard(inst.guard),
        // A barrier's threads that come back from a register.
        Flow::BmovWrite { .. } => view.guard(inst.guard).max(a()),
        Flow::WarpSync { .. } => jump.max(a()),
        Flow::Collective { target: t } => jump.max(a()).max(target(t)),
        Flow::Bar { .. } => view.guard(inst.guard).max(a()).max(view.source(inst.src[1], None)),
        Flow::BmovRead { .. } | Flow::BarResult | Flow::ReadPc { .. } => Level::Launch,
    }
}
