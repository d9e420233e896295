//! When a ghost must leave.

use std::sync::Arc;

use upset_isa::codes::FLAGS;
use upset_isa::warp::{Operands, addresses, guarded, value};
use upset_isa::{AtomOp, Exec, Inst, Mask, MemKind, PT, Space, WARP};
use upset_state::ghosts::Delta;
use upset_state::{Ghosts, Kind, Place, Probe};

use super::operands::{GhostView, reads_codes};
use super::shadows::{Meaning, Shadows};
use crate::code::{Code, Decoded, Op, Route, is_variable};
use crate::config::Config;
use crate::fetch::ibuf::Entry;
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View};
use crate::warp::Warp;

/// Where an instruction finds its operands, but for constants.
const OPERANDS: [Kind; 5] = [Kind::Rf, Kind::Pred, Kind::Ureg, Kind::Upred, Kind::Cc];

impl Sm {
    /// An instruction is about to issue: finds the ghosts that have a part in
    /// it. True when one of them must leave first.
    #[inline]
    pub(crate) fn haunts<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(g) = cx.probe.ghosts() else { return false };
        let issuing = &mut self.shadows.issuing;
        let alike = issuing.constants.is_empty() && issuing.instead.is_empty();
        if alike && g.is_calm_in(&OPERANDS) {
            issuing.involved.clear();
            return g.wants_out();
        }
        self.find_involved(slot, op, constants, cx)
    }

    fn find_involved<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(g) = cx.probe.ghosts() else { return false };
        let mut who = std::mem::take(&mut self.shadows.issuing.involved);
        who.clear();
        let issuing = &self.shadows.issuing;
        let whose = self.whose(slot);
        let inst = &op.inst;
        let mut add = |place: Place| who.extend(g.at(place).iter().map(|d| d.ghost));
        let warp = &self.warps[slot as usize];
        let mut predicate = |p: u8, uniform: bool| {
            if p < PT {
                add(if uniform { whose.upred(p) } else { whose.pred(p) });
            }
        };
        predicate(inst.guard.pred, inst.guard.uniform);
        inst.psrc.iter().for_each(|p| predicate(p.pred, p.uniform));
        if let Exec::ReadPreds { .. } = inst.exec {
            (0..PT).for_each(|p| predicate(p, inst.uniform));
        }
        if reads_codes(inst) {
            (0..FLAGS.len()).for_each(|flag| add(whose.code(flag)));
        }
        crate::regfile::operands::each_register(inst, |r| add(whose.place(r)));
        crate::regfile::operands::each_uniform(inst, |r| add(whose.ureg(r).0));
        who.extend(issuing.constants.iter().map(|c| c.0));
        who.extend(issuing.instead.iter().map(|i| i.0));
        who.sort_unstable();
        who.dedup();
        if !who.is_empty() {
            let right = self.view(slot, constants);
            let active = warp.flow.active;
            let place = self.placement(slot, cx.kernel, cx.mem.global());
            let (mut leaving, mut used) = (Vec::new(), Vec::new());
            for &ghost in &who {
                let has_constants = issuing.constants.iter().any(|c| c.0 == ghost);
                let own = issuing.own(ghost, op);
                let view = GhostView::new(&right, &own.inst, whose, g, ghost, Some(issuing));
                let alike = |mask, of_ghost| {
                    let (right, own) = ((&right, mask), (&view, of_ghost));
                    std::ptr::eq(op, issuing.own(ghost, op))
                        && self.goes_alike(slot, inst, right, own, &place, cx.config)
                };
                let leaves = must_leave(own, &right, &view, active, has_constants, &alike)
                    || !self.reads_as_long(slot, op, own, cx.config);
                if leaves {
                    leaving.push(ghost);
                }
                if leaves || view.is_used(&own.inst, active, has_constants) {
                    used.push(ghost);
                }
            }
            used.into_iter().for_each(|ghost| g.mark_used(ghost));
            leaving.into_iter().for_each(|ghost| g.leave(ghost));
        }
        self.shadows.issuing.involved = who;
        g.wants_out()
    }

    /// Whether the banks give two instructions their operands in the same time, and
    /// are left alike.
    fn reads_as_long(&self, slot: u32, a: &Op, b: &Op, config: &Config) -> bool {
        let keeps = |op: &Op| (op.reads, op.read_count, op.inst.ctl.reuse);
        if is_variable(&a.inst) || keeps(a) == keeps(b) {
            return true;
        }
        let reuse = &self.subs[self.place(slot).0].reuse;
        let after = |op| {
            let mut reuse = reuse.clone();
            (reuse.read(op, slot, config), reuse)
        };
        after(a) == after(b)
    }
}

/// Whether an instruction does something else in kind for a ghost. `goes_alike`: whether
/// an access of other lanes, or to other places, takes the same course.
fn must_leave(
    op: &Op,
    right: &View<'_>,
    view: &GhostView<'_>,
    active: Mask,
    has_constants: bool,
    goes_alike: &dyn Fn(Mask, Mask) -> bool,
) -> bool {
    let inst = &op.inst;
    let mask = guarded(right, inst.guard, active);
    let own = guarded(view, inst.guard, active);
    let nothing = (mask == 0) != (own == 0);
    if view.binds_elsewhere(inst) {
        return true;
    }
    match op.route {
        // Lane 0 speaks for the warp in some jumps.
        Route::Flow => own != mask || view.differs(inst, mask | 1, has_constants),
        _ if inst.joins && own != mask => true,
        Route::Compute if matches!(inst.exec, Exec::Mem(_) | Exec::WritePreds { cc: true, .. }) => {
            own != mask || view.differs(inst, mask, has_constants)
        }
        Route::Compute => nothing || op.late && has_constants,
        Route::Invalidate => nothing,
        Route::Fence | Route::DepBar => false,
        Route::UniformConst => {
            let mut index = false;
            crate::regfile::operands::each_uniform(inst, |r| {
                index |= view.ureg(r) != right.ureg(r)
            });
            own != mask || index
        }
        Route::Memory | Route::ConstLoad | Route::Texture => {
            let elsewhere =
                own != mask || mask != 0 && goes_elsewhere(inst, right, view, mask, has_constants);
            elsewhere && !goes_alike(mask, own)
        }
    }
}

