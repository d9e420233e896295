//! A streaming multiprocessor: its arrays, and its events.

use std::collections::VecDeque;

use upset_chip::ChipSpec;
use upset_isa::barrier::{BarCounter, BarCounters, CtaBarriers, CtaWarps};
use upset_isa::convergence::Convergence;
use upset_isa::trap::{Trap, TrapKind};
use upset_isa::warp::{Scratch, write_atomic, write_back, write_preds, write_rows};
use upset_isa::{Inst, Mask, MemKind, PT, Results, WARP};
use upset_machine::{Held, Span};
use upset_mem::wheel::Wheel;
use upset_mem::{Filled, FirstLevel, Reply, end_flight};
use upset_state::{ArrayId, By, ByteArray, Kind, Probe};

use crate::access::Access;
use crate::config::Config;
use crate::haunt::Shadows;
use crate::pool::Pool;
use crate::stats::{Reason, SmCounters};
use crate::subcore::SubCore;
use crate::view::{Constants, Target};
use crate::warp::Warp;

/// First-level caches by the number they send requests under.
pub mod client {
    /// Data.
    pub const DATA: u8 = 0;
    /// Texture.
    pub const TEXTURE: u8 = 1;
    /// Constants.
    pub const CONSTANT: u8 = 2;
    /// Instructions.
    pub const INSTRUCTION: u8 = 3;
}

/// Waiter number of a fetch that nobody waits for: no warp slot, and no access.
pub(crate) const NOBODY: u32 = IS_ACCESS - 1;
/// Marks a waiter of the constant cache that is an access rather than a warp.
pub(crate) const IS_ACCESS: u32 = 1 << 31;
/// Lines an access number leaves room for in a waiter number.
pub(crate) const LINE_BITS: u32 = 8;

/// What the SM has to do at a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Todo {
    /// A wide multiply-add computes.
    Compute(u32),
    /// Write a computed result.
    Write(u32),
    /// Lower a dependence counter of a warp slot.
    Lower { slot: u16, counter: u8 },
    /// A memory instruction has read its operands and computed its addresses.
    Arrive(u32),
    /// The load/store pipe takes its next instruction.
    Serve,
    /// A texture fetch or constant load goes to its cache.
    Lookup(u32),
    /// A memory instruction's result is written.
    Complete(u32),
    /// What a finished CTA held is free for the next.
    Vacate(u32),
    /// Barrier counters were changed from outside: all are compared again.
    Settle,
}

/// A result on its way to the registers.
#[derive(Clone)]
pub(crate) struct WriteBack {
    pub slot: u32,
    pub inst: Inst,
    pub mask: Mask,
    pub results: Results,
    /// `R2P`: predicates and the lanes they are written for.
    pub preds: Option<([Mask; PT as usize], [Mask; PT as usize])>,
    /// It has a result (otherwise only counters move).
    pub writes: bool,
    /// Constants of an instruction that computes after issue, and how long
    /// after that its result is written.
    pub constants: Constants,
    pub rest: u32,
    /// Where the instruction stands; known only when somebody watches.
    pub pc: u32,
    /// Ghosts have other results.
    pub haunted: bool,
}

impl Default for WriteBack {
    fn default() -> Self {
        WriteBack {
            slot: 0,
            inst: Access::default().inst,
            mask: 0,
            results: Results::default(),
            preds: None,
            writes: false,
            constants: Constants::default(),
            rest: 0,
            pc: 0,
            haunted: false,
        }
    }
}

/// Takes storage for a result of `inst` for the lanes in `mask`.
pub(crate) fn begin_write(
    writes: &mut Pool<WriteBack>,
    slot: u32,
    inst: &Inst,
    mask: Mask,
    has_result: bool,
) -> u32 {
    let index = writes.take();
    let wb = &mut writes[index];
    wb.slot = slot;
    wb.inst = *inst;
    wb.mask = mask;
    wb.preds = None;
    wb.writes = has_result;
    index
}

