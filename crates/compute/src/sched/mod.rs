//! A scheduler: which warps it looks at, when, and what they wait for.

mod attempt;
mod issue;
pub(crate) mod line_names;
mod lines;
mod look;
mod needs;
mod order;
mod pairs;
mod turn;
mod turns;

pub use order::Order;
pub use turn::Turn;

use needs::Needs;
use turns::Turns;
use upset_chip::SchedulerPolicy;
use upset_machine::Reason;

/// Warps that a scheduler can have: they are bits of a word.
const MOST: usize = 64;

/// What a scheduler knows of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Sched {
    /// First cycle at which it may issue again.
    pub ready: u64,
    /// What it waits for when it is not awake.
    pub why: Reason,
    /// Counters it waits for; none: look at every change.
    pub wait: u8,
    /// It was tried and cannot issue before then: known where nobody watches.
    pub refused: u64,
    /// And why.
    pub refused_why: Reason,
}

impl Sched {
    /// A warp that may issue from some cycle on.
    pub fn new(ready: u64, why: Reason) -> Sched {
        Sched { ready, why, wait: 0, refused: 0, refused_why: Reason::Stall }
    }
}

/// A scheduler. Warps have numbers with it. What every look at it needs comes first and
/// lies together, in a line of the host's caches.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Scheduler {
    /// When to look again.
    pub wake: u64,
    /// First cycle at which the issue port is free.
    pub issue_free: u64,
    /// Since when it has not issued.
    pub idle_from: u64,
    /// Warps that do not wait for an event.
    pub awake: u64,
    /// Those that need not wait, as it was known last,
    pub(crate) known: u64,
    /// and when the first of the others need not: until then that is so.
    pub(crate) later: u64,
    /// The cycle after an issue, if it is known that nobody issues in it: the look that
    /// it would have is left out, unless something changes before its turn in
    /// that cycle.
    pub spared: u64,
    /// Why it has not issued.
    pub idle_why: Reason,
    /// The warp that issued last.
    pub last: u8,
    /// Instructions that the warp which issued last may still issue in the same
    /// cycle: only while a ghost that keeps them from it leaves.
    pub owed: u8,
    /// Those that need not be tried before a unit that schedulers share is free: the unit
    /// was taken when they were.
    pub(crate) outbid: u64,
    /// Warps that were tried and need a unit: all that keeps them until they issue,
    /// known where nobody watches and nobody is followed.
    pub(crate) needs: Needs,
    /// Of each warp, before when it need not be tried: it may not issue, was refused, or
    /// waits for an event. Dense, because every look goes through all of them.
    pub(crate) until: [u64; MOST],
    /// Resident warps by age, oldest first.
    pub order: Order,
    /// Per warp; behind the last that the chip has they mean nothing. In place, and
    /// as many as there can be: no look has to follow a pointer or compare a length.
    pub warps: [Sched; MOST],
    /// How many of them there are.
    pub count: usize,
    /// Warps that ask now and then whether what they wait for is there; known
    /// only where every cycle is looked at.
    pub polling: u64,
    /// Warps that may wait for room in the memory queue.
    pub queuing: u64,
}

impl Scheduler {
    /// An idle scheduler of so many warps.
    pub fn new(warps: usize) -> Scheduler {
        Scheduler {
            order: Order::default(),
            awake: 0,
            warps: [Sched::new(0, Reason::NoWarp); MOST],
            count: warps,
            until: [u64::MAX; MOST],
            known: 0,
            later: u64::MAX,
            outbid: 0,
            needs: Needs::default(),
            last: 0,
            issue_free: 0,
            owed: 0,
            wake: u64::MAX,
            spared: 0,
            idle_from: 0,
            idle_why: Reason::NoWarp,
            polling: 0,
            queuing: 0,
        }
    }

    /// What it knows of a warp.
    #[inline]
    pub fn of(&self, warp: usize) -> &Sched {
        &self.warps[warp % MOST]
    }

    /// The same, to change it.
    #[inline]
    pub fn of_mut(&mut self, warp: usize) -> &mut Sched {
        &mut self.warps[warp % MOST]
    }

    /// Warps that are awake and may issue now, and when the first of the others may; `now`
    /// is not before what was asked last.
    /// `AGAIN`: those that were refused are tried again.
    #[inline]
    pub fn due<const AGAIN: bool>(&mut self, now: u64) -> (u64, u64) {
        if AGAIN {
            return self.due_again(now);
        }
        if self.later <= now {
            self.find_due(now);
        }
        (self.known, self.later)
    }

