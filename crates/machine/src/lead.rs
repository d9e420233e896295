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
#[derive(Clone, Debug, Default)]
pub(crate) struct Lead {
    pub answers: VecDeque<Answer>,
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
    /// The next cycle in which something happens to a core that wakes at `wake`.
    pub fn next_cycle(&self, wake: u64) -> u64 {
        let answer = self.answers.front().map_or(u64::MAX, |a| a.at);
        wake.min(answer).max(self.next)
    }

    /// Gives a core the answers of the cycle.
    pub fn answer<C: Core, P: Probe>(&mut self, core: &mut C, cx: &mut Cx<'_, C, P>) {
        while self.answers.front().is_some_and(|answer| answer.at <= cx.now) {
            let Some(Answer { turn, reply, .. }) = self.answers.pop_front() else { return };
            cx.mem.hold_back(turn);
            core.receive(reply, cx);
        }
    }
}