/// A resident CTA.
#[derive(Clone, Debug)]
pub(crate) struct Cta {
    pub index: u64,
    pub id: [u32; 3],
    /// First shared byte.
    pub shared: u32,
    /// Shared bytes taken.
    pub taken: u32,
    /// Warp slots in order of their number.
    pub slots: Vec<u32>,
    /// Warps that have not finished.
    pub left: u32,
    pub threads: u32,
    pub barriers: CtaBarriers,
    pub since: u64,
}

/// The load/store pipe shared by the sub-cores.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    pub queue: VecDeque<u32>,
    /// First cycle at which it takes another instruction.
    pub free: u64,
    /// A `Serve` is scheduled.
    pub scheduled: bool,
    /// The head waits for a miss to return.
    pub blocked: bool,
}

/// What a step of an SM works with.
pub(crate) type Cx<'k, P> = upset_machine::Cx<'k, Sm, P>;

/// A streaming multiprocessor.
#[derive(Clone)]
pub struct Sm {
    pub(crate) id: u32,
    pub(crate) subs: Vec<SubCore>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) ctas: Vec<Option<Cta>>,
    /// Barrier counters of each CTA slot.
    pub(crate) bars: Vec<BarCounters>,
    pub(crate) smem: ByteArray,
    /// Shared granules in use.
    pub(crate) smem_taken: Vec<bool>,
    pub(crate) threads: u32,
    /// First cycle at which it takes another CTA.
    pub(crate) next_admission: u64,
    pub(crate) l1d: FirstLevel,
    pub(crate) l1t: FirstLevel,
    pub(crate) l1c: FirstLevel,
    pub(crate) l1i: FirstLevel,
    /// Which of the four the chip has; the others are stand-ins of one line.
    pub(crate) has_level: [bool; 4],
    /// Its warps have uniform registers and predicates.
    pub(crate) has_uniform: bool,
    pub(crate) todo: Wheel<Todo>,
    pub(crate) writes: Pool<WriteBack>,
    pub(crate) accesses: Pool<Access>,
    pub(crate) shadows: Shadows,
    pub(crate) pipe: Pipe,
    /// First cycle at which the texture and constant-load pipes take another instruction.
    pub(crate) texture_free: u64,
    /// Texture fetches and constant loads in order: they also end in order,
    /// which code relies on (`DEPBAR.LE`).
    pub(crate) in_order: [VecDeque<u32>; 2],
    /// When the last of each ends.
    pub(crate) last_end: [u64; 2],
    /// Units that the sub-cores share.
    pub(crate) unit_free: [u64; crate::config::UNITS],
    pub(crate) scratch: Box<Scratch>,
    pub(crate) waiters: Vec<u32>,
    /// When to step it again.
    pub(crate) wake: u64,
    /// CTAs that ended since the dispatcher last looked.
    pub(crate) ended: u32,
    /// Room was made since then.
    pub(crate) vacated: bool,
    /// What it has counted.
    pub counters: SmCounters,
    pub(crate) occupied_from: u64,
    /// What CTAs hold, if somebody wants to know.
    pub(crate) held: Option<Box<Held>>,
}

