//! Barriers of a CTA.

use upset_isa::barrier::{BarCounter, BarCounters, CtaWarps};
use upset_isa::control::barriers::Convergence;
use upset_state::Probe;

use crate::sm::{Cx, Sm};
use crate::warp::Warp;

impl Sm {
    /// Completes CTA barriers that everybody has reached.
    pub(crate) fn settle<P: Probe>(&mut self, cta: usize, cx: &mut Cx<'_, P>) {
        struct Members<'a> {
            warps: &'a mut [Warp],
            slots: &'a [u32],
            bars: &'a mut BarCounters,
        }
        impl CtaWarps for Members<'_> {
            fn count(&self) -> usize {
                self.slots.len()
            }
            fn counter(&mut self, number: u8) -> &mut BarCounter {
                &mut self.bars[usize::from(number) % self.bars.len()]
            }
            fn control(&mut self, warp: usize) -> &mut Convergence {
                &mut self.warps[self.slots[warp] as usize].flow
            }
            fn reduced(&mut self, warp: usize, result: u32) {
                self.warps[self.slots[warp] as usize].bar_result = result;
            }
        }
        let Some(Some(c)) = self.ctas.get_mut(cta) else { return };
        if c.barriers.is_idle() {
            return;
        }
        let slots = std::mem::take(&mut c.slots);
        let parked = slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| self.warps[**slot as usize].flow.active == 0)
            .fold(0u64, |all, (i, _)| all | 1 << (i % 64));
        let bars = &mut self.bars[cta];
        let done = c.barriers.settle(&mut Members { warps: &mut self.warps, slots: &slots, bars });
        if done {
            let at = cx.now + u64::from(cx.config.unit(upset_isa::Unit::System).latency);
            for (i, &slot) in slots.iter().enumerate() {
                let warp = &mut self.warps[slot as usize];
                if warp.waiting {
                    warp.waiting = !warp.flow.others_ready();
                }
                if parked >> (i % 64) & 1 == 1 && warp.resident && warp.flow.live != 0 {
                    let (sub, local) = self.place(slot);
                    self.subs[sub].sched.hear(cx.now);
                    self.subs[sub].sched.rouse(local, at);
                }
            }
        }
        if let Some(Some(c)) = self.ctas.get_mut(cta) {
            c.slots = slots;
        }
    }
}
