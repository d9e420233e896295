//! The way back through a CTA's trace: from what its stores, addresses and
//! jumps need to the bits that feed them.

use std::collections::HashMap;

use upset_compute::operands::{each_descriptor, each_register, each_uniform};
use upset_device::Code;
use upset_isa::control::barriers::lanes;
use upset_isa::program::Slot;
use upset_isa::texture::texture_rows;
use upset_isa::warp::load_rows;
use upset_isa::{
    Across, Dst, Exec, Inst, Mask, MemKind, MemOp, PT, PredSrc, RZ, Space, Src, URZ, Unit, WARP,
    Width,
};
use upset_state::Kind;

use crate::clock::Launches;
use crate::hot::ValueOrigin;
use crate::live::{LiveRow, LiveWord};
use crate::needs::{Need, Needs};
use crate::nvidia::inputs::{Input, Values};
use crate::nvidia::masking::sources;
use crate::nvidia::matters::Matters;
use crate::nvidia::trace::{Done, ELSEWHERE, Item, Trace, What};
use crate::refined::Refined;
use crate::rows::unpack;

/// One warp.
struct WarpLife {
    rows: Vec<LiveRow>,
    preds: [LiveWord; PT as usize],
    uregs: [LiveWord; URZ as usize],
    upreds: [LiveWord; PT as usize],
}

/// What the way back needs of a CTA.
pub(crate) struct Subject<'a> {
    pub(crate) code: &'a Code,
    pub(crate) kernel: u32,
    pub(crate) registers: u32,
    pub(crate) shared_bytes: u32,
    pub(crate) sm: u32,
    /// First byte of its shared memory.
    pub(crate) shared: u32,
    pub(crate) warps: &'a [Arrival],
    /// The trace goes on after this cycle: all that is there may matter.
    pub(crate) cut: Option<u64>,
    /// The trace began before: what is there was there.
    pub(crate) continues: Option<u64>,
}

/// A warp of the CTA.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrival {
    pub(crate) slot: u32,
    /// Its register file, and its first row there.
    pub(crate) file: u32,
    pub(crate) first_row: u32,
    /// When each of its rows was last written before it came; empty while it
    /// has not come.
    pub(crate) before: Vec<u64>,
}

struct Back<'a> {
    subject: &'a Subject<'a>,
    trace: &'a Trace,
    launches: &'a Launches,
    warps: Vec<WarpLife>,
    shared: Vec<LiveWord>,
    /// What matters of results that were written, until the instruction is reached.
    results: HashMap<u32, Box<Matters>>,
    to: &'a mut Refined,
}

/// Goes back through a trace.
pub(crate) fn back(subject: &Subject<'_>, trace: &Trace, launches: &Launches, to: &mut Refined) {
    let (fill, until) = match subject.cut {
        Some(cycle) => (!0, cycle),
        None => (0, trace.items.last().map_or(0, |i| i.cycle)),
    };
    let word = |bits: u32, row: u32| LiveWord {
        need: Need::all(fill & bits),
        until,
        spent: 0,
        at: (subject.sm, row),
    };
    let warps = subject.warps.iter().map(|w| {
        let row = |r| LiveRow::new(fill, until, (w.file, w.first_row + r));
        let (pred, ureg) = (w.slot * u32::from(PT), w.slot * u32::from(URZ));
        WarpLife {
            rows: (0..subject.registers).map(row).collect(),
            preds: std::array::from_fn(|p| word(!0, pred + p as u32)),
            uregs: std::array::from_fn(|r| word(!0, ureg + r as u32)),
            upreds: std::array::from_fn(|p| word(1, pred + p as u32)),
        }
    });
    let mut back = Back {
        subject,
        trace,
        launches,
        warps: warps.collect(),
        shared: (0..subject.shared_bytes).map(|b| word(0xff, subject.shared + b)).collect(),
        results: HashMap::new(),
        to,
    };
    for open in trace.open() {
        back.results.insert(open, Box::new(Matters::ALL));
    }
    for item in trace.items.iter().rev() {
        back.item(item);
    }
    back.end();
}

