//! What instructions make of a ghost's operands, until it is written.

use upset_isa::warp::{
    Effect, Env, Scratch, evaluate, guarded, write_back, write_codes, write_preds,
};
use upset_isa::{Inst, Lanes, Mask, PT, Results, WARP};
use upset_state::Probe;

use super::operands::GhostView;
use super::shadows::{Board, GhostWrite};
use super::target::{GhostTarget, Written};
use crate::code::Op;
use crate::sm::{Cx, Sm};
use crate::units::result::{Flags, WriteBack};
use crate::view::Constants;

impl Sm {
    /// The instruction was evaluated: what do the ghosts make of it?
    pub(crate) fn haunt_result<'e, P: Probe>(
        &mut self,
        index: u32,
        op: &Op,
        constants: &Constants,
        env: impl Fn() -> Env<'e> + Copy,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let issuing = &self.shadows.issuing;
        if issuing.involved.is_empty() {
            return;
        }
        let wb = &self.writes[index];
        let slot = wb.slot;
        let (whose, right) = (self.whose(slot), self.view(slot, constants));
        let active = self.warps[slot as usize].flow.active;
        let mut scratch: Scratch = [[0; WARP]; 6];
        let mut made = Vec::new();
        for &ghost in &issuing.involved {
            let inst = &issuing.own(ghost, op).inst;
            let view = GhostView::new(&right, inst, whose, g, ghost, Some(issuing));
            let mask = guarded(&view, inst.guard, active);
            if op.late {
                // Its operands are read later; only who takes part is known.
                if mask != wb.mask {
                    let results = wb.results.clone();
                    made.push(GhostWrite { ghost, inst: *inst, mask, results, flags: Flags::None });
                }
                continue;
            }
            made.extend(again(wb, ghost, &view, inst, mask, env, &mut scratch));
        }
        let written = |op: &Op| op.marks.as_ref().map_or_else(Default::default, |m| m.written);
        let boards = issuing.instead.iter().filter_map(|(ghost, own)| {
            let (right, own) = (written(op), written(own));
            (right != own).then_some(Board { ghost: *ghost, slot, index, right, own })
        });
        self.shadows.boards.extend(boards);
        self.add_writes(index, made);
    }

    fn add_writes(&mut self, index: u32, made: Vec<GhostWrite>) {
        if !made.is_empty() {
            self.writes[index].haunted = true;
            self.shadows.writes.entry(index).or_default().extend(made);
        }
    }

    /// A wide multiply-add has its operands.
    pub(crate) fn haunt_late<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let Some(g) = cx.probe.ghosts().filter(|g| !g.is_calm()) else { return };
        let wb = &self.writes[index];
        let (slot, inst) = (wb.slot, wb.inst);
        let whose = self.whose(slot);
        let mut who = Vec::new();
        crate::regfile::operands::each_register(&inst, |r| {
            who.extend(g.at(whose.place(r)).iter().map(|d| d.ghost));
        });
        crate::regfile::operands::each_uniform(&inst, |r| {
            who.extend(g.at(whose.ureg(r).0).iter().map(|d| d.ghost));
        });
        for p in inst.psrc.iter().filter(|p| p.pred < PT) {
            let place = if p.uniform { whose.upred(p.pred) } else { whose.pred(p.pred) };
            who.extend(g.at(place).iter().map(|d| d.ghost));
        }
        let before = self.shadows.writes.remove(&index).unwrap_or_default();
        who.extend(before.iter().map(|w| w.ghost));
        who.sort_unstable();
        who.dedup();
        if who.is_empty() {
            return;
        }
        let right = self.view(slot, &wb.constants);
        let mut scratch: Scratch = [[0; WARP]; 6];
        let (mut made, mut used) = (Vec::new(), Vec::new());
        for ghost in who {
            // Constants were read at issue, and are no ghost's.
            let view = GhostView::new(&right, &inst, whose, g, ghost, None);
            let mask = before.iter().find(|w| w.ghost == ghost).map_or(wb.mask, |w| w.mask);
            made.extend(again(wb, ghost, &view, &inst, mask, unreachable_env, &mut scratch));
            if view.differs(&inst, wb.mask, false) {
                used.push(ghost);
            }
        }
        used.into_iter().for_each(|ghost| g.mark_used(ghost));
        self.writes[index].haunted = false;
        self.add_writes(index, made);
    }

    /// A result of another kind than evaluation: the ghosts in `words` differ
    /// in word `i` of both rows (`ULDC`).
    pub(crate) fn haunt_words<P: Probe>(
        &mut self,
        index: u32,
        ghosts: Vec<(u32, [u32; 2])>,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let wb = &self.writes[index];
        let made = ghosts.into_iter().map(|(ghost, words)| {
            g.mark_used(ghost);
            let mut results = wb.results.clone();
            for (row, word) in results.d.iter_mut().zip(words) {
                row.fill(word);
            }
            GhostWrite { ghost, inst: wb.inst, mask: wb.mask, results, flags: Flags::None }
        });
        let made = made.collect();
        self.add_writes(index, made);
    }

    /// A result is about to be written: what will the ghosts' rows be?
    pub(crate) fn haunt_write<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> Vec<Written> {
        let made = self.shadows.writes.remove(&index).unwrap_or_default();
        self.shadows.boards.retain(|board| board.index != index);
        self.writes[index].haunted = false;
        let Some(g) = cx.probe.ghosts() else { return Vec::new() };
        let wb = &self.writes[index];
        let whose = self.whose(wb.slot);
        let write = |w: GhostWrite| {
            let mut to = GhostTarget::new(whose, w.ghost, g, self.view(wb.slot, &wb.constants));
            if !writes_same(&w.inst, &wb.inst) {
                to.keep(&wb.inst);
            }
            match &w.flags {
                Flags::Predicates(value, select) => {
                    write_preds(&mut to, &w.inst, w.mask, value, select);
                }
                Flags::None => write_back(&mut to, &w.inst, w.mask, &w.results),
                Flags::Codes(value, select) => {
                    write_back(&mut to, &w.inst, w.mask, &w.results);
                    write_codes(&mut to, w.mask, value, select);
                }
            }
            to.done()
        };
        made.into_iter().filter(|w| g.is_followed(w.ghost)).map(write).collect()
    }
}

