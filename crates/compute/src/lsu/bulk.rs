//! Bulk copies between global and shared memory.
//!
//! An engine of the SM cuts them into parts, as long as what a warp accesses at once.
//! A part passes the load/store pipe twice, as a load and as a store; the next one
//! follows when it has gone through the first time. When all have ended, the barrier
//! of a copy to shared memory is told.

use upset_isa::atomic::{AtomOp, AtomType};
use upset_isa::control::barriers::lanes;
use upset_isa::warp::BulkPlaces;
use upset_isa::{Arrival, ArrivalKind, BulkTo, CopyTo, MemKind, MemOp, Space, WARP};
use upset_mem::LINE;
use upset_state::Probe;

use super::access::{Access, Form};
use super::engine::Bulk;
use crate::sm::{Cx, Sm};
use crate::todo::Todo;

impl Access {
    /// Is it a part of a bulk copy on its first way?
    pub(super) fn is_fresh_part(&self) -> bool {
        let reads = matches!(self.op.map(|m| m.kind), Some(MemKind::Copy(_) | MemKind::Load));
        self.part_of.is_some() && reads
    }

    /// Makes a part of it: its lanes lie side by side in both memories.
    fn begin_part(&mut self, m: &MemOp, to: BulkTo, places: &BulkPlaces) {
        let step = u32::from(m.bytes);
        let (copy, space) = match to {
            BulkTo::Shared => (MemKind::Copy(CopyTo { offset: 0, partial: false }), Space::Global),
            BulkTo::Global | BulkTo::Reduced(..) => (MemKind::Load, Space::Shared),
        };
        self.op = Some(MemOp { kind: copy, space, ..*m });
        self.clear_loaded();
        for lane in lanes(self.mask) {
            let at = step * lane as u32;
            let (global, shared) = (places.global + u64::from(at), places.shared + at);
            match to {
                BulkTo::Shared => {
                    self.addrs[lane] = global as u32;
                    self.touch(lane, global, step, 0, false, LINE);
                    (self.old[0][lane], self.old[1][lane]) = (shared, step);
                }
                BulkTo::Global | BulkTo::Reduced(..) => {
                    self.addrs[lane] = shared;
                    (self.old[0][lane], self.old[1][lane]) = (global as u32, (global >> 32) as u32);
                }
            }
        }
        self.shared = if to == BulkTo::Shared { 0 } else { self.mask };
    }

    /// What was read in shared memory goes to global memory.
    fn turn_to_global(&mut self, to: BulkTo) {
        let Some(m) = self.op else { return };
        let rows = self.rows_in_use();
        self.data.iter_mut().skip(rows).for_each(|row| *row = [0; WARP]);
        let [low, high] = self.old;
        for lane in lanes(self.mask) {
            let at = u64::from(low[lane]) | u64::from(high[lane]) << 32;
            self.addrs[lane] = low[lane];
            self.touch(lane, at, m.bytes.into(), 0, false, LINE);
        }
        let kind = match to {
            BulkTo::Reduced(op, ty) => MemKind::Reduce(op, ty),
            BulkTo::Shared | BulkTo::Global => MemKind::Store,
        };
        self.op = Some(MemOp { kind, space: Space::Global, ..m });
        (self.shared, self.next) = (0, 0);
    }

    /// The bytes have come: it tells the barrier.
    fn turn_to_arrival(&mut self, barrier: u32, bytes: u32) {
        let come = Arrival { kind: ArrivalKind::Complete, leaves: false };
        let kind = MemKind::Reduce(AtomOp::Arrive(come), AtomType::U64);
        self.op = self.op.map(|m| MemOp { kind, space: Space::Shared, bytes: 8, ..m });
        (self.mask, self.done, self.shared) = (1, 1, 1);
        self.addrs[0] = barrier;
        self.data = [[0; WARP]; 4];
        let part = come.part(bytes);
        (self.data[0][0], self.data[1][0]) = (part as u32, (part >> 32) as u32);
    }

    /// Where a bulk copy, or a part of it, leads.
    fn leads_to(&self) -> BulkTo {
        match self.form {
            Form::Bulk(to) => to,
            _ => BulkTo::Shared,
        }
    }
}

impl Sm {
    /// A bulk copy has issued.
    pub(super) fn begin_bulk(&mut self, index: u32, now: u64) {
        self.release_operands(index, now);
        match self.accesses[index].bulk {
            Some(Bulk { left: 1.., .. }) => {
                self.engine.queue.push_back(index);
                self.feed_engine(now);
            }
            _ => self.todo.push(now + 1, Todo::Complete(index)),
        }
    }

    /// The engine makes a part of its oldest copy, unless one is on its way.
    fn feed_engine(&mut self, now: u64) {
        let Some(&of) = self.engine.queue.front().filter(|_| !self.engine.busy) else { return };
        let whole = &mut self.accesses[of];
        let (Some(m), Some(bulk)) = (whole.op, whole.bulk.as_mut()) else { return };
        let places = bulk.places;
        let bytes = bulk.left.min(u32::from(m.bytes) * WARP as u32);
        bulk.places.global += u64::from(bytes);
        bulk.places.shared += bytes;
        bulk.left -= bytes;
        bulk.parts += 1;
        if bulk.left == 0 {
            self.engine.queue.pop_front();
        }
        self.engine.busy = true;
        let (slot, pc, to) = (whole.slot, whole.pc, whole.leads_to());
        let (dst, pdst) = (whole.dst, whole.pdst);
        let index = self.accesses.take();
        let a = &mut self.accesses[index];
        let mask = !0 >> (WARP as u32 - bytes / u32::from(m.bytes));
        a.begin_as_part((slot, pc), of, Some(m), mask);
        (a.form, a.dst, a.pdst) = (Form::Bulk(to), dst, pdst);
        a.begin_part(&m, to, &places);
        self.warps[slot as usize].in_flight += 1;
        self.queue_again(index, now);
    }

    /// A part has gone through the pipe for the first time.
    pub(super) fn part_is_through(&mut self, now: u64) {
        self.engine.busy = false;
        self.feed_engine(now);
    }

    /// The bytes of a part were read in shared memory: they go on to global memory.
    pub(super) fn store_part(&mut self, index: u32, now: u64) {
        let to = self.accesses[index].leads_to();
        self.accesses[index].turn_to_global(to);
        self.shadows.each_of(index).for_each(|shadow| shadow.turn_to_global(to));
        self.queue_again(index, now);
    }

    /// A part of a bulk copy has ended.
    pub(super) fn part_done<P: Probe>(&mut self, of: u32, cx: &mut Cx<'_, P>) {
        let Some(bulk) = self.accesses[of].bulk.as_mut() else { return };
        bulk.parts -= 1;
        let Bulk { places, left, parts } = *bulk;
        if left > 0 || parts > 0 {
            return;
        }
        match places.barrier {
            Some(barrier) => {
                self.accesses[of].turn_to_arrival(barrier, places.bytes);
                self.queue_again(of, cx.now);
            }
            None => self.finish(of, cx),
        }
    }
}