impl Sm {
    /// SM `id` of a chip.
    pub fn new(chip: &ChipSpec, config: &Config, id: u32) -> Sm {
        let level = |name: &str, client: u8| {
            let index = chip.caches.iter().position(|c| c.name == name);
            let mut spec = index.map(|i| chip.caches[i].clone()).unwrap_or_else(|| absent(name));
            if name == "l1i" {
                // The stream buffer has entries of its own.
                spec.mshr_entries = spec.mshr_entries.map(|n| n + config.prefetch_lines);
            }
            // Stand-ins have numbers of their own, beyond those of the chip's list.
            let number = index.map_or(u8::MAX - client, |i| i as u8);
            FirstLevel::new(&spec, Kind::Cache(number), id as u16, client)
        };
        Sm {
            id,
            subs: (0..config.subcores)
                .map(|s| SubCore::new(config, id * config.subcores + s))
                .collect(),
            warps: (0..config.warps).map(|slot| Warp::new(id, slot, config.buffer)).collect(),
            ctas: vec![None; config.ctas as usize],
            bars: vec![BarCounters::default(); config.ctas as usize],
            smem: ByteArray::new(ArrayId::data(Kind::Smem, id), config.shared_bytes),
            smem_taken: vec![false; (config.shared_bytes / config.shared_granule) as usize],
            threads: 0,
            next_admission: 0,
            l1d: level("l1d", client::DATA),
            l1t: level("l1t", client::TEXTURE),
            l1c: level("l1c", client::CONSTANT),
            l1i: level("l1i", client::INSTRUCTION),
            has_level: ["l1d", "l1t", "l1c", "l1i"].map(|name| chip.cache(name).is_some()),
            has_uniform: chip.sm.uniform_registers > 0,
            todo: Wheel::default(),
            writes: Pool::default(),
            accesses: Pool::default(),
            shadows: Shadows::default(),
            pipe: Pipe::default(),
            texture_free: 0,
            in_order: Default::default(),
            last_end: [0; 2],
            unit_free: [0; crate::config::UNITS],
            scratch: Box::new([[0; WARP]; 6]),
            waiters: Vec::new(),
            wake: u64::MAX,
            ended: 0,
            vacated: false,
            counters: SmCounters::default(),
            occupied_from: 0,
            held: None,
        }
    }

    /// Sub-core and number within it of a warp slot.
    pub(crate) fn place(&self, slot: u32) -> (usize, usize) {
        let n = self.subs.len();
        (slot as usize % n, slot as usize / n)
    }

    /// Adds the time since the last change of occupancy.
    pub(crate) fn account(&mut self, now: u64) {
        let span = now - self.occupied_from.min(now);
        self.occupied_from = now;
        let ctas = self.ctas.iter().flatten().filter(|c| c.left > 0).count() as u64;
        if span == 0 || ctas == 0 {
            return;
        }
        let warps = self.warps.iter().filter(|w| w.resident).count() as u64;
        self.counters.cta_cycles += span * ctas;
        self.counters.warp_cycles += span * warps;
        self.counters.thread_cycles += span * u64::from(self.threads);
        self.counters.active_cycles += span;
    }

    fn find_shared(&self, bytes: u32, granule: u32) -> Option<u32> {
        let need = bytes.div_ceil(granule) as usize;
        if need == 0 {
            return Some(0);
        }
        let mut run = 0;
        for (i, &taken) in self.smem_taken.iter().enumerate() {
            run = if taken { 0 } else { run + 1 };
            if run == need {
                return Some((i + 1 - need) as u32 * granule);
            }
        }
        None
    }

    fn mark_shared(&mut self, first: u32, bytes: u32, granule: u32, taken: bool) {
        let at = (first / granule) as usize;
        let n = bytes.div_ceil(granule) as usize;
        if let Some(g) = self.smem_taken.get_mut(at..at + n) {
            g.fill(taken);
        }
    }

