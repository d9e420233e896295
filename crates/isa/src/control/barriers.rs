//! Divergence and convergence of one warp: per-thread program counters and the
//! sixteen convergence barriers, as a small state machine without time.
//!
//! Threads of a warp that share a program counter run together as the *active
//! group*; the others are ready at their own counters, waiting, or gone. The
//! functional and the timing engine both drive this state; neither adds rules.
//!
//! What the compiler relies on, and what this models: `BSSY` writes the active
//! threads into a barrier register, `BSYNC` parks a thread until every living
//! thread named in the barrier is parked there, `BREAK` takes threads out,
//! `EXIT` takes them out of everything, `WARPSYNC` parks until the named
//! threads are parked too. Barrier registers are plain 32-bit masks that `BMOV`
//! reads and writes.
//!
//! Threads that came to a `WARPSYNC` in several groups issue it once more, as
//! the group that they have become: an H200's counters show it
//! (docs/timing-hardware.md). A group that met nobody there goes on at once.
//! Three more instructions are issued several times without any effect on who
//! runs next; [`Again`] counts these issues: a jump to several places, a
//! `WARPSYNC.EXCLUSIVE` of several masks, and a `BSYNC` whose barrier a `BMOV`
//! has put back. [`warp_sync`](super::warp_sync) and
//! [`collective`](super::collective) have these instructions' rules.
//!
//! Functions save the barrier registers they use and restore them before they
//! return, while other threads of the warp may be parked at the saved barriers.
//! Two things follow. A barrier releases only threads that it names: clearing a
//! register must not let go of threads whose barrier was put aside. And when
//! the active group parks, the threads that left it last go on first: were an
//! outer group to run in between, it would meet registers in use.

use std::hash::{Hash, Hasher};

use super::events::Events;
use super::stack::{EntryKind, Stack};
use crate::int::LANE_BIT;
use crate::{Mask, WARP};

/// Convergence barrier registers per warp.
pub const BARRIERS: usize = 16;

/// Why a thread does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// It can run.
    Ready,
    /// Parked at `BSYNC Bn`.
    Barrier(u8),
    /// Parked at `WARPSYNC`.
    WarpSync {
        /// The threads it names.
        mask: Mask,
        /// Whether it is exclusive.
        exclusive: bool,
        /// Bytes from it to where the thread goes on.
        onward: u32,
    },
    /// Parked at `WARPSYNC.COLLECTIVE`.
    Collective {
        /// The threads it names.
        mask: Mask,
        /// Where the thread goes on when the operation is done.
        onward: u32,
    },
    /// Parked at a CTA barrier; the engine releases it.
    Cta(u8),
}

/// Issues of an instruction beyond its first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Again {
    /// How many.
    pub issues: u32,
    /// Threads of all of them together.
    pub threads: u32,
}

impl Again {
    pub(super) fn count(&mut self, threads: Mask) {
        self.issues += 1;
        self.threads += threads.count_ones();
    }
}

/// Control state of a warp.
///
/// A fault may put any bits into the counters, masks and barriers: every
/// method accepts every state, even one that no program reaches (active
/// threads that have exited, say).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convergence {
    /// Program counter of the active group.
    pub pc: u32,
    /// Threads of the active group; empty when nothing can run.
    pub active: Mask,
    /// Threads that have not exited.
    pub live: Mask,
    /// Convergence barrier registers.
    pub barriers: [Mask; BARRIERS],
    /// Program counters of live threads outside the active group.
    pub(super) pcs: [u32; WARP],
    wait: [Wait; WARP],
    /// Those whose wait is not to be ready: what most questions begin with.
    stopped: Mask,
    /// When each thread last left the active group, or was released.
    pub(super) since: [u32; WARP],
    clock: u32,
    /// Threads that met at a `WARPSYNC` and have yet to issue it together.
    pub(super) met: Mask,
    /// Threads that run a collective operation together, and where each goes on.
    pub(super) collective: Mask,
    pub(super) onward: [u32; WARP],
    /// Barriers, by bit, that a `BMOV` wrote last.
    restored: u16,
    /// Of the instruction that was carried out last.
    pub(super) again: Again,
    /// The group that was active last.
    pub(super) ran: Mask,
    /// What has happened since the warp began; only counts.
    pub(super) events: Events,
    /// Of code that has one instead of barriers and a counter per thread.
    pub(super) stack: Option<Box<Stack>>,
}

