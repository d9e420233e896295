//! Events by cycle.

const NONE: u32 = u32::MAX;

/// Events that leave in the order of their cycles, those of one cycle in the
/// order in which they were pushed.
///
/// Events of the next cycles (64 times `WORDS`) are lists in a ring; later ones
/// wait in a sorted vector and move over when their time comes near. A small ring
/// stays in the host's nearest caches: whoever has many wheels wants that.
#[derive(Clone, Debug)]
pub struct Wheel<E, const WORDS: usize = 16> {
    /// No event is earlier.
    base: u64,
    /// Cycle of the first event.
    next: u64,
    len: usize,
    /// Nodes of each cycle of the ring.
    slots: Box<[[Slot; 64]; WORDS]>,
    occupied: [u64; WORDS],
    nodes: Vec<Node<E>>,
    free: u32,
    /// Latest first; of one cycle, last pushed first.
    far: Vec<(u64, E)>,
}

/// First and last node of a cycle.
#[derive(Clone, Copy, Debug)]
struct Slot {
    first: u32,
    last: u32,
}

const EMPTY: Slot = Slot { first: NONE, last: NONE };

#[derive(Clone, Debug)]
struct Node<E> {
    event: E,
    next: u32,
}

impl<E: Copy, const WORDS: usize> Default for Wheel<E, WORDS> {
    fn default() -> Self {
        Wheel::new()
    }
}

/// Word of the ring that a cycle is in, and its bit there.
#[inline]
fn place<const WORDS: usize>(at: u64) -> (usize, usize) {
    ((at / 64) as usize % WORDS, (at % 64) as usize)
}

/// Where a cycle is in the ring.
#[inline]
fn place_in_ring<const WORDS: usize>(at: u64) -> usize {
    at as usize % (WORDS * 64)
}

impl<E: Copy, const WORDS: usize> Wheel<E, WORDS> {
    const SLOTS: u64 = WORDS as u64 * 64;

