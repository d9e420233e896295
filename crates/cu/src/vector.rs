//! Vector memory: addresses, coalescing, the vector cache, and the way back.

use upset_gcn::inst::Detail;
use upset_gcn::operand::Operand;
use upset_gcn::sem::buffer::BufferOp;
use upset_gcn::sem::texel::Shape;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::each;
use upset_gcn::wave::{Operands, Reg, buffer};
use upset_machine::Reason;
use upset_mem::{AtomicBatch, Filled, LINE, LaneOp, Read, Reply};
use upset_state::{By, Probe};

use crate::access::{Access, WORDS, Way, apply_atomic, end_fill};
use crate::code::Op;
use crate::config::Config;
use crate::counters::Counter;
use crate::cu::Cu;
use crate::group::Cx;
use crate::todo::Todo;
use crate::tokens::LINE_BITS;
use crate::view::{Target, View};
use crate::witness::Stage;

impl Cu {
    /// A vector memory instruction issues: its addresses are read.
    pub(crate) fn issue_vector<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let (s, _) = self.place(slot);
        let wave = &self.waves[slot as usize];
        let invalidates = matches!(buffer::operation(&op.inst)?, BufferOp::Invalidate);
        // Without lanes it counts all the same, and in its order: what code waits
        // for must not depend on EXEC.
        let view = View::of(&self.simds[s], wave);
        let at = buffer::locate(&view, &op.inst)?;
        if let Some(bad) = unmapped(&at, cx) {
            return Err(TrapKind::MemoryViolation(bad));
        }
        let to_lds = matches!(op.inst.detail, Detail::Buffer(b) if b.lds);
        let m0 = if to_lds { view.scalar(Reg::M0) } else { 0 };
        let pc = wave.pc.wrapping_sub(cx.kernel.code.base) as u32;
        let size = u64::from(self.l1v.line_bytes());
        let index = self.accesses.take();
        let a = &mut self.accesses[index];
        a.begin(slot, pc, &op.inst, Way::Vector);
        a.m0 = m0;
        if !invalidates {
            // What is collected piece by piece begins with nothing.
            a.raw = [[0; 64]; WORDS];
            a.returned.words[..2].fill([[0; 32]; 2]);
            a.find_lines(&at, size);
            a.at = Some(at);
        }
        self.tell_step(index, Stage::Begun { slot }, cx);
        if P::GHOSTS {
            self.haunt_access(index);
        }
        let wave = &mut self.waves[slot as usize];
        wave.in_flight += 1;
        wave.counters.raise(op.inst.raises());
        self.in_order[slot as usize].push_back(index);
        let late = op.inst.raises().exp > 0;
        let wait = if late { cx.config.core.vmem.read_data } else { 1 };
        // A load does not overtake a store of its wave whose data has yet to be read.
        let taken = &mut self.last_taken[slot as usize];
        *taken = (*taken).max(cx.now + u64::from(wait));
        self.todo.push(*taken, Todo::Take(index));
        Ok(())
    }

    /// An access leaves the registers: a store's data is read.
    pub(crate) fn take_data<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let slot = self.accesses[index].slot;
        let (s, _) = self.place(slot);
        let raises = self.accesses[index].inst.raises();
        if raises.exp > 0 {
            self.gather(index, s, cx);
            self.lower(slot, Counter::Exp, raises.exp, cx.now);
        }
        self.pipe.queue.push_back(index);
        if !self.pipe.blocked {
            self.schedule_serve(cx.now);
        }
    }

    /// Reads the registers of a store's or an atomic's data.
    fn gather<P: Probe>(&mut self, index: u32, s: usize, cx: &mut Cx<'_, P>) {
        self.tell_step(index, Stage::Taken, cx);
        if P::ACTIVE {
            let a = &self.accesses[index];
            if let (Operand::Vgpr(first), Some(at)) = (a.inst.src[3], &a.at) {
                let count = u32::from(a.inst.row.src[3].kind.dwords);
                for n in 0..count {
                    self.tell_vgpr(a.slot, u32::from(first) + n, at.lanes, cx);
                }
            }
        }
        let Cu { accesses, simds, waves, .. } = self;
        let a = &mut accesses[index];
        let view = View::of(&simds[s], &waves[a.slot as usize]);
        gather_from(&view, a);
        if P::GHOSTS {
            self.haunt_gather(index, cx);
        }
    }

    pub(crate) fn schedule_serve(&mut self, now: u64) {
        if !self.pipe.scheduled && !self.pipe.queue.is_empty() {
            self.pipe.scheduled = true;
            self.todo.push(self.pipe.free.max(now), Todo::Serve);
        }
    }

    /// The address unit works on its oldest access.
    pub(crate) fn serve<P: Probe>(&mut self, cx: &mut Cx<'_, P>) {
        self.pipe.scheduled = false;
        let Some(&index) = self.pipe.queue.front() else { return };
        let a = &self.accesses[index];
        if P::ACTIVE {
            cx.probe.acting(By::Warp { sm: self.id, slot: a.slot, pc: a.pc });
        }
        let op = a.op();
        if matches!(op, Some(BufferOp::Store(_))) && !a.lines.is_empty() {
            // The crossbar takes stores no faster than its port allows.
            let free = cx.mem.injection_free(self.l1v.port());
            let backlog = u64::from(cx.config.core.vmem.store_backlog);
            if free > cx.now + backlog {
                self.pipe.scheduled = true;
                self.todo.push(free - backlog, Todo::Serve);
                return;
            }
        }
        if matches!(op, Some(BufferOp::Invalidate)) {
            self.l1v.invalidate_all(cx.now, cx.out, cx.probe);
        }
        let whole = self.access_lines(index, cx);
        let cost = cost(&self.accesses[index], cx.config);
        self.pipe.free = cx.now + u64::from(cost);
        if !whole {
            self.pipe.blocked = true;
            return;
        }
        self.pipe.queue.pop_front();
        for slot in 0..self.waves.len() as u32 {
            self.rouse_if(slot, Reason::MemoryQueue, cx.now);
        }
        if self.accesses[index].pending == 0 {
            self.gathered(index, cx);
        }
        self.schedule_serve(cx.now);
    }

    /// Sends lines to the vector cache until it blocks. True when all are sent.
    fn access_lines<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> bool {
        let now = cx.now;
        while self.accesses[index].next < self.accesses[index].lines.len() {
            let a = &mut self.accesses[index];
            let n = a.next;
            let line = a.lines[n];
            let token = index << LINE_BITS | n as u32;
            let aligned = line.addr & !(LINE - 1);
            match a.op() {
                Some(BufferOp::Store(_)) => {
                    let mut data = cx.mem.write_box();
                    data.mask = a.spread(n, &a.raw, &mut data.bytes);
                    if P::GHOSTS && a.haunted {
                        self.haunt_spread(index, n, &mut data, cx);
                    }
                    let packets =
                        self.l1v.write_acknowledged(now, aligned, data, token, cx.out, cx.probe);
                    self.accesses[index].pending += packets;
                }
                Some(BufferOp::Atomic { bytes, .. }) => {
                    for half in 0..2 {
                        let Some(mut batch) = self.batch(index, n, half, bytes) else { continue };
                        if P::GHOSTS && self.accesses[index].haunted {
                            self.haunt_batch(index, &mut batch, cx);
                        }
                        let batch = Box::new(batch);
                        self.l1v.atomic_acknowledged(now, aligned, batch, token, cx.out, cx.probe);
                        self.accesses[index].pending += 1;
                    }
                }
                _ => {
                    let bypass = a.glc();
                    match self.l1v.read(now, aligned, line.bytes, token, bypass, cx.out, cx.probe) {
                        Read::Hit(row) => {
                            if P::GHOSTS {
                                self.haunt_filled(index, n, aligned, &Filled::Line(row), cx);
                            }
                            let bytes = self.l1v.line(row).bytes;
                            self.accesses[index].collect(n, bytes, line.addr, 0);
                        }
                        Read::Miss => a.pending += 1,
                        Read::Blocked => return false,
                    }
                }
            }
            self.accesses[index].next += 1;
        }
        true
    }

    /// The lanes of one half whose atomics lie in a line.
    fn batch(&self, index: u32, n: usize, half: u32, bytes: u8) -> Option<AtomicBatch> {
        let a = &self.accesses[index];
        let own = a.lines[n].lanes[0] & 0xffff_ffff << (32 * half);
        if own == 0 {
            return None;
        }
        let addrs = a.at.as_ref().map_or([0; 64], |at| at.addrs);
        let lanes = each(own)
            .map(|lane| {
                let (b, c) = atomic_operands(&a.raw, bytes, lane);
                let offset = (addrs[lane] % LINE) as u8;
                LaneOp { lane: lane as u8, offset, b, c, old: 0 }
            })
            .collect();
        Some(AtomicBatch {
            width: bytes,
            code: u32::from(a.inst.row.op),
            apply: apply_atomic,
            lanes,
            returns: a.glc(),
            flight: 0,
        })
    }

    /// An answer from below for the vector cache.
    pub(crate) fn receive_vector<P: Probe>(
        &mut self,
        reply: Reply,
        waiters: &mut Vec<u32>,
        cx: &mut Cx<'_, P>,
    ) {
        let line = reply.line;
        let filled = self.l1v.fill(cx.now, reply, cx.out, waiters, cx.probe);
        for &waiter in waiters.iter() {
            let (index, n) = (waiter >> LINE_BITS, (waiter & ((1 << LINE_BITS) - 1)) as usize);
            if P::GHOSTS {
                self.haunt_filled(index, n, line, &filled, cx);
            }
            let a = &mut self.accesses[index];
            match &filled {
                Filled::Line(row) => {
                    if P::ACTIVE {
                        cx.probe.acting(By::Warp { sm: self.id, slot: a.slot, pc: a.pc });
                        self.l1v.note_read(cx.now, *row, line, a.lines[n].bytes, cx.probe);
                    }
                    let base = a.lines[n].addr;
                    a.collect(n, self.l1v.line(*row).bytes, base, 0);
                }
                Filled::Packet { bytes, .. } => a.collect(n, &bytes[..], line, 0),
                Filled::Atomic(batch) => {
                    for op in &batch.lanes {
                        a.returned.set64(0, usize::from(op.lane), op.old);
                    }
                }
                Filled::Done | Filled::Nothing => {}
            }
            a.pending = a.pending.saturating_sub(1);
            if a.pending == 0 && a.next == a.lines.len() {
                self.gathered(index, cx);
            }
        }
        end_fill(&mut self.l1v, filled, cx.probe);
        if self.pipe.blocked {
            self.pipe.blocked = false;
            self.schedule_serve(cx.now);
        }
        self.next_wake();
    }

    /// All of an access has come: those of a wave end in their order.
    fn gathered<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.accesses[index].ready = true;
        let slot = self.accesses[index].slot as usize;
        while let Some(&head) = self.in_order[slot].front() {
            if !self.accesses[head].ready {
                break;
            }
            self.in_order[slot].pop_front();
            let loads = matches!(self.accesses[head].op(), Some(BufferOp::Load(_)));
            let after = if loads { cx.config.vector_latency } else { 1 };
            let at = (cx.now + u64::from(after)).max(self.last_end[slot]);
            self.last_end[slot] = at;
            self.todo.push(at, Todo::Complete(head));
        }
    }

    /// A memory instruction ends: its result goes to the registers.
    pub(crate) fn complete<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.tell_step(index, Stage::Completed, cx);
        match self.accesses[index].way {
            Way::Scalar => return self.complete_scalar(index, cx),
            Way::Share => return self.complete_share(index, cx),
            Way::Vector => {}
        }
        let a = &mut self.accesses[index];
        let lanes = a.at.as_ref().map_or(0, |at| at.lanes | at.dead);
        if matches!(a.op(), Some(BufferOp::Load(_))) {
            let mut returned = std::mem::take(&mut a.returned);
            a.unpack(&a.raw, &mut returned);
            a.returned = returned;
        }
        let to_lds = matches!(a.inst.detail, Detail::Buffer(b) if b.lds);
        if to_lds {
            self.write_lds_direct(index, lanes, cx);
        } else {
            self.write_returned(index, lanes, cx);
        }
        self.finish(index, Counter::Vm, 1, cx);
    }

    /// Writes what has come back to the registers.
    pub(crate) fn write_returned<P: Probe>(&mut self, index: u32, lanes: u64, cx: &mut Cx<'_, P>) {
        let ghosts = match P::GHOSTS && self.accesses[index].haunted {
            true => self.haunt_complete(index, lanes, cx),
            false => Vec::new(),
        };
        let Cu { accesses, simds, waves, .. } = self;
        let a = &accesses[index];
        let s = a.slot as usize % simds.len();
        let simd = &mut simds[s];
        let mut to = Target {
            vector: &mut simd.vector,
            scalar: &mut simd.scalar,
            wave: &mut waves[a.slot as usize],
            now: cx.now,
            probe: cx.probe,
        };
        a.returned.write(&mut to, &a.inst, lanes);
        if P::GHOSTS && !ghosts.is_empty() {
            let slot = self.accesses[index].slot;
            self.haunt_written(slot, ghosts, cx);
        }
    }

    /// An access is over: a counter falls and its storage is free.
    pub(crate) fn finish<P: Probe>(
        &mut self,
        index: u32,
        counter: Counter,
        by: u8,
        cx: &mut Cx<'_, P>,
    ) {
        let slot = self.accesses[index].slot;
        if P::GHOSTS && self.accesses[index].haunted {
            self.end_haunted(index);
        }
        self.accesses.put(index);
        let wave = &mut self.waves[slot as usize];
        wave.in_flight = wave.in_flight.saturating_sub(1);
        self.lower(slot, counter, by, cx.now);
        self.retire_if_done(slot, cx);
    }

    /// A dword of each lane goes to LDS.
    fn write_lds_direct<P: Probe>(&mut self, index: u32, lanes: u64, cx: &mut Cx<'_, P>) {
        let a = &self.accesses[index];
        let wave = &self.waves[a.slot as usize];
        let to = buffer::lds_addresses(a.m0, &a.inst);
        let Some(group) = self.groups.get(wave.group as usize).and_then(Option::as_ref) else {
            return;
        };
        let there: Vec<(usize, usize)> = each(lanes)
            .filter(|lane| to[*lane] + 4 <= group.taken)
            .map(|lane| (lane, (group.lds + to[lane]) as usize))
            .collect();
        for &(lane, at) in &there {
            let word = a.returned.words[0][lane / 32][lane % 32];
            self.lds.write(cx.now, at, &word.to_le_bytes(), cx.probe);
        }
        if P::GHOSTS && self.accesses[index].haunted {
            let stored = self.haunt_to_lds(index, &there);
            self.haunt_shared(stored, cx);
        }
    }
}