impl Convergence {
    /// A warp whose `threads` start together at `pc`.
    pub fn new(pc: u32, threads: Mask) -> Convergence {
        Convergence {
            pc,
            active: threads,
            live: threads,
            barriers: [0; BARRIERS],
            pcs: [pc; WARP],
            wait: [Wait::Ready; WARP],
            stopped: 0,
            since: [0; WARP],
            clock: 0,
            met: 0,
            collective: 0,
            onward: [0; WARP],
            restored: 0,
            again: Again::default(),
            ran: threads,
            events: Events::default(),
            stack: None,
        }
    }

    /// What has happened since the warp began.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// A jump is issued.
    pub fn count_jump(&mut self) {
        self.events.branches += 1;
    }

    /// How often the last instruction was issued again; forgotten after that.
    pub fn take_again(&mut self) -> Again {
        std::mem::take(&mut self.again)
    }

    /// Takes in what can still be seen: of threads that are parked where they
    /// stand and in which order they stopped, of the others nothing of that.
    pub fn observe(&self, h: &mut impl Hasher) {
        let Convergence { pc, active, live, barriers, pcs, wait, since, met, restored, .. } = self;
        (pc, active, live, barriers, met & live, restored).hash(h);
        let collective = self.collective & live;
        collective.hash(h);
        lanes(collective).for_each(|lane| self.onward[lane].hash(h));
        let parked = live & !active;
        for lane in lanes(parked) {
            let before = lanes(parked).filter(|l| since[*l] < since[lane]).count();
            (pcs[lane], wait[lane], before as u32).hash(h);
        }
        if let Some(stack) = &self.stack {
            stack.observe(h);
        }
    }

    /// Program counter of a thread.
    pub fn pc_of(&self, lane: usize) -> u32 {
        let lane = lane % WARP;
        let shared = self.active >> lane & 1 == 1 || self.stack.is_some();
        if shared { self.pc } else { self.pcs[lane] }
    }

    /// The stored program counters of all threads; those of the active group
    /// are stale, [`pc`](Convergence::pc) counts for it.
    pub fn thread_pcs(&self) -> &[u32; WARP] {
        &self.pcs
    }

    /// The stored program counters, to be changed.
    pub fn thread_pcs_mut(&mut self) -> &mut [u32; WARP] {
        &mut self.pcs
    }

    /// Why a thread does not run.
    pub fn wait_of(&self, lane: usize) -> Wait {
        self.wait[lane % WARP]
    }

    /// True when threads outside the active group could run.
    pub fn others_ready(&self) -> bool {
        self.ready_outside() != 0
    }

    fn ready_outside(&self) -> Mask {
        if self.stack.is_some() {
            return self.waiting_on_stack() & !self.active;
        }
        self.live & !self.active & !self.stopped
    }

    /// Goes on with the next instruction, `next` bytes after this one.
    pub fn advance(&mut self, next: u32) {
        self.pc = self.pc.wrapping_add(next);
    }

    /// `taken` threads (a part of the active group) jump to `target`, the rest
    /// fall through to `fall`. The fall-through side goes on first.
    pub fn branch(&mut self, taken: Mask, target: u32, fall: u32) {
        let taken = taken & self.active;
        let stay = self.active & !taken;
        if stay == 0 {
            self.pc = target;
        } else if taken == 0 {
            self.pc = fall;
        } else {
            match self.stack.is_some() {
                true => self.push_threads(EntryKind::Branch, target, taken),
                false => self.park(taken, target, Wait::Ready),
            }
            self.active = stay;
            self.pc = fall;
            self.events.diverged += 1;
        }
    }

