//! The sixteen named barriers of a CTA (`BAR`), as a state machine without time.

use crate::control::barriers::Convergence;
use crate::{BarReduce, Mask};

/// Named barriers per CTA.
pub const BARRIERS: usize = 16;

/// Bits of a barrier's counters: they hold all threads of a CTA.
pub const COUNTER_BITS: u32 = 12;

/// What hardware keeps of a named barrier of a CTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BarCounter {
    /// Threads that have arrived, whole warps at a time.
    pub arrived: u16,
    /// Threads it waits for, where the code gives a number; otherwise zero, and
    /// it waits for all that live.
    pub expected: u16,
}

impl BarCounter {
    fn add(&mut self, threads: u32, less: u32) {
        let mask = (1 << COUNTER_BITS) - 1;
        self.arrived =
            (u32::from(self.arrived).wrapping_add(threads).wrapping_sub(less) & mask) as u16;
    }
}

/// A CTA's barriers.
pub type BarCounters = [BarCounter; BARRIERS];

/// The warps of a CTA, by number, and its barriers' counters.
pub trait CtaWarps {
    /// How many there are.
    fn count(&self) -> usize;
    /// Counters of a barrier.
    fn counter(&mut self, number: u8) -> &mut BarCounter;
    /// Control state of a warp.
    fn control(&mut self, warp: usize) -> &mut Convergence;
    /// The warp took part in a reduction with this result.
    fn reduced(&mut self, warp: usize, result: u32);
}

/// A barrier that threads have arrived at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Barrier {
    number: u8,
    /// Threads that arrived, per warp, and as how many they were counted; warps
    /// beyond the end have none.
    arrived: Vec<(Mask, u8)>,
    /// Threads needed, when the code gives a count that is yet to be stored.
    count: Option<u32>,
    reduce: Option<BarReduce>,
    trues: u32,
    total: u32,
}

/// Barriers that wait for more arrivals. Idle ones take no space.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CtaBarriers {
    /// Sorted by number.
    pending: Vec<Barrier>,
}

impl CtaBarriers {
    /// Forgets all arrivals.
    pub fn clear(&mut self) {
        self.pending.clear();
    }

    /// True when nobody has arrived anywhere.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Threads `who` of warp `warp` arrive at barrier `bar`, as
    /// [`FlowEffect::Arrive`](crate::warp::FlowEffect::Arrive) says.
    pub fn arrive(
        &mut self,
        bar: u8,
        warp: usize,
        who: Mask,
        count: Option<u32>,
        reduce: Option<(BarReduce, Mask)>,
    ) {
        let number = bar % BARRIERS as u8;
        let i = match self.pending.binary_search_by_key(&number, |b| b.number) {
            Ok(i) => i,
            Err(i) => {
                self.pending.insert(i, Barrier::new(number));
                i
            }
        };
        let b = &mut self.pending[i];
        if b.arrived.len() <= warp {
            b.arrived.resize(warp + 1, (0, 0));
        }
        b.arrived[warp].0 |= who;
        b.count = count.or(b.count);
        if let Some((op, value)) = reduce {
            b.reduce = Some(op);
            b.trues = b.trues.wrapping_add((value & who).count_ones());
            b.total = b.total.wrapping_add(who.count_ones());
        }
    }

    /// Completes the barriers that everybody has reached and releases their
    /// waiters. True if any was completed.
    pub fn settle(&mut self, warps: &mut impl CtaWarps) -> bool {
        let before = self.pending.len();
        self.pending.retain_mut(|b| {
            let complete = b.complete(warps);
            if complete {
                b.release(warps);
            }
            !complete
        });
        self.pending.len() != before
    }
}

impl Barrier {
    fn new(number: u8) -> Barrier {
        Barrier { number, arrived: Vec::new(), count: None, reduce: None, trues: 0, total: 0 }
    }

    fn arrived(&self, warp: usize) -> Mask {
        self.arrived.get(warp).map_or(0, |(who, _)| *who)
    }

    /// Counts those that have arrived since, and compares: it is the counters
    /// that decide.
    fn complete(&mut self, warps: &mut impl CtaWarps) -> bool {
        if let Some(count) = self.count.take() {
            warps.counter(self.number).expected = count.min((1 << COUNTER_BITS) - 1) as u16;
        }
        // Without a number: every warp that is here or still has threads.
        let mut everybody = 0;
        for warp in 0..warps.count() {
            let (who, live) = (self.arrived(warp), warps.control(warp).live);
            // Hardware counts whole warps.
            let threads = match who {
                0 => 0,
                _ if live & !who == 0 => 32,
                some => some.count_ones(),
            };
            everybody += if who | live != 0 { 32 } else { 0 };
            if let Some((_, counted)) = self.arrived.get_mut(warp) {
                warps.counter(self.number).add(threads, u32::from(*counted));
                *counted = threads as u8;
            }
        }
        let counter = warps.counter(self.number);
        let expected = match counter.expected {
            0 => everybody,
            some => u32::from(some),
        };
        u32::from(counter.arrived) >= expected
    }

