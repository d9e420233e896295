//! Ghosts in the SM: what instructions make of their differences, and when
//! they must leave.
//!
//! Before an instruction issues, every ghost that differs in one of its
//! operands is looked at: where control flow, an address or the lanes of a
//! memory access would be others, it must leave. For the rest the instruction
//! is evaluated again with the ghost's operands, and the result travels beside
//! the right one until it is written.

use upset_isa::trap::TrapKind;
use upset_isa::warp::{
    Destinations, Effect, Env, Operands, Scratch, addresses, evaluate, guarded, pred, store_rows,
    value, write_atomic, write_back, write_pred, write_preds, write_row, write_rows,
};
use upset_isa::{Exec, Inst, Lanes, Mask, MemKind, MemOp, PT, Results, Space, URZ, WARP};
use upset_mem::Filled;
use upset_state::ghosts::{WORDS, Words, apply_words, difference};
use upset_state::{Ghosts, Place, Probe};

use crate::access::Access;
use crate::code::{Op, Route};
use crate::fetch::ibuf_row;
use crate::ibuf::Ibuf;
use crate::sm::{Cx, Sm, WriteBack};
use crate::view::{Constants, View, pred_row};

/// A ghost's result on its way to the registers.
#[derive(Clone)]
pub(crate) struct GhostWrite {
    ghost: u32,
    mask: Mask,
    results: Results,
    preds: Option<([Mask; PT as usize], [Mask; PT as usize])>,
}

/// Ghosts' parts in what is in flight in an SM.
#[derive(Clone, Default)]
pub(crate) struct Shadows {
    writes: std::collections::BTreeMap<u32, Vec<GhostWrite>>,
    /// Whole accesses, of which only the data differ.
    accesses: std::collections::BTreeMap<u32, Vec<(u32, Box<Access>)>>,
}

impl Shadows {
    pub(crate) fn clear(&mut self) {
        self.writes.clear();
        self.accesses.clear();
    }
}

/// Which warp, for ghosts.
#[derive(Clone, Copy)]
pub(crate) struct Whose {
    sm: u32,
    slot: u32,
    file: u32,
    first_row: u32,
}

impl Whose {
    fn place(&self, r: u8) -> Place {
        Place::rf(self.file, self.first_row + u32::from(r))
    }
    fn pred(&self, p: u8) -> Place {
        Place::pred(self.sm, pred_row(self.slot, u32::from(p)))
    }
    fn upred(&self, p: u8) -> Place {
        Place::upred(self.sm, pred_row(self.slot, u32::from(p)))
    }
    fn ureg(&self, r: u8) -> Place {
        Place::ureg(self.sm, self.slot, u32::from(r))
    }
}

fn lanes_of(row: &Lanes, words: &Words) -> Lanes {
    std::array::from_fn(|l| row[l] ^ words[l])
}

/// Operands as a ghost has them.
struct GhostView<'a> {
    right: &'a View<'a>,
    rows: Vec<(u8, Lanes)>,
    preds: [Mask; 8],
    upreds: [Mask; 8],
    uregs: [u32; 64],
    constants: Constants,
}

impl Operands for GhostView<'_> {
    fn row(&self, r: u8) -> &Lanes {
        match self.rows.iter().find(|(n, _)| *n == r) {
            Some((_, row)) => row,
            None => self.right.row(r),
        }
    }
    fn preds(&self) -> &[Mask; 8] {
        &self.preds
    }
    fn upreds(&self) -> &[Mask; 8] {
        &self.upreds
    }
    fn ureg(&self, r: u8) -> u32 {
        if r >= URZ { 0 } else { self.uregs[usize::from(r)] }
    }
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.constants.word(bank, offset)
    }
}

