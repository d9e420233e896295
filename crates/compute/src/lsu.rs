//! The load/store pipe: addresses, coalescing, shared memory, the data cache;
//! and beside it the texture and constant-load pipes.

use upset_isa::convergence::lanes;
use upset_isa::program::STEP;
use upset_isa::texture::{surface_addresses, texture_rows};
use upset_isa::trap::TrapKind;
use upset_isa::warp::{
    addresses, atomic_exists, constant_offset, load_lane, load_lanes, load_rows, locate,
    store_lane, store_rows, value,
};
use upset_isa::{ConstAddr, Dst, Exec, Inst, Mask, MemKind, MemOp, Space, WARP, Width, atomic};
use upset_mem::{AtomicBatch, Filled, LINE, LaneOp, Read};
use upset_state::{By, Origin, Probe};

use crate::access::{Access, Level, atomic_apply, atomic_code, local_address, sector_mask};
use crate::code::Op;
use crate::config::Config;
use crate::fetch::{constant_address, described_address};
use crate::sm::client::{CONSTANT, DATA, TEXTURE};
use crate::sm::{Cx, IS_ACCESS, LINE_BITS, Sm, Todo, begin_write};
use crate::stats::Reason;
use crate::view::{Constants, View, described};

/// Lines that a waiter number can tell apart.
const LINES: usize = 1 << LINE_BITS;

