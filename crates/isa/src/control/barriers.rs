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
//! has put back.
//!
//! Functions save the barrier registers they use and restore them before they
//! return, while other threads of the warp may be parked at the saved barriers.
//! Two things follow. A barrier releases only threads that it names: clearing a
//! register must not let go of threads whose barrier was put aside. And when
//! the active group parks, the threads that left it last go on first: were an
//! outer group to run in between, it would meet registers in use.

use std::hash::{Hash, Hasher};

use super::events::Events;
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
    fn count(&mut self, threads: Mask) {
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
    pcs: [u32; WARP],
    wait: [Wait; WARP],
    /// When each thread last left the active group, or was released.
    since: [u32; WARP],
    clock: u32,
    /// Threads that met at a `WARPSYNC` and have yet to issue it together.
    met: Mask,
    /// Barriers, by bit, that a `BMOV` wrote last.
    restored: u16,
    /// Of the instruction that was carried out last.
    again: Again,
    /// The group that was active last.
    ran: Mask,
    /// What has happened since the warp began; only counts.
    events: Events,
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
            since: [0; WARP],
            clock: 0,
            met: 0,
            restored: 0,
            again: Again::default(),
            ran: threads,
            events: Events::default(),
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
        let parked = live & !active;
        for lane in lanes(parked) {
            let before = lanes(parked).filter(|l| since[*l] < since[lane]).count();
            (pcs[lane], wait[lane], before as u32).hash(h);
        }
    }

    /// Program counter of a thread.
    pub fn pc_of(&self, lane: usize) -> u32 {
        let lane = lane % WARP;
        if self.active >> lane & 1 == 1 { self.pc } else { self.pcs[lane] }
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
        let mut m = self.live & !self.active;
        for lane in lanes(m) {
            if self.wait[lane] != Wait::Ready {
                m &= !(1 << lane);
            }
        }
        m
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
            self.park(taken, target, Wait::Ready);
            self.active = stay;
            self.pc = fall;
            self.events.diverged += 1;
        }
    }

    /// Each thread of the active group in `taken` jumps to its own target; the
    /// rest fall through.
    pub fn branch_each(&mut self, taken: Mask, targets: &[u32; WARP], fall: u32) {
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
        self.ran = self.active;
        self.events.bar_arrived += count(who & self.active);
        self.park(who & self.active, resume, Wait::Cta(bar));
        self.active &= !who;
    }

    /// Releases every thread parked at the CTA barrier `bar`.
    pub fn release_cta_barrier(&mut self, bar: u8) {
        for lane in lanes(self.live & !self.active) {
            if self.wait[lane] == Wait::Cta(bar) {
                self.wait[lane] = Wait::Ready;
                self.events.bar_released += 1;
            }
        }
    }

    /// Whether threads are parked at a CTA barrier, whichever.
    pub fn is_at_cta_barrier(&self) -> bool {
        self.parked(|w| matches!(w, Wait::Cta(_))) != 0
    }

    /// Lets go every thread that is parked at a CTA barrier, as a warp does that
    /// does not know that it waits.
    pub fn pass_cta_barriers(&mut self) {
        for lane in lanes(self.parked(|w| matches!(w, Wait::Cta(_)))) {
            self.wait[lane] = Wait::Ready;
        }
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
            self.wait[lane % WARP] = wait;
        }
    }

    /// Lets parked threads go on, as if their barrier had released them.
    pub fn let_go(&mut self, who: Mask) {
        self.release(who & self.live & !self.active);
    }

    /// Threads parked at the CTA barrier `bar`.
    pub fn at_cta_barrier(&self, bar: u8) -> Mask {
        self.parked(|w| w == Wait::Cta(bar))
    }

    fn parked(&self, pred: impl Fn(Wait) -> bool) -> Mask {
        lanes(self.live & !self.active).filter(|&l| pred(self.wait[l])).fold(0, |m, l| m | 1 << l)
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

    /// Whether the active group is one that met at the `WARPSYNC` it stands at,
    /// and issues it a second time.
    pub fn has_met(&self) -> bool {
        self.met & self.active != 0
    }

    /// `WARPSYNC` at `at` for the threads `who` of the active group: each waits
    /// for those that its own mask names, then goes on at `resume`. With
    /// `exclusive` threads of different masks go on apart, so that a vote
    /// counts only the threads named.
    pub fn warp_sync(
        &mut self,
        who: Mask,
        masks: &[Mask; WARP],
        exclusive: bool,
        (at, resume): (u32, u32),
    ) {
        // Threads that met here have done their waiting.
        let through = who & self.active & self.met;
        let who = who & self.active & !through;
        self.ran = self.active;
        self.events.sync_in += count(who);
        self.met &= !self.active;
        if through == self.active {
            self.pc = resume;
            return;
        }
        if through != 0 {
            // Only a fault puts others beside them.
            self.park(through, resume, Wait::Ready);
            self.active &= !through;
            if who == 0 {
                return;
            }
        }
        let first = masks[who.trailing_zeros() as usize % WARP];
        let alike = lanes(who).all(|l| masks[l] == first);
        let complete = lanes(who).all(|l| masks[l] & self.live & !who == 0);
        if who == self.active && complete && (alike && first & who == who || !exclusive) {
            self.events.sync_out += count(who);
            self.pc = resume;
            return;
        }
        let mut left = if exclusive { who } else { 0 };
        while left != 0 {
            let mask = masks[left.trailing_zeros() as usize % WARP];
            left = lanes(left).filter(|&l| masks[l] != mask).fold(0, |m, l| m | 1 << l);
            if left != 0 {
                self.again.count(left);
            }
        }
        let now = self.tick(who);
        for lane in lanes(who) {
            self.pcs[lane] = at;
            let (mask, onward) = (masks[lane], resume.wrapping_sub(at));
            self.wait[lane] = Wait::WarpSync { mask, exclusive, onward };
            self.since[lane] = now;
        }
        self.active &= !who;
        self.settle_warp_sync();
    }

    /// `EXIT` of the threads `who` of the active group; the rest goes on at `fall`.
    pub fn exit(&mut self, who: Mask, fall: u32) {
        let who = who & self.active;
        self.ran = self.active;
        self.events.exited += count(who);
        self.live &= !who;
        self.active &= !who;
        self.pc = fall;
        if self.live != self.active {
            for bar in 0..BARRIERS as u8 {
                self.settle(bar);
            }
            self.settle_warp_sync();
        }
    }

    /// Lets another ready group run, if there is one (`YIELD`, long loops).
    pub fn yield_to_others(&mut self) {
        let others = self.ready_outside();
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
    fn pick_from(&mut self, candidates: Mask) {
        let order = |&l: &usize| (std::cmp::Reverse(self.since[l]), self.pcs[l]);
        let Some(lead) = lanes(candidates).min_by_key(order) else { return };
        let first = order(&lead);
        self.active = lanes(candidates).filter(|l| order(l) == first).fold(0, |m, l| m | 1 << l);
        self.pc = self.pcs[lead];
    }

    fn park(&mut self, who: Mask, pc: u32, wait: Wait) {
        let now = self.tick(who);
        for lane in lanes(who) {
            self.pcs[lane] = pc;
            self.wait[lane] = wait;
            self.since[lane] = now;
        }
    }

    fn release(&mut self, who: Mask) {
        let now = self.tick(who);
        for lane in lanes(who) {
            self.wait[lane] = Wait::Ready;
            self.since[lane] = now;
        }
    }

    fn tick(&mut self, who: Mask) -> u32 {
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

    fn settle_warp_sync(&mut self) {
        let mut together = 0;
        for lane in lanes(self.parked(|w| matches!(w, Wait::WarpSync { .. }))) {
            let Wait::WarpSync { mask, exclusive, .. } = self.wait[lane] else { continue };
            // Everybody named must be parked with the same mask.
            let alike = |w| matches!(w, Wait::WarpSync { mask: m, exclusive: e, .. } if (m, e) == (mask, exclusive));
            let peers = self.parked(alike);
            if mask & self.live & !peers == 0 {
                if exclusive {
                    self.release_warp_sync(peers);
                } else {
                    together |= peers;
                }
            }
        }
        self.release_warp_sync(together);
    }

    /// Releases threads parked at `WARPSYNC`. Where several groups met at one
    /// place they stay there, to issue it as one; the others go on.
    fn release_warp_sync(&mut self, who: Mask) {
        let mut left = who;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let select = |of: &[u32; WARP]| {
                lanes(left).filter(|&l| of[l] == of[first]).fold(0, |m: Mask, l| m | 1 << l)
            };
            let here = select(&self.pcs);
            if here & !select(&self.since) != 0 {
                self.met |= here;
            } else {
                for lane in lanes(here) {
                    if let Wait::WarpSync { onward, .. } = self.wait[lane] {
                        self.pcs[lane] = self.pcs[lane].wrapping_add(onward);
                    }
                }
            }
            left &= !here;
        }
        self.events.sync_out += count(who);
        self.release(who);
    }
}

fn count(threads: Mask) -> u64 {
    u64::from(threads.count_ones())
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
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_branch_meet_at_the_barrier() {
        let mut c = Convergence::new(0, u32::MAX);
        c.open(0);
        c.advance(16);
        c.branch(0xff, 0x100, c.pc + 16);
        assert_eq!((c.active, c.pc), (!0xff, 32));
        c.sync(0, c.active, 0x200);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (0xff, 0x100));
        c.sync(0, c.active, 0x200);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (u32::MAX, 0x200));
    }

    /// A function called by part of the warp puts the caller's barrier aside.
    #[test]
    fn a_barrier_put_aside_keeps_its_threads() {
        let mut c = Convergence::new(0, 0xf);
        c.open(6);
        c.branch(0x1, 0x100, 16);
        // Threads 1 to 3 are in the function; 0 waits in the caller.
        let inside = c.active;
        c.sync(6, 0, 0x100);
        c.yield_to_others();
        c.sync(6, 0x1, 0x110);
        assert!(c.schedule());
        assert_eq!(c.active, inside);
        let saved = c.barriers[6];
        c.set_barrier(6, 0);
        assert_eq!(c.wait_of(0), Wait::Barrier(6));
        // The same register serves a branch of the function.
        c.open(6);
        c.branch(0x2, 0x40, 0x30);
        c.sync(6, c.active, 0x50);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (0x2, 0x40));
        c.sync(6, c.active, 0x50);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (inside, 0x50));
        c.set_barrier(6, saved);
        c.sync(6, c.active, 0x110);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (0xf, 0x110));
    }

    #[test]
    fn the_group_that_split_last_goes_on_first() {
        let mut c = Convergence::new(0, 0xf);
        c.branch(0x8, 0x10, 0x100);
        c.branch(0x4, 0x200, 0x110);
        c.open(0);
        c.branch(0x2, 0x300, 0x120);
        c.sync(0, c.active, 0x400);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (0x2, 0x300), "not the outer groups, though they are lower");
    }

    /// Tiles of a warp vote on their own.
    #[test]
    fn exclusive_warp_sync_takes_tiles_apart() {
        let masks = std::array::from_fn(|l| 0xff << (l / 8 * 8));
        let mut c = Convergence::new(0, u32::MAX);
        c.warp_sync(u32::MAX, &masks, false, (0, 0x10));
        assert_eq!((c.active, c.pc), (u32::MAX, 0x10));
        c.open(0);
        c.warp_sync(u32::MAX, &masks, true, (0x10, 0x20));
        for _ in 0..4 {
            assert!(c.schedule());
            assert_eq!((c.active.count_ones(), c.pc), (8, 0x20));
            c.sync(0, c.active, 0x30);
        }
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (u32::MAX, 0x30));
    }

    #[test]
    fn threads_that_exit_are_not_waited_for() {
        let mut c = Convergence::new(0, 0xf);
        c.open(3);
        c.branch(0x3, 0x100, 16);
        c.sync(3, c.active, 0x50);
        assert!(c.schedule());
        c.exit(0x3, 0x110);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (0xc, 0x50));
    }

    #[test]
    fn threads_that_break_out_are_not_waited_for() {
        let mut c = Convergence::new(0, 0xf);
        c.open(3);
        c.branch(0x3, 0x100, 16);
        c.sync(3, c.active, 0x50);
        c.schedule();
        c.leave(3, 0x3);
        assert_eq!(c.active, 0x3);
        c.exit(0x3, 0);
        c.schedule();
        assert_eq!((c.active, c.pc), (0xc, 0x50));
    }

    /// Runs the active group into a `WARPSYNC` at 0x30 that goes on at 0x40.
    fn arrive(c: &mut Convergence, mask: Mask, exclusive: bool) {
        c.warp_sync(c.active, &[mask; WARP], exclusive, (0x30, 0x40));
        assert!(c.schedule());
    }

    /// Threads 0 to 3, each at its own place.
    fn four_apart() -> Convergence {
        let mut c = Convergence::new(0, 0xf);
        c.branch_each(0xf, &std::array::from_fn(|l| 0x100 + l as u32 * 16), 0);
        c
    }

    #[test]
    fn groups_that_meet_at_a_warp_sync_issue_it_once_more() {
        for exclusive in [false, true] {
            let mut c = four_apart();
            let mut issued = 0;
            for group in 0..4 {
                assert_eq!((c.active, c.has_met()), (1 << group, false));
                arrive(&mut c, 0xf, exclusive);
                issued += 1;
            }
            assert_eq!((c.active, c.pc, c.has_met()), (0xf, 0x30, true));
            arrive(&mut c, 0xf, exclusive);
            issued += 1;
            assert_eq!((c.active, c.pc, c.has_met()), (0xf, 0x40, false));
            assert_eq!(issued, 5);
        }
    }

    #[test]
    fn a_warp_sync_that_joins_nobody_is_issued_once() {
        // The whole warp, and a group that names only itself.
        let mut c = Convergence::new(0x30, 0xf);
        arrive(&mut c, u32::MAX, false);
        assert_eq!((c.active, c.pc, c.has_met()), (0xf, 0x40, false));
        let mut c = four_apart();
        arrive(&mut c, 0x1, false);
        assert_eq!((c.active, c.pc, c.has_met()), (0x1, 0x40, false));
        // The other side exits instead of coming.
        let mut c = Convergence::new(0x20, 0xf);
        c.branch(0x3, 0x100, 0x30);
        arrive(&mut c, 0xf, false);
        assert_eq!(c.active, 0x3);
        c.exit(0x3, 0x110);
        assert!(c.schedule());
        assert_eq!((c.active, c.pc, c.has_met()), (0xc, 0x40, false));
    }

    /// Threads may wait for each other at different places.
    #[test]
    fn a_warp_sync_at_two_places_lets_both_go_on() {
        let mut c = four_apart();
        // 0 and 1 meet at 0x30; 2 and 3 come to places of their own.
        arrive(&mut c, 0xf, false);
        arrive(&mut c, 0xf, false);
        c.warp_sync(c.active, &[0xf; WARP], false, (0x80, 0x90));
        assert!(c.schedule());
        c.warp_sync(c.active, &[0xf; WARP], false, (0xa0, 0xb0));
        let mut places = Vec::new();
        while c.live != 0 {
            assert!(c.schedule());
            places.push((c.active, c.pc, c.has_met()));
            if c.has_met() {
                arrive(&mut c, 0xf, false);
                assert_eq!((c.active, c.pc), (0x3, 0x40));
            }
            c.exit(c.active, 0);
        }
        assert_eq!(places, [(0x3, 0x30, true), (0x4, 0x90, false), (0x8, 0xb0, false)]);
    }

    #[test]
    fn what_is_seen_of_a_warp_tells_that_it_has_met() {
        let digest = |c: &Convergence| {
            let mut h = std::hash::DefaultHasher::new();
            c.observe(&mut h);
            h.finish()
        };
        let mut c = four_apart();
        (0..4).for_each(|_| arrive(&mut c, 0xf, false));
        let other = Convergence::new(0x30, 0xf);
        assert_eq!((c.pc, c.active, c.live), (other.pc, other.active, other.live));
        assert_ne!(digest(&c), digest(&other));
        arrive(&mut c, 0xf, false);
        assert_eq!(digest(&c), digest(&Convergence::new(0x40, 0xf)));
    }

    /// Issues again of a jump whose groups have these sizes, in order of lanes.
    fn jumped(sizes: &[usize]) -> (u32, u32) {
        let of = |lane: usize| {
            let mut end = 0;
            sizes
                .iter()
                .take_while(|&n| {
                    end += n;
                    end <= lane
                })
                .count() as u32
        };
        let threads = sizes.iter().sum::<usize>() as u32;
        let mut c = Convergence::new(0, u32::MAX >> (32 - threads));
        c.branch_each(u32::MAX, &std::array::from_fn(|l| 64 * of(l)), 0);
        let again = c.take_again();
        assert_eq!(c.take_again(), Again::default());
        (again.issues, again.threads)
    }

    /// `smsp__inst_executed` and `smsp__thread_inst_executed` of an H200, less
    /// what one issue of each instruction makes: `BRX` of a `switch`, and calls
    /// of virtual functions.
    #[test]
    fn a_jump_to_several_places_is_issued_as_often_as_on_an_h200() {
        assert_eq!(jumped(&[32]), (0, 0));
        assert_eq!(jumped(&[16, 16]), (1, 16));
        assert_eq!(jumped(&[1, 31]), (1, 31));
        assert_eq!(jumped(&[31, 1]), (1, 31));
        assert_eq!(jumped(&[15, 4]), (1, 15));
        assert_eq!(jumped(&[4, 5, 4]), (2, 14));
        assert_eq!(jumped(&[16, 8, 8]), (2, 24));
        assert_eq!(jumped(&[1, 1, 28]), (2, 57));
        assert_eq!(jumped(&[28, 1, 1]), (2, 57));
        assert_eq!(jumped(&[2, 2, 2, 2]), (3, 12));
        assert_eq!(jumped(&[4, 8, 4, 4]), (3, 28));
    }

    #[test]
    fn an_exclusive_warp_sync_is_issued_once_for_each_mask() {
        // The counters' excess for one WARPSYNC.EXCLUSIVE of tiles on an H200.
        for (size, issues, threads) in
            [(32, 0, 0), (16, 1, 16), (8, 3, 48), (4, 7, 112), (2, 15, 240)]
        {
            let tile = ((1u64 << size) - 1) as Mask;
            let masks = std::array::from_fn(|l| tile << (l / size * size));
            let mut c = Convergence::new(0, u32::MAX);
            c.warp_sync(u32::MAX, &masks, true, (0, 0x10));
            assert_eq!(c.take_again(), Again { issues, threads }, "{size}");
            let mut c = Convergence::new(0, u32::MAX);
            c.warp_sync(u32::MAX, &masks, false, (0, 0x10));
            assert_eq!(c.take_again(), Again::default(), "not exclusive, {size}");
        }
    }

    #[test]
    fn a_barrier_that_comes_back_is_issued_once_more_by_all_that_met() {
        let mut c = Convergence::new(0, 0xff);
        c.open(6);
        c.branch(0x3, 0x100, 16);
        c.sync(6, c.active, 0x110);
        assert!(c.schedule());
        // Threads 0 and 1 call a function that uses the register.
        let saved = c.barriers[6];
        c.set_barrier(6, 0);
        c.open(6);
        c.sync(6, 0x3, 0x200);
        assert!(c.schedule());
        assert_eq!(c.take_again(), Again::default(), "its own");
        c.set_barrier(6, saved);
        c.sync(6, 0x3, 0x110);
        assert_eq!(c.take_again(), Again { issues: 1, threads: 8 });
        assert!(c.schedule());
        assert_eq!((c.active, c.pc), (0xff, 0x110));
        c.sync(6, 0xff, 0x110);
        assert_eq!(c.take_again(), Again::default(), "it came back once");
    }

    #[test]
    fn yielding_visits_every_group() {
        let mut c = Convergence::new(0, 0b111);
        c.branch_each(0b111, &std::array::from_fn(|l| l as u32 * 16), 0);
        let mut seen = 0;
        for _ in 0..3 {
            seen |= c.active;
            c.yield_to_others();
        }
        assert_eq!(seen, 0b111);
    }

    #[test]
    fn indirect_branch_groups_threads_by_target() {
        let mut c = Convergence::new(0, 0xff);
        c.branch_each(0xff, &std::array::from_fn(|l| if l % 2 == 0 { 32 } else { 64 }), 0);
        assert_eq!((c.active, c.pc), (0x55, 32));
    }

    mod faults {
        use proptest::prelude::*;

        use super::*;

        /// Flips one bit of everything that a fault can reach.
        fn flip(c: &mut Convergence, place: usize, bit: u32) {
            let word = match place % 51 {
                0 => &mut c.pc,
                1 => &mut c.active,
                2 => &mut c.live,
                n if n < 19 => &mut c.barriers[n - 3],
                n => &mut c.thread_pcs_mut()[n - 19],
            };
            *word ^= 1 << (bit % 32);
        }

        fn operate(c: &mut Convergence, op: u8, bar: u8, mask: Mask, pc: u32) {
            match op % 14 {
                0 => c.advance(16),
                1 => c.branch(mask, pc, pc.wrapping_add(16)),
                2 => {
                    let targets = std::array::from_fn(|l| pc.rotate_left(l as u32 / 8));
                    c.branch_each(mask, &targets, pc);
                }
                3 => c.park_at_cta_barrier(mask, bar, pc),
                4 => c.release_cta_barrier(bar),
                5 => c.open(bar),
                6 => c.sync(bar, mask, pc),
                7 => c.leave(bar, mask),
                8 => c.set_barrier(bar, mask),
                9 => c.warp_sync(mask, &[pc; WARP], mask & 1 != 0, (c.pc, pc)),
                10 => c.exit(mask, pc),
                11 => c.yield_to_others(),
                12 => {
                    c.pc_of(usize::from(bar));
                    c.wait_of(usize::from(bar));
                    c.at_cta_barrier(bar);
                }
                _ => {
                    let runs = c.schedule();
                    assert_eq!(runs, c.active != 0);
                    assert!(runs || !c.others_ready());
                }
            }
        }

        proptest! {
            #[test]
            fn no_state_is_out_of_bounds(
                threads: u32,
                steps in prop::collection::vec(
                    (any::<(u8, u8, u32, u32)>(), any::<(bool, u8, u32)>()),
                    0..60,
                ),
            ) {
                let mut c = Convergence::new(0, threads);
                for ((op, bar, mask, pc), (fault, place, bit)) in steps {
                    if fault {
                        flip(&mut c, usize::from(place), bit);
                    }
                    operate(&mut c, op, bar, mask, pc);
                }
            }
        }
    }
}