    /// Each thread of the active group in `taken` jumps to its own target; the
    /// rest fall through.
    pub fn branch_each(&mut self, taken: Mask, targets: &[u32; WARP], fall: u32) {
        if self.stack.is_some() {
            return self.branch_by_stack(taken, targets, fall);
        }
        let group = self.active;
        self.jump_again(group & taken, targets);
        self.park(group, fall, Wait::Ready);
        for lane in lanes(group & taken) {
            self.pcs[lane] = targets[lane];
        }
        self.active = 0;
        self.pick_from(group);
        self.events.diverged += u64::from(self.active != group);
    }

    /// Each issue of a jump to several places lets the threads of one place go;
    /// the others issue it again. It is the place of the lowest thread, unless
    /// more threads go there than elsewhere: then that of the lowest of the rest.
    fn jump_again(&mut self, mut left: Mask, targets: &[u32; WARP]) {
        let with_lowest = |of: Mask| {
            let place = targets[of.trailing_zeros() as usize % WARP];
            lanes(of).filter(|&l| targets[l] == place).fold(0, |m: Mask, l| m | 1 << l)
        };
        while left != 0 {
            let first = with_lowest(left);
            let rest = left & !first;
            if rest == 0 {
                return;
            }
            let more = first.count_ones() > rest.count_ones();
            left &= !if more { with_lowest(rest) } else { first };
            self.again.count(left);
        }
    }

    /// Parks part of the active group at the CTA barrier `bar`, to resume at `resume`.
    pub fn park_at_cta_barrier(&mut self, who: Mask, bar: u8, resume: u32) {
        if self.stack.is_some() {
            return self.stop_at_barrier(bar, resume);
        }
        self.ran = self.active;
        self.events.bar_arrived += count(who & self.active);
        self.park(who & self.active, resume, Wait::Cta(bar));
        self.active &= !who;
    }

    /// Releases every thread parked at the CTA barrier `bar`.
    pub fn release_cta_barrier(&mut self, bar: u8) {
        if self.stack.is_some() {
            return self.start_from_barrier(Some(bar));
        }
        let released = self.at_cta_barrier(bar);
        self.set_waits(released, Wait::Ready);
        self.events.bar_released += count(released);
    }

    /// Whether threads are parked at a CTA barrier, whichever.
    pub fn is_at_cta_barrier(&self) -> bool {
        if self.stack.is_some() {
            return self.held_at_barrier(None) != 0;
        }
        self.outside_stopped().any(|l| matches!(self.wait[l], Wait::Cta(_)))
    }

    /// Lets go every thread that is parked at a CTA barrier, as a warp does that
    /// does not know that it waits.
    pub fn pass_cta_barriers(&mut self) {
        if self.stack.is_some() {
            return self.start_from_barrier(None);
        }
        self.set_waits(self.parked(|w| matches!(w, Wait::Cta(_))), Wait::Ready);
    }

    /// Threads that wait at a convergence barrier.
    pub fn at_barrier(&self) -> Mask {
        self.parked(|w| matches!(w, Wait::Barrier(_)))
    }

    /// Threads outside the active group that could run.
    pub fn ready(&self) -> Mask {
        self.ready_outside()
    }

    /// Parks a thread outside the active group again, as one that was not told
    /// of its release.
    pub fn park_again(&mut self, lane: usize, wait: Wait) {
        if self.active >> (lane % WARP) & 1 == 0 {
            self.set_wait(lane % WARP, wait);
        }
    }

    /// Lets parked threads go on, as if their barrier had released them.
    pub fn let_go(&mut self, who: Mask) {
        self.release(who & self.live & !self.active);
    }

    /// Threads parked at the CTA barrier `bar`.
    pub fn at_cta_barrier(&self, bar: u8) -> Mask {
        if self.stack.is_some() {
            return self.held_at_barrier(Some(bar));
        }
        self.parked(|w| w == Wait::Cta(bar))
    }

    /// Threads outside the active group that wait for something.
    fn outside_stopped(&self) -> impl Iterator<Item = usize> {
        lanes(self.live & !self.active & self.stopped)
    }