impl<'a> GhostView<'a> {
    fn new(right: &'a View<'a>, inst: &Inst, whose: Whose, g: &Ghosts, ghost: u32) -> Self {
        let mut this = GhostView {
            right,
            rows: Vec::new(),
            preds: *right.preds,
            upreds: *right.upreds,
            uregs: *right.uregs,
            constants: right.constants,
        };
        crate::operands::each_register(inst, |r| {
            let known = this.rows.iter().any(|(n, _)| *n == r);
            if let (false, Some(words)) = (known, g.of_ghost(whose.place(r), ghost)) {
                this.rows.push((r, lanes_of(right.row(r), words)));
            }
        });
        crate::operands::each_uniform(inst, |r| {
            if let Some(words) = g.of_ghost(whose.ureg(r), ghost) {
                let right = right.uregs[usize::from(r)];
                this.uregs[usize::from(r)] = right ^ words[usize::from(r) % WORDS];
            }
        });
        for p in 0..PT {
            let at = usize::from(p);
            if let Some(words) = g.of_ghost(whose.pred(p), ghost) {
                this.preds[at] = right.preds[at] ^ words[0];
            }
            if let Some(words) = g.of_ghost(whose.upred(p), ghost) {
                this.upreds[at] = right.upreds[at] ^ words[0];
            }
        }
        for &(_, number, xor) in g.constants.iter().filter(|c| c.0 == ghost) {
            this.constants.change(number, xor);
        }
        this
    }

    /// Whether an operand differs in these lanes.
    fn differs(&self, inst: &Inst, lanes: Mask, has_constants: bool) -> bool {
        let mut differs = has_constants;
        crate::operands::each_register(inst, |r| {
            let (a, b) = (self.row(r), self.right.row(r));
            differs |= (0..WARP).any(|l| lanes >> l & 1 == 1 && a[l] != b[l]);
        });
        crate::operands::each_uniform(inst, |r| differs |= self.ureg(r) != self.right.ureg(r));
        differs || self.predicates_differ(inst, lanes)
    }

    /// Whether an operand differs where somebody reads it.
    fn is_used(&self, inst: &Inst, active: Mask, has_constants: bool) -> bool {
        let mask = guarded(self.right, inst.guard, active);
        let all = matches!(inst.exec, Exec::ReadPreds { .. })
            && (self.preds != *self.right.preds || self.upreds != *self.right.upreds);
        mask != guarded(self, inst.guard, active)
            || mask != 0 && (all || self.differs(inst, mask, has_constants))
    }

    fn predicates_differ(&self, inst: &Inst, lanes: Mask) -> bool {
        inst.psrc.iter().any(|&p| (pred(self, p) ^ pred(self.right, p)) & lanes != 0)
    }
}

/// Rows that a ghost's result changes, with their values.
struct GhostTarget<'a> {
    whose: Whose,
    ghost: u32,
    g: &'a Ghosts,
    right: View<'a>,
    rows: Vec<(u8, Lanes)>,
    preds: Vec<(u8, Mask)>,
    upreds: Vec<(u8, Mask)>,
    uregs: Vec<(u8, u32)>,
}

fn entry<T>(list: &mut Vec<(u8, T)>, key: u8, make: impl FnOnce() -> T) -> &mut T {
    let at = list.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
        list.push((key, make()));
        list.len() - 1
    });
    &mut list[at].1
}

impl Destinations for GhostTarget<'_> {
    fn write_row(&mut self, r: u8, mask: Mask, value: &Lanes) {
        let (g, ghost, place, right) = (self.g, self.ghost, self.whose.place(r), self.right.row(r));
        if usize::from(r) >= self.right.rows.len() {
            return;
        }
        let row = entry(&mut self.rows, r, || match g.of_ghost(place, ghost) {
            Some(words) => lanes_of(right, words),
            None => *right,
        });
        write_row(row, mask, value);
    }
    fn write_ureg(&mut self, r: u8, value: u32) {
        *entry(&mut self.uregs, r, || 0) = value;
    }
    fn write_pred(&mut self, p: u8, mask: Mask, value: Mask) {
        let before = self.right.preds[usize::from(p)];
        let xor = self.g.of_ghost(self.whose.pred(p), self.ghost).map_or(0, |w| w[0]);
        write_pred(entry(&mut self.preds, p, || before ^ xor), mask, value);
    }
    fn write_upred(&mut self, p: u8, value: Mask) {
        *entry(&mut self.upreds, p, || 0) = value;
    }
}

