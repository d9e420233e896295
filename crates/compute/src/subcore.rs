//! A sub-core: its register file, what its scheduler knows, its units.

use upset_isa::Lanes;
use upset_state::{Array, ArrayId, Kind};

use crate::config::{Config, UNITS};
use crate::reuse::Reuse;
use crate::stats::Reason;

/// What a scheduler knows of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Sched {
    /// First cycle at which it may issue again.
    pub ready: u64,
    /// What it waits for when it is not awake.
    pub why: Reason,
    /// Counters it waits for; none: look at every change.
    pub wait: u8,
}

/// Warps of a sub-core by age, oldest first. A plain value, so that a look at
/// all of them is one small copy.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    list: [u8; 64],
    len: u8,
}

impl Default for Order {
    fn default() -> Self {
        Order { list: [0; 64], len: 0 }
    }
}

impl Order {
    /// Adds the youngest.
    pub fn push(&mut self, warp: u8) {
        if let Some(slot) = self.list.get_mut(usize::from(self.len)) {
            *slot = warp;
            self.len += 1;
        }
    }

    /// Takes one out.
    pub fn remove(&mut self, warp: u8) {
        if let Some(i) = self.position(warp) {
            self.list.copy_within(i + 1..usize::from(self.len), i);
            self.len -= 1;
        }
    }

    /// Where a warp stands.
    pub fn position(&self, warp: u8) -> Option<usize> {
        self.list[..self.len()].iter().position(|&w| w == warp)
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        usize::from(self.len) % 65
    }

    /// The one at place `i`.
    #[inline]
    pub fn at(&self, i: usize) -> u8 {
        self.list[i % 64]
    }
}

/// A sub-core.
#[derive(Clone, Debug)]
pub struct SubCore {
    /// Register rows.
    pub rf: Array<Lanes>,
    /// Granules of rows in use.
    pub(crate) taken: Vec<bool>,
    pub(crate) granule: u32,
    /// Resident warps by age, oldest first (numbers within the sub-core).
    pub order: Order,
    /// Warps that do not wait for an event.
    pub awake: u64,
    /// Per warp.
    pub sched: Vec<Sched>,
    /// The warp that issued last.
    pub last: u8,
    /// First cycle at which the issue port is free.
    pub issue_free: u64,
    /// First cycle at which each unit is free.
    pub unit_free: [u64; UNITS],
    /// The same of the FP32 pipe that cannot multiply integers.
    pub lite_free: u64,
    /// First cycle at which the address unit is free.
    pub address_free: u64,
    /// Memory instructions that the SM has not taken.
    pub queued: u32,
    /// First cycle at which the fetch port is free.
    pub fetch_free: u64,
    /// Register banks.
    pub reuse: Reuse,
    /// When to look again.
    pub wake: u64,
    /// Since when it has not issued.
    pub idle_from: u64,
    /// And why.
    pub idle_why: Reason,
}

impl SubCore {
    /// An idle sub-core of a chip, by its number on it.
    pub fn new(config: &Config, number: u32) -> SubCore {
        let warps = config.warps.div_ceil(config.subcores) as usize;
        SubCore {
            rf: Array::new(ArrayId::data(Kind::Rf, number), config.rows),
            taken: vec![false; (config.rows / config.row_granule) as usize],
            granule: config.row_granule,
            order: Order::default(),
            awake: 0,
            sched: vec![Sched { ready: 0, why: Reason::NoWarp, wait: 0 }; warps],
            last: 0,
            issue_free: 0,
            unit_free: [0; UNITS],
            lite_free: 0,
            address_free: 0,
            queued: 0,
            fetch_free: 0,
            reuse: Reuse::default(),
            wake: u64::MAX,
            idle_from: 0,
            idle_why: Reason::NoWarp,
        }
    }

    /// First row of a free stretch of `rows` rows.
    pub fn find_rows(&self, rows: u32) -> Option<u32> {
        let need = rows.div_ceil(self.granule) as usize;
        if need == 0 {
            return Some(0);
        }
        let mut run = 0;
        for (i, &taken) in self.taken.iter().enumerate() {
            run = if taken { 0 } else { run + 1 };
            if run == need {
                return Some((i + 1 - need) as u32 * self.granule);
            }
        }
        None
    }

    /// Marks rows as taken or free.
    pub fn mark_rows(&mut self, first: u32, rows: u32, taken: bool) {
        let at = (first / self.granule) as usize;
        let n = rows.div_ceil(self.granule) as usize;
        if let Some(granules) = self.taken.get_mut(at..at + n) {
            granules.fill(taken);
        }
    }

    /// Lets a warp be looked at again from `at` on.
    pub fn rouse(&mut self, warp: usize, at: u64) {
        self.awake |= 1 << warp;
        self.sched[warp].ready = self.sched[warp].ready.max(at);
        self.wake = self.wake.min(self.sched[warp].ready);
    }

    /// A warp arrives.
    pub fn admit(&mut self, warp: usize, at: u64) {
        self.order.push(warp as u8);
        self.sched[warp] = Sched { ready: at, why: Reason::Stall, wait: 0 };
        self.rouse(warp, at);
    }

    /// A warp leaves.
    pub fn dismiss(&mut self, warp: usize) {
        self.order.remove(warp as u8);
        self.awake &= !(1 << warp);
    }
}
