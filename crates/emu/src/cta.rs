//! A CTA: shared memory, named barriers, and the order in which its warps run.

use upset_isa::{BarReduce, Mask};

use crate::warp::Warp;

/// Named barriers per CTA.
pub const BARRIERS: usize = 16;

/// A named barrier that threads are arriving at.
#[derive(Clone, Debug, Default)]
struct Barrier {
    /// Threads that arrived, per warp.
    arrived: Vec<Mask>,
    /// Threads needed, when the code gives a count.
    count: Option<u32>,
    reduce: Option<BarReduce>,
    trues: u32,
    total: u32,
}

/// State shared by the warps of a CTA.
#[derive(Clone, Debug, Default)]
pub struct Cta {
    /// Coordinates in the grid.
    pub id: [u32; 3],
    /// Shared memory.
    pub shared: Vec<u8>,
    barriers: Vec<Barrier>,
}

impl Cta {
    /// Prepares for a CTA with `warps` warps.
    pub fn reset(&mut self, id: [u32; 3], shared_bytes: usize, warps: usize) {
        self.id = id;
        self.shared.clear();
        self.shared.resize(shared_bytes, 0);
        self.barriers.resize(BARRIERS, Barrier::default());
        for b in &mut self.barriers {
            b.arrived.clear();
            b.arrived.resize(warps, 0);
            b.clear();
        }
    }

    /// Threads `who` of warp `warp` arrive at barrier `bar`; `value` are the
    /// predicate bits of a reduction.
    pub fn arrive(
        &mut self,
        bar: u8,
        warp: u32,
        who: Mask,
        count: Option<u32>,
        reduce: Option<(BarReduce, Mask)>,
    ) {
        let b = &mut self.barriers[usize::from(bar) % BARRIERS];
        b.arrived[warp as usize] |= who;
        b.count = count.or(b.count);
        if let Some((op, value)) = reduce {
            b.reduce = Some(op);
            b.trues += (value & who).count_ones();
            b.total += who.count_ones();
        }
    }

    /// Completes the barriers that everybody has reached and releases their
    /// waiters. True if any was completed.
    pub fn settle(&mut self, warps: &mut [Warp]) -> bool {
        let mut any = false;
        for (bar, b) in self.barriers.iter_mut().enumerate() {
            if !b.complete(warps) {
                continue;
            }
            any = true;
            let result = b.result();
            for (i, w) in warps.iter_mut().enumerate() {
                if b.arrived[i] != 0 && b.reduce.is_some() {
                    w.bar_result = result;
                }
                w.flow.release_cta_barrier(bar as u8);
            }
            b.clear();
        }
        any
    }
}

impl Barrier {
    fn clear(&mut self) {
        self.arrived.fill(0);
        self.count = None;
        self.reduce = None;
        self.trues = 0;
        self.total = 0;
    }

    fn complete(&self, warps: &[Warp]) -> bool {
        if self.arrived.iter().all(|&m| m == 0) {
            return false;
        }
        match self.count {
            // Without a count: every thread that still lives.
            None => self.arrived.iter().zip(warps).all(|(&a, w)| w.flow.live & !a == 0),
            // Hardware counts whole warps.
            Some(n) => {
                let threads: u32 = self
                    .arrived
                    .iter()
                    .zip(warps)
                    .map(
                        |(&a, w)| {
                            if a != 0 && w.flow.live & !a == 0 { 32 } else { a.count_ones() }
                        },
                    )
                    .sum();
                threads >= n
            }
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
