//! What is kept while cores run ahead of each other.

use crate::packet::Request;

/// When a request was sent, and by whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// When it was sent.
    pub(crate) born: u64,
    /// Its sender's place in that cycle.
    pub(crate) turn: u32,
    /// When it reaches its slice.
    pub(crate) at: u64,
}

/// A request that is not on its way yet. Where it goes is worked out for all of them at
/// once, when they are let go: that stays out of the host's caches while cores run.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) sent: Sent,
    pub(crate) request: Request,
}

/// What is kept while cores run ahead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// Whose turn it is, while requests are held back.
    pub(crate) turn: Option<u32>,
    pub(crate) held_back: Vec<Held>,
    order: Order,
    /// Memory goes before the cores.
    pub(crate) goes_first: bool,
    /// Then replies whose port takes them before this cycle are there at once: nobody
    /// looks before all have come to it.
    pub(crate) until: u64,
    /// When the last of these is there.
    pub(crate) landed: u64,
    /// Places of replies: those that were under way when memory began, and the others.
    pub(crate) places: [u32; 2],
    /// The last cycle in which something happened there.
    pub(crate) last: u64,
    /// Writes of cores that it performed while it did, and when.
    pub(crate) performed: Vec<(u16, u64)>,
}

/// Storage for their order.
#[derive(Clone, Debug, Default)]
struct Order {
    /// Where those of each cycle begin, then end.
    ends: Vec<u32>,
    /// Turn, and place among those that are let go.
    list: Vec<(u32, u32)>,
    /// Those, and their packets.
    sent: Vec<(Sent, u32)>,
}

/// The first place of a reply whose port took it since memory began: of one cycle's
/// replies, those that ports have taken before come first.
const LATER: u32 = 1 << 30;

/// More cycles than this are rare; then they are sorted as they are.
const MOST_CYCLES: u64 = 1 << 14;

impl Ahead {
    /// Memory goes first; replies that are there before cycle `until` land at once.
    pub(crate) fn begin(&mut self, until: u64) {
        self.goes_first = true;
        (self.until, self.landed, self.places) = (until, 0, [0, LATER]);
    }

    /// The next place of a reply.
    #[inline]
    pub(crate) fn place(&mut self, later: bool) -> u32 {
        let place = &mut self.places[usize::from(later)];
        *place += 1;
        *place - 1
    }

    /// Storage for what is let go, with their packets.
    pub(crate) fn take_storage(&mut self) -> Vec<(Sent, u32)> {
        std::mem::take(&mut self.order.sent)
    }

    /// The order of what is let go (turn and place of each): by cycles, then by turns;
    /// those of one turn stay as they were sent. The cycles are few: requests are counted
    /// out to them. Give the storage back with [`Ahead::give_back`].
    pub(crate) fn order(&mut self, all: &[(Sent, u32)]) -> Vec<(u32, u32)> {
        let Order { ends, list, .. } = &mut self.order;
        let (mut first, mut last) = (u64::MAX, 0);
        for (sent, _) in all {
            (first, last) = (first.min(sent.born), last.max(sent.born));
        }
        list.clear();
        if last.saturating_sub(first) >= MOST_CYCLES {
            list.extend((0..).zip(all).map(|(i, (sent, _))| (sent.turn, i)));
            list.sort_by_key(|(turn, i)| (all[*i as usize].0.born, *turn));
            return std::mem::take(list);
        }
        ends.clear();
        ends.resize((last.saturating_sub(first) + 2) as usize, 0);
        all.iter().for_each(|(sent, _)| ends[(sent.born - first + 1) as usize] += 1);
        let mut before = 0;
        for end in ends.iter_mut() {
            before += *end;
            *end = before;
        }
        list.resize(all.len(), (0, 0));
        for (i, (sent, _)) in all.iter().enumerate() {
            let place = &mut ends[(sent.born - first) as usize];
            list[*place as usize] = (sent.turn, i as u32);
            *place += 1;
        }
        let mut from = 0;
        for end in &*ends {
            let end = *end as usize;
            if end > from + 1 {
                list[from..end].sort_unstable();
            }
            from = end;
        }
        std::mem::take(list)
    }

    /// Storage that can be used again.
    pub(crate) fn give_back(&mut self, sent: Vec<(Sent, u32)>, list: Vec<(u32, u32)>) {
        (self.order.sent, self.order.list) = (sent, list);
        self.order.sent.clear();
    }

    #[inline]
    pub(crate) fn performed(&mut self, core: u16, now: u64) {
        if self.goes_first {
            self.performed.push((core, now));
        }
    }

    /// Writes of a core that are performed, but only after cycle `now`.
    #[inline]
    pub(crate) fn performed_after(&self, core: u16, now: u64) -> u32 {
        self.performed.iter().filter(|(c, at)| *c == core && *at > now).count() as u32
    }
}