    /// Without events, at cycle 0.
    pub fn new() -> Wheel<E, WORDS> {
        Wheel {
            base: 0,
            next: u64::MAX,
            len: 0,
            slots: Box::new([[EMPTY; 64]; WORDS]),
            occupied: [0; WORDS],
            nodes: Vec::new(),
            free: NONE,
            far: Vec::new(),
        }
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when none waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Cycle of the first event; `u64::MAX` when there is none.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Adds an event. One that should have been in the past happens at the
    /// cycle that was last asked for.
    #[inline]
    pub fn push(&mut self, at: u64, event: E) {
        let at = at.max(self.base);
        self.len += 1;
        self.next = self.next.min(at);
        if at - self.base < Self::SLOTS {
            self.link(at, event);
        } else {
            self.put_far(at, event);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_far(&mut self, at: u64, event: E) {
        let place = self.far.partition_point(|(t, _)| *t > at);
        self.far.insert(place, (at, event));
    }

    #[cold]
    #[inline(never)]
    fn put_far_before(&mut self, at: u64, event: E, is_later: impl Fn(&E) -> bool) {
        let same = self.far.partition_point(|(t, _)| *t > at);
        let newer = |(t, e): &&(u64, E)| *t == at && is_later(e);
        let place = same + self.far[same..].iter().take_while(newer).count();
        (self.len, self.next) = (self.len + 1, self.next.min(at));
        self.far.insert(place, (at, event));
    }

    /// Adds an event before those of its cycle that `is_later` says come after it,
    /// as if it had been pushed before them.
    // Called for each packet, from few places.
    #[inline(always)]
    pub fn push_before(&mut self, at: u64, event: E, is_later: impl Fn(&E) -> bool) {
        let at = at.max(self.base);
        if at - self.base >= Self::SLOTS {
            return self.put_far_before(at, event, is_later);
        }
        (self.len, self.next) = (self.len + 1, self.next.min(at));
        let last = self.slot(at).last;
        match self.nodes.get(last as usize) {
            Some(node) if is_later(&node.event) => self.link_before(at, event, is_later),
            _ => self.link(at, event),
        }
    }

    /// Adds an event before some of its cycle, the last of which is one.
    #[cold]
    #[inline(never)]
    fn link_before(&mut self, at: u64, event: E, is_later: impl Fn(&E) -> bool) {
        let later = |node: &Node<E>| is_later(&node.event);
        let (mut before, mut after) = (NONE, self.slot(at).first);
        while let Some(node) = self.nodes.get(after as usize).filter(|node| !later(node)) {
            (before, after) = (after, node.next);
        }
        let index = self.store(event, after);
        match self.nodes.get_mut(before as usize) {
            Some(node) => node.next = index,
            None => self.slot(at).first = index,
        }
    }

    /// The first event, if its cycle is not after `now`.
    // Who asks for events asks in one place: it is spared the way there and back.
    #[inline(always)]
    pub fn pop_due(&mut self, now: u64) -> Option<(u64, E)> {
        let due = self.pop_until(now);
        if due.is_none() {
            self.pass(now);
        }
        due
    }

    /// Nothing more will be pushed for cycles before `now`, nor is anything left of them.
    #[inline]
    pub(crate) fn pass(&mut self, now: u64) {
        if now != u64::MAX {
            self.rebase(now);
        }
    }

    /// As [`Wheel::pop_due`], but time goes no further than to the events that leave.
    #[inline(always)]
    pub(crate) fn pop_until(&mut self, last: u64) -> Option<(u64, E)> {
        let at = self.next;
        if at > last {
            return None;
        }
        self.rebase(at);
        let slot = &mut self.slots.as_flattened_mut()[place_in_ring::<WORDS>(at)];
        let head = slot.first;
        let node = self.nodes.get_mut(head as usize)?;
        let (event, after) = (node.event, node.next);
        node.next = self.free;
        self.free = head;
        self.len -= 1;
        slot.first = after;
        if after == NONE {
            self.end_cycle(at);
        }
        Some((at, event))
    }

    /// The last event of a cycle has left.
    #[inline(never)]
    fn end_cycle(&mut self, at: u64) {
        self.slot(at).last = NONE;
        let (word, bit) = place::<WORDS>(at);
        self.occupied[word] &= !(1 << bit);
        self.next = self.first();
    }

    /// What is due in a cycle of the ring.
    #[inline]
    fn slot(&mut self, at: u64) -> &mut Slot {
        &mut self.slots.as_flattened_mut()[place_in_ring::<WORDS>(at)]
    }

    /// Every event with its cycle, in the order in which they will leave.
    pub fn each(&self, mut f: impl FnMut(u64, &E)) {
        for at in self.base..self.base.saturating_add(Self::SLOTS) {
            let (word, bit) = place::<WORDS>(at);
            let mut node = self.slots[word][bit].first;
            while let Some(n) = self.nodes.get(node as usize) {
                f(at, &n.event);
                node = n.next;
            }
        }
        self.far.iter().rev().for_each(|(at, event)| f(*at, event));
    }

    /// A node for an event, with another behind it.
    #[inline]
    fn store(&mut self, event: E, next: u32) -> u32 {
        if self.free == NONE {
            self.make_node(event);
        }
        let index = self.free;
        let node = &mut self.nodes[index as usize];
        self.free = std::mem::replace(&mut node.next, next);
        node.event = event;
        index
    }

    /// Storage for one more node; that it holds an event means nothing.
    #[cold]
    #[inline(never)]
    fn make_node(&mut self, event: E) {
        self.free = self.nodes.len() as u32;
        self.nodes.push(Node { event, next: NONE });
    }

    #[inline]
    fn link(&mut self, at: u64, event: E) {
        let index = self.store(event, NONE);
        let slot = &mut self.slots.as_flattened_mut()[place_in_ring::<WORDS>(at)];
        let last = std::mem::replace(&mut slot.last, index);
        match self.nodes.get_mut(last as usize) {
            Some(node) => node.next = index,
            None => {
                slot.first = index;
                let (word, bit) = place::<WORDS>(at);
                self.occupied[word] |= 1 << bit;
            }
        }
    }

    /// Moves the ring on; no event may be before `to`.
    #[inline]
    fn rebase(&mut self, to: u64) {
        if to <= self.base {
            return;
        }
        self.base = to;
        if !self.far.is_empty() {
            self.bring_near();
        }
    }

    #[cold]
    #[inline(never)]
    fn bring_near(&mut self) {
        while self.far.last().is_some_and(|(t, _)| *t - self.base < Self::SLOTS) {
            if let Some((at, event)) = self.far.pop() {
                self.link(at, event);
            }
        }
    }

    /// Cycle of the first event, found anew.
    #[inline]
    fn first(&self) -> u64 {
        let (word, bit) = place::<WORDS>(self.base);
        let start = self.base - bit as u64;
        let here = self.occupied[word] & !0 << bit;
        if here != 0 {
            return start + u64::from(here.trailing_zeros());
        }
        // The last of them is where it began, for what is left there.
        for i in 1..=WORDS {
            let bits = self.occupied[(word + i) % WORDS];
            if bits != 0 {
                return start + 64 * i as u64 + u64::from(bits.trailing_zeros());
            }
        }
        self.far.last().map_or(u64::MAX, |(t, _)| *t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_leave_by_cycle_then_by_age(
            steps in prop::collection::vec((0u64..3000, 0usize..4, 0u64..700), 1..200)
        ) {
            let mut wheel = Wheel::<_, 4>::new();
            let mut model: Vec<(u64, usize)> = Vec::new();
            let (mut now, mut id) = (0, 0);
            for (ahead, count, step) in steps {
                for _ in 0..count {
                    wheel.push(now + ahead, id);
                    model.push((now + ahead, id));
                    id += 1;
                }
                prop_assert_eq!(wheel.len(), model.len());
                now += step;
                model.sort();
                prop_assert_eq!(wheel.next(), model.first().map_or(u64::MAX, |m| m.0));
                let mut listed = Vec::new();
                wheel.each(|at, id| listed.push((at, *id)));
                prop_assert_eq!(&listed, &model);
                while let Some(popped) = wheel.pop_due(now) {
                    prop_assert_eq!(popped, model.remove(0));
                }
                prop_assert!(model.first().is_none_or(|m| m.0 > now));
            }
        }
    }

    proptest! {
        /// Events that are pushed late leave as if each had been pushed in its time.
        #[test]
        fn who_is_pushed_late_takes_the_place_of_its_birth(
            births in prop::collection::vec((0u64..40, 0u64..1500), 1..80),
            late in prop::collection::vec(any::<bool>(), 80),
        ) {
            let mut births = births;
            births.sort_by_key(|(born, _)| *born);
            // When it happens, and which it is: born in this order.
            let all: Vec<(u64, usize)> =
                births.iter().enumerate().map(|(i, (_, ahead))| (100 + ahead / 50 * 30, i)).collect();
            let (mut wheel, mut plain) = (Wheel::<_, 4>::new(), Wheel::<_, 16>::new());
            all.iter().for_each(|&(at, i)| plain.push(at, i));
            all.iter().filter(|e| !late[e.1]).for_each(|&(at, i)| wheel.push(at, i));
            let held: Vec<_> = all.iter().filter(|e| late[e.1]).collect();
            held.iter().for_each(|&&(at, i)| wheel.push_before(at, i, |other| *other > i));
            prop_assert_eq!((wheel.len(), wheel.next()), (plain.len(), plain.next()));
            for now in (0..2000).step_by(10) {
                loop {
                    let (one, other) = (wheel.pop_due(now), plain.pop_due(now));
                    prop_assert_eq!(one, other);
                    if one.is_none() {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn the_past_happens_now() {
        let mut w = Wheel::<_, 16>::new();
        assert_eq!(w.pop_due(5000), None);
        w.push(3, 'a');
        assert_eq!(w.next(), 5000);
        assert_eq!(w.pop_due(5000), Some((5000, 'a')));
        assert!(w.is_empty());
    }
}
