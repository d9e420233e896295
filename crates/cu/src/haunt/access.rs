//! Ghosts' parts in memory instructions on their way.

use upset_gcn::operand::Operand;
use upset_gcn::sem::buffer::BufferOp;
use upset_gcn::wave::scalar_read;
use upset_mem::{AtomicBatch, Filled, WriteData, batch_row};
use upset_state::words::{WORDS, apply_words, difference};
use upset_state::{Origin, Place, Probe};

use super::shadows::{Shadow, Written};
use super::view::{GhostView, Whose};
use crate::access::{Way, collect};
use crate::cu::Cu;
use crate::group::Cx;
use crate::vector::{atomic_operands, gather_from};

impl Cu {
    /// The data of a store or an atomic are read: which ghosts have others?
    pub(crate) fn haunt_gather<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let Some(g) = cx.probe.ghosts() else { return };
        if g.is_calm() {
            return;
        }
        let a = &self.accesses[index];
        let Operand::Vgpr(first) = a.inst.src[3] else { return };
        let whose = Whose::of(self, a.slot);
        let mut who: Vec<u32> = Vec::new();
        for n in 0..u32::from(a.inst.row.src[3].kind.dwords) {
            for half in 0..2 {
                who.extend(g.at(whose.vgpr(u32::from(first) + n, half)).iter().map(|d| d.ghost));
            }
        }
        who.sort_unstable();
        who.dedup();
        let lanes = a.at.as_ref().map_or(0, |at| at.lanes);
        let mut list = Vec::new();
        for ghost in who {
            let view = GhostView::new(whose, &a.inst, g, ghost);
            let mut own = a.clone();
            gather_from(&view, &mut own);
            let differs = (0..64).any(|l| {
                lanes >> l & 1 == 1 && own.raw.iter().zip(&a.raw).any(|(o, r)| o[l] != r[l])
            });
            if differs {
                let mut shadow = self.right_shadow(index, ghost);
                shadow.raw = own.raw;
                list.push(shadow);
            }
        }
        list.iter().for_each(|s| g.mark_used(s.ghost));
        self.keep_shadows(index, list);
    }

    /// Bytes are about to be collected: ghosts collect theirs. `bytes` are the
    /// right ones, from address `base` on.
    pub(crate) fn haunt_bytes<P: Probe>(
        &mut self,
        index: u32,
        n: usize,
        from: Origin,
        bytes: &[u8],
        base: u64,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let deltas = g.at_origin(from);
        if deltas.is_empty() && !self.accesses[index].haunted {
            return;
        }
        let mut list = self.take_shadows(index);
        let a = &self.accesses[index];
        let (line, places) = (a.lines[n], (base, a.scalar_at));
        let mut after = a.raw;
        collect(&line, &a.at, bytes, places, &mut after);
        let mut own = bytes.to_vec();
        for shadow in &mut list {
            own.copy_from_slice(bytes);
            if let Some(d) = deltas.iter().find(|d| d.ghost == shadow.ghost) {
                apply_words(&d.words, &mut own);
            }
            collect(&line, &a.at, &own, places, &mut shadow.raw);
        }
        for d in &deltas {
            if list.iter().any(|s| s.ghost == d.ghost) {
                continue;
            }
            own.copy_from_slice(bytes);
            apply_words(&d.words, &mut own);
            let mut shadow = self.right_shadow(index, d.ghost);
            collect(&line, &a.at, &own, places, &mut shadow.raw);
            if shadow.raw != after {
                g.mark_used(d.ghost);
                list.push(shadow);
            }
        }
        self.keep_shadows(index, list);
    }

    /// What an access to the vector cache waited for has come.
    pub(crate) fn haunt_filled<P: Probe>(
        &mut self,
        index: u32,
        n: usize,
        line: u64,
        filled: &Filled,
        cx: &mut Cx<'_, P>,
    ) {
        match filled {
            Filled::Line(row) => {
                let from = self.l1v.line(*row);
                let haunted = self.accesses[index].haunted;
                if !haunted && cx.probe.ghosts().is_none_or(|g| g.is_alike(from.origin)) {
                    return;
                }
                let (bytes, origin) = (from.bytes.to_vec(), from.origin);
                let base = self.accesses[index].lines[n].addr;
                self.haunt_bytes(index, n, origin, &bytes, base, cx);
            }
            Filled::Packet { bytes, flight, .. } => {
                let origin = Origin::flight(*flight, 0);
                self.haunt_bytes(index, n, origin, &bytes[..], line, cx);
            }
            Filled::Atomic(batch) => self.haunt_returned(index, batch, cx),
            Filled::Done | Filled::Nothing => {}
        }
    }

    /// An atomic's values before come back.
    fn haunt_returned<P: Probe>(&mut self, index: u32, batch: &AtomicBatch, cx: &mut Cx<'_, P>) {
        let Some(g) = cx.probe.ghosts() else { return };
        let place = |half: u32| Place::flight(batch.flight, batch_row::OLD + half);
        let mut who: Vec<u32> = match batch.flight {
            0 => Vec::new(),
            _ => (0..2).flat_map(|h| g.at(place(h)).iter().map(|d| d.ghost)).collect(),
        };
        let mut list = self.take_shadows(index);
        who.retain(|ghost| list.iter().all(|s| s.ghost != *ghost));
        who.sort_unstable();
        who.dedup();
        list.extend(who.into_iter().map(|ghost| self.right_shadow(index, ghost)));
        for shadow in &mut list {
            let xor = |half: u32, i: usize| match batch.flight {
                0 => 0,
                _ => g.of_ghost(place(half), shadow.ghost).map_or(0, |w| w[i % WORDS]),
            };
            for (i, op) in batch.lanes.iter().enumerate() {
                let xor = u64::from(xor(0, i)) | u64::from(xor(1, i)) << 32;
                shadow.returned.set64(0, usize::from(op.lane), op.old ^ xor);
            }
        }
        self.keep_shadows(index, list);
        upset_mem::end_batch(cx.probe, batch.flight);
    }

    /// A store leaves for a line: gives the ghosts' bytes a number.
    pub(crate) fn haunt_spread<P: Probe>(
        &mut self,
        index: u32,
        n: usize,
        data: &mut WriteData,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        let a = &self.accesses[index];
        for shadow in self.shadows.accesses.get(&index).into_iter().flatten() {
            let mut bytes = data.bytes;
            a.spread(n, &shadow.raw, &mut bytes);
            let words = difference(&bytes, &data.bytes);
            if words.iter().any(|w| *w != 0) {
                if data.flight == 0 {
                    data.flight = g.take_flight();
                }
                g.put(Place::flight(data.flight, 0), shadow.ghost, &words);
            }
        }
    }

    /// An atomic leaves: gives the ghosts' operands a number.
    pub(crate) fn haunt_batch<P: Probe>(
        &mut self,
        index: u32,
        batch: &mut AtomicBatch,
        cx: &mut Cx<'_, P>,
    ) {
        let Some(g) = cx.probe.ghosts() else { return };
        for shadow in self.shadows.accesses.get(&index).into_iter().flatten() {
            let mut rows = [[0; WORDS]; 4];
            for (i, lane) in batch.lanes.iter().enumerate().take(WORDS) {
                let (b, c) = atomic_operands(&shadow.raw, batch.width, usize::from(lane.lane));
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
                    g.put(Place::flight(batch.flight, r as u32), shadow.ghost, words);
                }
            }
        }
    }

    /// An access is about to write its result: what will the ghosts write?
    pub(crate) fn haunt_complete<P: Probe>(
        &mut self,
        index: u32,
        lanes: u64,
        cx: &mut Cx<'_, P>,
    ) -> Vec<Written> {
        let made = self.take_shadows(index);
        self.accesses[index].haunted = false;
        let Some(g) = cx.probe.ghosts() else { return Vec::new() };
        let a = &self.accesses[index];
        let write = |mut s: Shadow| {
            if a.way == Way::Scalar {
                let scalars = scalar_read::results(&a.inst, &s.raw[0][..16]).collect();
                return Written { ghost: s.ghost, rows: Vec::new(), scalars };
            }
            if matches!(a.op(), Some(BufferOp::Load(_))) {
                a.unpack(&s.raw, &mut s.returned);
            }
            Written::of_returned(s.ghost, &a.inst, &s.returned, lanes)
        };
        made.into_iter().filter(|s| g.is_followed(s.ghost)).map(write).collect()
    }
}
