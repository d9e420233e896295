//! A warp whose threads part and meet by a [`stack`](super::stack).

use super::barriers::{Convergence, count, lanes};
use super::stack::{AtBarrier, Entry, EntryKind, Stack, Wrong};
use crate::{Mask, TrapKind, WARP};

impl Convergence {
    /// A warp with a stack, whose `threads` start together at `pc`.
    pub fn with_stack(pc: u32, threads: Mask) -> Convergence {
        let mut warp = Convergence::new(pc, threads);
        warp.stack = Some(Box::default());
        warp
    }

    /// Its stack, if it has one.
    pub fn stack(&self) -> Option<&Stack> {
        self.stack.as_deref()
    }

    /// Its stack, to be changed.
    pub fn stack_mut(&mut self) -> Option<&mut Stack> {
        self.stack.as_deref_mut()
    }

    /// What the last operation found wrong with the stack; forgotten after that.
    pub fn check_stack(&mut self) -> Result<(), TrapKind> {
        let Some(stack) = &mut self.stack else { return Ok(()) };
        match stack.wrong.take() {
            None => Ok(()),
            Some(Wrong::Full) => Err(TrapKind::Stack("no room for another entry")),
            Some(Wrong::Empty) => Err(TrapKind::Stack("threads are left that no entry names")),
            Some(Wrong::NoKind) => Err(TrapKind::Stack("an entry of no kind")),
        }
    }

    /// `SSY`, `PBK`, `PCNT`, `PRET`, `PLONGJMP`: the active threads will go on
    /// at `address`. This one goes on at `next`.
    pub fn push(&mut self, kind: EntryKind, address: u32, next: u32) {
        self.pc = next;
        self.events.opened += u64::from(kind == EntryKind::Sync);
        self.push_threads(kind, address, self.active);
    }

    /// `CAL`: the threads `taken` go to `target`; when they have returned, all
    /// go on at `next`.
    pub fn call(&mut self, taken: Mask, target: u32, next: u32) {
        let taken = taken & self.active;
        self.pc = next;
        if taken != 0 {
            self.push_threads(EntryKind::Call, next, self.active);
            self.active = taken;
            self.pc = target;
        }
    }

    /// `.S`, `BRK`, `CONT`, `RET`, `LONGJMP`: the threads `who` leave the group
    /// for an entry of this kind; the others go on at `next`.
    pub fn leave_for(&mut self, kind: EntryKind, who: Mask, next: u32) {
        let who = who & self.active;
        self.pc = next;
        if who == 0 {
            return;
        }
        match (kind.state(), &mut self.stack) {
            (Some(state), Some(stack)) => {
                stack.left[state] |= who;
                self.events.broken += u64::from(kind == EntryKind::Break);
            }
            _ => {
                self.events.arrived += 1;
                self.events.lanes_in += count(who);
            }
        }
        self.ran = self.active;
        self.active &= !who;
        self.go_on();
    }

    /// Of a branch: those who take it, while the others go on.
    pub(super) fn push_threads(&mut self, kind: EntryKind, address: u32, threads: Mask) {
        if let Some(stack) = &mut self.stack {
            stack.push(Entry::new(kind, address, threads));
        }
    }

    /// A jump of the threads `taken` to several places: the place of the lowest
    /// goes first, the rest issue the jump again.
    pub(super) fn branch_by_stack(&mut self, taken: Mask, targets: &[u32; WARP], fall: u32) {
        let group = self.active;
        let (taken, at) = (group & taken, self.pc);
        let first = targets[taken.trailing_zeros() as usize % WARP];
        let here = lanes(taken).filter(|&l| targets[l] == first).fold(0, |m: Mask, l| m | 1 << l);
        if taken == 0 {
            self.pc = fall;
            return;
        }
        for (threads, address) in [(group & !taken, fall), (taken & !here, at)] {
            if threads != 0 {
                self.push_threads(EntryKind::Branch, address, threads);
            }
        }
        self.events.diverged += u64::from(here != group);
        self.active = here;
        self.pc = first;
    }

    /// Lets others go on where nobody is active. True when somebody is.
    pub(super) fn go_on(&mut self) -> bool {
        let Some(stack) = self.stack.as_deref_mut().filter(|_| self.active == 0) else {
            return self.active != 0;
        };
        match &mut stack.at_barrier {
            Some(AtBarrier { released: false, .. }) => return false,
            Some(AtBarrier { threads, .. }) => {
                self.active = *threads & self.live;
                stack.at_barrier = None;
                if self.active != 0 {
                    return true;
                }
            }
            None => {}
        }
        let Some((kind, pc, threads)) = stack.next(self.live) else { return false };
        (self.pc, self.active) = (pc, threads);
        if kind == EntryKind::Sync {
            self.events.released += 1;
            self.events.lanes_out += count(threads);
        }
        self.events.switched += u64::from(threads & !self.ran != 0);
        true
    }

    /// The group stops at a CTA barrier, whoever of it asked for that.
    pub(super) fn stop_at_barrier(&mut self, bar: u8, resume: u32) {
        let threads = self.active;
        if let Some(stack) = &mut self.stack {
            stack.at_barrier = Some(AtBarrier { bar, threads, released: false });
        }
        self.events.bar_arrived += count(threads);
        self.ran = threads;
        self.active = 0;
        self.pc = resume;
    }

    /// Releases the group from a CTA barrier; without a number from any.
    pub(super) fn start_from_barrier(&mut self, number: Option<u8>) {
        let at = self.stack.as_deref_mut().and_then(|stack| stack.at_barrier.as_mut());
        if let Some(at) = at.filter(|at| !at.released && number.is_none_or(|n| n == at.bar)) {
            at.released = true;
            self.events.bar_released += count(at.threads);
        }
    }

    /// Threads that a CTA barrier holds.
    pub(super) fn held_at_barrier(&self, number: Option<u8>) -> Mask {
        let at = self.stack.as_deref().and_then(|stack| stack.at_barrier);
        at.filter(|at| !at.released && number.is_none_or(|n| n == at.bar))
            .map_or(0, |at| at.threads & self.live)
    }

    /// Threads that could run if asked, now that nobody does.
    pub(super) fn waiting_on_stack(&self) -> Mask {
        let Some(stack) = self.stack() else { return 0 };
        match stack.at_barrier {
            Some(AtBarrier { released: false, .. }) => 0,
            Some(at) => at.threads & self.live,
            None => stack.used().last().map_or(0, |top| stack.entries[top].threads & self.live),
        }
    }
}

#[cfg(test)]
mod tests;