    fn release(&self, warps: &mut impl CtaWarps) {
        let result = self.result();
        *warps.counter(self.number) = BarCounter::default();
        for warp in 0..warps.count() {
            if self.arrived(warp) != 0 && self.reduce.is_some() {
                warps.reduced(warp, result);
            }
            warps.control(warp).release_cta_barrier(self.number);
        }
    }

    fn result(&self) -> u32 {
        match self.reduce {
            Some(BarReduce::Popc) => self.trues,
            Some(BarReduce::And) => u32::from(self.trues == self.total),
            Some(BarReduce::Or) => u32::from(self.trues != 0),
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Warps(Vec<(Convergence, Option<u32>)>, BarCounters);

    impl Warps {
        fn new(masks: &[Mask]) -> Warps {
            let warps = masks.iter().map(|&m| (Convergence::new(0, m), None)).collect();
            Warps(warps, BarCounters::default())
        }

        fn wait(&mut self, b: &mut CtaBarriers, warp: usize, reduce: Option<(BarReduce, Mask)>) {
            let c = &mut self.0[warp].0;
            let who = c.active;
            c.park_at_cta_barrier(who, 3, 16);
            b.arrive(3, warp, who, None, reduce);
        }
    }

    impl CtaWarps for Warps {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn counter(&mut self, number: u8) -> &mut BarCounter {
            &mut self.1[usize::from(number)]
        }
        fn control(&mut self, warp: usize) -> &mut Convergence {
            &mut self.0[warp].0
        }
        fn reduced(&mut self, warp: usize, result: u32) {
            self.0[warp].1 = Some(result);
        }
    }

    #[test]
    fn nobody_leaves_before_everybody_living_is_there() {
        let mut warps = Warps::new(&[u32::MAX, u32::MAX, 0xff]);
        let mut b = CtaBarriers::default();
        warps.wait(&mut b, 2, None);
        warps.wait(&mut b, 0, None);
        assert!(!b.settle(&mut warps) && !warps.control(0).schedule());
        warps.control(1).exit(u32::MAX, 0);
        assert!(b.settle(&mut warps) && b.is_idle());
        assert!(warps.control(0).schedule() && warps.control(2).schedule());
        assert!(!b.settle(&mut warps));
    }

    #[test]
    fn reductions_count_only_those_who_arrive() {
        let mut warps = Warps::new(&[u32::MAX, 0xff]);
        let mut b = CtaBarriers::default();
        warps.wait(&mut b, 0, Some((BarReduce::Popc, 0xf)));
        warps.wait(&mut b, 1, Some((BarReduce::Popc, u32::MAX)));
        assert!(b.settle(&mut warps));
        assert_eq!((warps.0[0].1, warps.0[1].1), (Some(12), Some(12)));
    }

    #[test]
    fn a_count_is_met_by_whole_warps() {
        let mut warps = Warps::new(&[u32::MAX, 0xff, u32::MAX]);
        let mut b = CtaBarriers::default();
        b.arrive(0, 0, u32::MAX, Some(64), None);
        assert!(!b.settle(&mut warps));
        b.arrive(0, 1, 0xff, Some(64), None);
        assert!(b.settle(&mut warps));
    }

    #[test]
    fn the_counters_decide() {
        let full = || Warps::new(&[u32::MAX, u32::MAX]);
        let (mut warps, mut b) = (full(), CtaBarriers::default());
        warps.wait(&mut b, 0, None);
        assert!(!b.settle(&mut warps));
        assert_eq!(warps.1[3], BarCounter { arrived: 32, expected: 0 });
        // A bit that flips up lets the others go too early, with what is left undone.
        warps.1[3].arrived ^= 64;
        assert!(b.settle(&mut warps) && warps.control(0).schedule());
        assert_eq!(warps.1[3], BarCounter::default());
        // One that flips down keeps everybody for ever.
        let (mut warps, mut b) = (full(), CtaBarriers::default());
        warps.wait(&mut b, 0, None);
        assert!(!b.settle(&mut warps));
        warps.1[3].arrived ^= 32;
        warps.wait(&mut b, 1, None);
        assert!(!b.settle(&mut warps) && !warps.control(0).schedule());
        // One of a barrier at rest waits for its next use.
        let (mut warps, mut b) = (full(), CtaBarriers::default());
        warps.1[3].expected ^= 1 << 11;
        assert!(!b.settle(&mut warps));
        warps.wait(&mut b, 0, None);
        warps.wait(&mut b, 1, None);
        assert!(!b.settle(&mut warps));
    }

    #[test]
    fn whoever_has_arrived_and_ended_is_not_waited_for() {
        let mut warps = Warps::new(&[u32::MAX, u32::MAX]);
        let mut b = CtaBarriers::default();
        b.arrive(3, 0, u32::MAX, None, None);
        warps.control(0).exit(u32::MAX, 0);
        assert!(!b.settle(&mut warps));
        warps.wait(&mut b, 1, None);
        assert!(b.settle(&mut warps) && b.is_idle());
    }
}