impl Back<'_> {
    fn inst(&self, done: &Done) -> Option<Inst> {
        let program = &self.subject.code.program;
        match program.slots.get((done.pc / program.layout.step()) as usize) {
            Some(Slot::Inst(inst)) => Some(*inst),
            _ => None,
        }
    }

    fn item(&mut self, item: &Item) {
        let done = self.trace.done[item.inst as usize];
        let Some(inst) = self.inst(&done) else { return };
        match item.what {
            What::Write => self.write(item, &done, &inst),
            What::Shared => self.shared(item, &done, &inst),
            What::Read => self.read(item, &done, &inst),
        }
    }

    /// What is before the first entry: values that nobody wrote here.
    fn end(&mut self) {
        let start = self.launches.start();
        let begin = |cycle: u64| cycle.saturating_sub(1);
        let launches = self.launches;
        let Back { subject, warps, shared, to, .. } = self;
        for (warp, arrival) in warps.iter_mut().zip(subject.warps) {
            for (r, row) in warp.rows.iter_mut().enumerate() {
                let written = arrival.before.get(r).copied().unwrap_or(0);
                row.settle(subject.continues.unwrap_or(written), &mut to.rf, launches);
                let place = in_register(subject.kernel, None, r as u8);
                to.hot.add(place, std::mem::take(&mut row.spent));
            }
            let from = subject.continues.unwrap_or(begin(start));
            warp.preds.iter_mut().for_each(|w| w.settle(from, &mut to.pred, launches));
            warp.uregs.iter_mut().for_each(|w| w.settle(from, &mut to.ureg, launches));
            warp.upreds.iter_mut().for_each(|w| w.settle(from, &mut to.upred, launches));
        }
        let from = subject.continues.unwrap_or(begin(start));
        for byte in shared {
            byte.settle(from, &mut to.smem, launches);
            to.hot.add(in_shared(subject.kernel, None), std::mem::take(&mut byte.spent));
        }
    }

    /// Results are written: what was there before does not matter.
    fn write(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let mut matters = self.results.remove(&item.inst).unwrap_or(Box::new(Matters::NOTHING));
        let cycle = item.cycle;
        let Back { subject, warps, to, launches, .. } = self;
        let Some(warp) = warps.get_mut(done.warp as usize) else { return };
        // An atomic need not exist where its address leads; its register stays then.
        let kills = match inst.exec {
            Exec::Mem(MemOp { space: Space::Generic, kind: MemKind::Atomic(..), .. }) => 0,
            _ => done.mask,
        };
        let first = done.mask.trailing_zeros() as usize % WARP;
        match destinations(inst) {
            Written::Rows(rows) => {
                for (word, r) in rows.into_iter().enumerate().filter(|(_, r)| *r != RZ) {
                    let Some(row) = warp.rows.get_mut(usize::from(r)) else { continue };
                    row.settle(cycle, &mut to.rf, launches);
                    (matters.alone[word], matters.jointly[word]) = row.take(kills);
                    let place = in_register(subject.kernel, Some(done.pc), r);
                    to.hot.add(place, std::mem::take(&mut row.spent));
                }
            }
            Written::Uniform(rows) => {
                for (word, r) in rows.into_iter().enumerate().filter(|(_, r)| *r < URZ) {
                    let live = &mut warp.uregs[usize::from(r)];
                    live.settle(cycle, &mut to.ureg, launches);
                    let need = std::mem::take(&mut live.need);
                    matters.alone[word][first] = need.alone;
                    matters.jointly[word][first] = need.jointly;
                    live.spent = 0;
                }
            }
        }
        if let Exec::WritePreds { .. } = inst.exec {
            // Which are written depends on values: none is taken to be.
            let set = if inst.uniform { &warp.upreds } else { &warp.preds };
            matters.preds[0] = set.iter().fold(0, |all, p| all | p.need.jointly) & done.mask;
            return drop(self.results.insert(item.inst, matters));
        }
        // The first wins where both name one predicate: it is the last to be written.
        for (i, dst) in inst.pdst.iter().enumerate().filter(|(_, d)| d.pred < PT) {
            let p = usize::from(dst.pred);
            if dst.uniform {
                let live = &mut warp.upreds[p];
                live.settle(cycle, &mut to.upred, launches);
                let need = std::mem::take(&mut live.need);
                matters.preds_alone[i] = (need.alone & 1) << first;
                matters.preds[i] = (need.jointly & 1) << first;
            } else {
                let live = &mut warp.preds[p];
                live.settle(cycle, &mut to.pred, launches);
                matters.preds_alone[i] = live.need.alone & done.mask;
                matters.preds[i] = live.need.jointly & done.mask;
                live.need = live.need.map(|bits| bits & !done.mask);
            }
        }
        self.results.insert(item.inst, matters);
    }

    /// An access to shared memory.
    fn shared(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let Exec::Mem(m) = inst.exec else { return };
        let mut matters = self.results.remove(&item.inst).unwrap_or(Box::new(Matters::NOTHING));
        let at = unpack(&self.trace.values, &mut (done.values as usize));
        let Back { subject, shared, to, launches, .. } = self;
        let place = in_shared(subject.kernel, Some(done.pc));
        // Where lanes store to one place the highest wins: it is the last.
        for lane in lanes(done.mask).rev_order().filter(|&l| at[l] != ELSEWHERE) {
            let first = at[lane] as usize;
            let Some(bytes) = shared.get_mut(first..first + usize::from(m.bytes)) else { continue };
            for (i, byte) in bytes.iter_mut().enumerate() {
                byte.settle(item.cycle, &mut to.smem, launches);
                let (word, shift) = (i / 4, 8 * (i % 4));
                match m.kind {
                    MemKind::Load => {
                        let mut need = matters.moved(word, lane);
                        // The sign of a narrow value goes on to the left.
                        if m.signed && m.bytes < 4 {
                            let top = 8 * u32::from(m.bytes) - 1;
                            if matters.jointly[word][lane] >> top != 0 {
                                need.join(Need::all(1 << top));
                            }
                        }
                        byte.need.join(need.map(|bits| bits >> shift & 0xff));
                    }
                    // What is copied comes from memory, not from registers.
                    MemKind::Store | MemKind::Copy(_) => {
                        let need = std::mem::take(&mut byte.need);
                        matters.alone[word][lane] |= need.alone << shift;
                        matters.jointly[word][lane] |= need.jointly << shift;
                        to.hot.add(place, std::mem::take(&mut byte.spent));
                    }
                    MemKind::Atomic(..)
                    | MemKind::Reduce(..)
                    | MemKind::LoadLock
                    | MemKind::StoreUnlock
                    | MemKind::QuerySpace(_)
                    | MemKind::Bulk(_)
                    | MemKind::CopiesEnd(_)
                    | MemKind::PhaseCheck => {
                        byte.need = Need::all(0xff);
                    }
                }
            }
        }
        self.results.insert(item.inst, matters);
    }

    /// Operands are read: they matter as far as what becomes of them does.
    fn read(&mut self, item: &Item, done: &Done, inst: &Inst) {
        let matters = self.results.remove(&item.inst).unwrap_or(Box::new(Matters::NOTHING));
        let cycle = item.cycle;
        self.guard(cycle, done, inst, &matters);
        if done.mask == 0 {
            return;
        }
        let any = matters.lanes();
        // Descriptors say where constants are: all of their bits matter.
        each_descriptor(inst, |r| {
            let all = Needs::all(&[!0; WARP]);
            self.join(done.warp, cycle, Input::UReg(r), &all, done.mask);
        });
        match inst.exec {
            Exec::Alu(f) if is_lane_wise(inst) => {
                if any != 0 {
                    let values = Values::unpack(&self.trace.values, done.values as usize);
                    let warp = done.warp;
                    // Borrowed apart: what is found goes to the same warp.
                    let mut found = Vec::with_capacity(4);
                    sources(inst, f, &values, done.mask, &matters, |i, n| {
                        found.push((i, n.clone()));
                    });
                    for (input, needs) in found {
                        self.join(warp, cycle, input, &needs, done.mask);
                    }
                }
            }
            Exec::Mem(m) => self.access(cycle, done, inst, &m, &matters),
            Exec::Alu(_) if inst.op.across == Across::Shuffle && any != 0 => {
                // Data come from any lane; from where is decided by the others.
                let bits = matters.jointly[0].iter().fold(0, |all, w| all | w);
                if let Src::Reg(r, _) = inst.src[0] {
                    let needs = Needs::all(&[bits; WARP]);
                    self.join(done.warp, cycle, Input::Reg(r), &needs, done.mask);
                }
                for src in &inst.src[1..] {
                    self.join_source(done.warp, cycle, *src, done.mask);
                }
            }
            // Condition codes are not followed: whatever they come from matters.
            Exec::AluCodes { .. } => self.everything(cycle, done, inst, done.mask),
            Exec::Alu(_) | Exec::ReadPreds { .. } | Exec::WritePreds { .. } | Exec::ToUniform => {
                if any != 0 {
                    self.everything(cycle, done, inst, done.mask);
                }
            }
            // Some jumps take what they need of the warp as a whole from lane 0.
            Exec::Flow(_) => self.everything(cycle, done, inst, done.mask | 1),
            Exec::Tex(_) | Exec::Surface(_) => self.everything(cycle, done, inst, done.mask),
            // Every lane holds a part of the matrices.
            Exec::Matrix(_) => self.everything(cycle, done, inst, Mask::MAX),
            Exec::Special(_)
            | Exec::Fence(_)
            | Exec::CacheControl(_)
            | Exec::DepBar { .. }
            | Exec::Nop
            | Exec::Unimplemented => {}
        }
    }

    /// A guard matters where switching its lane on or off does.
    fn guard(&mut self, cycle: u64, done: &Done, inst: &Inst, matters: &Matters) {
        let guard = inst.guard;
        if guard.pred >= PT {
            return;
        }
        let lanes = match inst.exec {
            Exec::DepBar { .. } | Exec::Nop => 0,
            Exec::Alu(_)
            | Exec::Special(_)
            | Exec::ReadPreds { .. }
            | Exec::WritePreds { .. }
            | Exec::ToUniform => {
                let off = done.active & !done.mask;
                matters.lanes() & done.mask | off & self.awaited(done, inst)
            }
            _ => done.active,
        };
        // Lanes of a whole: which of them execute decides for all.
        let lanes = match is_lane_wise(inst) && !inst.uniform {
            _ if lanes == 0 => 0,
            true => lanes,
            false => done.active,
        };
        let input = match guard.uniform {
            true => Input::UPred(guard.pred),
            false => Input::Pred(guard.pred),
        };
        let mut bits = [0; WARP];
        bits[0] = lanes;
        self.join(done.warp, cycle, input, &Needs::all(&bits), lanes);
    }

    /// Lanes in which an instruction's destination matters now.
    fn awaited(&self, done: &Done, inst: &Inst) -> Mask {
        let Some(warp) = self.warps.get(done.warp as usize) else { return !0 };
        let mut lanes = match destinations(inst) {
            Written::Rows(rows) => rows
                .iter()
                .filter_map(|r| warp.rows.get(usize::from(*r)).filter(|_| *r != RZ))
                .fold(0, |all, row| all | row.lanes()),
            Written::Uniform(rows) => {
                let live = |r: &u8| *r < URZ && warp.uregs[usize::from(*r)].need.jointly != 0;
                if rows.iter().any(live) { !0 } else { 0 }
            }
        };
        for dst in inst.pdst.iter().filter(|d| d.pred < PT) {
            let p = usize::from(dst.pred);
            lanes |= match dst.uniform {
                true if warp.upreds[p].need.jointly != 0 => !0,
                true => 0,
                false => warp.preds[p].need.jointly,
            };
        }
        if let Exec::WritePreds { .. } = inst.exec {
            lanes = !0;
        }
        lanes
    }

    /// A load, store or atomic: its address matters in any case, for another
    /// one may not be there.
    fn access(&mut self, cycle: u64, done: &Done, inst: &Inst, m: &MemOp, matters: &Matters) {
        let (warp, mask) = (done.warp, done.mask);
        self.join_source(warp, cycle, inst.src[0], mask);
        if let Some((r, w)) = m.ureg {
            self.join_source(warp, cycle, Src::UReg(r, w), mask);
        }
        for p in inst.psrc {
            self.join_pred(warp, cycle, p, mask);
        }
        match m.kind {
            MemKind::Load | MemKind::LoadLock | MemKind::QuerySpace(_) | MemKind::CopiesEnd(_) => {}
            MemKind::Bulk(_) => {
                self.join_source(warp, cycle, inst.src[1], mask);
                self.join_source(warp, cycle, inst.src[2], mask);
            }
            MemKind::StoreUnlock => self.join_source(warp, cycle, inst.src[1], mask),
            MemKind::Store => {
                let shared = match done.shared {
                    true => unpack(&self.trace.values, &mut (done.values as usize)),
                    false => [ELSEWHERE; WARP],
                };
                let whole = match m.bytes {
                    1 => 0xff,
                    2 => 0xffff,
                    _ => !0,
                };
                for word in 0..m.bytes.div_ceil(4) {
                    let mut needs = Needs::NOTHING;
                    for l in 0..WARP {
                        let moved = matters.moved(usize::from(word), l);
                        needs.put(
                            l,
                            match shared[l] {
                                ELSEWHERE => Need::all(whole),
                                _ => moved.map(|bits| bits & whole),
                            },
                        );
                    }
                    let input = match inst.src[1] {
                        Src::Reg(r, _) if r != RZ => Input::Reg(r.saturating_add(word)),
                        Src::UReg(r, _) if r < URZ => Input::UReg(r.saturating_add(word)),
                        _ => continue,
                    };
                    self.join(warp, cycle, input, &needs, mask);
                }
            }
            MemKind::Atomic(..) | MemKind::Reduce(..) | MemKind::Copy(_) | MemKind::PhaseCheck => {
                self.join_source(warp, cycle, inst.src[1], mask);
                self.join_source(warp, cycle, inst.src[2], mask);
            }
        }
    }

    /// All operands matter.
    fn everything(&mut self, cycle: u64, done: &Done, inst: &Inst, mask: Mask) {
        let warp = done.warp;
        let all = Needs::all(&[!0; WARP]);
        each_register(inst, |r| self.join(warp, cycle, Input::Reg(r), &all, mask));
        each_uniform(inst, |r| self.join(warp, cycle, Input::UReg(r), &all, mask));
        for p in inst.psrc {
            self.join_pred(warp, cycle, p, mask);
        }
        if let Exec::ReadPreds { .. } = inst.exec {
            for pred in 0..PT {
                let p = PredSrc { pred, negate: false, uniform: inst.uniform };
                self.join_pred(warp, cycle, p, mask);
            }
        }
    }

    fn join_source(&mut self, warp: u32, cycle: u64, src: Src, mask: Mask) {
        let all = Needs::all(&[!0; WARP]);
        match src {
            Src::Reg(r, w) if r != RZ => {
                for n in 0..w.words().min(2) {
                    self.join(warp, cycle, Input::Reg(r.saturating_add(n)), &all, mask);
                }
            }
            Src::UReg(r, w) => {
                for n in (0..w.words().min(2)).filter(|n| r + n < URZ) {
                    self.join(warp, cycle, Input::UReg(r + n), &all, mask);
                }
            }
            _ => {}
        }
    }

    fn join_pred(&mut self, warp: u32, cycle: u64, p: PredSrc, mask: Mask) {
        if p.pred < PT {
            let input = if p.uniform { Input::UPred(p.pred) } else { Input::Pred(p.pred) };
            let mut bits = [0; WARP];
            bits[0] = mask;
            self.join(warp, cycle, input, &Needs::all(&bits), mask);
        }
    }

    /// An input is read at `cycle` in the lanes of `mask`.
    fn join(&mut self, warp: u32, cycle: u64, input: Input, needs: &Needs, mask: Mask) {
        let Back { warps, to, launches, .. } = self;
        let Some(warp) = warps.get_mut(warp as usize) else { return };
        match input {
            Input::Reg(r) => {
                if let Some(row) = warp.rows.get_mut(usize::from(r)) {
                    row.settle(cycle, &mut to.rf, launches);
                    row.join(needs, mask);
                }
            }
            Input::UReg(r) => {
                if let Some(word) = warp.uregs.get_mut(usize::from(r)) {
                    word.settle(cycle, &mut to.ureg, launches);
                    lanes(mask).for_each(|l| word.need.join(needs.of(l)));
                }
            }
            Input::Pred(p) => {
                let word = &mut warp.preds[usize::from(p % PT)];
                word.settle(cycle, &mut to.pred, launches);
                word.need.join(needs.of(0).map(|bits| bits & mask));
            }
            Input::UPred(p) => {
                let word = &mut warp.upreds[usize::from(p % PT)];
                word.settle(cycle, &mut to.upred, launches);
                for l in lanes(mask) {
                    word.need.join(needs.of(0).map(|bits| bits >> l & 1));
                }
            }
        }
    }
}