/// What a ghost's rows will be once the right result is written.
pub(crate) struct Written {
    ghost: u32,
    rows: Vec<(u8, Lanes)>,
    preds: Vec<(u8, Mask)>,
    upreds: Vec<(u8, Mask)>,
    uregs: Vec<(u8, u32)>,
}

impl Sm {
    fn whose(&self, slot: u32) -> Whose {
        let (s, _) = self.place(slot);
        Whose {
            sm: self.id,
            slot,
            file: self.id * self.subs.len() as u32 + s as u32,
            first_row: self.warps[slot as usize].first_row,
        }
    }

    fn view(&self, slot: u32, constants: Constants) -> View<'_> {
        let (s, _) = self.place(slot);
        let warp = &self.warps[slot as usize];
        let first = warp.first_row as usize;
        View {
            rows: self.subs[s].rf.get(first..first + warp.rows as usize).unwrap_or_default(),
            preds: &warp.preds,
            upreds: &warp.upreds,
            uregs: &warp.uregs,
            constants,
        }
    }

    /// An instruction is about to issue: finds the ghosts that have a part in
    /// it. True when one of them must leave first.
    pub(crate) fn haunts<P: Probe>(
        &self,
        slot: u32,
        op: &Op,
        constants: Constants,
        cx: &mut Cx<'_, P>,
    ) -> bool {
        let Some(g) = cx.probe.ghosts() else { return false };
        g.involved.clear();
        if g.is_calm() {
            return false;
        }
        let whose = self.whose(slot);
        let inst = &op.inst;
        let mut who = std::mem::take(&mut g.involved);
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
        crate::operands::each_register(inst, |r| add(whose.place(r)));
        crate::operands::each_uniform(inst, |r| add(whose.ureg(r)));
        who.extend(g.constants.iter().map(|c| c.0));
        who.sort_unstable();
        who.dedup();
        if !who.is_empty() {
            let right = self.view(slot, constants);
            let active = warp.flow.active;
            let (mut leaving, mut used) = (Vec::new(), Vec::new());
            for &ghost in &who {
                let has_constants = g.constants.iter().any(|c| c.0 == ghost);
                let view = GhostView::new(&right, inst, whose, g, ghost);
                let leaves = must_leave(op, &right, &view, active, has_constants);
                if leaves {
                    leaving.push(ghost);
                }
                if leaves || view.is_used(inst, active, has_constants) {
                    used.push(ghost);
                }
            }
            used.into_iter().for_each(|ghost| g.mark_used(ghost));
            leaving.into_iter().for_each(|ghost| g.leave(ghost));
        }
        g.involved = who;
        g.wants_out()
    }

    /// The instruction was evaluated: what do the ghosts make of it?
    pub(crate) fn haunt_result<'e, P: Probe>(
        &mut self,
        index: u32,
        op: &Op,
        constants: Constants,
        env: impl Fn() -> Env<'e> + Copy,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        if g.involved.is_empty() {
            return;
        }
        let wb = &self.writes[index];
        let slot = wb.slot;
        let (whose, right) = (self.whose(slot), self.view(slot, constants));
        let active = self.warps[slot as usize].flow.active;
        let mut scratch: Scratch = [[0; WARP]; 6];
        let mut made = Vec::new();
        for &ghost in &g.involved {
            let view = GhostView::new(&right, &op.inst, whose, g, ghost);
            let mask = guarded(&view, op.inst.guard, active);
            if op.wide {
                // Its operands are read later; only who takes part is known.
                if mask != wb.mask {
                    let results = wb.results.clone();
                    made.push(GhostWrite { ghost, mask, results, preds: None });
                }
                continue;
            }
            made.extend(again(wb, ghost, &view, &op.inst, mask, env, &mut scratch));
        }
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
        crate::operands::each_register(&inst, |r| {
            who.extend(g.at(whose.place(r)).iter().map(|d| d.ghost));
        });
        crate::operands::each_uniform(&inst, |r| {
            who.extend(g.at(whose.ureg(r)).iter().map(|d| d.ghost));
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
        // Constants were read at issue, and are no ghost's.
        g.constants.clear();
        let right = self.view(slot, wb.constants);
        let mut scratch: Scratch = [[0; WARP]; 6];
        let (mut made, mut used) = (Vec::new(), Vec::new());
        for ghost in who {
            let view = GhostView::new(&right, &inst, whose, g, ghost);
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
            GhostWrite { ghost, mask: wb.mask, results, preds: None }
        });
        let made = made.collect();
        self.add_writes(index, made);
    }

    /// A result is about to be written: what will the ghosts' rows be?
    pub(crate) fn haunt_write<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> Vec<Written> {
        let made = self.shadows.writes.remove(&index).unwrap_or_default();
        self.writes[index].haunted = false;
        let Some(g) = cx.probe.ghosts() else { return Vec::new() };
        let wb = &self.writes[index];
        let whose = self.whose(wb.slot);
        let write = |w: GhostWrite| {
            let mut to = GhostTarget::new(whose, w.ghost, g, self.view(wb.slot, wb.constants));
            match (&w.preds, &wb.preds) {
                (Some((value, select)), _) => {
                    write_preds(&mut to, &wb.inst, w.mask, value, select);
                }
                (None, _) => write_back(&mut to, &wb.inst, w.mask, &w.results),
            }
            to.done()
        };
        made.into_iter().filter(|w| g.is_followed(w.ghost)).map(write).collect()
    }

    /// The same for an access.
    pub(crate) fn haunt_complete<P: Probe>(
        &mut self,
        index: u32,
        cx: &mut Cx<'_, P>,
    ) -> Vec<Written> {
        let made = self.shadows.accesses.remove(&index).unwrap_or_default();
        self.accesses[index].haunted = false;
        let kernel = cx.kernel;
        let Some(g) = cx.probe.ghosts() else { return Vec::new() };
        let a = &self.accesses[index];
        let whose = self.whose(a.slot);
        let write = |(ghost, mut shadow): (u32, Box<Access>)| {
            let none = Constants::default();
            let mut to = GhostTarget::new(whose, ghost, g, self.view(a.slot, none));
            if let Some((op, texels)) = &shadow.tex {
                let textures = &kernel.textures;
                let _ = crate::texture::sample(op, texels, a.mask, textures, &mut shadow.data);
            }
            match a.op.map(|m| m.kind) {
                Some(MemKind::Atomic(..)) => {
                    write_atomic(&mut to, &a.inst, a.mask, a.done, &shadow.old);
                }
                Some(MemKind::Load) | None => write_rows(&mut to, &a.rows, a.mask, &shadow.data),
                Some(_) => {}
            }
            to.done()
        };
        made.into_iter().filter(|(ghost, _)| g.is_followed(*ghost)).map(write).collect()
    }

    /// The right result is written: notes in what the ghosts' rows differ.
    pub(crate) fn haunt_written<P: Probe>(
        &mut self,
        slot: u32,
        written: Vec<Written>,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let whose = self.whose(slot);
        let right = self.view(slot, Constants::default());
        let one = |xor: u32| std::array::from_fn(|i| if i == 0 { xor } else { 0 });
        for w in written {
            for (r, row) in w.rows {
                g.put(whose.place(r), w.ghost, &lanes_of(&row, right.row(r)));
            }
            for (p, value) in w.preds {
                g.put(whose.pred(p), w.ghost, &one(value ^ right.preds[usize::from(p)]));
            }
            for (p, value) in w.upreds {
                g.put(whose.upred(p), w.ghost, &one(value ^ right.upreds[usize::from(p)]));
            }
            for (r, value) in w.uregs {
                let mut mask = [0; WORDS];
                mask[usize::from(r) % WORDS] = !0;
                let xor = value ^ right.uregs[usize::from(r)];
                g.merge(whose.ureg(r), w.ghost, &mask, &mask.map(|m| m & xor));
            }
        }
    }

    /// A memory instruction was described: which ghosts have other data?
    pub(crate) fn haunt_access<P: Probe>(
        &mut self,
        index: u32,
        constants: Constants,
        cx: &mut Cx<'_, P>,
    ) {
        self.shadows.accesses.remove(&index);
        let Some(g) = cx.probe.ghosts() else { return };
        let a = &self.accesses[index];
        let Some(m) = a.op.filter(|_| !g.involved.is_empty() && a.mask != 0) else { return };
        let (whose, right) = (self.whose(a.slot), self.view(a.slot, constants));
        let mut made = Vec::new();
        for &ghost in &g.involved {
            let view = GhostView::new(&right, &a.inst, whose, g, ghost);
            let mut data = a.data;
            if stored(&view, &a.inst, &m, a.mask, &mut data).is_ok() && data != a.data {
                let mut shadow = Box::new(a.clone());
                shadow.data = data;
                made.push((ghost, shadow));
            }
        }
        if !made.is_empty() {
            self.accesses[index].haunted = true;
            self.shadows.accesses.insert(index, made);
        }
    }

    /// A part of an access is about to come from a row: the ghosts collect
    /// theirs. `bytes` are the right ones.
    pub(crate) fn haunt_collect<P: Probe>(
        &mut self,
        index: u32,
        n: usize,
        from: Place,
        bytes: &[u8],
        base: u64,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let a = &mut self.accesses[index];
        let deltas = g.at(from);
        if deltas.is_empty() && !a.haunted {
            return;
        }
        let list = self.shadows.accesses.entry(index).or_default();
        // The right data after this, to see whether a ghost's are others.
        let mut after = Box::new(a.clone());
        after.collect(n, bytes, base);
        let mut used = Vec::new();
        let mut own = bytes.to_vec();
        for (ghost, shadow) in list.iter_mut() {
            own.copy_from_slice(bytes);
            if let Some(d) = deltas.iter().find(|d| d.ghost == *ghost) {
                apply_words(&d.words, &mut own);
            }
            shadow.collect(n, &own, base);
        }
        for d in deltas {
            if list.iter().any(|(ghost, _)| *ghost == d.ghost) {
                continue;
            }
            own.copy_from_slice(bytes);
            apply_words(&d.words, &mut own);
            let mut shadow = Box::new(a.clone());
            shadow.collect(n, &own, base);
            let texels = |a: &Access| a.tex.as_ref().and_then(|(_, t)| t.lines.last().copied());
            if shadow.data != after.data || texels(&shadow) != texels(&after) {
                used.push(d.ghost);
                list.push((d.ghost, shadow));
            }
        }
        a.haunted = !list.is_empty();
        if list.is_empty() {
            self.shadows.accesses.remove(&index);
        }
        used.into_iter().for_each(|ghost| g.mark_used(ghost));
    }

    /// What an access waited for has come.
    pub(crate) fn haunt_filled<P: Probe>(
        &mut self,
        which: u8,
        index: u32,
        n: usize,
        line: u64,
        filled: &Filled,
        cx: &mut Cx<'_, P>,
    ) {
        match filled {
            Filled::Line(row) => {
                let haunted = self.accesses[index].haunted;
                let level = self.level_mut(which);
                let place = level.place(*row);
                if !haunted && cx.probe.ghosts().is_none_or(|g| g.at(place).is_empty()) {
                    return;
                }
                let bytes = level.line(*row).to_vec();
                let base = self.accesses[index].lines[n].addr;
                self.haunt_collect(index, n, place, &bytes, base, cx);
            }
            Filled::Packet { bytes, flight, .. } => {
                self.haunt_collect(index, n, Place::flight(*flight, 0), &bytes[..], line, cx);
            }
            Filled::Atomic(batch) => self.haunt_returned(index, batch, cx),
            Filled::Nothing => {}
        }
    }

    /// A warp has started: predicates and uniform registers are zero for all.
    pub(crate) fn start_alike<P: Probe>(&self, slot: u32, cx: &mut Cx<'_, P>) {
        let Some(g) = cx.probe.ghosts().filter(|g| !g.is_calm()) else { return };
        let whose = self.whose(slot);
        for p in 0..PT {
            g.drop_row(whose.pred(p));
            g.drop_row(whose.upred(p));
        }
        g.drop_row(whose.ureg(0));
        g.drop_row(whose.ureg(32));
    }

    /// An atomic's values before come back.
    pub(crate) fn haunt_returned<P: Probe>(
        &mut self,
        index: u32,
        batch: &upset_mem::AtomicBatch,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let a = &mut self.accesses[index];
        let place = |half: u32| Place::flight(batch.flight, upset_mem::batch_row::OLD + half);
        let mut who: Vec<u32> = match batch.flight {
            0 => Vec::new(),
            _ => (0..2).flat_map(|h| g.at(place(h)).iter().map(|d| d.ghost)).collect(),
        };
        let list = self.shadows.accesses.entry(index).or_default();
        who.retain(|ghost| list.iter().all(|(g, _)| g != ghost));
        who.sort_unstable();
        who.dedup();
        list.extend(who.into_iter().map(|ghost| (ghost, Box::new(a.clone()))));
        for (ghost, shadow) in list.iter_mut() {
            let xor = |half: u32, i: usize| match batch.flight {
                0 => 0,
                _ => g.of_ghost(place(half), *ghost).map_or(0, |w| w[i % WORDS]),
            };
            for (i, op) in batch.lanes.iter().enumerate() {
                let xor = u64::from(xor(0, i)) | u64::from(xor(1, i)) << 32;
                shadow.returned(usize::from(op.lane), op.old ^ xor);
            }
        }
        a.haunted = !list.is_empty();
        if list.is_empty() {
            self.shadows.accesses.remove(&index);
        }
        upset_mem::end_batch(cx.probe, batch.flight);
    }

    /// This run is no longer followed.
    pub(crate) fn forget_ghosts(&mut self) {
        for index in std::mem::take(&mut self.shadows.writes).into_keys() {
            self.writes[index].haunted = false;
        }
        for index in std::mem::take(&mut self.shadows.accesses).into_keys() {
            self.accesses[index].haunted = false;
        }
    }

    /// An access is over.
    pub(crate) fn end_haunted(&mut self, index: u32) {
        self.shadows.accesses.remove(&index);
        self.accesses[index].haunted = false;
    }

    /// A store leaves for a line: gives the ghosts' bytes a number.
    pub(crate) fn haunt_spread<P: Probe>(
        &mut self,
        index: u32,
        n: usize,
        data: &mut upset_mem::WriteData,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        for (ghost, shadow) in self.shadows.accesses.get(&index).into_iter().flatten() {
            let mut bytes = data.bytes;
            shadow.spread(n, &mut bytes);
            let words = difference(&bytes, &data.bytes);
            if words.iter().any(|w| *w != 0) {
                if data.flight == 0 {
                    data.flight = g.take_flight();
                }
                g.put(Place::flight(data.flight, 0), *ghost, &words);
            }
        }
    }

    /// An atomic leaves: gives the ghosts' operands a number.
    pub(crate) fn haunt_batch<P: Probe>(
        &mut self,
        index: u32,
        batch: &mut upset_mem::AtomicBatch,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        for (ghost, shadow) in self.shadows.accesses.get(&index).into_iter().flatten() {
            let mut rows = [[0; WORDS]; 4];
            for (i, lane) in batch.lanes.iter().enumerate().take(WORDS) {
                let (b, c) = shadow.operands(usize::from(lane.lane));
                let (b, c) = (b ^ lane.b, c ^ lane.c);
                for (r, word) in [b, b >> 32, c, c >> 32].into_iter().enumerate() {
                    rows[r][i] = word as u32;
                }
            }
            if rows.iter().flatten().any(|w| *w != 0) {
                if batch.flight == 0 {
                    batch.flight = g.take_flight();
                }
                for (r, words) in rows.iter().enumerate() {
                    g.put(Place::flight(batch.flight, r as u32), *ghost, words);
                }
            }
        }
    }

    /// Gives a ghost's differences to what is in flight here.
    pub(crate) fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        for (index, list) in std::mem::take(&mut self.shadows.writes) {
            let wb = &mut self.writes[index];
            wb.haunted = false;
            if let Some(w) = list.into_iter().find(|w| w.ghost == ghost) {
                wb.mask = w.mask;
                wb.results = w.results;
                wb.preds = w.preds;
            }
        }
        for (index, list) in std::mem::take(&mut self.shadows.accesses) {
            let a = &mut self.accesses[index];
            a.haunted = false;
            if let Some((_, shadow)) = list.into_iter().find(|(g, _)| *g == ghost) {
                a.data = shadow.data;
                a.old = shadow.old;
                if let (Some((_, to)), Some((_, from))) = (&mut a.tex, shadow.tex) {
                    to.lines = from.lines;
                }
            }
        }
        for level in [&mut self.l1d, &mut self.l1t, &mut self.l1c, &mut self.l1i] {
            level.become_ghost_in_flight(ghosts, ghost);
        }
    }
}

