//! The load/store pipe: addresses, coalescing, shared memory, the data cache;
//! and beside it the texture and constant-load pipes.

pub(crate) mod access;
mod bulk;
mod complete;
mod copy;
pub(crate) mod describe;
pub(crate) mod engine;
mod lines;
pub(crate) mod pipe;
pub(crate) mod shared;
pub(crate) mod shared_memory;
pub(crate) mod texture;
mod uniform;

use upset_isa::trap::TrapKind;
use upset_isa::{Mask, WARP};
use upset_state::{By, Probe};

use crate::code::Op;
use crate::config::Config;
use crate::depend::counters::TEXTURES;
use crate::sm::{Cx, LINE_BITS, Sm};
use crate::todo::Todo;
use crate::view::Constants;
use access::{Access, Level, sector_mask};
use upset_machine::Reason;

/// Lines that a waiter number can tell apart.
const LINES: usize = 1 << LINE_BITS;

impl Sm {
    /// A load, store, atomic, constant load or texture fetch leaves the scheduler.
    pub(crate) fn issue_access<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let index = self.accesses.take();
        if let Err(kind) = self.describe(index, slot, &op.inst, mask, constants, cx) {
            self.accesses.put(index);
            return Err(kind);
        }
        if P::GHOSTS {
            self.haunt_access(index, &op.inst, constants, cx);
        }
        let now = cx.now;
        let Sm { accesses, warps, subs, .. } = self;
        let (a, warp) = (&mut accesses[index], &mut warps[slot as usize]);
        if P::ACTIVE {
            a.pc = warp.flow.pc;
        }
        warp.flow.advance(op.next);
        warp.in_flight += 1;
        warp.unnamed += u32::from(a.unnamed);
        warp.awaits(op);
        if let Some(marks) = &op.marks {
            a.written = marks.written;
        }
        warp.counters.raise(op.inst.ctl.read_sb);
        if a.bulk.is_some() {
            self.begin_bulk(index, now);
            return Ok(());
        }
        if a.awaits().is_some() {
            self.await_copies(index, cx);
            return Ok(());
        }
        let read = now + u64::from(op.read);
        if a.level == Level::Data {
            let sub = &mut subs[usize::from(warp.home.scheduler)];
            sub.queued += 1;
            let at = read.max(sub.address_free);
            let interval = match a.lines.is_empty() {
                true => cx.config.shared_interval,
                false => cx.config.address_interval,
            };
            sub.address_free = at + u64::from(interval);
            self.todo.push(at, Todo::Arrive(index));
        } else {
            let texture = a.level == Level::Texture;
            if texture && op.marks.is_some() {
                warp.counters.raise(TEXTURES);
            }
            self.in_order[usize::from(texture)].push_back(index);
            let at = read.max(self.texture_free);
            self.texture_free = at + u64::from(op.interval);
            self.todo.push(at, Todo::Lookup(index));
        }
        Ok(())
    }

    /// Operands are read and addresses known: on to the SM's shared pipe.
    pub(crate) fn arrive<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if !self.accesses[index].ends_with_operands() {
            self.release_operands(index, cx.now);
        }
        self.pipe.queue.push_back(index);
        if !self.pipe.blocked {
            self.schedule_serve(cx.now);
        }
    }

    pub(crate) fn release_operands(&mut self, index: u32, now: u64) {
        let Access { slot, read_sb, .. } = self.accesses[index];
        self.lower(slot, read_sb, now);
    }

    #[inline]
    pub(crate) fn schedule_serve(&mut self, now: u64) {
        if !self.pipe.scheduled && !self.pipe.queue.is_empty() {
            self.schedule_next(now);
        }
    }

    #[inline(never)]
    fn schedule_next(&mut self, now: u64) {
        self.pipe.scheduled = true;
        self.todo.push(self.pipe.free.max(now), Todo::Serve);
    }

    /// The shared pipe works on its oldest access.
    pub(crate) fn serve<P: Probe>(&mut self, cx: &mut Cx<'_, P>) {
        self.pipe.scheduled = false;
        let Some(&index) = self.pipe.queue.front() else { return };
        if P::ACTIVE {
            let a = &self.accesses[index];
            cx.probe.acting(By::Warp { sm: self.id, slot: a.slot, pc: a.pc });
        }
        if self.accesses[index].is_store() {
            // The crossbar takes stores no faster than its port allows.
            let free = cx.mem.injection_free(self.l1d.port());
            let backlog = u64::from(cx.config.store_backlog);
            if free > cx.now + backlog && !self.accesses[index].lines.is_empty() {
                self.pipe.scheduled = true;
                self.todo.push(free - backlog, Todo::Serve);
                return;
            }
        }
        let mut cost = 0;
        if self.accesses[index].shared != 0 && !self.accesses[index].shared_done {
            cost += self.access_shared(index, cx);
            self.accesses[index].shared_done = true;
        }
        let from = self.accesses[index].next;
        let whole = self.access_lines(index, cx);
        let a = &self.accesses[index];
        if a.next > from {
            let sectors = a.lines[from as usize..a.next as usize]
                .iter()
                .map(|l| u32::from(sector_mask(l.bytes)).count_ones())
                .sum::<u32>();
            cost += (a.next - from).max(sectors.div_ceil(cx.config.l1d_sectors));
        }
        let words = a.op.filter(|_| a.has_result()).map_or(0, |m| u32::from(m.bytes).max(4));
        let lanes = if words > 0 { WARP as u32 } else { 0 };
        let beats = (words * lanes).div_ceil(cx.config.return_bytes);
        cost = cost.max(cx.config.sm_interval).max(beats);
        self.pipe.free = cx.now + u64::from(cost);
        if !whole {
            self.pipe.blocked = true;
            return;
        }
        self.pipe.queue.pop_front();
        let slot = a.slot;
        let (s, _) = self.place(slot);
        self.subs[s].queued = self.subs[s].queued.saturating_sub(1);
        self.rouse_queue(s, cx.now);
        if self.accesses[index].is_fresh_part() {
            self.part_is_through(cx.now);
        }
        let a = &self.accesses[index];
        if a.pending == 0 {
            let after = self.return_time(index, cx.config);
            if self.accesses[index].has_result() {
                self.todo.push(cx.now + after + u64::from(cost - 1), Todo::Complete(index));
            } else {
                self.finish(index, cx);
            }
        }
        self.schedule_serve(cx.now);
    }

    /// Warps of a sub-core that wait for room in its memory queue.
    #[inline]
    fn rouse_queue(&mut self, s: usize, now: u64) {
        let waiting = std::mem::take(&mut self.subs[s].sched.queuing);
        if waiting != 0 {
            self.rouse_waiting(s, waiting, now);
        }
    }

    #[inline(never)]
    fn rouse_waiting(&mut self, s: usize, waiting: u64, now: u64) {
        let mut waiting = waiting;
        while waiting != 0 {
            let local = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let sub = &mut self.subs[s];
            if sub.sched.sleeps(local) && sub.sched.of(local).why == Reason::MemoryQueue {
                let slot = local * self.subs.len() + s;
                self.rouse_if(slot as u32, Reason::MemoryQueue, now);
            }
        }
    }

    /// Cycles from the cache's answer to the registers.
    pub(crate) fn return_time(&self, index: u32, config: &Config) -> u64 {
        let a = &self.accesses[index];
        let (latency, beats) = match (a.level, a.op) {
            (Level::Texture, _) => (config.l1t_latency, 0),
            (Level::Constant, _) => (config.l1c_latency, 0),
            (Level::Data, Some(m)) => {
                let bytes = u32::from(m.bytes).max(4) * WARP as u32;
                let beats = bytes.div_ceil(config.return_bytes).saturating_sub(2);
                let shared = a.lines.is_empty();
                (if shared { config.shared_latency } else { config.l1d_latency }, beats)
            }
            (Level::Data, None) => (config.l1d_latency, 0),
        };
        u64::from(latency.saturating_sub(config.operand_read).max(1) + beats)
    }
}
