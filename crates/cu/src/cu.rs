//! A compute unit: its arrays, and its events.

use std::collections::VecDeque;

use upset_chip::ChipSpec;
use upset_gcn::trap::{Trap, TrapKind};
use upset_gcn::wave::Outcome;
use upset_machine::{CoreCounters, Held, Pool, Reason, Room};
use upset_mem::wheel::Wheel;
use upset_mem::{FirstLevel, Port};
use upset_state::{ArrayId, ByteArray, Kind};

use crate::access::Access;
use crate::config::Config;
use crate::counters::Counter;
use crate::haunt::shadows::Shadows;
use crate::resident::WorkGroup;
use crate::simd::Simd;
use crate::todo::Todo;
use crate::wave::Wave;

/// The vector memory pipe.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    pub queue: VecDeque<u32>,
    pub free: u64,
    pub scheduled: bool,
    pub blocked: bool,
}

/// A compute unit.
#[derive(Clone)]
pub struct Cu {
    /// Its number on the chip.
    pub(crate) id: u32,
    /// Its number in its group.
    pub(crate) local: u32,
    pub(crate) simds: Vec<Simd>,
    pub(crate) waves: Vec<Wave>,
    pub(crate) groups: Vec<Option<WorkGroup>>,
    /// Waves at the barrier of each work-group slot.
    pub(crate) bars: Vec<u8>,
    pub(crate) lds: ByteArray,
    pub(crate) lds_room: Room,
    pub(crate) l1v: FirstLevel,
    /// First cycle at which it takes another work-group.
    pub(crate) next_admission: u64,
    /// Where the search for room begins.
    pub(crate) next_simd: u32,
    pub(crate) todo: Wheel<Todo>,
    pub(crate) accesses: Pool<Access>,
    pub(crate) pipe: Pipe,
    /// Vector memory instructions of each wave slot, in order.
    pub(crate) in_order: Vec<VecDeque<u32>>,
    /// When the last of each ends.
    pub(crate) last_end: Vec<u64>,
    /// When the last of each leaves the registers.
    pub(crate) last_taken: Vec<u64>,
    /// First cycle at which each LDS port is free.
    pub(crate) share_free: [u64; 2],
    /// First cycle at which the way to the scalar cache is free.
    pub(crate) scalar_free: u64,
    /// First cycle at which the way from the instruction cache is free.
    pub(crate) fetch_free: u64,
    pub(crate) outcome: Box<Outcome>,
    /// When to step it again.
    pub(crate) wake: u64,
    /// Work-groups that ended since the dispatcher last looked.
    pub(crate) ended: u32,
    /// Room was made since then.
    pub(crate) vacated: bool,
    pub(crate) counters: CoreCounters,
    pub(crate) occupied_from: u64,
    /// What work-groups hold, if somebody wants to know.
    pub(crate) held: Option<Box<Held>>,
    /// Ghosts' parts in what is in flight.
    pub(crate) shadows: Shadows,
}

impl Cu {
    /// Compute unit `id` of a chip; `port` is its way into memory.
    pub fn new(chip: &ChipSpec, config: &Config, id: u32, local: u32, port: Port) -> Cu {
        let slots = config.simds * config.waves;
        Cu {
            id,
            local,
            simds: (0..config.simds).map(|s| Simd::new(config, id * config.simds + s)).collect(),
            waves: (0..slots).map(|slot| Wave::new(id, slot, config.buffer_rows)).collect(),
            groups: vec![None; config.group_slots as usize],
            bars: vec![0; config.group_slots as usize],
            lds: ByteArray::new(ArrayId::data(Kind::Lds, id), config.lds_bytes),
            lds_room: Room::new(config.lds_bytes, config.lds_granule),
            l1v: config.vector_cache(chip, id, port),
            next_admission: 0,
            next_simd: 0,
            todo: Wheel::default(),
            accesses: Pool::default(),
            pipe: Pipe::default(),
            in_order: vec![VecDeque::new(); slots as usize],
            last_end: vec![0; slots as usize],
            last_taken: vec![0; slots as usize],
            share_free: [0; 2],
            scalar_free: 0,
            fetch_free: 0,
            outcome: Box::default(),
            wake: u64::MAX,
            ended: 0,
            vacated: false,
            counters: CoreCounters::default(),
            occupied_from: 0,
            held: None,
            shadows: Shadows::default(),
        }
    }

