//! Scalar memory: reads by way of a cache that several compute units share.

use upset_gcn::sem::Does;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::{Destinations, scalar_read};
use upset_mem::{Filled, LINE, Read, Reply};
use upset_state::{By, Probe};

use crate::access::{Way, end_fill};
use crate::code::Op;
use crate::counters::Counter;
use crate::cu::Cu;
use crate::group::{Cx, Group};
use crate::shared::Shared;
use crate::todo::Todo;
use crate::tokens::{LINE_BITS, UNIT_SHIFT};
use crate::view::{Target, View};
use crate::witness::Stage;

impl Cu {
    /// A scalar read issues.
    pub(crate) fn issue_scalar<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let (s, _) = self.place(slot);
        let wave = &self.waves[slot as usize];
        let view = View::of(&self.simds[s], wave);
        let at = scalar_read::locate(&view, &op.inst);
        let len = 4 * u64::from(at.in_range);
        if len > 0 && !cx.mem.mapped(at.addr, len) {
            return Err(TrapKind::MemoryViolation(at.addr));
        }
        let pc = wave.pc.wrapping_sub(cx.kernel.code.base) as u32;
        let index = self.accesses.take();
        let a = &mut self.accesses[index];
        a.begin(slot, pc, &op.inst, Way::Scalar);
        a.raw[0][..16].fill(0);
        a.in_range = at.in_range;
        a.scalar_at = at.addr;
        a.find_dwords(at.addr, at.in_range, crate::scalar::LINE_BYTES);
        if let Does::Time = op.inst.row.does {
            a.raw[0][0] = cx.now as u32;
            a.raw[0][1] = (cx.now >> 32) as u32;
        }
        self.tell_step(index, Stage::Begun { slot }, cx);
        if P::GHOSTS {
            self.haunt_access(index);
        }
        let wave = &mut self.waves[slot as usize];
        wave.in_flight += 1;
        wave.counters.raise(op.inst.raises());
        let when = self.scalar_free.max(cx.now + 1);
        let bytes = 4 * u32::from(at.in_range);
        let takes = bytes.div_ceil(cx.config.core.smem.return_bytes.max(1)).max(1);
        self.scalar_free = when + u64::from(takes);
        self.todo.push(when, Todo::Lookup(index));
        Ok(())
    }

    /// A scalar read asks its cache.
    pub(crate) fn lookup<P: Probe>(&mut self, index: u32, shared: &mut Shared, cx: &mut Cx<'_, P>) {
        let now = cx.now;
        if let Does::InvalidateScalar = self.accesses[index].inst.row.does {
            shared.l1s.invalidate_all(now, cx.out, cx.probe);
        }
        while self.accesses[index].next < self.accesses[index].lines.len() {
            let a = &mut self.accesses[index];
            let n = a.next;
            let line = a.lines[n];
            let aligned = line.addr & !(LINE - 1);
            let token = self.local << UNIT_SHIFT | index << LINE_BITS | n as u32;
            match shared.l1s.read(now, aligned, line.bytes, token, false, cx.out, cx.probe) {
                Read::Hit(row) => {
                    let from = shared.l1s.line(row);
                    if P::GHOSTS {
                        self.haunt_bytes(index, n, from.origin, from.bytes, line.addr, cx);
                    }
                    let a = &mut self.accesses[index];
                    let first = a.scalar_at;
                    a.collect(n, from.bytes, line.addr, first);
                }
                Read::Miss => a.pending += 1,
                Read::Blocked => {
                    let later = now + u64::from(cx.config.core.smem.retry);
                    self.todo.push(later, Todo::Lookup(index));
                    return;
                }
            }
            self.accesses[index].next += 1;
        }
        if self.accesses[index].pending == 0 {
            let after = u64::from(cx.config.scalar_latency);
            self.todo.push(now + after, Todo::Complete(index));
        }
    }

    /// The data of a scalar read goes to registers.
    pub(crate) fn complete_scalar<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let ghosts = match P::GHOSTS && self.accesses[index].haunted {
            true => self.haunt_complete(index, 0, cx),
            false => Vec::new(),
        };
        let Cu { accesses, simds, waves, .. } = self;
        let a = &accesses[index];
        let slot = a.slot;
        let s = slot as usize % simds.len();
        let simd = &mut simds[s];
        let mut to = Target {
            vector: &mut simd.vector,
            scalar: &mut simd.scalar,
            wave: &mut waves[slot as usize],
            now: cx.now,
            probe: cx.probe,
        };
        for (reg, value) in scalar_read::results(&a.inst, &a.raw[0][..16]) {
            to.write_scalar(reg, value);
        }
        let by = a.inst.raises().lgkm;
        if P::GHOSTS && !ghosts.is_empty() {
            self.haunt_written(slot, ghosts, cx);
        }
        self.finish(index, Counter::Lgkm, by, cx);
    }
}

/// Bytes of a line of the scalar cache that a read is divided by.
pub(crate) const LINE_BYTES: u64 = 64;

impl Group {
    /// An answer from below for the scalar cache.
    pub(crate) fn receive_scalar<P: Probe>(
        &mut self,
        reply: Reply,
        waiters: &mut Vec<u32>,
        cx: &mut Cx<'_, P>,
    ) {
        let line = reply.line;
        let Group { cus, shared, .. } = self;
        let filled = shared.l1s.fill(cx.now, reply, cx.out, waiters, cx.probe);
        for &waiter in waiters.iter() {
            let Some(cu) = cus.get_mut((waiter >> UNIT_SHIFT) as usize) else { continue };
            let index = waiter << (32 - UNIT_SHIFT) >> (32 - UNIT_SHIFT) >> LINE_BITS;
            let n = (waiter & ((1 << LINE_BITS) - 1)) as usize;
            let base = cu.accesses[index].lines[n].addr;
            match &filled {
                Filled::Line(row) => {
                    let from = shared.l1s.line(*row);
                    if P::GHOSTS {
                        cu.haunt_bytes(index, n, from.origin, from.bytes, base, cx);
                    }
                    let a = &mut cu.accesses[index];
                    if P::ACTIVE {
                        cx.probe.acting(By::Warp { sm: cu.id, slot: a.slot, pc: a.pc });
                        shared.l1s.note_read(cx.now, *row, line, a.lines[n].bytes, cx.probe);
                    }
                    let first = a.scalar_at;
                    a.collect(n, from.bytes, base, first);
                }
                Filled::Packet { bytes, flight, .. } => {
                    if P::GHOSTS {
                        let origin = upset_state::Origin::flight(*flight, 0);
                        cu.haunt_bytes(index, n, origin, &bytes[..], line, cx);
                    }
                    let a = &mut cu.accesses[index];
                    let first = a.scalar_at;
                    a.collect(n, &bytes[..], line, first);
                }
                _ => {}
            }
            let a = &mut cu.accesses[index];
            a.pending = a.pending.saturating_sub(1);
            if a.pending == 0 && a.next == a.lines.len() {
                let after = u64::from(cx.config.scalar_latency);
                cu.todo.push(cx.now + after, Todo::Complete(index));
            }
            cu.next_wake();
        }
        end_fill(&mut shared.l1s, filled, cx.probe);
    }
}
