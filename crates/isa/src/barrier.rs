//! The sixteen named barriers of a CTA (`BAR`), as a state machine without time.

use crate::convergence::Convergence;
use crate::{BarReduce, Mask};

/// Named barriers per CTA.
pub const BARRIERS: usize = 16;

/// The warps of a CTA, by number.
pub trait CtaWarps {
    /// How many there are.
    fn count(&self) -> usize;
    /// Control state of a warp.
    fn control(&mut self, warp: usize) -> &mut Convergence;
    /// The warp took part in a reduction with this result.
    fn reduced(&mut self, warp: usize, result: u32);
}

/// A barrier that threads have arrived at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Barrier {
    number: u8,
    /// Threads that arrived, per warp; warps beyond the end have none.
    arrived: Vec<Mask>,
    /// Threads needed, when the code gives a count.
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
            b.arrived.resize(warp + 1, 0);
        }
        b.arrived[warp] |= who;
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
        self.pending.retain(|b| {
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
        self.arrived.get(warp).copied().unwrap_or(0)
    }

    fn complete(&self, warps: &mut impl CtaWarps) -> bool {
        let mut all = 0..warps.count();
        let mut missing = |warp| warps.control(warp).live & !self.arrived(warp);
        match self.count {
            // Without a count: every thread that still lives.
            None => all.all(|warp| missing(warp) == 0),
            // Hardware counts whole warps.
            Some(n) => {
                let threads = |warp| match self.arrived(warp) {
                    0 => 0,
                    _ if missing(warp) == 0 => 32,
                    some => some.count_ones(),
                };
                all.map(threads).sum::<u32>() >= n
            }
        }
    }

    fn release(&self, warps: &mut impl CtaWarps) {
        let result = self.result();
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

    struct Warps(Vec<(Convergence, Option<u32>)>);

    impl Warps {
        fn new(masks: &[Mask]) -> Warps {
            Warps(masks.iter().map(|&m| (Convergence::new(0, m), None)).collect())
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
}
