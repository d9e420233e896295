//! Memory for cores that run ahead of each other: it goes first, to a cycle
//! before which nothing that they send can arrive; what they then send is put
//! on its way when all have come there, each request in its place among what
//! was known in its cycle.

use upset_state::Probe;

use crate::held_back::Sent;
use crate::packet::{Body, Reply};
use crate::system::{MemorySystem, counts_as_write};

impl MemorySystem {
    /// Cycles that pass after a request is sent before anything happens because of it.
    pub fn reach(&self) -> u64 {
        self.rop_latency
    }

    /// Lets everything happen before cycle `until`, or up to the cycle in which
    /// the last packet is gone; tells of every reply, its cycle and its place among
    /// those of that cycle, which is below 2^31. Those of a core are told in the order
    /// of their cycles, but for some that were under way before. Gives back
    /// the first cycle of which nothing has happened.
    pub fn go_first<P: Probe>(
        &mut self,
        until: u64,
        p: &mut P,
        mut arrive: impl FnMut(u64, u32, Reply),
    ) -> u64 {
        // With one way into each core, which goes at its pace, replies are there in the
        // order in which their ways take them.
        let in_order = self.ports == 1 && self.crossbar.is_the_cores();
        self.ahead.begin(if in_order { until } else { 0 });
        self.drained.clear();
        let was_idle = self.idle();
        let gone = self.happen(until.saturating_sub(1), !was_idle, p, &mut arrive);
        let last = gone.map(|gone| gone.max(self.ahead.landed));
        if let Some(last) = last {
            self.happen(last, false, p, &mut arrive);
        }
        self.ahead.last = self.ahead.last.max(self.ahead.landed);
        last.map_or(until, |last| last + 1)
    }

    /// The last cycle of [`MemorySystem::go_first`] in which something happened, be it
    /// this time or before.
    pub fn last_happening(&self) -> u64 {
        self.ahead.last
    }

    /// From now on requests are held back; who sends them is the `turn`-th in
    /// its cycle.
    #[inline]
    pub fn hold_back(&mut self, turn: u32) {
        self.ahead.turn = Some(turn);
    }

    /// Whether some are.
    pub fn holds_back(&self) -> bool {
        !self.ahead.held_back.is_empty()
    }

    /// All cores have come to the same cycle, or to one in which the launch ends
    /// (`last`: that cycle and the last that had its turn in it): what they have
    /// sent until then is on its way, and nothing is held back any more.
    pub fn let_go(&mut self, last: Option<(u64, u32)>) {
        self.ahead.turn = None;
        (self.ahead.goes_first, self.ahead.until) = (false, 0);
        self.ahead.performed.clear();
        if !self.holds_back() {
            return;
        }
        let (all, order) = self.ahead.take_in_order();
        for &(_, i) in &order {
            let Sent { born, turn, at, id } = all[i as usize];
            if last.is_none_or(|last| (born, turn) <= last) {
                self.address(id);
                self.put(born, at, id);
            } else {
                self.unsend(id);
            }
        }
        self.ahead.give_back(all, order);
    }

    /// A request that was held back goes nowhere.
    #[cold]
    #[inline(never)]
    fn unsend(&mut self, id: u32) {
        let request = &mut self.packets[id as usize].request;
        let (core, body) = (request.port.core, std::mem::replace(&mut request.body, Body::Read));
        request.envelope = None;
        if counts_as_write(&body) {
            let count = &mut self.outstanding[usize::from(core)];
            *count = count.saturating_sub(1);
        }
        self.free_packet(id);
    }
}