/// A wide multiply-add asks for nothing of its surroundings.
pub(crate) fn unreachable_env<'e>() -> Env<'e> {
    static TID: [Lanes; 3] = [[0; WARP]; 3];
    Env {
        tid: &TID,
        ctaid: [0; 3],
        block: [1; 3],
        windows: upset_isa::program::Windows { shared: 0, local: 0 },
        shared_bytes: 0,
        sm: 0,
        warp_slot: 0,
        clock: 0,
        global_timer: 0,
    }
}

/// Whether two instructions write the same places.
fn writes_same(a: &Inst, b: &Inst) -> bool {
    (a.dst, a.pdst) == (b.dst, b.pdst)
}

/// Evaluates an instruction for a ghost; nothing if its result is the right one.
fn again<'e>(
    wb: &WriteBack,
    ghost: u32,
    view: &GhostView<'_>,
    inst: &Inst,
    mask: Mask,
    env: impl FnOnce() -> Env<'e>,
    scratch: &mut Scratch,
) -> Option<GhostWrite> {
    let mut results = wb.results.clone();
    let mut flags = Flags::None;
    match evaluate(view, inst, mask, env, scratch, &mut results).ok()? {
        Effect::Results => {}
        Effect::Predicates { value, select } => flags = Flags::Predicates(value, select),
        Effect::Codes { value, select } => flags = Flags::Codes(value, select),
        Effect::Nothing => return None,
    }
    let same = |a: &Lanes, b: &Lanes| (0..WARP).all(|l| mask >> l & 1 == 0 || a[l] == b[l]);
    let rows = |r: &Results| [r.d, r.wide];
    let same_rows = rows(&results)
        .iter()
        .flatten()
        .zip(rows(&wb.results).iter().flatten())
        .all(|(a, b)| same(a, b));
    let same_preds = (0..2).all(|i| (results.p[i] ^ wb.results.p[i]) & mask == 0);
    let same = mask == wb.mask && same_rows && same_preds && flags == wb.flags;
    let same = same && writes_same(inst, &wb.inst);
    (!same).then_some(GhostWrite { ghost, inst: *inst, mask, results, flags })
}