    /// Takes CTA `index` of the kernel if there is room.
    pub(crate) fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, P>) -> bool {
        let kernel = cx.kernel;
        let threads = kernel.threads();
        let warps = kernel.warps();
        if self.threads + threads > cx.config.threads || cx.now < self.next_admission {
            return false;
        }
        let Some(cta) = self.ctas.iter().position(Option::is_none) else { return false };
        let Some(shared) = self.find_shared(kernel.shared_taken, cx.config.shared_granule) else {
            return false;
        };
        let rows = kernel.registers.next_multiple_of(cx.config.row_granule);
        let mut slots = Vec::with_capacity(warps as usize);
        for slot in 0..cx.config.warps {
            if slots.len() == warps as usize {
                break;
            }
            if self.warps[slot as usize].held {
                continue;
            }
            let (sub, _) = self.place(slot);
            if let Some(first) = self.subs[sub].find_rows(rows) {
                self.subs[sub].mark_rows(first, rows, true);
                slots.push((slot, first));
            }
        }
        if slots.len() < warps as usize {
            for (slot, first) in slots {
                let (sub, _) = self.place(slot);
                self.subs[sub].mark_rows(first, rows, false);
            }
            return false;
        }
        self.account(cx.now);
        self.next_admission = cx.now + u64::from(cx.config.cta_interval);
        self.mark_shared(shared, kernel.shared_taken, cx.config.shared_granule, true);
        if let Some(held) = &mut self.held {
            held.change(cx.now, i64::from(rows * warps), kernel.shared_taken.into());
        }
        self.threads += threads;
        let start = cx.now + 1;
        for (id, &(slot, first)) in slots.iter().enumerate() {
            let alive = (threads - id as u32 * WARP as u32).min(WARP as u32);
            let mask = if alive == WARP as u32 { Mask::MAX } else { (1 << alive) - 1 };
            let w = &mut self.warps[slot as usize];
            w.start(kernel.entry, mask, (cta as u32, id as u32), cx.now, cx.probe);
            w.first_row = first;
            w.rows = rows;
            let (sub, local) = self.place(slot);
            self.subs[sub].admit(local, start);
            self.subs[sub].rf.tell_taken(cx.now, first..first + rows, cx.probe);
        }
        self.smem.tell_taken(cx.now, shared, kernel.shared_taken, cx.probe);
        self.bars[cta] = BarCounters::default();
        self.ctas[cta] = Some(Cta {
            index,
            id: kernel.ctaid(index),
            shared,
            taken: kernel.shared_taken,
            slots: slots.iter().map(|&(slot, _)| slot).collect(),
            left: warps,
            threads,
            barriers: CtaBarriers::default(),
            since: cx.now,
        });
        self.wake = self.wake.min(start);
        true
    }

    /// A warp has no living threads and no outstanding results: it leaves, and
    /// with the last warp its CTA.
    pub(crate) fn retire_if_done<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) {
        let w = &self.warps[slot as usize];
        if !w.resident || w.flow.live != 0 || w.in_flight != 0 {
            return;
        }
        let (sub, local) = self.place(slot);
        let (cta, id, since, lanes) = (w.cta as usize, w.id, w.since, w.began);
        let rows = (w.first_row, w.rows.min(cx.kernel.registers));
        self.account(cx.now);
        if let Some(trace) = &mut cx.trace {
            let cta = self.ctas.get(cta).and_then(Option::as_ref);
            trace.add(Span::Warp {
                sm: self.id,
                slot,
                cta: cta.map_or(0, |c| c.index),
                id,
                cycles: (since, cx.now),
                rows,
                lanes,
            });
        }
        self.warps[slot as usize].resident = false;
        self.subs[sub].dismiss(local);
        let index = self.warps[slot as usize].cta as usize;
        let Some(cta) = self.ctas.get_mut(index).and_then(Option::as_mut) else { return };
        cta.left = cta.left.saturating_sub(1);
        if cta.left > 0 {
            return;
        }
        self.threads -= cta.threads.min(self.threads);
        self.counters.ctas += 1;
        self.ended += 1;
        if let Some(trace) = &mut cx.trace {
            trace.add(Span::Cta {
                sm: self.id,
                place: index as u32,
                index: cta.index,
                cycles: (cta.since, cx.now),
                shared: (cta.shared, cta.taken),
            });
        }
        match cx.config.cta_latency {
            0 => self.vacate(index, cx.now, cx.config, cx.probe),
            later => self.todo.push(cx.now + u64::from(later), Todo::Vacate(index as u32)),
        }
    }

    /// Gives back what a finished CTA held.
    pub(crate) fn vacate<P: Probe>(
        &mut self,
        index: usize,
        now: u64,
        config: &Config,
        probe: &mut P,
    ) {
        let finished = |c: &mut Cta| c.left == 0;
        let Some(cta) = self.ctas.get_mut(index).and_then(|c| c.take_if(finished)) else { return };
        probe.acting(By::Machine);
        for &slot in &cta.slots {
            let (sub, _) = self.place(slot);
            let w = &mut self.warps[slot as usize];
            w.held = false;
            let (first, rows) = (w.first_row, w.rows);
            self.subs[sub].mark_rows(first, rows, false);
            self.subs[sub].rf.tell_free(now, first..first + rows, probe);
        }
        self.mark_shared(cta.shared, cta.taken, config.shared_granule, false);
        if let Some(held) = &mut self.held {
            let rows: u32 = cta.slots.iter().map(|&slot| self.warps[slot as usize].rows).sum();
            held.change(now, -i64::from(rows), -i64::from(cta.taken));
        }
        self.smem.tell_free(now, cta.shared, cta.taken, probe);
        self.vacated = true;
    }

    /// The same for all finished CTAs, before another kernel.
    pub(crate) fn vacate_all<P: Probe>(&mut self, now: u64, config: &Config, probe: &mut P) {
        for index in 0..self.ctas.len() {
            self.vacate(index, now, config, probe);
        }
        self.next_admission = 0;
    }

    /// Does everything that is due at `cx.now`.
    pub(crate) fn step<P: Probe>(&mut self, cx: &mut Cx<'_, P>) -> Result<(), Trap> {
        if P::ACTIVE {
            self.hold_control(cx);
        }
        while let Some((_, todo)) = self.todo.pop_due(cx.now) {
            self.perform(todo, cx);
        }
        for s in 0..self.subs.len() {
            if P::ACTIVE {
                self.hold_control(cx);
            }
            if self.subs[s].wake <= cx.now {
                self.step_subcore(s, cx)?;
                if P::GHOSTS && cx.probe.ghosts().is_some_and(|g| g.wants_out()) {
                    break;
                }
            }
        }
        cx.flush();
        self.wake = self.subs.iter().map(|s| s.wake).fold(self.todo.next(), u64::min);
        Ok(())
    }

    fn perform<P: Probe>(&mut self, todo: Todo, cx: &mut Cx<'_, P>) {
        if P::ACTIVE {
            cx.probe.acting(self.acts(todo));
        }
        match todo {
            Todo::Compute(i) => self.compute_late(i, cx),
            Todo::Write(i) => self.write(i, cx),
            Todo::Lower { slot, counter } => self.lower(u32::from(slot), counter, cx.now),
            Todo::Arrive(i) => self.arrive(i, cx),
            Todo::Serve => self.serve(cx),
            Todo::Lookup(i) => self.lookup(i, cx),
            Todo::Complete(i) => self.complete(i, cx),
            Todo::Vacate(i) => self.vacate(i as usize, cx.now, cx.config, cx.probe),
            Todo::Settle => (0..self.ctas.len()).for_each(|cta| self.settle(cta, cx)),
        }
    }

    /// Lowers a counter and lets the warp look again.
    pub(crate) fn lower(&mut self, slot: u32, counter: u8, now: u64) {
        if usize::from(counter) >= crate::warp::COUNTERS {
            return;
        }
        let (sub, local) = self.place(slot);
        let warp = &mut self.warps[slot as usize];
        warp.lower(counter);
        let sub = &mut self.subs[sub];
        let sched = &sub.sched[local];
        let waits = sched.why == Reason::Scoreboard && sub.awake >> local & 1 == 0;
        if waits && warp.resident && warp.counters_clear(sched.wait) {
            sub.rouse(local, now);
        }
    }

    fn write<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let ghosts = match P::GHOSTS && self.writes[index].haunted {
            true => self.haunt_write(index, cx),
            false => Vec::new(),
        };
        let Sm { writes, warps, subs, .. } = self;
        let wb = &writes[index];
        let slot = wb.slot;
        let warp = &mut warps[slot as usize];
        if wb.writes {
            let s = slot as usize % subs.len();
            let mut to =
                Target { rf: &mut subs[s].rf, warp: &mut *warp, now: cx.now, probe: cx.probe };
            match &wb.preds {
                Some((value, select)) => write_preds(&mut to, &wb.inst, wb.mask, value, select),
                None => write_back(&mut to, &wb.inst, wb.mask, &wb.results),
            }
            if cfg!(debug_assertions) {
                warp.unwritten.arrived(&wb.inst);
            }
        }
        if P::GHOSTS && !ghosts.is_empty() {
            self.haunt_written(slot, ghosts, cx);
        }
        let Sm { writes, warps, .. } = self;
        let (wb, warp) = (&writes[index], &mut warps[slot as usize]);
        let counter = wb.inst.ctl.write_sb;
        warp.in_flight -= 1;
        writes.put(index);
        self.lower(slot, counter, cx.now);
        self.retire_if_done(slot, cx);
    }

    /// A memory instruction ends: its result goes to the registers.
    fn complete<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let ghosts = match P::GHOSTS && self.accesses[index].haunted {
            true => self.haunt_complete(index, cx),
            false => Vec::new(),
        };
        let Sm { accesses, warps, subs, .. } = self;
        let a = &mut accesses[index];
        let slot = a.slot;
        let warp = &mut warps[slot as usize];
        if let Some((op, texels)) = &a.tex {
            // The addresses passed when they were first computed.
            let textures = &cx.kernel.textures;
            let _ = crate::texture::sample(op, texels, a.mask, textures, &mut a.data);
        }
        let s = slot as usize % subs.len();
        let mut to = Target { rf: &mut subs[s].rf, warp, now: cx.now, probe: cx.probe };
        match a.op.map(|m| m.kind) {
            Some(MemKind::Atomic(..)) => write_atomic(&mut to, &a.inst, a.mask, a.done, &a.old),
            Some(MemKind::Load) | None => write_rows(&mut to, &a.rows, a.mask, &a.data),
            Some(_) => {}
        }
        if P::GHOSTS && !ghosts.is_empty() {
            self.haunt_written(slot, ghosts, cx);
        }
        self.finish(index, cx);
    }

    /// An access is over: counters fall and its storage is free.
    pub(crate) fn finish<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let (slot, counter) = {
            let a = &self.accesses[index];
            (a.slot, a.inst.ctl.write_sb)
        };
        if P::GHOSTS && self.accesses[index].haunted {
            self.end_haunted(index);
        }
        self.accesses.put(index);
        self.warps[slot as usize].in_flight -= 1;
        self.lower(slot, counter, cx.now);
        self.retire_if_done(slot, cx);
    }

    /// An answer from below.
    pub(crate) fn receive<P: Probe>(&mut self, reply: Reply, cx: &mut Cx<'_, P>) {
        let mut waiters = std::mem::take(&mut self.waiters);
        waiters.clear();
        let (which, line) = (reply.client, reply.line);
        cx.probe.acting(By::Level { sm: self.id, client: which });
        let filled = self.level_mut(which).fill(cx.now, reply, cx.out, &mut waiters, cx.probe);
        for &waiter in &waiters {
            match which {
                client::INSTRUCTION => self.rouse_fetch(waiter, cx),
                client::CONSTANT if waiter & IS_ACCESS == 0 => {
                    self.rouse_if(waiter, Reason::Constant, cx.now);
                }
                _ => self.collect(which, waiter & !IS_ACCESS, line, &filled, cx),
            }
        }
        match filled {
            Filled::Packet { bytes, flight, over } => {
                if over {
                    end_flight(cx.probe, flight);
                }
                self.level_mut(which).give_back(bytes);
            }
            Filled::Line(_) | Filled::Atomic(_) | Filled::Nothing => {}
        }
        self.waiters = waiters;
        if which == client::DATA && self.pipe.blocked {
            self.pipe.blocked = false;
            self.schedule_serve(cx.now);
        }
        cx.flush();
        self.wake = self.subs.iter().map(|s| s.wake).fold(self.todo.next(), u64::min);
    }

    pub(crate) fn level_mut(&mut self, which: u8) -> &mut FirstLevel {
        match which {
            client::DATA => &mut self.l1d,
            client::TEXTURE => &mut self.l1t,
            client::CONSTANT => &mut self.l1c,
            _ => &mut self.l1i,
        }
    }

    /// A line that an access waited for is there.
    fn collect<P: Probe>(
        &mut self,
        which: u8,
        waiter: u32,
        line: u64,
        filled: &Filled,
        cx: &mut Cx<'_, P>,
    ) {
        let index = waiter >> LINE_BITS;
        let n = (waiter & ((1 << LINE_BITS) - 1)) as usize;
        if P::GHOSTS {
            self.haunt_filled(which, index, n, line, filled, cx);
        }
        let level = match which {
            client::DATA => &self.l1d,
            client::TEXTURE => &self.l1t,
            _ => &self.l1c,
        };
        let a = &mut self.accesses[index];
        match filled {
            Filled::Line(row) => {
                if P::ACTIVE {
                    cx.probe.acting(By::Warp { sm: self.id, slot: a.slot, pc: a.pc });
                    level.note_read(cx.now, *row, line, a.lines[n].bytes, cx.probe);
                }
                a.collect(n, level.line(*row).bytes, a.lines[n].addr);
            }
            Filled::Packet { bytes, .. } => a.collect(n, &bytes[..], line),
            Filled::Atomic(batch) => {
                for op in &batch.lanes {
                    a.returned(usize::from(op.lane), op.old);
                }
            }
            Filled::Nothing => {}
        }
        self.line_done(index, cx);
    }

    /// One line of an access has come back.
    fn line_done<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let a = &mut self.accesses[index];
        a.pending = a.pending.saturating_sub(1);
        if a.pending == 0 && a.next == a.lines.len() {
            self.gathered(index, 0, cx);
        }
    }

    /// Lets a warp that waits for `why` look again.
    pub(crate) fn rouse_if(&mut self, slot: u32, why: Reason, now: u64) {
        if slot as usize >= self.warps.len() || !self.warps[slot as usize].resident {
            return;
        }
        let (sub, local) = self.place(slot);
        if self.subs[sub].sched[local].why == why {
            self.subs[sub].rouse(local, now);
        }
    }

    /// Completes CTA barriers that everybody has reached.
    pub(crate) fn settle<P: Probe>(&mut self, cta: usize, cx: &mut Cx<'_, P>) {
        struct Members<'a> {
            warps: &'a mut [Warp],
            slots: &'a [u32],
            bars: &'a mut BarCounters,
        }
        impl CtaWarps for Members<'_> {
            fn count(&self) -> usize {
                self.slots.len()
            }
            fn counter(&mut self, number: u8) -> &mut BarCounter {
                &mut self.bars[usize::from(number) % self.bars.len()]
            }
            fn control(&mut self, warp: usize) -> &mut Convergence {
                &mut self.warps[self.slots[warp] as usize].flow
            }
            fn reduced(&mut self, warp: usize, result: u32) {
                self.warps[self.slots[warp] as usize].bar_result = result;
            }
        }
        let Some(Some(c)) = self.ctas.get_mut(cta) else { return };
        if c.barriers.is_idle() {
            return;
        }
        let slots = std::mem::take(&mut c.slots);
        let parked = slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| self.warps[**slot as usize].flow.active == 0)
            .fold(0u64, |all, (i, _)| all | 1 << (i % 64));
        let bars = &mut self.bars[cta];
        let done = c.barriers.settle(&mut Members { warps: &mut self.warps, slots: &slots, bars });
        if done {
            let at = cx.now + u64::from(cx.config.unit(upset_isa::Unit::System).latency);
            for (i, &slot) in slots.iter().enumerate() {
                let warp = &self.warps[slot as usize];
                if parked >> (i % 64) & 1 == 1 && warp.resident && warp.flow.live != 0 {
                    let (sub, local) = self.place(slot);
                    self.subs[sub].rouse(local, at);
                }
            }
        }
        if let Some(Some(c)) = self.ctas.get_mut(cta) {
            c.slots = slots;
        }
    }

    /// The trap of a warp.
    pub(crate) fn trap(&self, slot: u32, kind: TrapKind) -> Trap {
        let w = &self.warps[slot as usize];
        let cta = self.ctas.get(w.cta as usize).and_then(Option::as_ref);
        Trap { kind, pc: w.flow.pc, cta: cta.map_or([0; 3], |c| c.id), warp: w.id }
    }

    /// Control state was changed from outside.
    pub(crate) fn reconsider(&mut self, kind: Kind, now: u64) {
        if kind == Kind::Bar {
            self.todo.push(now, Todo::Settle);
        }
        self.rouse_all(now);
    }

    /// Lets every resident warp look again.
    pub(crate) fn rouse_all(&mut self, now: u64) {
        for slot in 0..self.warps.len() as u32 {
            if self.warps[slot as usize].resident {
                let (sub, local) = self.place(slot);
                self.subs[sub].rouse(local, now);
            }
        }
        self.wake = self.subs.iter().map(|s| s.wake).fold(self.wake, u64::min);
    }

    /// Adds the schedulers' idle time up to now.
    pub(crate) fn account_idle(&mut self, now: u64) {
        for sub in &mut self.subs {
            self.counters.stalls[sub.idle_why as usize] += now - sub.idle_from.min(now);
            sub.idle_from = now;
        }
    }

    /// Time before `now` is nobody's.
    pub(crate) fn idle_until(&mut self, now: u64) {
        for sub in &mut self.subs {
            sub.idle_from = now;
            sub.idle_why = Reason::NoWarp;
        }
    }

    /// Forgets everything in flight and every resident warp (after a trap).
    pub(crate) fn abandon(&mut self, now: u64) {
        self.account(now);
        if let Some(held) = &mut self.held {
            held.let_go(now);
        }
        for slot in 0..self.warps.len() as u32 {
            if self.warps[slot as usize].held {
                let (sub, local) = self.place(slot);
                let (first, rows) =
                    (self.warps[slot as usize].first_row, self.warps[slot as usize].rows);
                self.subs[sub].mark_rows(first, rows, false);
                self.subs[sub].dismiss(local);
                self.warps[slot as usize].resident = false;
                self.warps[slot as usize].held = false;
            }
        }
        for sub in &mut self.subs {
            sub.queued = 0;
            sub.wake = u64::MAX;
        }
        self.ctas.fill(None);
        self.smem_taken.fill(false);
        self.threads = 0;
        self.todo = Wheel::default();
        self.writes.clear();
        self.accesses.clear();
        self.shadows.clear();
        self.pipe = Pipe::default();
        self.in_order = Default::default();
        self.wake = u64::MAX;
    }
}

/// A cache the chip file leaves out: one line that is always replaced.
fn absent(name: &str) -> upset_chip::CacheSpec {
    use upset_chip::{Per, Replacement, SetHash, WriteAllocate, WritePolicy};
    upset_chip::CacheSpec {
        name: name.to_string(),
        per: Per::Sm,
        serves: Vec::new(),
        next: "l2".into(),
        sets: 1,
        ways: 1,
        line_bytes: 128,
        sector_bytes: 32,
        replacement: Replacement::Lru,
        write: WritePolicy::WriteEvict,
        write_local: None,
        write_allocate: WriteAllocate::None,
        set_hash: SetHash::Linear,
        mshr_entries: Some(64),
        mshr_merge: Some(64),
        port_bytes: None,
        banks: None,
        latency: 20,
        tag_bits: 57,
        source: None,
    }
}