    /// Who of those that waited need no longer do so.
    fn find_due(&mut self, now: u64) {
        let (mut known, mut later) = (self.known, u64::MAX);
        let mut left = self.awake & !known;
        while left != 0 {
            let warp = left.trailing_zeros();
            left &= left - 1;
            let until = self.until[warp as usize % MOST];
            // No branch: nobody could foretell it.
            let is_due = u64::from(until <= now);
            known |= is_due << warp;
            later = later.min(until | 0u64.wrapping_sub(is_due));
        }
        (self.known, self.later) = (known, later);
    }

    /// A warp need not be tried before a cycle.
    #[inline]
    fn wait_until(&mut self, warp: usize, until: u64) {
        let before = std::mem::replace(&mut self.until[warp % MOST], until);
        self.known &= !(1 << warp);
        self.outbid &= !(1 << warp);
        self.later = match until <= self.later {
            true => until,
            // Who was the first of them may no longer be.
            false if before == self.later => 0,
            false => self.later,
        };
    }

    /// The same, and nobody was refused.
    fn due_again(&self, now: u64) -> (u64, u64) {
        let (mut due, mut first, mut left) = (0, u64::MAX, self.awake);
        while left != 0 {
            let warp = left.trailing_zeros();
            left &= left - 1;
            let ready = self.of(warp as usize).ready;
            let is_due = u64::from(ready <= now);
            due |= is_due << warp;
            first = first.min(ready | 0u64.wrapping_sub(is_due));
        }
        (due, first)
    }

    /// A warp that has issued may not do so again before a cycle.
    #[inline]
    pub fn pause(&mut self, warp: usize, until: u64) {
        self.of_mut(warp).ready = until;
        self.needs.forget(warp);
        self.wait_until(warp, until);
    }

    /// A warp that has issued has its next instruction from a cycle on: it is refused
    /// before, as if it had been tried.
    #[inline]
    pub fn comes(&mut self, warp: usize, at: u64) {
        let sched = self.of_mut(warp);
        (sched.refused, sched.refused_why) = (at, Reason::Fetch);
    }

    /// A warp cannot issue before a cycle, and nothing comes of trying it sooner.
    #[inline]
    pub fn refuse(&mut self, warp: usize, until: u64, why: Reason) {
        let sched = self.of_mut(warp);
        (sched.refused, sched.refused_why) = (until, why);
        self.wait_until(warp, until);
        self.outbid |= u64::from(why == Reason::Unit) << warp;
    }

    /// A warp has issued.
    #[inline]
    pub fn issued(&mut self, warp: usize, now: u64) {
        self.last = warp as u8;
        self.wake = now + 1;
        self.idle_from = now + 1;
        self.idle_why = Reason::Stall;
        self.polling &= !(1 << warp);
    }

    /// A warp was chosen and nothing has issued: the turn is lost.
    pub fn lose_turn(&mut self, warp: usize, now: u64) {
        self.last = warp as u8;
        self.wake = now + 1;
        self.idle_why = Reason::Stall;
    }

    /// Nobody can issue before `wake`, first of all for this reason.
    #[inline]
    pub fn idle(&mut self, wake: u64, why: Option<Reason>) {
        let oldest = || (self.order.len() > 0).then(|| self.of(self.order.at(0).into()).why);
        self.idle_why = why.or_else(oldest).unwrap_or(Reason::NoWarp);
        self.wake = wake;
    }

    /// A warp looks again at a time of its own if the reason is one to ask for.
    pub fn polls(&mut self, warp: usize, why: Reason) {
        let asks = matches!(why, Reason::Fetch | Reason::Constant | Reason::Fence);
        self.polling = self.polling & !(1 << warp) | u64::from(asks) << warp;
    }

    /// Whether a warp waits for a line on its way.
    pub fn misses(&self, warp: usize) -> bool {
        self.sleeps(warp) && matches!(self.of(warp).why, Reason::Fetch | Reason::Constant)
    }

    /// Whether a warp waits for an event.
    pub fn sleeps(&self, warp: usize) -> bool {
        self.awake >> warp & 1 == 0
    }

