//! What is below a core, as the core sees it: it looks at everything, and
//! changes nothing but its own doorway.

use std::ops::Deref;

use upset_state::Probe;

use crate::held_back::Sent;
use crate::packet::{Port, Request, WriteData};
use crate::system::{Departure, MemorySystem, counts_as_write};

/// Boxes for stores that a doorway begins with, as far as there are some.
const BOXES: usize = 8;

/// What is below a core.
#[derive(Debug)]
pub enum Below<'m> {
    /// Nobody else uses it now: what is sent is on its way at once, or held back.
    Alone(&'m mut MemorySystem),
    /// Other cores use it in the same moment. What is sent stays at the door.
    Beside(&'m MemorySystem, &'m mut Doorway),
}

/// A core's own part of what is below, while cores go beside each other.
#[derive(Clone, Debug, Default)]
pub struct Doorway {
    core: u16,
    /// As `inject_free` and `outstanding` of the memory system, of this core.
    inject_free: Vec<u64>,
    outstanding: u32,
    turn: u32,
    flits: u64,
    sent: Vec<(Sent, Request)>,
    // They travel in packets, and come from them.
    #[allow(clippy::vec_box)]
    boxes: Vec<Box<WriteData>>,
}

/// What nobody changes here can be looked at by all.
impl Deref for Below<'_> {
    type Target = MemorySystem;

    #[inline(always)]
    fn deref(&self) -> &MemorySystem {
        match self {
            Below::Alone(mem) => mem,
            Below::Beside(mem, _) => mem,
        }
    }
}

impl Below<'_> {
    /// As [`MemorySystem::send`].
    #[inline]
    pub fn send<P: Probe>(&mut self, now: u64, request: Request, p: &mut P) {
        match self {
            Below::Alone(mem) => mem.send(now, request, p),
            Below::Beside(mem, door) => door.send(mem, now, request),
        }
    }

    /// As [`MemorySystem::hold_back`].
    #[inline]
    pub fn hold_back(&mut self, turn: u32) {
        match self {
            Below::Alone(mem) => mem.hold_back(turn),
            Below::Beside(_, door) => door.turn = turn,
        }
    }

    /// As [`MemorySystem::write_box`].
    pub fn write_box(&mut self) -> Box<WriteData> {
        match self {
            Below::Alone(mem) => mem.write_box(),
            Below::Beside(_, door) => door.boxes.pop().unwrap_or_default(),
        }
    }

    /// As [`MemorySystem::outstanding_writes`].
    pub fn outstanding_writes(&self, core: u16, now: u64) -> u32 {
        match self {
            Below::Alone(mem) => mem.outstanding_writes(core, now),
            Below::Beside(mem, door) => door.outstanding + mem.ahead.performed_after(core, now),
        }
    }

    /// As [`MemorySystem::injection_free`].
    pub fn injection_free(&self, port: Port) -> u64 {
        match self {
            Below::Alone(mem) => mem.injection_free(port),
            Below::Beside(mem, door) => {
                let way = usize::from(port.client) % mem.ports;
                door.inject_free.get(way).map_or(0, |&t| mem.crossbar.cycle(t))
            }
        }
    }
}

impl Doorway {
    fn send(&mut self, mem: &MemorySystem, now: u64, request: Request) {
        let way = usize::from(request.port.client) % mem.ports;
        let Departure { free, at, flits } = mem.departure(now, &request, self.inject_free[way]);
        self.inject_free[way] = free;
        self.flits += flits;
        self.outstanding += u32::from(counts_as_write(&request.body));
        // Its packet is made when all are back.
        self.sent.push((Sent { born: now, turn: self.turn, at, id: 0 }, request));
    }
}

impl MemorySystem {
    /// A core is about to go beside others.
    pub fn open(&mut self, core: usize, door: &mut Doorway) {
        door.core = core as u16;
        let ways = core * self.ports..(core + 1) * self.ports;
        door.inject_free.clear();
        door.inject_free.extend_from_slice(&self.inject_free[ways]);
        door.outstanding = self.outstanding[core];
        while door.boxes.len() < BOXES
            && let Some(mut data) = self.spare_writes.take()
        {
            (data.mask, data.flight) = (0, 0);
            door.boxes.push(data);
        }
    }

    /// It is back: what it has sent is held back like everything that is sent by those
    /// who run ahead.
    pub fn close(&mut self, door: &mut Doorway) {
        let core = usize::from(door.core);
        let ways = core * self.ports..(core + 1) * self.ports;
        self.inject_free[ways].copy_from_slice(&door.inject_free);
        self.outstanding[core] = door.outstanding;
        self.counters.flits_to_l2 += std::mem::take(&mut door.flits);
        for (sent, request) in door.sent.drain(..) {
            let id = self.packet(request);
            self.ahead.held_back.push(Sent { id, ..sent });
        }
    }
}
