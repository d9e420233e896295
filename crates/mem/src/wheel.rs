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
    /// First and last node of each slot.
    slots: Vec<(u32, u32)>,
    occupied: [u64; WORDS],
    nodes: Vec<Node<E>>,
    free: u32,
    /// Latest first; of one cycle, last pushed first.
    far: Vec<(u64, E)>,
}

#[derive(Clone, Debug)]
struct Node<E> {
    event: Option<E>,
    next: u32,
}

impl<E, const WORDS: usize> Default for Wheel<E, WORDS> {
    fn default() -> Self {
        Wheel::new()
    }
}

impl<E, const WORDS: usize> Wheel<E, WORDS> {
    const SLOTS: u64 = WORDS as u64 * 64;

    /// Without events, at cycle 0.
    pub fn new() -> Wheel<E, WORDS> {
        Wheel {
            base: 0,
            next: u64::MAX,
            len: 0,
            slots: vec![(NONE, NONE); Self::SLOTS as usize],
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
            let place = self.far.partition_point(|(t, _)| *t > at);
            self.far.insert(place, (at, event));
        }
    }

    /// Adds an event before those of its cycle that `is_later` says come after it,
    /// as if it had been pushed before them.
    pub fn push_before(&mut self, at: u64, event: E, is_later: impl Fn(&E) -> bool) {
        let at = at.max(self.base);
        let later = |node: &Node<E>| node.event.as_ref().is_some_and(&is_later);
        if at - self.base >= Self::SLOTS {
            let same = self.far.partition_point(|(t, _)| *t > at);
            let newer = |(t, e): &&(u64, E)| *t == at && is_later(e);
            let place = same + self.far[same..].iter().take_while(newer).count();
            (self.len, self.next) = (self.len + 1, self.next.min(at));
            return self.far.insert(place, (at, event));
        }
        let slot = (at % Self::SLOTS) as usize;
        let (head, tail) = self.slots[slot];
        if !self.nodes.get(tail as usize).is_some_and(later) {
            return self.push(at, event);
        }
        let (mut before, mut after) = (NONE, head);
        while let Some(node) = self.nodes.get(after as usize).filter(|node| !later(node)) {
            (before, after) = (after, node.next);
        }
        (self.len, self.next) = (self.len + 1, self.next.min(at));
        let index = self.store(Node { event: Some(event), next: after });
        match self.nodes.get_mut(before as usize) {
            Some(node) => node.next = index,
            None => self.slots[slot].0 = index,
        }
    }

    /// The first event, if its cycle is not after `now`.
    #[inline]
    pub fn pop_due(&mut self, now: u64) -> Option<(u64, E)> {
        if self.next > now {
            if now != u64::MAX {
                self.rebase(now);
            }
            return None;
        }
        let at = self.next;
        self.rebase(at);
        let slot = (at % Self::SLOTS) as usize;
        let (head, tail) = self.slots[slot];
        let node = self.nodes.get_mut(head as usize)?;
        let event = node.event.take();
        let after = node.next;
        node.next = self.free;
        self.free = head;
        self.len -= 1;
        if after == NONE {
            self.slots[slot] = (NONE, NONE);
            self.occupied[slot / 64] &= !(1 << (slot % 64));
            self.next = self.first();
        } else {
            self.slots[slot] = (after, tail);
        }
        event.map(|e| (at, e))
    }

    /// Every event with its cycle, in the order in which they will leave.
    pub fn each(&self, mut f: impl FnMut(u64, &E)) {
        let start = (self.base % Self::SLOTS) as usize;
        for i in 0..=WORDS {
            let word = (start / 64 + i) % WORDS;
            let mut bits = self.occupied[word];
            if i == 0 {
                bits &= !0 << (start % 64);
            } else if i == WORDS {
                bits &= !(!0 << (start % 64));
            }
            while bits != 0 {
                let slot = word * 64 + bits.trailing_zeros() as usize;
                let at = self.base + (slot as u64 + Self::SLOTS - start as u64) % Self::SLOTS;
                let mut node = self.slots[slot].0;
                while let Some(n) = self.nodes.get(node as usize) {
                    if let Some(event) = &n.event {
                        f(at, event);
                    }
                    node = n.next;
                }
                bits &= bits - 1;
            }
        }
        self.far.iter().rev().for_each(|(at, event)| f(*at, event));
    }

    #[inline]
    fn store(&mut self, node: Node<E>) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            return (self.nodes.len() - 1) as u32;
        }
        let index = self.free;
        self.free = self.nodes[index as usize].next;
        self.nodes[index as usize] = node;
        index
    }

    fn link(&mut self, at: u64, event: E) {
        let index = self.store(Node { event: Some(event), next: NONE });
        let slot = (at % Self::SLOTS) as usize;
        let (head, tail) = self.slots[slot];
        if head == NONE {
            self.slots[slot] = (index, index);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.nodes[tail as usize].next = index;
            self.slots[slot].1 = index;
        }
    }

    /// Moves the ring on; no event may be before `to`.
    #[inline]
    fn rebase(&mut self, to: u64) {
        if to <= self.base {
            return;
        }
        self.base = to;
        while self.far.last().is_some_and(|(t, _)| *t - to < Self::SLOTS) {
            if let Some((at, event)) = self.far.pop() {
                self.link(at, event);
            }
        }
    }

    /// Cycle of the first event, found anew.
    fn first(&self) -> u64 {
        let start = (self.base % Self::SLOTS) as usize;
        for i in 0..=WORDS {
            let word = (start / 64 + i) % WORDS;
            let mut bits = self.occupied[word];
            if i == 0 {
                bits &= !0 << (start % 64);
            } else if i == WORDS {
                bits &= !(!0 << (start % 64));
            }
            if bits != 0 {
                let slot = word as u64 * 64 + u64::from(bits.trailing_zeros());
                return self.base + (slot + Self::SLOTS - start as u64) % Self::SLOTS;
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
