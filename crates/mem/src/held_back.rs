//! What is kept while cores run ahead of each other.

/// A request that is not on its way yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// When it was sent.
    pub(crate) born: u64,
    /// Its sender's place in that cycle.
    pub(crate) turn: u32,
    /// When it reaches its slice.
    pub(crate) at: u64,
    /// Its packet.
    pub(crate) id: u32,
}

/// What is kept while cores run ahead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    /// Whose turn it is, while requests are held back.
    pub(crate) turn: Option<u32>,
    pub(crate) held_back: Vec<Sent>,
    order: Order,
    /// Memory goes before the cores.
    pub(crate) goes_first: bool,
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
    /// Turn, and place among those that are held back.
    list: Vec<(u32, u32)>,
}

/// More cycles than this are rare; then they are sorted as they are.
const MOST_CYCLES: u64 = 1 << 14;

impl Ahead {
    /// Takes what is held back, and its order (turn and place of each): by cycles, then
    /// by turns; those of one turn stay as they were sent. The cycles are few: requests
    /// are counted out to them. Give the storage back with [`Ahead::give_back`].
    pub(crate) fn take_in_order(&mut self) -> (Vec<Sent>, Vec<(u32, u32)>) {
        let Ahead { held_back, order: Order { ends, list }, .. } = self;
        let first = held_back.iter().map(|s| s.born).min().unwrap_or(0);
        let last = held_back.iter().map(|s| s.born).max().unwrap_or(0);
        if last - first >= MOST_CYCLES {
            list.clear();
            list.extend((0..).zip(&*held_back).map(|(i, sent)| (sent.turn, i)));
            list.sort_by_key(|(turn, i)| (held_back[*i as usize].born, *turn));
            return (std::mem::take(held_back), std::mem::take(list));
        }
        ends.clear();
        ends.resize((last - first + 2) as usize, 0);
        held_back.iter().for_each(|s| ends[(s.born - first + 1) as usize] += 1);
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        list.clear();
        list.resize(held_back.len(), (0, 0));
        for (i, sent) in held_back.iter().enumerate() {
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
        (std::mem::take(held_back), std::mem::take(list))
    }

    /// Storage that can be used again.
    pub(crate) fn give_back(&mut self, sent: Vec<Sent>, list: Vec<(u32, u32)>) {
        (self.held_back, self.order.list) = (sent, list);
        self.held_back.clear();
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
