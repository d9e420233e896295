//! What a core does on its own, from a cycle on to one in which another may reach it.

use upset_mem::Request;
use upset_state::Probe;

use crate::core::{Core, Cx};
use crate::grid::Grid;
use crate::lead::Lead;

/// Added to a core's number: in a cycle they come after the answers.
pub(crate) const STEPS: u32 = 1 << 31;

/// A core trapped: when, which, and what it left unsent.
pub(crate) struct Trapped<T> {
    pub(crate) at: u64,
    pub(crate) core: usize,
    pub(crate) trap: T,
    pub(crate) out: Vec<Request>,
}

/// What cores did while they ran.
pub(crate) struct Doings<T> {
    /// When the last work-group ended that did, or where all began.
    pub(crate) last_end: u64,
    /// How many did.
    ended: u64,
    /// When room was made that no work-group is left for.
    room: u64,
    /// Steps, and answers that were got.
    pub(crate) steps: u64,
    pub(crate) trapped: Option<Trapped<T>>,
}

impl<T> Doings<T> {
    pub(crate) fn new(now: u64) -> Doings<T> {
        Doings { last_end: now, ended: 0, room: u64::MAX, steps: 0, trapped: None }
    }

    /// What other cores did comes to it.
    pub(crate) fn add(&mut self, others: Doings<T>) {
        let Doings { last_end, ended, room, steps, trapped } = others;
        self.last_end = self.last_end.max(last_end);
        self.ended += ended;
        self.room = self.room.min(room);
        self.steps += steps;
        // Of those that trap the first in time counts, of one cycle the lowest.
        let place = |t: &Option<Trapped<T>>| t.as_ref().map_or((u64::MAX, 0), |t| (t.at, t.core));
        if place(&trapped) < place(&self.trapped) {
            self.trapped = trapped;
        }
    }

    /// The grid hears of it.
    pub(crate) fn tell(&mut self, grid: &mut Grid) {
        grid.done += std::mem::take(&mut self.ended);
        grid.dispatch = grid.dispatch.min(std::mem::replace(&mut self.room, u64::MAX));
    }
}

/// How far cores run.
#[derive(Clone, Copy)]
pub(crate) struct Until {
    /// The first cycle that they do not do.
    pub(crate) end: u64,
    /// There are work-groups left: who makes room must be asked.
    pub(crate) more: bool,
}

/// Lets a core do what it does before some cycle, or before it must be asked
/// whether it takes a work-group.
pub(crate) fn run_one<C: Core, P: Probe>(
    number: usize,
    core: &mut C,
    lead: &mut Lead,
    until: Until,
    all: &mut Doings<C::Trap>,
    cx: &mut Cx<'_, C, P>,
) {
    loop {
        // In the cycle of a trap those with lower numbers still have their turn.
        let trapped = all.trapped.as_ref().map_or(u64::MAX, |t| t.at + u64::from(number < t.core));
        let cycle = lead.next_cycle(core.wake());
        if cycle >= until.end.min(lead.asked).min(trapped) {
            return;
        }
        (cx.now, lead.next) = (cycle, cycle + 1);
        all.steps += 1;
        lead.answer(core, cx);
        if core.wake() > cycle {
            continue;
        }
        cx.mem.hold_back(STEPS + number as u32);
        if let Err(trap) = core.step(cx) {
            let out = std::mem::take(cx.out);
            all.trapped = Some(Trapped { at: cycle, core: number, trap, out });
            return;
        }
        let ended = core.take_ended();
        if ended > 0 {
            all.ended += u64::from(ended);
            all.last_end = all.last_end.max(cycle);
        }
        if core.take_vacated() {
            match until.more {
                true => lead.asked = lead.asked.min(cycle + 1),
                false => all.room = all.room.min(cycle + 1),
            }
        }
        if ended > 0 && !until.more && core.is_vacant() && !lead.waits {
            lead.waits = true;
            return;
        }
    }
}