impl Sm {
    /// A load, store, atomic, constant load or texture fetch leaves the scheduler.
    pub(crate) fn issue_access<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        constants: Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let index = self.accesses.take();
        if let Err(kind) = self.describe(index, slot, &op.inst, mask, constants, cx) {
            self.accesses.put(index);
            return Err(kind);
        }
        if P::GHOSTS {
            self.haunt_access(index, constants, cx);
        }
        let now = cx.now;
        let (s, _) = self.place(slot);
        let warp = &mut self.warps[slot as usize];
        if P::ACTIVE {
            self.accesses[index].pc = warp.flow.pc;
        }
        warp.flow.advance(STEP);
        warp.in_flight += 1;
        warp.raise(op.inst.ctl.write_sb);
        warp.raise(op.inst.ctl.read_sb);
        let read = now + u64::from(op.read);
        if self.accesses[index].level == Level::Data {
            let sub = &mut self.subs[s];
            sub.queued += 1;
            let at = read.max(sub.address_free);
            let shared = self.accesses[index].lines.is_empty();
            let interval =
                if shared { cx.config.shared_interval } else { cx.config.address_interval };
            sub.address_free = at + u64::from(interval);
            self.todo.push(at, Todo::Arrive(index));
        } else {
            let texture = self.accesses[index].level == Level::Texture;
            self.in_order[usize::from(texture)].push_back(index);
            let at = read.max(self.texture_free);
            self.texture_free = at + u64::from(op.interval);
            self.todo.push(at, Todo::Lookup(index));
        }
        Ok(())
    }

    /// Works out what an access touches.
    fn describe<P: Probe>(
        &mut self,
        index: u32,
        slot: u32,
        inst: &Inst,
        mask: Mask,
        constants: Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let warp = &self.warps[slot as usize];
        let view = View::of(&self.subs, warp, slot, constants);
        let a = &mut self.accesses[index];
        match inst.exec {
            Exec::Tex(_) if mask == 0 => a.begin(slot, inst, None, 0, Level::Texture),
            Exec::Surface(s) if mask == 0 => a.begin(slot, inst, Some(s.mem), 0, Level::Data),
            Exec::Mem(m) if mask == 0 => {
                let constant = m.space == Space::Const;
                let level = if constant { Level::Constant } else { Level::Data };
                a.begin(slot, inst, Some(m), 0, level);
            }
            Exec::Tex(t) => {
                a.begin(slot, inst, None, mask, Level::Texture);
                let texels = crate::texture::capture(&view, constants, inst, &t);
                let size = u64::from(self.l1t.line_bytes());
                let mut outside = None;
                let mem = &*cx.mem;
                let lane = mask.trailing_zeros() as usize;
                crate::texture::addresses(
                    &t,
                    &texels,
                    mask,
                    &cx.kernel.textures,
                    &mut |addr, len| {
                        if mem.global().is_mapped(addr, len as u64) {
                            a.touch(lane, addr, len as u32, 0, false, size);
                        } else {
                            outside = outside.or(Some(addr));
                        }
                    },
                )?;
                if let Some(addr) = outside {
                    return Err(TrapKind::AddressOutOfRange { space: Space::Global, addr });
                }
                a.rows = texture_rows(inst, &t);
                a.data = [[0; WARP]; 4];
                a.tex = Some((t, texels));
            }
            Exec::Mem(m) if m.space == Space::Const => {
                a.begin(slot, inst, Some(m), mask, Level::Constant);
                a.data = [[0; WARP]; 4];
                let size = u64::from(self.l1c.line_bytes());
                for lane in lanes(mask) {
                    let offset = constant_offset(&view, inst, &m, lane)?;
                    let addr = match m.bank {
                        Some(ConstAddr::Bindless { ureg, .. }) => {
                            let len = u64::from(m.bytes);
                            // Zeros beyond the end, without an access.
                            match described_address(&view, ureg, offset, len, cx)? {
                                Some(addr) => addr,
                                None => continue,
                            }
                        }
                        Some(ConstAddr::Bank { bank, .. }) => {
                            constant_address(cx.kernel, bank, offset, u32::from(m.bytes))?
                        }
                        None => constant_address(cx.kernel, 0, offset, u32::from(m.bytes))?,
                    };
                    a.addrs[lane] = addr;
                    a.touch(lane, addr, u32::from(m.bytes), 0, false, size);
                }
                a.rows = load_rows(inst, &m)?;
            }
            Exec::Surface(s) => {
                a.begin(slot, inst, Some(s.mem), mask, Level::Data);
                let mut addrs = [0; WARP];
                let inside = surface_addresses(&view, &s, mask, &cx.kernel.textures, &mut addrs)?;
                let place = Placement { shared: 0, local: 0 };
                describe_data(a, &view, inst, &s.mem, inside, &addrs, &place, cx)?;
            }
            Exec::Mem(m) => {
                a.begin(slot, inst, Some(m), mask, Level::Data);
                let base = self.ctas.get(warp.cta as usize).and_then(Option::as_ref);
                let place = Placement {
                    shared: base.map_or(0, |c| c.shared),
                    local: cx.kernel.local_base
                        + (u64::from(self.id) * self.warps.len() as u64 + u64::from(slot))
                            * cx.kernel.local_per_warp(),
                };
                let mut addrs = [0; WARP];
                addresses(&view, inst, &m, &mut addrs)?;
                describe_data(a, &view, inst, &m, mask, &addrs, &place, cx)?;
            }
            _ => {}
        }
        if a.lines.len() > LINES {
            return Err(TrapKind::Unimplemented("an access to more than 256 lines".into()));
        }
        Ok(())
    }

    /// Operands are read and addresses known: on to the SM's shared pipe.
    pub(crate) fn arrive<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.release_operands(index, cx.now);
        self.pipe.queue.push_back(index);
        if !self.pipe.blocked {
            self.schedule_serve(cx.now);
        }
    }

    fn release_operands(&mut self, index: u32, now: u64) {
        let (slot, counter) = (self.accesses[index].slot, self.accesses[index].inst.ctl.read_sb);
        self.lower(slot, counter, now);
    }

    pub(crate) fn schedule_serve(&mut self, now: u64) {
        if !self.pipe.scheduled && !self.pipe.queue.is_empty() {
            self.pipe.scheduled = true;
            self.todo.push(self.pipe.free.max(now), Todo::Serve);
        }
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
            let free = cx.mem.injection_free(self.id as u16);
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
            let sectors = a.lines[from..a.next]
                .iter()
                .map(|l| u32::from(sector_mask(l.bytes)).count_ones())
                .sum::<u32>();
            cost += ((a.next - from) as u32).max(sectors.div_ceil(cx.config.l1d_sectors));
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
    fn rouse_queue(&mut self, s: usize, now: u64) {
        for local in 0..self.subs[s].sched.len() {
            let sub = &mut self.subs[s];
            if sub.awake >> local & 1 == 0 && sub.sched[local].why == Reason::MemoryQueue {
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

    /// Sends lines to the data cache until it blocks. True when all are sent.
    fn access_lines<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> bool {
        let now = cx.now;
        while self.accesses[index].next < self.accesses[index].lines.len() {
            let a = &mut self.accesses[index];
            let n = a.next;
            let line = a.lines[n];
            let token = index << LINE_BITS | n as u32;
            let aligned = line.addr & !(LINE - 1);
            if a.is_store() {
                let mut data = cx.mem.write_box();
                data.mask = a.spread(n, &mut data.bytes);
                if P::GHOSTS && a.haunted {
                    self.haunt_spread(index, n, &mut data, cx);
                }
                self.l1d.write(now, aligned, data, line.local, cx.out, cx.probe);
            } else if let Some((op, ty, returns)) = a.atomic() {
                let lanes = lanes(line.lanes)
                    .map(|lane| {
                        let (b, c) = a.operands(lane);
                        let offset = (a.addrs[lane] & (LINE - 1)) as u8;
                        LaneOp { lane: lane as u8, offset, b, c, old: 0 }
                    })
                    .collect();
                let mut batch = AtomicBatch {
                    width: ty.bytes(),
                    code: atomic_code(op, ty),
                    apply: atomic_apply,
                    lanes,
                    returns,
                    flight: 0,
                };
                if P::GHOSTS && a.haunted {
                    self.haunt_batch(index, &mut batch, cx);
                }
                self.l1d.atomic(now, aligned, Box::new(batch), token, cx.out, cx.probe);
                if returns {
                    self.accesses[index].pending += 1;
                }
            } else {
                let bypass = a.bypass();
                match self.l1d.read(now, aligned, line.bytes, token, bypass, cx.out, cx.probe) {
                    Read::Hit(row) => {
                        if P::GHOSTS {
                            self.haunt_filled(DATA, index, n, aligned, &Filled::Line(row), cx);
                        }
                        self.accesses[index].collect(n, self.l1d.line(row).bytes, line.addr);
                    }
                    Read::Miss => a.pending += 1,
                    Read::Blocked => return false,
                }
            }
            self.accesses[index].next += 1;
        }
        true
    }

    /// Texture fetches and constant loads ask their caches.
    pub(crate) fn lookup<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if !self.accesses[index].shared_done {
            self.accesses[index].shared_done = true;
            self.release_operands(index, cx.now);
        }
        while self.accesses[index].next < self.accesses[index].lines.len() {
            let a = &mut self.accesses[index];
            let n = a.next;
            let line = a.lines[n];
            let aligned = line.addr & !(LINE - 1);
            let mut token = index << LINE_BITS | n as u32;
            let level = if a.level == Level::Texture {
                &mut self.l1t
            } else {
                token |= IS_ACCESS;
                &mut self.l1c
            };
            match level.read(cx.now, aligned, line.bytes, token, false, cx.out, cx.probe) {
                Read::Hit(row) => {
                    let which = if a.level == Level::Texture { TEXTURE } else { CONSTANT };
                    if P::GHOSTS {
                        self.haunt_filled(which, index, n, aligned, &Filled::Line(row), cx);
                    }
                    let Sm { l1t, l1c, accesses, .. } = self;
                    let level = if which == TEXTURE { l1t } else { l1c };
                    accesses[index].collect(n, level.line(row).bytes, line.addr);
                }
                Read::Miss => a.pending += 1,
                Read::Blocked => {
                    self.todo.push(cx.now + u64::from(cx.config.timing.retry), Todo::Lookup(index));
                    return;
                }
            }
            self.accesses[index].next += 1;
        }
        if self.accesses[index].pending == 0 {
            let extra = self.accesses[index].lines.len().saturating_sub(1) as u64;
            self.gathered(index, extra, cx);
        }
    }

    /// All bytes of an access are there: they go to the registers, after those
    /// of earlier accesses where the pipe keeps order.
    pub(crate) fn gathered<P: Probe>(&mut self, index: u32, extra: u64, cx: &mut Cx<'_, P>) {
        let level = self.accesses[index].level;
        if level == Level::Data {
            let after = self.return_time(index, cx.config);
            self.todo.push(cx.now + after + extra, Todo::Complete(index));
            return;
        }
        self.accesses[index].ready = true;
        let queue = usize::from(level == Level::Texture);
        while let Some(&head) = self.in_order[queue].front() {
            if !self.accesses[head].ready {
                break;
            }
            self.in_order[queue].pop_front();
            let after = self.return_time(head, cx.config);
            let at = (cx.now + after + extra).max(self.last_end[queue]);
            self.last_end[queue] = at;
            self.todo.push(at, Todo::Complete(head));
        }
    }

    /// The part of an access that lies in shared memory. Returns its cycles.
    fn access_shared<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) -> u32 {
        let Sm { accesses, smem, counters, shadows, .. } = self;
        let a = &mut accesses[index];
        let mut own = if P::GHOSTS && a.haunted { shadows.take_access(index) } else { Vec::new() };
        let Some(m) = a.op else { return 1 };
        let len = usize::from(m.bytes);
        let (banks, width) = (cx.config.shared_banks, cx.config.shared_bank_bytes);
        let passes = conflict_passes(a, len as u32, banks, width);
        let least = (len as u32 * a.shared.count_ones()).div_ceil(banks * width);
        counters.bank_conflicts += u64::from(passes.saturating_sub(least.max(1)));
        let ghosts = match P::GHOSTS {
            true => crate::haunt::shared::before(&mut own, a, &m, smem, cx.probe),
            false => Vec::new(),
        };
        let mut word = [0; 16];
        for lane in lanes(a.shared) {
            let at = a.addrs[lane] as usize;
            let word = &mut word[..len.min(16)];
            match m.kind {
                MemKind::Load => {
                    if let Some(bytes) = smem.read(cx.now, at, len, cx.probe) {
                        load_lane(&m, bytes, lane, &mut a.data);
                    }
                }
                MemKind::Store => {
                    store_lane(&a.data, lane, word);
                    smem.write(cx.now, at, word, cx.probe);
                }
                MemKind::Atomic(op, ty) | MemKind::Reduce(op, ty) => {
                    let Some(bytes) = smem.read(cx.now, at, len, cx.probe) else { continue };
                    let before = bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
                    word.copy_from_slice(bytes);
                    let (b, c) = a.operands(lane);
                    let after = atomic::apply(op, ty, before, b, c);
                    let n = len.min(8);
                    word[..n].copy_from_slice(&after.to_le_bytes()[..n]);
                    smem.write(cx.now, at, word, cx.probe);
                    a.returned(lane, before);
                }
                MemKind::QuerySpace(_) => {}
            }
        }
        if P::GHOSTS {
            crate::haunt::shared::after(&mut own, ghosts, a, &m, smem, cx.probe);
            a.haunted = !own.is_empty();
            shadows.put_access(index, own);
        }
        passes
    }

    /// `ULDC`: its words came with the operands, unless it is indexed.
    pub(crate) fn issue_uniform_const<P: Probe>(
        &mut self,
        slot: u32,
        op: &Op,
        mask: Mask,
        constants: Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let inst = &op.inst;
        let Exec::Mem(m) = inst.exec else { return Ok(()) };
        let warp = &self.warps[slot as usize];
        let view = View::of(&self.subs, warp, slot, constants);
        let offset = constant_offset(&view, inst, &m, 0)?;
        let bank = match m.bank {
            // Its words came with the operands: an index only banks have.
            Some(ConstAddr::Bindless { ureg, .. }) => described(ureg),
            Some(ConstAddr::Bank { bank, .. }) => {
                constant_address(cx.kernel, bank, offset, u32::from(m.bytes))?;
                bank
            }
            None => 0,
        };
        let mut bytes = [0; 8];
        let mut ghosts = Vec::new();
        for (i, chunk) in
            bytes.chunks_exact_mut(4).enumerate().take(usize::from(m.bytes.div_ceil(4)))
        {
            let at = (offset & !3) + 4 * i as i64;
            let word = match constants.word(bank, at) {
                Ok(word) => {
                    if P::GHOSTS
                        && let Some(number) = constants.number(bank, at)
                    {
                        let own = self.shadows.issuing.of_constant(number);
                        ghosts.extend(own.map(|(ghost, xor)| (ghost, i, xor)));
                    }
                    word
                }
                // An indexed load: its word is read when it arrives, without the index's delay.
                Err(_) => {
                    let (word, origin) = self.constant_now(bank, at, cx)?;
                    if P::GHOSTS {
                        let own = crate::haunt::differences(origin, cx.probe);
                        ghosts.extend(own.map(|(ghost, xor)| (ghost, i, xor)));
                    }
                    word
                }
            };
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let from = (offset & 3) as usize;
        let mut out = [[0; WARP]; 4];
        let len = usize::from(m.bytes).min(8 - from);
        load_lane(&m, &bytes[from..from + len], 0, &mut out);
        let index = begin_write(&mut self.writes, slot, inst, mask, true);
        let wb = &mut self.writes[index];
        if P::ACTIVE {
            wb.pc = self.warps[slot as usize].flow.pc;
        }
        if let (Dst::UReg(d, _), 8) = (inst.dst, m.bytes) {
            wb.inst.dst = Dst::UReg(d, Width::W2);
        }
        wb.results.d = [[out[0][0]; WARP], [out[1][0]; WARP]];
        if P::GHOSTS && !ghosts.is_empty() {
            let load = |ghost: u32| {
                let mut own = bytes;
                for (_, i, xor) in ghosts.iter().filter(|g| g.0 == ghost) {
                    for (b, x) in own[4 * i..].iter_mut().zip(u32::to_le_bytes(*xor)) {
                        *b ^= x;
                    }
                }
                let mut out = [[0; WARP]; 4];
                load_lane(&m, &own[from..from + len], 0, &mut out);
                (ghost, [out[0][0], out[1][0]])
            };
            let mut who: Vec<u32> = ghosts.iter().map(|g: &(u32, usize, u32)| g.0).collect();
            who.sort_unstable();
            who.dedup();
            let words = who.into_iter().map(load).collect();
            self.haunt_words(index, words, cx);
        }
        self.warps[slot as usize].flow.advance(STEP);
        self.launch_write(index, op, cx.now);
        self.raise_read(slot, inst.ctl.read_sb, op, cx.now);
        Ok(())
    }

    /// A constant word without waiting: from the cache, else from the level below.
    fn constant_now<P: Probe>(
        &mut self,
        bank: u8,
        offset: i64,
        cx: &mut Cx<'_, P>,
    ) -> Result<(u32, Origin), TrapKind> {
        if let Ok(found) = self.constant_word(crate::sm::NOBODY, bank, offset, cx)? {
            return Ok(found);
        }
        let addr = constant_address(cx.kernel, bank, offset, 4)?;
        Ok(self.constant_below(addr, cx))
    }
}

/// Where a warp's shared and local memory lie.
struct Placement {
    shared: u32,
    local: u64,
}

/// The lanes in `mask` access `addrs`.
#[allow(clippy::too_many_arguments)]
fn describe_data<P: Probe>(
    a: &mut Access,
    view: &View<'_>,
    inst: &Inst,
    m: &MemOp,
    mask: Mask,
    addrs: &[u64; WARP],
    place: &Placement,
    cx: &Cx<'_, P>,
) -> Result<(), TrapKind> {
    let kernel = cx.kernel;
    let touched = match m.kind {
        MemKind::Load => {
            a.rows = load_rows(inst, m)?;
            a.data = [[0; WARP]; 4];
            load_lanes(view, inst, mask)
        }
        MemKind::Store => {
            store_rows(view, inst, m, &mut a.data)?;
            mask
        }
        MemKind::Atomic(op, ty) | MemKind::Reduce(op, ty) => {
            a.old = [[0; WARP]; 2];
            for lane in lanes(mask) {
                let b = value(view, inst.src[1], lane)?;
                let c = value(view, inst.src[2], lane)?;
                for (i, word) in [b, b >> 32, c, c >> 32].into_iter().enumerate() {
                    a.data[i][lane] = word as u32;
                }
            }
            let returns = matches!(m.kind, MemKind::Atomic(..));
            a.done = lanes(mask)
                .filter(|&l| !returns || atomic_exists(m, op, ty, addrs[l], &kernel.windows))
                .fold(0, |m, l| m | 1 << l);
            a.done
        }
        MemKind::QuerySpace(_) => 0,
    };
    let bytes = u32::from(m.bytes);
    for lane in lanes(touched) {
        let (space, at) = locate(m.space, addrs[lane], m.bytes, &kernel.windows)?;
        let end = at.checked_add(u64::from(bytes));
        match space {
            Space::Shared => {
                if end.is_none_or(|e| e > u64::from(kernel.shared_bytes)) {
                    return Err(TrapKind::AddressOutOfRange { space: Space::Shared, addr: at });
                }
                a.shared |= 1 << lane;
                a.addrs[lane] = u64::from(place.shared) + at;
            }
            Space::Local => {
                if end.is_none_or(|e| e > u64::from(kernel.local_bytes)) {
                    return Err(TrapKind::AddressOutOfRange { space: Space::Local, addr: at });
                }
                let addr = local_address(place.local, at, lane);
                a.addrs[lane] = addr;
                for word in 0..bytes.div_ceil(4) {
                    let at = addr + u64::from(word) * LINE;
                    a.touch(lane, at, bytes.min(4), word as u8, true, LINE);
                }
            }
            Space::Global | Space::Generic | Space::Const => {
                if end.is_none() || !cx.mem.global().is_mapped(at, u64::from(bytes)) {
                    return Err(TrapKind::outside(at, &kernel.windows));
                }
                a.addrs[lane] = at;
                a.touch(lane, at, bytes, 0, false, LINE);
            }
        }
    }
    Ok(())
}

/// The common case: words, at most one in every bank.
fn few_conflicts(a: &Access, len: u32, banks: u32, width: u32) -> Option<u32> {
    if len > 4 || banks != 32 || width != 4 || a.atomic().is_some() {
        return None;
    }
    let mut held = [u64::MAX; 32];
    for lane in lanes(a.shared) {
        let word = a.addrs[lane] / 4;
        let slot = &mut held[(word % 32) as usize];
        if *slot != u64::MAX && *slot != word {
            return None;
        }
        *slot = word;
    }
    Some(1)
}

/// Passes that a shared-memory access needs: the largest number of distinct
/// words (as wide as a bank) in one bank, per group of lanes whose data fill one pass; atomics
/// repeat for every lane on the same word.
fn conflict_passes(a: &Access, len: u32, banks: u32, width: u32) -> u32 {
    if let Some(passes) = few_conflicts(a, len, banks, width) {
        return passes;
    }
    let mut passes = 0;
    let words = len.div_ceil(width).max(1);
    let group = (WARP as u32 / words).max(1);
    let atomic = a.atomic().is_some();
    let mut seen = [0u64; 128];
    let mut per_bank = [0u32; 64];
    for first in (0..WARP as u32).step_by(group as usize) {
        let who = a.shared >> first & (((1u64 << group) - 1) as u32);
        if who == 0 {
            continue;
        }
        per_bank.fill(0);
        let mut n = 0;
        for lane in lanes(who) {
            for word in 0..words {
                let at = a.addrs[first as usize + lane] / u64::from(width) + u64::from(word);
                if atomic || !seen[..n].contains(&at) {
                    seen[n] = at;
                    n += 1;
                    per_bank[(at % u64::from(banks)) as usize] += 1;
                }
            }
        }
        passes += per_bank.iter().copied().max().unwrap_or(0);
    }
    passes.max(1)
}
