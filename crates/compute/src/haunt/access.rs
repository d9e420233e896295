//! Ghosts' parts in memory instructions on their way.

use upset_isa::trap::TrapKind;
use upset_isa::warp::{guarded, store_rows, value, write_old, write_one, write_rows};
use upset_isa::{AtomOp, Inst, Lanes, Mask, MemKind, MemOp, WARP};
use upset_mem::Filled;
use upset_state::words::{WORDS, apply_words, difference};
use upset_state::{Origin, Place, Probe};

use super::elsewhere;
use super::operands::GhostView;
use super::target::{GhostTarget, Written};
use crate::lsu::access::Access;
use crate::lsu::describe::Placement;
use crate::sm::{Cx, Sm};
use crate::view::Constants;

impl Sm {
    /// A memory instruction was described: which ghosts have other data?
    pub(crate) fn haunt_access<P: Probe>(
        &mut self,
        index: u32,
        inst: &Inst,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) {
        self.shadows.accesses.remove(&index);
        let Some(g) = cx.probe.ghosts() else { return };
        let a = &self.accesses[index];
        let issuing = &self.shadows.issuing;
        let Some(m) = a.op.filter(|_| !issuing.involved.is_empty() && a.mask != 0) else { return };
        let (whose, right) = (self.whose(a.slot), self.view(a.slot, constants));
        let place = self.placement(a.slot, cx.kernel, cx.mem.global());
        let mut made = Vec::new();
        for &ghost in &issuing.involved {
            let view = GhostView::new(&right, inst, whose, g, ghost, Some(issuing));
            if let Some(own) = self.access_elsewhere(a, inst, &view, &place) {
                made.push((ghost, own));
                continue;
            }
            let mut data = a.data;
            let known = stored(&view, inst, &m, a.mask, &mut data).is_ok();
            if known && differ_in(&data, &a.data, a.mask) {
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

    /// A ghost's version of an access of other lanes, or to other places.
    fn access_elsewhere(
        &self,
        a: &Access,
        inst: &Inst,
        view: &GhostView<'_>,
        place: &Placement<'_>,
    ) -> Option<Box<Access>> {
        let m = elsewhere::plain(inst)?;
        let mask = guarded(view, inst.guard, self.warps[a.slot as usize].flow.active);
        let mut own = Box::<Access>::default();
        // It was found to do so without a trap.
        own.describe(a.slot, (inst, &m), mask, view, place).ok()?;
        let moved = |l: usize| mask >> l & 1 == 1 && own.addrs[l] != a.addrs[l];
        let lines = own.lines.iter().map(|l| l.addr).ne(a.lines.iter().map(|l| l.addr));
        (mask != a.mask || lines || (0..WARP).any(moved)).then_some(own)
    }

    /// A part of an access is about to come from a row: the ghosts collect
    /// theirs. `bytes` are the right ones.
    pub(crate) fn haunt_collect<P: Probe>(
        &mut self,
        index: u32,
        n: usize,
        from: Origin,
        bytes: &[u8],
        base: u64,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let a = &mut self.accesses[index];
        let deltas = g.at_origin(from);
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
        for d in &deltas {
            if list.iter().any(|(ghost, _)| *ghost == d.ghost) {
                continue;
            }
            own.copy_from_slice(bytes);
            apply_words(&d.words, &mut own);
            let mut shadow = Box::new(a.clone());
            shadow.collect(n, &own, base);
            let read = a.lines[n].bytes;
            if shadow.data != after.data || texels(&shadow, read) != texels(&after, read) {
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
                let line = level.line(*row);
                let alike = cx.probe.ghosts().is_none_or(|g| g.is_alike(line.origin));
                if !haunted && alike {
                    return;
                }
                let (bytes, origin) = (line.bytes.to_vec(), line.origin);
                let base = self.accesses[index].lines[n].addr;
                self.haunt_collect(index, n, origin, &bytes, base, cx);
            }
            Filled::Packet { bytes, flight, .. } => {
                let origin = Origin::flight(*flight, 0);
                self.haunt_collect(index, n, origin, &bytes[..], line, cx);
            }
            Filled::Atomic(batch) => self.haunt_returned(index, batch, cx),
            Filled::Done | Filled::Nothing => {}
        }
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

    /// An access is about to write its result: what will the ghosts' rows be?
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
            let mut to = GhostTarget::new(whose, ghost, g, self.view(a.slot, &Constants::NONE));
            if let Some((op, texels)) = shadow.tex.as_deref() {
                let textures = &kernel.textures;
                let _ = crate::lsu::texture::sample(op, texels, a.mask, textures, &mut shadow.data);
            }
            match a.op.map(|m| m.kind) {
                Some(MemKind::Atomic(..)) => {
                    write_old(&mut to, (a.dst, a.pdst[0]), a.mask, a.done, &shadow.old);
                }
                Some(MemKind::Load) | None => {
                    write_rows(&mut to, &a.rows, shadow.mask, &shadow.data);
                }
                Some(MemKind::LoadLock) => write_rows(&mut to, &a.rows, a.done, &shadow.data),
                Some(MemKind::PhaseCheck) => {
                    write_one(&mut to, a.pdst[0], a.mask, shadow.phases_past());
                }
                Some(_) => {}
            }
            to.done()
        };
        made.into_iter().filter(|(ghost, _)| g.is_followed(*ghost)).map(write).collect()
    }

    /// An access is over.
    pub(crate) fn end_haunted(&mut self, index: u32) {
        self.shadows.accesses.remove(&index);
        self.accesses[index].haunted = false;
    }
}

/// Whether data differ in a lane that takes part: rows are copied as a whole,
/// and what is in the other lanes goes nowhere.
fn differ_in(a: &[Lanes; 4], b: &[Lanes; 4], mask: Mask) -> bool {
    let lane = |l: &usize| mask >> l & 1 == 1;
    a.iter().zip(b).any(|(a, b)| (0..WARP).filter(lane).any(|l| a[l] != b[l]))
}

/// The line that a texture access collected last, without the bytes that no
/// texel is read from.
fn texels(a: &Access, read: u128) -> Option<[u8; 128]> {
    let (_, texels) = a.tex.as_deref()?;
    let (_, line) = texels.lines.last()?;
    Some(std::array::from_fn(|i| if read >> i & 1 == 1 { line[i] } else { 0 }))
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
        MemKind::Store | MemKind::StoreUnlock => store_rows(view, inst, m, data),
        // Lanes that arrive together have a sum, and the same one: others leave.
        MemKind::Atomic(AtomOp::Arrive(_), _) | MemKind::Reduce(AtomOp::Arrive(_), _) => Ok(()),
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
        MemKind::Load
        | MemKind::LoadLock
        | MemKind::QuerySpace(_)
        | MemKind::Copy(_)
        | MemKind::Bulk(_)
        | MemKind::CopiesEnd(_)
        | MemKind::PhaseCheck => Ok(()),
    }
}