/// Whether a ghost's access touches other places.
fn goes_elsewhere(
    inst: &Inst,
    right: &View<'_>,
    view: &GhostView<'_>,
    mask: Mask,
    has_constants: bool,
) -> bool {
    let Exec::Mem(m) = inst.exec else { return view.differs(inst, mask, has_constants) };
    if view.predicates_differ(inst, mask) {
        return true;
    }
    // Arrivals are counted together, and copies have more than one address.
    if let MemKind::Copy(_)
    | MemKind::Bulk(_)
    | MemKind::CopiesEnd(_)
    | MemKind::PhaseCheck
    | MemKind::Atomic(AtomOp::Arrive(_), _)
    | MemKind::Reduce(AtomOp::Arrive(_), _) = m.kind
    {
        return view.differs(inst, mask, has_constants);
    }
    if m.space == Space::Const {
        let index = |ops: &dyn Fn(usize) -> Option<u64>| -> Vec<Option<u64>> {
            (0..WARP).filter(|l| mask >> l & 1 == 1).map(ops).collect()
        };
        let of_right = index(&|l| value(right, inst.src[0], l).ok());
        let own = index(&|l| value(view, inst.src[0], l).ok());
        return of_right != own;
    }
    let (mut a, mut b) = ([0; WARP], [0; WARP]);
    let known =
        addresses(right, inst, &m, &mut a).is_ok() && addresses(view, inst, &m, &mut b).is_ok();
    !known || (0..WARP).any(|l| mask >> l & 1 == 1 && a[l] != b[l])
}

/// An instruction is about to be decoded: ghosts whose bits mean something else
/// must leave, unless that takes the same course.
#[inline]
pub(crate) fn wrong_code<P: Probe>(
    (slot, warp): (u32, &Warp),
    shadows: &mut Shadows,
    code: &Code,
    config: &Config,
    p: &mut P,
) -> bool {
    let Some(g) = p.ghosts() else { return false };
    shadows.issuing.instead.clear();
    if !shadows.boards.is_empty() || !g.is_calm_in(&[Kind::Ibuf]) {
        expel_from((slot, warp), shadows, code, config, g);
    }
    g.wants_out()
}

fn expel_from(
    (slot, warp): (u32, &Warp),
    shadows: &mut Shadows,
    code: &Code,
    config: &Config,
    g: &mut Ghosts,
) {
    let Some(Entry { bits, pc, .. }) = warp.ibuf.head() else { return };
    let bits_of = |d: &Delta| (0..4).fold(0, |x, i| x | u128::from(d.words[i]) << (32 * i));
    let list = g.at(warp.ibuf.head_place()).iter();
    let who: Vec<(u32, u128)> = list.map(|d| (d.ghost, bits ^ bits_of(d))).collect();
    if who.is_empty() && shadows.boards.iter().all(|board| board.slot != slot) {
        return;
    }
    let decoded;
    let right = match code.at(pc).filter(|at| at.bits == bits) {
        Some(at) => at.op,
        None => {
            decoded = code.decode(bits, pc, config);
            &decoded
        }
    };
    let Shadows { meanings, issuing, boards, .. } = shadows;
    for (ghost, own) in who {
        g.mark_used(ghost);
        let meaning = meanings.entry((bits, own, pc, code.registers)).or_insert_with(|| {
            match (right, code.decode(own, pc, config)) {
                (right, own) if right.means(&own) => Meaning::Same,
                (Decoded::Op(op), Decoded::Op(own)) if own.has_course_of(op) => {
                    Meaning::Instead(Arc::new(own))
                }
                _ => Meaning::Other,
            }
        });
        match (meaning, right) {
            (Meaning::Same, _) => {}
            (Meaning::Instead(own), Decoded::Op(op)) if waits_alike(warp, op, own) => {
                if !own.does_same(op) {
                    issuing.instead.push((ghost, Arc::clone(own)));
                }
            }
            (Meaning::Instead(_) | Meaning::Other, _) => g.leave(ghost),
        }
    }
    let Decoded::Op(op) = right else { return };
    for board in boards.iter().filter(|board| board.slot == slot) {
        if board.concerns(op) || board.concerns(issuing.own(board.ghost, op)) {
            g.leave(board.ghost);
        }
    }
}

/// Whether a warp's counters and its scoreboard, if it has one, let both of two
/// instructions issue, or are asked for the same.
fn waits_alike(warp: &Warp, a: &Op, b: &Op) -> bool {
    let touched = |op: &Op| op.marks.as_ref().map(|marks| marks.touched);
    let same = a.inst.ctl.wait == b.inst.ctl.wait && touched(a) == touched(b);
    same || warp.is_clear_for(a) && warp.is_clear_for(b)
}