    /// Leaves out the look of the cycle after an issue where nothing comes of it but when
    /// to look next, and why not before. `shared`: it matters who is refused a unit.
    #[inline]
    pub fn spare_look(&mut self, next: u64, policy: SchedulerPolicy, shared: bool) {
        if self.issue_free > next {
            (self.idle_why, self.wake) = (Reason::Registers, self.issue_free);
            self.spared = next;
            return;
        }
        if self.known != 0 {
            return;
        }
        if self.later <= next {
            self.find_due(next);
        }
        if self.known == 0 && !(shared && self.outbid & self.awake != 0) {
            let first = Turns::first(policy, &self.order, self.awake, self.last);
            self.idle(self.later, first.map(|warp| self.keeps(warp, next)));
            self.spared = next;
        }
    }

    /// Something changes: a look that was left out is due if its turn is yet to come.
    #[inline]
    pub fn hear(&mut self, now: u64) {
        self.wake = self.next_look(now);
    }

    /// Its turn has come in a cycle in which it does not look.
    #[inline]
    pub fn pass_turn(&mut self) {
        self.spared = 0;
    }

    /// A launch is over with a cycle: a look that was left out after it comes in the next
    /// launch, and one before it is over.
    pub fn end_launch(&mut self, now: u64) {
        self.wake = self.next_look(now + 1);
        self.spared = 0;
    }

    /// When it would look again from a cycle on if no look were left out.
    #[inline]
    pub fn next_look(&self, now: u64) -> u64 {
        // Nobody issues before the first cycle: none is left out in that.
        if now.max(1) <= self.spared { self.wake.min(self.spared) } else { self.wake }
    }

    /// Lets a warp be looked at again from `at` on. Whoever says so before that cycle lets
    /// it [hear](Scheduler::hear) first.
    pub fn rouse(&mut self, warp: usize, at: u64) {
        self.hear(at);
        self.awake |= 1 << warp;
        let sched = self.of_mut(warp);
        let ready = sched.ready.max(at);
        (sched.ready, sched.refused) = (ready, 0);
        self.needs.forget(warp);
        self.wait_until(warp, ready);
        self.wake = self.wake.min(ready);
    }

    /// What keeps a warp that is awake from issuing now, if that is known.
    pub fn keeps(&self, warp: usize, now: u64) -> Reason {
        let Sched { ready, refused, refused_why, .. } = *self.of(warp);
        if ready <= now && refused > now { refused_why } else { Reason::Stall }
    }

    /// What keeps warps may have changed: each is tried again.
    pub fn forget_refusals(&mut self, now: u64) {
        self.hear(now);
        for (warp, sched) in self.warps.iter_mut().enumerate() {
            sched.refused = 0;
            if self.awake >> warp & 1 == 1 {
                self.until[warp] = sched.ready;
            }
        }
        (self.known, self.later, self.outbid) = (0, 0, 0);
        self.needs = Needs::default();
    }

    /// A warp is not looked at before what it waits for has happened.
    pub fn block(&mut self, warp: usize, why: Reason) {
        self.awake &= !(1 << warp);
        self.wait_until(warp, u64::MAX);
        self.polling &= !(1 << warp);
        self.queuing |= u64::from(why == Reason::MemoryQueue) << warp;
        self.of_mut(warp).why = why;
    }

    /// A warp arrives, which may issue from a cycle on.
    pub fn admit(&mut self, warp: usize, now: u64, at: u64) {
        self.hear(now);
        self.order.push(warp as u8);
        *self.of_mut(warp) = Sched::new(at, Reason::Stall);
        self.rouse(warp, at);
    }

    /// A warp leaves.
    pub fn dismiss(&mut self, warp: usize, now: u64) {
        self.hear(now);
        self.order.remove(warp as u8);
        self.awake &= !(1 << warp);
        self.wait_until(warp, u64::MAX);
    }