impl<'a> GhostTarget<'a> {
    fn new(whose: Whose, ghost: u32, g: &'a Ghosts, right: View<'a>) -> Self {
        let (rows, preds, upreds, uregs) = Default::default();
        GhostTarget { whose, ghost, g, right, rows, preds, upreds, uregs }
    }

    fn done(self) -> Written {
        let GhostTarget { ghost, rows, preds, upreds, uregs, .. } = self;
        Written { ghost, rows, preds, upreds, uregs }
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
    let mut preds = None;
    match evaluate(view, inst, mask, env, scratch, &mut results).ok()? {
        Effect::Results => {}
        Effect::Predicates { value, select } => preds = Some((value, select)),
        Effect::Nothing => return None,
    }
    let same_rows = (0..2).all(|i| {
        let (a, b) = (&results.d[i], &wb.results.d[i]);
        (0..WARP).all(|l| mask >> l & 1 == 0 || a[l] == b[l])
    });
    let same_preds = (0..2).all(|i| (results.p[i] ^ wb.results.p[i]) & mask == 0);
    let same = mask == wb.mask && same_rows && same_preds && preds == wb.preds;
    (!same).then_some(GhostWrite { ghost, mask, results, preds })
}

/// Whether an instruction does something else in kind for a ghost.
fn must_leave(
    op: &Op,
    right: &View<'_>,
    view: &GhostView<'_>,
    active: Mask,
    has_constants: bool,
) -> bool {
    let inst = &op.inst;
    let mask = guarded(right, inst.guard, active);
    let own = guarded(view, inst.guard, active);
    let nothing = (mask == 0) != (own == 0);
    match op.route {
        // Lane 0 speaks for the warp in some jumps.
        Route::Flow => own != mask || view.differs(inst, mask | 1, has_constants),
        Route::Compute if matches!(inst.exec, Exec::Mem(_)) => {
            own != mask || view.differs(inst, mask, has_constants)
        }
        Route::Compute => nothing || op.wide && has_constants,
        Route::Invalidate => nothing,
        Route::Fence | Route::DepBar => false,
        Route::UniformConst => {
            let mut index = false;
            crate::operands::each_uniform(inst, |r| index |= view.ureg(r) != right.ureg(r));
            own != mask || index
        }
        Route::Memory | Route::ConstLoad | Route::Texture => {
            own != mask || mask != 0 && goes_elsewhere(inst, right, view, mask, has_constants)
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

/// What a ghost stores, or gives an atomic.
fn stored(
    view: &GhostView<'_>,
    inst: &Inst,
    m: &MemOp,
    mask: Mask,
    data: &mut [Lanes; 4],
) -> Result<(), TrapKind> {
    match m.kind {
        MemKind::Store => store_rows(view, inst, m, data),
        MemKind::Atomic(..) | MemKind::Reduce(..) => {
            for lane in (0..WARP).filter(|l| mask >> l & 1 == 1) {
                let b = value(view, inst.src[1], lane)?;
                let c = value(view, inst.src[2], lane)?;
                for (i, word) in [b, b >> 32, c, c >> 32].into_iter().enumerate() {
                    data[i][lane] = word as u32;
                }
            }
            Ok(())
        }
        MemKind::Load | MemKind::QuerySpace(_) => Ok(()),
    }
}

/// Ghosts' words of a constant that came with the operands: ghost, `i`, difference.
pub(crate) fn of_constant<P: Probe>(
    constants: &Constants,
    bank: u8,
    offset: i64,
    i: usize,
    p: &mut P,
) -> Vec<(u32, usize, u32)> {
    let (Some(g), Some(number)) = (p.ghosts(), constants.number(bank, offset)) else {
        return Vec::new();
    };
    g.constants.iter().filter(|c| c.1 == number).map(|&(ghost, _, xor)| (ghost, i, xor)).collect()
}

/// The same of a word that was read on the side.
pub(crate) fn of_noted<P: Probe>(addr: u64, i: usize, p: &mut P) -> Vec<(u32, usize, u32)> {
    let Some(g) = p.ghosts() else { return Vec::new() };
    g.noted.iter().filter(|n| n.1 == addr).map(|&(ghost, _, xor)| (ghost, i, xor)).collect()
}

/// An instruction is about to be decoded: ghosts with other bits must leave.
pub(crate) fn wrong_code<P: Probe>(sm: u32, slot: u32, ibuf: &Ibuf, p: &mut P) -> bool {
    let Some(g) = p.ghosts() else { return false };
    let head = Place::ibuf(sm, ibuf_row(slot, ibuf.capacity(), ibuf.head_index()));
    let who: Vec<u32> = g.at(head).iter().map(|d| d.ghost).collect();
    for ghost in who {
        g.mark_used(ghost);
        g.leave(ghost);
    }
    g.wants_out()
}

/// An instruction will name other constants.
pub(crate) fn forget_constants<P: Probe>(p: &mut P) {
    if let Some(g) = p.ghosts() {
        g.constants.clear();
    }
}

/// The word at `addr` is constant `number` of an instruction.
pub(crate) fn keep_constant<P: Probe>(addr: u64, number: usize, p: &mut P) {
    if let Some(g) = p.ghosts() {
        let noted = std::mem::take(&mut g.noted);
        let of_word = noted.iter().filter(|n| n.1 == addr);
        g.constants.extend(of_word.map(|&(ghost, _, xor)| (ghost, number as u8, xor)));
    }
}

/// A word of a line is read on the side.
pub(crate) fn note_word<P: Probe>(place: Place, word: usize, addr: u64, p: &mut P) {
    let Some(g) = p.ghosts() else { return };
    let mut noted = Vec::new();
    for d in g.at(place).iter().filter(|d| d.words[word % WORDS] != 0) {
        noted.push((d.ghost, addr, d.words[word % WORDS]));
    }
    g.noted.append(&mut noted);
}

/// An instruction came into a buffer: from a row, or from below (noted).
pub(crate) fn fetched<P: Probe>(from: Option<Place>, to: Place, word: u32, line: u64, p: &mut P) {
    let Some(g) = p.ghosts().filter(|g| !g.is_calm()) else { return };
    match from {
        Some(from) => g.copy(from, word, to, 0xffff),
        None => {
            g.drop_row(to);
            let start = line + u64::from(word) * 4;
            for (ghost, addr, xor) in g.noted.clone() {
                if (start..start + 16).contains(&addr) {
                    let mut words = [0; WORDS];
                    words[((addr - start) / 4) as usize] = xor;
                    let mut mask = [0; WORDS];
                    mask[((addr - start) / 4) as usize] = !0;
                    g.merge(to, ghost, &mask, &words);
                }
            }
        }
    }
}

impl Shadows {
    /// Takes the ghosts' versions of an access.
    pub(crate) fn take_access(&mut self, index: u32) -> Vec<(u32, Box<Access>)> {
        self.accesses.remove(&index).unwrap_or_default()
    }

    /// Puts them back, if there are any.
    pub(crate) fn put_access(&mut self, index: u32, list: Vec<(u32, Box<Access>)>) {
        if !list.is_empty() {
            self.accesses.insert(index, list);
        }
    }
}
