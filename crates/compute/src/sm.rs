//! A streaming multiprocessor: its arrays, and its events.

use std::collections::VecDeque;

use upset_chip::ChipSpec;
use upset_isa::WARP;
use upset_isa::barrier::BarCounters;
use upset_isa::inst::BY_SCOREBOARD;
use upset_isa::locks::Locks;
use upset_isa::trap::{Trap, TrapKind};
use upset_isa::warp::Scratch;
use upset_machine::Held;
use upset_mem::wheel::Wheel;
use upset_mem::{Filled, FirstLevel, Reply, end_flight};
use upset_state::{ArrayId, By, ByteArray, Kind, Probe};

use crate::config::Config;
use crate::cta::resident::Cta;
use crate::depend::counters::is_counted;
use crate::depend::scoreboard::Scoreboard;
use crate::haunt::shadows::Shadows;
use crate::levels::{self, client};
use crate::lsu::access::Access;
use crate::lsu::engine::Engine;
use crate::lsu::pipe::Pipe;
use crate::lsu::shared_memory::SharedMemory;
use crate::regfile::RegisterFile;
use crate::sched::Turn;
use crate::subcore::SubCore;
use crate::todo::Todo;
use crate::units::result::WriteBack;
use crate::units::{Groups, Units};
use crate::warp::{Home, Warp};
use crate::wires::Wires;
use upset_machine::Pool;
use upset_machine::Room;
use upset_machine::pmu::Counts;
use upset_machine::{CoreCounters, Reason};

/// Waiter number of a fetch that nobody waits for: no warp slot, and no access.
pub(crate) const NOBODY: u32 = IS_ACCESS - 1;
/// Marks a waiter of the constant cache that is an access rather than a warp.
pub(crate) const IS_ACCESS: u32 = 1 << 31;
/// Lines an access number leaves room for in a waiter number.
pub(crate) const LINE_BITS: u32 = 8;

/// What a step of an SM works with.
pub(crate) type Cx<'k, P> = upset_machine::Cx<'k, Sm, P>;

/// A streaming multiprocessor.
#[derive(Clone)]
pub struct Sm {
    pub(crate) id: u32,
    /// Schedulers, and what each has for itself.
    pub(crate) subs: Vec<SubCore>,
    /// Register files: one for each scheduler, or one that several share.
    pub(crate) files: Vec<RegisterFile>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) ctas: Vec<Option<Cta>>,
    /// Barrier counters of each CTA slot.
    pub(crate) bars: Vec<BarCounters>,
    pub(crate) shared: SharedMemory,
    /// Locks on words of shared memory.
    pub(crate) locks: Locks,
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
    /// Its warps keep a stack and condition codes.
    pub(crate) has_stack: bool,
    /// What logic it has whose wires can break.
    pub(crate) wires: Wires,
    /// What will happen; few latencies are longer than its ring.
    pub(crate) todo: Wheel<Todo, 4>,
    pub(crate) writes: Pool<WriteBack>,
    pub(crate) accesses: Pool<Access>,
    pub(crate) shadows: Shadows,
    pub(crate) pipe: Pipe,
    /// What bulk copies wait for.
    pub(crate) engine: Engine,
    /// First cycle at which the texture and constant-load pipes take another instruction.
    pub(crate) texture_free: u64,
    /// Texture fetches and constant loads in order: they also end in order,
    /// which code relies on (`DEPBAR.LE`).
    pub(crate) in_order: [VecDeque<u32>; 2],
    /// When the last of each ends.
    pub(crate) last_end: [u64; 2],
    /// Units that the schedulers share.
    pub(crate) units: Units,
    /// Those of which there are several.
    pub(crate) groups: Groups,
    /// Who of the schedulers begins.
    pub(crate) turn: Turn,
    pub(crate) scratch: Box<Scratch>,
    pub(crate) waiters: Vec<u32>,
    /// When to step it again.
    pub(crate) wake: u64,
    /// CTAs that ended since the dispatcher last looked.
    pub(crate) ended: u32,
    /// Room was made since then.
    pub(crate) vacated: bool,
    /// What it has counted.
    pub counters: CoreCounters,
    pub(crate) occupied_from: u64,
    /// What CTAs hold, if somebody wants to know.
    pub(crate) held: Option<Box<Held>>,
    /// What its performance-monitoring unit counts, if somebody wants to know;
    /// what warps in their slots have counted is yet to be added.
    pub(crate) pmu: Option<Box<Counts>>,
}