    /// The time without an issue up to now, and why; it is counted from now on.
    #[inline]
    pub fn take_idle(&mut self, now: u64) -> (Reason, u64) {
        let idle = now - self.idle_from.min(now);
        self.idle_from = now;
        (self.idle_why, idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_that_is_roused_is_looked_at_when_it_is_ready() {
        let mut s = Scheduler::new(4);
        assert_eq!((s.wake, s.sleeps(2)), (u64::MAX, true));
        s.admit(2, 0, 10);
        s.admit(0, 0, 12);
        assert_eq!((s.wake, s.order.at(0), s.order.len()), (10, 2, 2));
        s.block(2, Reason::Scoreboard);
        assert!(s.sleeps(2) && !s.sleeps(0));
        // Its stall count is not over when the counter falls.
        s.pause(2, 30);
        s.wake = u64::MAX;
        s.rouse(2, 20);
        assert_eq!((s.wake, s.warps[2].ready, s.sleeps(2)), (30, 30, false));
        s.rouse(0, 25);
        assert_eq!(s.wake, 25);
    }

    #[test]
    fn warps_that_may_issue_are_told_from_those_that_wait() {
        let mut s = Scheduler::new(6);
        for (warp, ready) in [(0, 9), (1, 10), (2, 11), (3, 30), (5, 4)] {
            s.admit(warp, 0, ready);
        }
        assert_eq!(s.due::<true>(10), (0b100011, 11));
        s.block(5, Reason::Scoreboard);
        assert_eq!(s.due::<true>(9), (0b1, 10));
        assert_eq!((s.due::<true>(100), s.due::<true>(0)), ((0b1111, u64::MAX), (0, 9)));
        // Who was refused comes back when it may, or when something has changed.
        s.refuse(1, 40, Reason::Unit);
        assert_eq!((s.due::<false>(12), s.due::<true>(12)), ((0b101, 30), (0b111, 30)));
        assert_eq!((s.keeps(1, 12), s.keeps(3, 12)), (Reason::Unit, Reason::Stall));
        assert_eq!(s.due::<false>(40), (0b1111, u64::MAX));
        s.forget_refusals(12);
        assert_eq!(s.due::<false>(12), (0b111, 30));
        s.refuse(2, 40, Reason::Fetch);
        assert_eq!(s.due::<false>(12), (0b11, 30));
        // Who waits for an event is not due, and does not become so.
        s.block(2, Reason::Scoreboard);
        s.forget_refusals(12);
        assert_eq!(s.clone().due::<false>(u64::MAX / 4), (0b1011, u64::MAX));
        s.rouse(2, 12);
        assert_eq!(s.due::<false>(12), (0b111, 30));
    }

    #[test]
    fn who_leaves_is_forgotten_and_the_others_keep_their_age() {
        let mut s = Scheduler::new(4);
        (0..4).for_each(|w| s.admit(w, 0, 0));
        s.dismiss(1, 0);
        s.dismiss(3, 0);
        s.admit(1, 0, 5);
        let ages: Vec<u8> = (0..s.order.len()).map(|i| s.order.at(i)).collect();
        assert_eq!((ages, s.sleeps(3)), (vec![0, 2, 1], true));
    }

    #[test]
    fn a_look_that_was_left_out_is_made_if_something_changes() {
        let policy = SchedulerPolicy::GreedyThenOldest;
        let issue = |s: &mut Scheduler| {
            s.pause(0, 14);
            s.issued(0, 10);
            s.spare_look(11, policy, false);
        };
        let mut s = Scheduler::new(2);
        s.admit(0, 0, 0);
        s.admit(1, 0, 20);
        issue(&mut s);
        assert_eq!((s.wake, s.next_look(11), s.next_look(12)), (14, 11, 14));
        s.hear(12);
        assert_eq!(s.wake, 14, "it would have been over");
        let mut passed = s.clone();
        passed.pass_turn();
        passed.hear(11);
        assert_eq!(passed.wake, 14, "it has had its turn");
        s.hear(11);
        assert_eq!(s.wake, 11);
        // Somebody else may issue.
        let mut s = Scheduler::new(2);
        s.admit(0, 0, 0);
        s.admit(1, 0, 11);
        issue(&mut s);
        assert_eq!(s.wake, 11);
        // Who is kept by a unit that others have counts.
        s.refuse(1, 13, Reason::Unit);
        s.wake = 11;
        s.spare_look(11, policy, true);
        assert_eq!(s.wake, 11);
        s.spare_look(11, policy, false);
        assert_eq!((s.wake, s.idle_why), (13, Reason::Stall));
    }

    #[test]
    fn time_without_issue_is_told_once() {
        let mut s = Scheduler::new(1);
        s.idle_why = Reason::Fetch;
        assert_eq!(s.take_idle(7), (Reason::Fetch, 7));
        assert_eq!(s.take_idle(7), (Reason::Fetch, 0));
        // Time that was given away before is nobody's.
        s.idle_from = 20;
        assert_eq!(s.take_idle(15), (Reason::Fetch, 0));
    }
}
