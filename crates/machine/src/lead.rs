//! How far a core is before others.

use std::collections::VecDeque;

use upset_mem::{Doorway, Reply, Request};
use upset_state::Probe;

use crate::core::{Core, Cx};

/// An answer that a core has yet to come to.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub at: u64,
    /// Its place among the answers.
    pub turn: u32,
    pub reply: Reply,
}

/// A core on its own way.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    answers: VecDeque<Answer>,
    /// When the first of them comes; `u64::MAX`: there is none.
    due: u64,
    /// The first cycle that it has not done.
    pub next: u64,
    /// When it is to be asked for room; `u64::MAX`: it has none.
    pub asked: u64,
    /// It has no work-group and will get none: it waits for those that have.
    pub waits: bool,
    /// What it sends while it goes beside others,
    pub door: Doorway,
    /// and where requests are on their way there.
    pub out: Vec<Request>,
}

impl Lead {
    /// Of a core that is not ahead.
    pub fn new() -> Lead {
        Lead {
            answers: VecDeque::new(),
            due: u64::MAX,
            next: 0,
            asked: 0,
            waits: false,
            door: Doorway::default(),
            out: Vec::new(),
        }
    }

    /// An answer that the core will come to, mostly after those that it was told of before.
    #[inline]
    pub fn tell(&mut self, answer: Answer) {
        self.due = self.due.min(answer.at);
        match self.answers.back() {
            Some(last) if last.at > answer.at => self.tell_between(answer),
            _ => self.answers.push_back(answer),
        }
    }

    /// The same for one before the last.
    #[cold]
    #[inline(never)]
    fn tell_between(&mut self, answer: Answer) {
        let place = self.answers.partition_point(|other| other.at <= answer.at);
        self.answers.insert(place, answer);
    }

    /// Whether the core has yet to come to an answer.
    pub fn awaits(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Takes all answers that the core has not come to.
    pub fn take_answers(&mut self) -> impl Iterator<Item = Answer> {
        self.due = u64::MAX;
        self.answers.drain(..)
    }

    /// The next cycle in which something happens to a core that wakes at `wake`.
    #[inline]
    pub fn next_cycle(&self, wake: u64) -> u64 {
        wake.min(self.due).max(self.next)
    }

    /// Gives a core the answers of the cycle. Most cycles have none.
    #[inline]
    pub fn answer<C: Core, P: Probe>(&mut self, core: &mut C, cx: &mut Cx<'_, C, P>) {
        if self.due <= cx.now {
            self.give(core, cx);
        }
    }

    #[inline(never)]
    fn give<C: Core, P: Probe>(&mut self, core: &mut C, cx: &mut Cx<'_, C, P>) {
        while self.answers.front().is_some_and(|answer| answer.at <= cx.now) {
            let Some(Answer { turn, reply, .. }) = self.answers.pop_front() else { break };
            cx.mem.hold_back(turn);
            core.receive(reply, cx);
        }
        self.due = self.answers.front().map_or(u64::MAX, |answer| answer.at);
    }
}