impl Sm {
    /// SM `id` of a chip.
    pub fn new(chip: &ChipSpec, config: &Config, id: u32) -> Sm {
        let [l1d, l1t, l1c, l1i] = levels::new(chip, config, id);
        let has_stack = chip.has_stack();
        Sm {
            id,
            subs: (0..config.schedulers).map(|_| SubCore::new(config)).collect(),
            files: (0..config.subcores)
                .map(|s| RegisterFile::new(config, id * config.subcores + s))
                .collect(),
            warps: (0..config.warps)
                .map(|slot| {
                    let home = Home::new(slot, config.schedulers, config.subcores);
                    Warp::new(id, slot, home, config.buffer, has_stack)
                })
                .collect(),
            ctas: vec![None; config.ctas as usize],
            bars: vec![BarCounters::default(); config.ctas as usize],
            shared: SharedMemory {
                bytes: ByteArray::new(ArrayId::data(Kind::Smem, id), config.shared_bytes),
                room: Room::new(config.shared_bytes, config.shared_granule),
            },
            locks: Locks::default(),
            threads: 0,
            next_admission: 0,
            l1d,
            l1t,
            l1c,
            l1i,
            has_level: levels::NAMES.map(|name| chip.cache(name).is_some()),
            has_uniform: config.has_uniform,
            has_stack,
            wires: Wires::new(config, id),
            todo: Wheel::default(),
            writes: Pool::default(),
            accesses: Pool::default(),
            shadows: Shadows::default(),
            pipe: Pipe::default(),
            engine: Engine::default(),
            texture_free: 0,
            in_order: Default::default(),
            last_end: [0; 2],
            units: Units::default(),
            groups: Groups::new(config),
            turn: Turn::new(config),
            scratch: Box::new([[0; WARP]; 6]),
            waiters: Vec::new(),
            wake: u64::MAX,
            ended: 0,
            vacated: false,
            counters: CoreCounters::default(),
            occupied_from: 0,
            held: None,
            pmu: None,
        }
    }

    /// Its caches, in the order of their [`client`](crate::client) numbers.
    pub(crate) fn levels(&self) -> [&FirstLevel; 4] {
        [&self.l1d, &self.l1t, &self.l1c, &self.l1i]
    }

    /// Its caches, to change them.
    pub(crate) fn levels_mut(&mut self) -> [&mut FirstLevel; 4] {
        [&mut self.l1d, &mut self.l1t, &mut self.l1c, &mut self.l1i]
    }

    pub(crate) fn level(&self, which: u8) -> &FirstLevel {
        match which {
            client::DATA => &self.l1d,
            client::TEXTURE => &self.l1t,
            client::CONSTANT => &self.l1c,
            _ => &self.l1i,
        }
    }

    pub(crate) fn level_mut(&mut self, which: u8) -> &mut FirstLevel {
        match which {
            client::DATA => &mut self.l1d,
            client::TEXTURE => &mut self.l1t,
            client::CONSTANT => &mut self.l1c,
            _ => &mut self.l1i,
        }
    }

    /// Scheduler and number with it of a warp slot.
    #[inline]
    pub(crate) fn place(&self, slot: u32) -> (usize, usize) {
        let Home { scheduler, number, .. } = self.warps[slot as usize].home;
        (scheduler.into(), number.into())
    }

    /// The register file of a warp slot.
    #[inline]
    pub(crate) fn file_of(&self, slot: u32) -> usize {
        self.warps[slot as usize].home.file.into()
    }

    /// Does everything that is due at `cx.now`.
    pub(crate) fn step<P: Probe>(&mut self, cx: &mut Cx<'_, P>) -> Result<(), Trap> {
        match cx.slow {
            true => self.step_as::<P, true>(cx),
            false => self.step_as::<P, false>(cx),
        }
    }

