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