    /// Those of them that `pred` holds for.
    pub(super) fn parked(&self, pred: impl Fn(Wait) -> bool) -> Mask {
        self.outside_stopped().filter(|&l| pred(self.wait[l])).fold(0, |m, l| m | 1 << l)
    }

    /// What a thread waits for from now on.
    pub(super) fn set_wait(&mut self, lane: usize, wait: Wait) {
        self.wait[lane] = wait;
        self.stopped = self.stopped & !(1 << lane) | u32::from(wait != Wait::Ready) << lane;
    }

    /// What some threads wait for from now on.
    fn set_waits(&mut self, who: Mask, wait: Wait) {
        match who {
            Mask::MAX => self.wait = [wait; WARP],
            _ => lanes(who).for_each(|lane| self.wait[lane] = wait),
        }
        self.stopped = if wait == Wait::Ready { self.stopped & !who } else { self.stopped | who };
    }

    /// `BSSY`: the active group becomes the barrier's participants.
    pub fn open(&mut self, bar: u8) {
        let bar = bar as usize % BARRIERS;
        self.barriers[bar] = self.active;
        self.restored &= !(1 << bar);
        self.events.opened += 1;
    }

    /// `BSYNC` for the threads `who` of the active group, to resume at `resume`.
    pub fn sync(&mut self, bar: u8, who: Mask, resume: u32) {
        let bar = bar % BARRIERS as u8;
        let who = who & self.active;
        // Threads the barrier does not name have nobody to wait for.
        let wait = who & self.barriers[bar as usize];
        self.ran = self.active;
        self.events.arrived += u64::from(who != 0);
        self.events.lanes_in += count(who);
        self.events.lanes_out += count(who & !wait);
        self.park(wait, resume, Wait::Barrier(bar));
        self.park(who & !wait, resume, Wait::Ready);
        self.active &= !who;
        let released = self.settle(bar);
        if released != 0 && self.restored >> bar & 1 == 1 {
            self.restored &= !(1 << bar);
            self.again.count(released);
        }
    }

    /// `BREAK`: the threads `who` leave the barrier.
    pub fn leave(&mut self, bar: u8, who: Mask) {
        let bar = bar % BARRIERS as u8;
        let leaving = who & self.active & self.barriers[bar as usize];
        self.events.broken += u64::from(leaving != 0);
        self.barriers[bar as usize] &= !leaving;
        self.settle(bar);
    }

    /// Overwrites a barrier register (`BMOV`). Threads in it make it one that
    /// was put aside and comes back.
    pub fn set_barrier(&mut self, bar: u8, mask: Mask) {
        let bar = bar % BARRIERS as u8;
        self.barriers[bar as usize] = mask;
        self.restored = self.restored & !(1 << bar) | u16::from(mask != 0) << bar;
        self.settle(bar);
    }

    /// `EXIT` of the threads `who` of the active group; the rest goes on at `fall`.
    pub fn exit(&mut self, who: Mask, fall: u32) {
        let who = who & self.active;
        self.ran = self.active;
        self.events.exited += count(who);
        self.live &= !who;
        self.active &= !who;
        self.pc = fall;
        if self.stack.is_some() {
            self.go_on();
        } else if self.live != self.active {
            for bar in 0..BARRIERS as u8 {
                self.settle(bar);
            }
            self.settle_warp_sync();
            self.settle_collective();
        }
    }

    /// Lets another ready group run, if there is one (`YIELD`, long loops).
    pub fn yield_to_others(&mut self) {
        let others = if self.stack.is_some() { 0 } else { self.ready_outside() };
        if others == 0 || self.active == 0 {
            return;
        }
        let leader = self.active.trailing_zeros();
        self.ran = self.active;
        self.park(self.active, self.pc, Wait::Ready);
        self.active = 0;
        // Round robin over lanes, so that every group gets its turn.
        let later = others & !(u32::MAX >> (31 - leader));
        self.pick_from(if later != 0 { later } else { others });
        self.count_switch();
    }

