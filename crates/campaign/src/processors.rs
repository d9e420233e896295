//! Who may compute: as many processes as there are processors, whoever they
//! work for.
//!
//! Fault-free runs, workers and what splits from them each take a processor and
//! give it back. Who finds none waits in a queue, so that several subjects share
//! all of them: while one is prepared, which takes one processor, the runs of
//! another keep the rest busy. Whoever has most to do is served first: what is
//! short fills what is left at the end.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often somebody who waits asks whether everything ends.
const TICK: Duration = Duration::from_millis(100);

/// The processors.
#[derive(Clone)]
pub(crate) struct Processors {
    all: usize,
    /// How much there is to do for whoever asks here.
    weight: u64,
    state: Arc<Mutex<State>>,
}

/// Hears that it has a processor. False: it has no use for it any more.
type Grant = Box<dyn FnOnce() -> bool + Send>;

struct State {
    free: usize,
    /// By weight, heaviest first, and of one weight in the order in which they asked.
    queue: BTreeMap<(Reverse<u64>, u64), Grant>,
    asked: u64,
}

/// Of somebody in the queue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    Served,
    /// It waits no longer, and was not served.
    Left,
}

/// A processor that is given back when this is dropped.
pub(crate) struct Held<'a>(&'a Processors);

impl Held<'_> {
    /// Somebody else gives it back.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.give_back(1);
    }
}

impl Processors {
    /// So many, at least one.
    pub fn new(all: usize) -> Processors {
        let all = all.max(1);
        let state = State { free: all, queue: BTreeMap::new(), asked: 0 };
        Processors { all, weight: 0, state: Arc::new(Mutex::new(state)) }
    }

    /// The same processors for somebody who has so much to do.
    pub fn weighing(&self, weight: u64) -> Processors {
        Processors { weight, ..self.clone() }
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.all
    }

    /// Walks of one subject that can keep all of them busy: each feeds a few.
    pub fn walks(&self) -> usize {
        self.all.div_ceil(4)
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for one. `None` when everything ends.
    pub fn take(&self, ends: &dyn Fn() -> bool) -> Option<Held<'_>> {
        let place = Arc::new((Mutex::new(Place::Waiting), Condvar::new()));
        let own = Arc::clone(&place);
        self.ask(Box::new(move || {
            let mut place = own.0.lock().unwrap_or_else(PoisonError::into_inner);
            let waits = *place == Place::Waiting;
            if waits {
                *place = Place::Served;
                own.1.notify_one();
            }
            waits
        }));
        let mut state = place.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if *state == Place::Served {
                return Some(Held(self));
            }
            if ends() {
                *state = Place::Left;
                return None;
            }
            let waited = place.1.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives one to whoever asks, at once or when it is its turn.
    pub fn ask(&self, grant: Grant) {
        let mut state = self.locked();
        state.asked += 1;
        let place = (Reverse(self.weight), state.asked);
        state.queue.insert(place, grant);
        drop(state);
        self.serve();
    }

    /// So many are free again.
    pub fn give_back(&self, count: usize) {
        let mut state = self.locked();
        state.free = (state.free + count).min(self.all);
        drop(state);
        self.serve();
    }

    /// Serves the queue as far as there are processors. Nobody is told while the
    /// state is locked: who hears may come back with another wish.
    fn serve(&self) {
        loop {
            let mut state = self.locked();
            if state.free == 0 {
                return;
            }
            let Some((_, grant)) = state.queue.pop_first() else { return };
            state.free -= 1;
            drop(state);
            if !grant() {
                self.locked().free += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn who_waits_is_served_in_turn_and_nobody_is_lost() {
        let processors = Processors::new(2);
        let never = || false;
        let (a, b) = (processors.take(&never), processors.take(&never));
        assert!(a.is_some() && b.is_some());
        // Nobody gives any back: who is told that everything ends goes away.
        assert!(processors.take(&|| true).is_none());
        let order = Arc::new(Mutex::new(Vec::new()));
        for n in 0..3 {
            let order = Arc::clone(&order);
            processors.ask(Box::new(move || {
                order.lock().unwrap().push(n);
                n != 1
            }));
        }
        drop(a);
        assert_eq!(*order.lock().unwrap(), [0]);
        // The second has no use for it, so the third has it.
        drop(b);
        assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
        processors.give_back(2);
        assert_eq!(processors.locked().free, 2);
        // More than there are never come back.
        processors.give_back(5);
        assert_eq!(processors.locked().free, 2);
    }

    #[test]
    fn who_has_most_to_do_comes_first() {
        let processors = Processors::new(1);
        let held = processors.take(&|| false);
        let order = Arc::new(Mutex::new(Vec::new()));
        for (name, weight) in [("light", 1), ("heavy", 7), ("light too", 1), ("heavy too", 7)] {
            let order = Arc::clone(&order);
            processors.weighing(weight).ask(Box::new(move || {
                order.lock().unwrap().push(name);
                true
            }));
        }
        drop(held);
        (0..3).for_each(|_| processors.give_back(1));
        assert_eq!(*order.lock().unwrap(), ["heavy", "heavy too", "light", "light too"]);
    }

    #[test]
    fn no_more_than_there_are_work_at_once() {
        let processors = Processors::new(3);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let held = processors.take(&|| false);
                        let n = now.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(n, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        drop(held);
                    }
                });
            }
        });
        assert_eq!(now.into_inner(), 0);
        assert!((1..=3).contains(&most.into_inner()));
        assert_eq!(processors.locked().free, 3);
    }
}