/// A value in a register.
fn in_register(kernel: u32, pc: Option<u32>, register: u8) -> ValueOrigin {
    ValueOrigin { kind: Kind::Rf, kernel, pc, register: Some(register) }
}

/// A value in shared memory.
fn in_shared(kernel: u32, pc: Option<u32>) -> ValueOrigin {
    ValueOrigin { kind: Kind::Smem, kernel, pc, register: None }
}

/// Where the words of a result go.
enum Written {
    Rows([u8; 4]),
    Uniform([u8; 2]),
}

fn destinations(inst: &Inst) -> Written {
    let pair = |r: u8, w: Width, last: u8| if w == Width::W1 || r >= last { last } else { r + 1 };
    match (inst.exec, inst.dst) {
        (Exec::Tex(t), _) => Written::Rows(texture_rows(inst, &t)),
        (Exec::Mem(m), Dst::Reg(..)) if m.kind == MemKind::Load => {
            Written::Rows(load_rows(inst, &m).unwrap_or([RZ; 4]))
        }
        (Exec::Surface(s), Dst::Reg(..)) if s.mem.kind == MemKind::Load => {
            Written::Rows(load_rows(inst, &s.mem).unwrap_or([RZ; 4]))
        }
        (Exec::Mem(m), Dst::UReg(r, _)) if m.bytes == 8 => {
            Written::Uniform([r, pair(r, Width::W2, URZ)])
        }
        (_, Dst::None) => Written::Rows([RZ; 4]),
        (Exec::Matrix(_), Dst::Reg(r, w)) => Written::Rows(std::array::from_fn(|i| {
            let within = i < usize::from(w.words()) && r < RZ - i as u8;
            if within { r + i as u8 } else { RZ }
        })),
        (_, Dst::Reg(r, w)) => Written::Rows([r, pair(r, w, RZ), RZ, RZ]),
        (_, Dst::UReg(r, w)) => Written::Uniform([r, pair(r, w, URZ)]),
    }
}

/// Whether each lane's result depends on that lane's operands alone.
fn is_lane_wise(inst: &Inst) -> bool {
    !matches!(inst.op.unit, Unit::LoadStore | Unit::System | Unit::Tensor | Unit::Texture)
        && inst.op.across == Across::No
        && !matches!(inst.exec, Exec::ToUniform)
}

/// Lanes from the highest down.
trait RevOrder: Iterator<Item = usize> + Sized {
    fn rev_order(self) -> std::vec::IntoIter<usize> {
        let mut all: Vec<usize> = self.collect();
        all.reverse();
        all.into_iter()
    }
}

impl<I: Iterator<Item = usize>> RevOrder for I {}

#[cfg(test)]
mod tests;