    /// Asked once per step, not per warp, whether it goes slowly.
    #[inline(always)]
    fn step_as<P: Probe, const SLOW: bool>(&mut self, cx: &mut Cx<'_, P>) -> Result<(), Trap> {
        self.hold_control(cx);
        while self.todo.next() <= cx.now {
            if let Some((_, todo)) = self.todo.pop_due(cx.now) {
                self.perform(todo, cx);
            }
        }
        let first = self.turn.first();
        let mut s = first;
        let all = loop {
            self.hold_control(cx);
            if self.subs[s].sched.wake > cx.now {
                self.subs[s].sched.pass_turn();
                if SLOW {
                    self.look_again(s, cx)?;
                }
            } else {
                self.step_subcore::<P, SLOW>(s, cx)?;
                if P::GHOSTS && cx.probe.ghosts().is_some_and(|g| g.wants_out()) {
                    break false;
                }
            }
            s += 1;
            // After the last comes the first.
            if s >= self.subs.len() {
                s = 0;
            }
            if s == first {
                break true;
            }
        };
        if all {
            self.turn.end();
        }
        cx.flush();
        self.wake = self.next_look(self.todo.next());
        if self.wake == u64::MAX {
            // That nothing will happen any more shows in the cycle of the last look.
            self.wake =
                self.subs.iter().map(|s| s.sched.next_look(cx.now + 1)).fold(u64::MAX, u64::min);
        }
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
            Todo::Vacate(i) => self.vacate(i as usize, cx.now, cx.probe),
            Todo::Settle => {
                return (0..self.ctas.len()).for_each(|cta| {
                    self.settle(cta, cx);
                    self.end_if_finished(cta, cx);
                });
            }
        }
        self.hold_control(cx);
    }

    /// Lowers a counter and lets the warp look again.
    pub(crate) fn lower(&mut self, slot: u32, counter: u8, now: u64) {
        if !is_counted(counter) {
            return;
        }
        let (sub, local) = self.place(slot);
        let warp = &mut self.warps[slot as usize];
        warp.counters.lower(counter);
        let sub = &mut self.subs[sub];
        let sched = sub.sched.of(local);
        let waits = sched.why == Reason::Scoreboard && sub.sched.sleeps(local);
        if waits
            && (counter != BY_SCOREBOARD || warp.has_awaited())
            && warp.resident
            && warp.counters.are_clear(sched.wait)
        {
            warp.awaited = Scoreboard::default();
            sub.sched.rouse(local, now);
        }
    }

    /// An answer from below.
    pub(crate) fn receive<P: Probe>(&mut self, reply: Reply, cx: &mut Cx<'_, P>) {
        let mut waiters = std::mem::take(&mut self.waiters);
        waiters.clear();
        let (which, line) = (reply.port.client, reply.line);
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
            Filled::Line(_) | Filled::Atomic(_) | Filled::Done | Filled::Nothing => {}
        }
        self.waiters = waiters;
        if which == client::DATA && self.pipe.blocked {
            self.pipe.blocked = false;
            self.schedule_serve(cx.now);
        }
        cx.flush();
        self.wake = self.next_look(self.todo.next());
    }

    /// Lets a warp that waits for `why` look again.
    pub(crate) fn rouse_if(&mut self, slot: u32, why: Reason, now: u64) {
        if slot as usize >= self.warps.len() || !self.warps[slot as usize].resident {
            return;
        }
        let (sub, local) = self.place(slot);
        if self.subs[sub].sched.of(local).why == why {
            self.subs[sub].sched.rouse(local, now);
        }
    }

    /// When the first of its schedulers looks again, or something else happens.
    #[inline]
    pub(crate) fn next_look(&self, other: u64) -> u64 {
        self.subs.iter().map(|s| s.sched.wake).fold(other, u64::min)
    }

    /// The trap of a warp.
    pub(crate) fn trap(&self, slot: u32, kind: TrapKind) -> Trap {
        let w = &self.warps[slot as usize];
        let cta = self.ctas.get(w.cta as usize).and_then(Option::as_ref);
        Trap { kind, pc: w.flow.pc, cta: cta.map_or([0; 3], |c| c.id), warp: w.id }
    }

    /// Control state was changed from outside.
    pub(crate) fn reconsider(&mut self, kind: Kind, now: u64) {
        // Latches act when they are used next; lines and ports may let a warp
        // issue that nobody would look at.
        if kind.about().wire && !matches!(kind, Kind::Sched | Kind::Port) {
            return;
        }
        if matches!(kind, Kind::Bar | Kind::Wstate) {
            self.todo.push(now, Todo::Settle);
        }
        self.rouse_all(now);
    }

    /// Lets every resident warp look again.
    pub(crate) fn rouse_all(&mut self, now: u64) {
        for slot in 0..self.warps.len() as u32 {
            if self.warps[slot as usize].resident {
                let (sub, local) = self.place(slot);
                self.subs[sub].sched.rouse(local, now);
            }
        }
        self.wake = self.next_look(self.wake);
    }

    /// Adds the schedulers' idle time up to now, the last cycle of a launch.
    pub(crate) fn account_idle(&mut self, now: u64) {
        for sub in &mut self.subs {
            sub.sched.end_launch(now);
            let (why, idle) = sub.sched.take_idle(now);
            self.counters.stalls[why as usize] += idle;
        }
        self.wake = self.next_look(self.wake);
    }

    /// Time before `now` is nobody's.
    pub(crate) fn idle_until(&mut self, now: u64) {
        for sub in &mut self.subs {
            sub.sched.idle_from = now;
            sub.sched.idle_why = Reason::NoWarp;
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
                let file = self.file_of(slot);
                self.files[file].room.mark(first, rows, false);
                self.subs[sub].sched.dismiss(local, now);
                self.warps[slot as usize].held = false;
            }
            self.warps[slot as usize].resident = false;
        }
        for sub in &mut self.subs {
            sub.queued = 0;
            (sub.sched.wake, sub.sched.spared) = (u64::MAX, 0);
        }
        self.ctas.fill(None);
        self.shared.room.clear();
        self.threads = 0;
        self.todo = Wheel::default();
        self.writes.clear();
        self.accesses.clear();
        self.shadows.clear();
        self.pipe = Pipe::default();
        self.engine = Engine::default();
        self.in_order = Default::default();
        self.wake = u64::MAX;
    }
}
