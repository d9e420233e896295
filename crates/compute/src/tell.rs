//! What those who watch are told beside the accesses themselves: which
//! registers an instruction reads, what a new warp overwrites, who acts.

use upset_isa::{Exec, Inst, Mask, PT};
use upset_state::kind::steering;
use upset_state::{ArrayId, By, Kind, Probe};

use crate::code::Op;
use crate::cta::resident::Cta;
use crate::sm::{Cx, Sm};
use crate::todo::Todo;
use crate::view::View;
use crate::warp::Warp;
use crate::witness::{self, Issued};

/// An instruction of a warp (SM and slot) reads its operands: where it stands,
/// what it is, and the lanes that execute it.
pub(crate) fn tell_issued<P: Probe>(
    (sm, slot): (u32, u32),
    warp: &Warp,
    ctas: &[Option<Cta>],
    (pc, inst, mask): (u32, &Inst, Mask),
    operands: &View<'_>,
    cx: &Cx<'_, P>,
) {
    let cta = ctas.get(warp.cta as usize).and_then(Option::as_ref);
    witness::tell(cx.witness, |w| {
        w.issued(&Issued {
            cycle: cx.now,
            sm,
            slot,
            warp: warp.id,
            place: warp.cta,
            cta: cta.map_or(0, |c| c.index),
            first_row: warp.first_row,
            shared: cta.map_or(0, |c| c.shared),
            pc,
            inst,
            active: warp.flow.active | mask,
            mask,
            operands,
        });
    });
}

impl Sm {
    /// On whose behalf something scheduled happens.
    pub(crate) fn acts(&self, todo: Todo) -> By {
        let sm = self.id;
        match todo {
            Todo::Compute(i) | Todo::Write(i) => {
                By::Warp { sm, slot: self.writes[i].slot, pc: self.writes[i].pc }
            }
            Todo::Arrive(i) | Todo::Lookup(i) | Todo::Complete(i) => {
                By::Warp { sm, slot: self.accesses[i].slot, pc: self.accesses[i].pc }
            }
            Todo::Lower { .. } | Todo::Serve | Todo::Vacate(_) | Todo::Settle => By::Machine,
        }
    }

    /// An instruction issues: its guard is read, and its operands unless that
    /// is later.
    pub(crate) fn tell_issue<P: Probe>(&self, slot: u32, op: &Op, cx: &mut Cx<'_, P>) {
        let warp = &self.warps[slot as usize];
        let active = warp.flow.active;
        let guard = op.inst.guard;
        let mut mask = active;
        if !guard.is_always() {
            self.tell_pred(slot, guard.pred, guard.uniform, active, cx);
            let set = if guard.uniform { &warp.upreds } else { &warp.preds };
            let value = set.rows()[usize::from(guard.pred & 7)];
            mask &= if guard.negate { !value } else { value };
        }
        if !op.late || mask == 0 {
            self.tell_operands(slot, &op.inst, mask, cx);
        }
    }

    /// Operands are read for the lanes in `mask`.
    pub(crate) fn tell_operands<P: Probe>(
        &self,
        slot: u32,
        inst: &Inst,
        mask: Mask,
        cx: &mut Cx<'_, P>,
    ) {
        let warp = &self.warps[slot as usize];
        let file = self.file_of(slot);
        for src in inst.psrc {
            self.tell_pred(slot, src.pred, src.uniform, mask, cx);
        }
        if let Exec::ReadPreds { .. } = inst.exec {
            (0..PT).for_each(|p| self.tell_pred(slot, p, inst.uniform, mask, cx));
        }
        // Some jumps take what they need of the warp as a whole from lane 0.
        let lanes = if matches!(inst.exec, Exec::Flow(_)) { mask | 1 } else { mask };
        crate::regfile::operands::each_register(inst, |r| {
            let row = warp.first_row + u32::from(r);
            self.files[file].rows.tell_read(cx.now, row, lanes, cx.probe);
        });
        crate::regfile::operands::each_uniform(inst, |r| {
            warp.uregs.tell_read(cx.now, r.into(), !0, cx.probe);
        });
    }

    fn tell_pred<P: Probe>(
        &self,
        slot: u32,
        pred: u8,
        uniform: bool,
        lanes: Mask,
        cx: &mut Cx<'_, P>,
    ) {
        if pred >= PT {
            return;
        }
        let warp = &self.warps[slot as usize];
        let set = if uniform { &warp.upreds } else { &warp.preds };
        set.tell_read(cx.now, pred.into(), lanes, cx.probe);
    }

    /// Stuck bits of control state (program counters, masks, …) get their value
    /// back. These change in many ways, so it is done after whatever may have
    /// changed them: what looks at them next, in the same cycle, sees what is stuck.
    #[inline]
    pub(crate) fn hold_control<P: Probe>(&mut self, cx: &mut Cx<'_, P>) {
        let now = cx.now;
        self.put_back(cx, |sm, kind| sm.reconsider(kind, now));
    }

    /// The same, and `changed` hears of which kinds.
    #[inline]
    pub(crate) fn put_back<P: Probe>(
        &mut self,
        cx: &mut Cx<'_, P>,
        changed: impl Fn(&mut Sm, Kind),
    ) {
        if !P::ACTIVE {
            return;
        }
        let Some(held) = cx.probe.held().filter(|held| !held.is_empty()) else { return };
        for kind in steering() {
            let mut differs = false;
            for (number, word) in held.words(ArrayId::data(kind, self.id)) {
                differs |= self.change_control(kind, number, word);
            }
            if differs {
                changed(self, kind);
            }
        }
    }
}
