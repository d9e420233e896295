//! A SIMD unit: registers, and the waves that take turns on it.

use upset_lanes::Lanes;
use upset_machine::{Reason, Room};
use upset_state::{Array, ArrayId, Kind};

use crate::config::Config;

/// Waves of a SIMD unit at most.
pub const MOST_WAVES: usize = 16;

/// What is known of a wave's turn.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// First cycle at which it may issue again.
    pub ready: u64,
    /// What it waits for when it is not awake.
    pub why: Reason,
}

/// A SIMD unit.
#[derive(Clone, Debug)]
pub struct Simd {
    /// Vector registers: two rows of 32 lanes each.
    pub vector: Array<Lanes>,
    /// Which of them are taken, in registers.
    pub vector_room: Room,
    /// Scalar registers.
    pub scalar: Array<u32>,
    /// Which of them are taken.
    pub scalar_room: Room,
    /// Resident waves by age, oldest first.
    order: [u8; MOST_WAVES],
    count: u8,
    /// Waves that do not wait for an event.
    pub awake: u32,
    /// Per wave.
    pub turns: [Turn; MOST_WAVES],
    /// It has one turn in so many cycles.
    pub turn: u64,
    /// First cycle at which the vector unit is free.
    pub vector_free: u64,
    /// Units that instructions of this turn have taken, and the turn's cycle.
    pub taken: (u64, u8),
    /// When to look again.
    pub wake: u64,
    /// Since when it has not issued.
    pub idle_from: u64,
    /// And why.
    pub idle_why: Reason,
}

impl Simd {
    /// An idle unit, by its number on the chip.
    pub fn new(config: &Config, number: u32) -> Simd {
        Simd {
            vector: Array::new(ArrayId::data(Kind::Vrf, number), 2 * config.vgprs),
            vector_room: Room::new(config.vgprs, config.vgpr_granule),
            scalar: Array::new(ArrayId::data(Kind::Srf, number), config.sgprs),
            scalar_room: Room::new(config.sgprs, config.sgpr_granule),
            order: [0; MOST_WAVES],
            count: 0,
            awake: 0,
            turns: [Turn { ready: 0, why: Reason::NoWarp }; MOST_WAVES],
            turn: config.turn,
            vector_free: 0,
            taken: (0, 0),
            wake: u64::MAX,
            idle_from: 0,
            idle_why: Reason::NoWarp,
        }
    }

    /// Resident waves by age, oldest first.
    pub fn by_age(&self) -> ([u8; MOST_WAVES], usize) {
        (self.order, usize::from(self.count))
    }

    /// Whether a wave waits for an event.
    pub fn sleeps(&self, wave: usize) -> bool {
        self.awake >> wave & 1 == 0
    }

    /// Lets a wave be looked at again from `at` on.
    pub fn rouse(&mut self, wave: usize, at: u64) {
        self.awake |= 1 << wave;
        let turn = &mut self.turns[wave];
        turn.ready = turn.ready.max(at);
        self.wake = self.wake.min(turn.ready);
    }

    /// A wave is not looked at before what it waits for has happened.
    pub fn block(&mut self, wave: usize, why: Reason) {
        self.awake &= !(1 << wave);
        self.turns[wave].why = why;
    }

    /// A wave arrives.
    pub fn admit(&mut self, wave: usize, at: u64) {
        self.order[usize::from(self.count) % MOST_WAVES] = wave as u8;
        self.count += 1;
        self.turns[wave] = Turn { ready: at, why: Reason::Stall };
        self.rouse(wave, at);
    }

    /// A wave leaves.
    pub fn dismiss(&mut self, wave: usize) {
        let count = usize::from(self.count);
        if let Some(i) = self.order[..count].iter().position(|&w| usize::from(w) == wave) {
            self.order.copy_within(i + 1..count, i);
            self.count -= 1;
        }
        self.awake &= !(1 << wave);
    }

    /// The time without an issue up to now, and why; it is counted from now on.
    pub fn take_idle(&mut self, now: u64) -> (Reason, u64) {
        let idle = now - self.idle_from.min(now);
        self.idle_from = now;
        (self.idle_why, idle)
    }
}