    /// Counts a group with threads that were not in the one before it.
    fn count_switch(&mut self) {
        self.events.switched += u64::from(self.active & !self.ran != 0);
    }

    /// Makes a ready group active if none is. False when no thread can run.
    pub fn schedule(&mut self) -> bool {
        if self.active != 0 {
            return true;
        }
        if self.stack.is_some() {
            return self.go_on();
        }
        let mut ready = self.ready_outside();
        if ready == 0 {
            // Threads whose barrier nobody is left to restore.
            let forgotten = |w| matches!(w, Wait::Barrier(_));
            let parked = self.parked(forgotten);
            let mut of = 0u16;
            for lane in lanes(parked) {
                if let Wait::Barrier(bar) = self.wait[lane]
                    && self.barriers[bar as usize] >> lane & 1 == 0
                {
                    ready |= 1 << lane;
                    of |= 1 << bar;
                }
            }
            self.events.released += u64::from(of.count_ones());
            self.events.lanes_out += count(ready);
            self.release(ready);
        }
        if ready == 0 {
            return false;
        }
        self.pick_from(ready);
        self.count_switch();
        true
    }

    /// Of `candidates` (ready threads) those that stopped last; of these the
    /// ones with the lowest program counter.
    pub(super) fn pick_from(&mut self, candidates: Mask) {
        if candidates == 0 {
            return;
        }
        let order = |l: usize| (std::cmp::Reverse(self.since[l]), self.pcs[l]);
        // Mostly all stopped together: one look, without jumps, at those who are like
        // the lowest.
        let like = |lead: usize| {
            let (since, pc) = (self.since[lead], self.pcs[lead]);
            let mut same = 0;
            for (l, (s, p)) in self.since.iter().zip(&self.pcs).enumerate() {
                same |= if *s == since && *p == pc { LANE_BIT[l] } else { 0 };
            }
            same & candidates
        };
        let mut lead = candidates.trailing_zeros() as usize;
        let mut group = like(lead);
        if group != candidates {
            lead = lanes(candidates).min_by_key(|&l| order(l)).unwrap_or(lead);
            group = like(lead);
        }
        self.active = group;
        self.pc = self.pcs[lead];
    }

    pub(super) fn park(&mut self, who: Mask, pc: u32, wait: Wait) {
        if who == 0 {
            return;
        }
        let now = self.tick(who);
        write_lanes(&mut self.pcs, who, pc);
        write_lanes(&mut self.since, who, now);
        self.set_waits(who, wait);
    }

    pub(super) fn release(&mut self, who: Mask) {
        if who == 0 {
            return;
        }
        let now = self.tick(who);
        write_lanes(&mut self.since, who, now);
        self.set_waits(who, Wait::Ready);
    }

    pub(super) fn tick(&mut self, who: Mask) -> u32 {
        self.clock = self.clock.wrapping_add(u32::from(who != 0));
        self.clock
    }

    /// Releases a barrier once all its living participants are parked at it;
    /// says whom.
    fn settle(&mut self, bar: u8) -> Mask {
        let parked = self.parked(|w| w == Wait::Barrier(bar));
        let named = self.barriers[bar as usize];
        let released = if named & self.live & !parked == 0 { parked & named } else { 0 };
        if released != 0 {
            self.events.released += 1;
            self.events.lanes_out += count(released);
            self.release(released);
        }
        released
    }
}

pub(super) fn count(threads: Mask) -> u64 {
    u64::from(threads.count_ones())
}

/// Sets some lanes of a row: a choice rather than a jump per lane, which vectorises.
fn write_lanes(row: &mut [u32; WARP], who: Mask, value: u32) {
    for (to, bit) in row.iter_mut().zip(LANE_BIT) {
        *to = if who & bit != 0 { value } else { *to };
    }
}

/// Lane numbers of a mask, lowest first.
pub fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    let mut m = mask;
    std::iter::from_fn(move || {
        if m == 0 {
            return None;
        }
        let l = m.trailing_zeros() as usize;
        m &= m - 1;
        Some(l)
    })
}

#[cfg(test)]
mod tests;
