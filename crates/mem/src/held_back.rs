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
    /// Turn, and place among those that are held back.
    list: Vec<(u32, u32)>,
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

    /// Takes what is held back, and its order (turn and place of each): by cycles, then
    /// by turns; those of one turn stay as they were sent. The cycles are few: requests
    /// are counted out to them. Give the storage back with [`Ahead::give_back`].
    pub(crate) fn take_in_order(&mut self) -> (Vec<Sent>, Vec<(u32, u32)>) {
        let Ahead { held_back, order: Order { ends, list }, .. } = self;
        let (mut first, mut last) = (u64::MAX, 0);
        for sent in &*held_back {
            (first, last) = (first.min(sent.born), last.max(sent.born));
        }
        list.clear();
        if last.saturating_sub(first) >= MOST_CYCLES {
            list.extend((0..).zip(&*held_back).map(|(i, sent)| (sent.turn, i)));
            list.sort_by_key(|(turn, i)| (held_back[*i as usize].born, *turn));
            return (std::mem::take(held_back), std::mem::take(list));
        }
        ends.clear();
        ends.resize((last.saturating_sub(first) + 2) as usize, 0);
        held_back.iter().for_each(|s| ends[(s.born - first + 1) as usize] += 1);
        let mut before = 0;
        for end in ends.iter_mut() {
            before += *end;
            *end = before;
        }
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