/// Reads an access's data from registers.
pub(crate) fn gather_from(view: &impl Operands, a: &mut Access) {
    let Some(at) = &a.at else { return };
    let (shape, lanes) = (at.shape, at.lanes);
    if let (Some(BufferOp::Atomic { .. }), Operand::Vgpr(first)) = (a.op(), a.inst.src[3]) {
        let count = usize::from(a.inst.row.src[3].kind.dwords).min(WORDS);
        for n in 0..count {
            for half in 0..2 {
                let row = view.vgpr(u32::from(first) + n as u32, half);
                a.raw[n][32 * half..32 * half + 32].copy_from_slice(row);
            }
        }
        return;
    }
    if let (Shape::Dwords(count), Operand::Vgpr(first)) = (shape, a.inst.src[3]) {
        for n in 0..usize::from(count).min(WORDS) {
            for half in 0..2 {
                let row = view.vgpr(u32::from(first) + n as u32, half);
                a.raw[n][32 * half..32 * half + 32].copy_from_slice(row);
            }
        }
        return;
    }
    for lane in each(lanes) {
        let (bytes, len) = shape.store_lane(buffer::words(view, &a.inst, lane));
        a.store_lane(lane, &bytes, len);
    }
}

/// The operands of a lane's atomic.
pub(crate) fn atomic_operands(raw: &[[u32; 64]; WORDS], bytes: u8, lane: usize) -> (u64, u64) {
    let [a, b, c, d] = [0, 1, 2, 3].map(|n: usize| u64::from(raw[n][lane]));
    if bytes == 8 { (a | b << 32, c | d << 32) } else { (a, b) }
}