    /// SIMD unit and number on it of a wave slot.
    #[inline]
    pub(crate) fn place(&self, slot: u32) -> (usize, usize) {
        let n = self.simds.len();
        (slot as usize % n, slot as usize / n)
    }

    /// Works out when to step it again.
    pub(crate) fn next_wake(&mut self) {
        self.wake = self.simds.iter().map(|s| s.wake).fold(self.todo.next(), u64::min);
    }

    /// Lowers a counter and lets the wave look again.
    pub(crate) fn lower(&mut self, slot: u32, which: Counter, by: u8, now: u64) {
        self.waves[slot as usize].counters.lower(which, by);
        self.rouse_if(slot, Reason::Scoreboard, now);
    }

    /// Lets a wave that waits for `why` look again.
    pub(crate) fn rouse_if(&mut self, slot: u32, why: Reason, now: u64) {
        if !self.waves.get(slot as usize).is_some_and(|w| w.resident) {
            return;
        }
        let (s, local) = self.place(slot);
        let simd = &mut self.simds[s];
        if simd.sleeps(local) && simd.turns[local].why == why {
            simd.rouse(local, now);
        }
    }

    /// Lets every resident wave look again; those at a barrier stay there.
    pub(crate) fn rouse_all(&mut self, now: u64) {
        for slot in 0..self.waves.len() as u32 {
            let w = &self.waves[slot as usize];
            if w.resident && !w.at_barrier {
                let (s, local) = self.place(slot);
                self.simds[s].rouse(local, now);
            }
        }
        self.wake = self.simds.iter().map(|s| s.wake).fold(self.wake, u64::min);
    }

    /// Control state was changed from outside.
    pub(crate) fn reconsider(&mut self, kind: Kind, now: u64) {
        if kind == Kind::Bar {
            self.todo.push(now, Todo::Settle);
        }
        self.rouse_all(now);
        self.next_wake();
    }

    /// The trap of a wave.
    pub(crate) fn trap(&self, slot: u32, kind: TrapKind) -> Trap {
        let w = &self.waves[slot as usize];
        let group = self.groups.get(w.group as usize).and_then(Option::as_ref);
        Trap { kind, pc: w.pc, group: group.map_or([0; 3], |g| g.id), wave: w.id }
    }

    /// Adds the SIMD units' idle time up to now.
    pub(crate) fn account_idle(&mut self, now: u64) {
        for simd in &mut self.simds {
            let (why, idle) = simd.take_idle(now);
            self.counters.stalls[why as usize] += idle;
        }
    }

    /// Time before `now` is nobody's.
    pub(crate) fn idle_until(&mut self, now: u64) {
        for simd in &mut self.simds {
            simd.idle_from = now;
            simd.idle_why = Reason::NoWarp;
        }
    }

    /// Forgets everything in flight and every resident wave (after a trap).
    pub(crate) fn abandon(&mut self, now: u64) {
        self.account(now);
        if let Some(held) = &mut self.held {
            held.let_go(now);
        }
        for slot in 0..self.waves.len() as u32 {
            if self.waves[slot as usize].held {
                let (s, local) = self.place(slot);
                let simd = &mut self.simds[s];
                simd.dismiss(local);
                let w = &mut self.waves[slot as usize];
                simd.vector_room.mark(w.first_row / 2, w.vgprs, false);
                simd.scalar_room.mark(w.first_sgpr, w.sgprs, false);
                w.resident = false;
                w.held = false;
            }
        }
        for simd in &mut self.simds {
            simd.wake = u64::MAX;
        }
        self.groups.fill(None);
        self.lds_room.clear();
        self.todo = Wheel::default();
        self.accesses.clear();
        self.shadows = Shadows::default();
        self.pipe = Pipe::default();
        self.in_order.iter_mut().for_each(VecDeque::clear);
        self.wake = u64::MAX;
    }
}