/// An address of an access that is not there.
fn unmapped<P: Probe>(at: &buffer::Located, cx: &Cx<'_, P>) -> Option<u64> {
    let lanes = || each(at.lanes).map(|lane| (at.addrs[lane], at.reach(lane) as u64));
    let low = lanes().map(|(addr, _)| addr).min()?;
    let high = lanes().map(|(addr, len)| addr.saturating_add(len)).max()?;
    if cx.mem.mapped(low, high - low) {
        return None;
    }
    lanes().find(|(addr, len)| !cx.mem.mapped(*addr, *len)).map(|(addr, _)| addr)
}

/// Cycles for which an access keeps the address unit.
fn cost(a: &Access, config: &Config) -> u32 {
    let vmem = &config.core.vmem;
    if a.at.as_ref().is_some_and(|at| at.lanes | at.dead == 0) {
        return vmem.linear;
    }
    let compares = a.inst.row.src[3].kind.dwords > a.inst.row.dst.kind.dwords;
    match a.op() {
        Some(BufferOp::Store(_)) => vmem.store,
        Some(BufferOp::Atomic { .. }) if compares => vmem.compare,
        Some(BufferOp::Atomic { .. }) => vmem.atomic,
        Some(BufferOp::Load(_)) => match a.inst.row.dst.kind.dwords {
            // Sixteen lanes at a time from one line, or four at a time.
            0 | 1 if is_linear(a) => vmem.linear,
            0 | 1 => vmem.scattered,
            2 => vmem.load_2,
            _ => vmem.load_4,
        },
        _ => vmem.linear,
    }
    .max(a.lines.len() as u32)
}

/// Whether each sixteen lanes stay in one line.
fn is_linear(a: &Access) -> bool {
    let Some(at) = &a.at else { return true };
    (0..4).all(|quarter| {
        let lanes = at.lanes >> (16 * quarter) & 0xffff;
        let parts = a.lines.iter().filter(|l| l.lanes[0] >> (16 * quarter) & lanes != 0);
        parts.count() <= 1
    })
}
