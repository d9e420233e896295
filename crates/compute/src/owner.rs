//! What a bit of an SM belongs to now: CTA, warp, thread, register, line.

use upset_isa::WARP;
use upset_machine::{Begun, Owner, WarpOwner};
use upset_state::{Kind, Site};

use crate::config::Config;
use crate::sm::Sm;
use crate::view::UNIFORM_ROWS;
use crate::warp::COUNTERS;

/// Warp slot, row and bit of a bit number over (warp, `rows`, `bits`).
fn split(bit: u64, rows: u64, bits: u64) -> (u32, u32, u32) {
    ((bit / (rows * bits)) as u32, (bit / bits % rows) as u32, (bit % bits) as u32)
}

impl Sm {
    fn warp_owner(
        &self,
        slot: u32,
        lane: Option<u32>,
        running: Option<&Begun>,
    ) -> Option<WarpOwner> {
        let warp = self.warps.get(slot as usize).filter(|w| w.held)?;
        let cta = self.ctas.get(warp.cta as usize).and_then(Option::as_ref);
        let number = |lane: u32| warp.id * WARP as u32 + lane;
        Some(WarpOwner {
            sm: self.id,
            slot,
            cta: cta.map_or([0; 3], |c| c.id),
            warp: warp.id,
            lane,
            thread: lane.zip(running).map(|(lane, k)| k.thread(number(lane))),
            pc: lane.map_or(warp.flow.pc, |lane| warp.flow.pc_of(lane as usize)),
        })
    }

    pub(crate) fn owner(&self, site: Site, running: Option<&Begun>) -> Owner {
        let mut owner = Owner::default();
        let of_warp = |slot, lane| self.warp_owner(slot, lane, running);
        match site.array.kind {
            Kind::Rf => {
                let sub = site.array.instance as usize % self.subs.len().max(1);
                let (row, lane) = ((site.bit / 1024) as u32, (site.bit / 32 % 32) as u32);
                let here = |slot: &usize| {
                    let w = &self.warps[*slot];
                    w.held && row.wrapping_sub(w.first_row) < w.rows
                };
                let slots = (sub..self.warps.len()).step_by(self.subs.len().max(1));
                if let Some(slot) = slots.into_iter().find(here) {
                    owner.warp = of_warp(slot as u32, Some(lane));
                    owner.register = Some(format!("R{}", row - self.warps[slot].first_row));
                }
            }
            Kind::Pred | Kind::Upred => {
                let uniform = site.array.kind == Kind::Upred;
                let (slot, p, lane) = split(site.bit, 7, if uniform { 1 } else { 32 });
                owner.warp = of_warp(slot, (!uniform).then_some(lane));
                owner.register = Some(format!("{}P{p}", if uniform { "U" } else { "" }));
            }
            Kind::Ureg => {
                let (slot, r, _) = split(site.bit, u64::from(UNIFORM_ROWS), 32);
                owner.warp = of_warp(slot, None);
                owner.register = Some(format!("UR{r}"));
            }
            Kind::Ibuf => {
                let entries = self.warps.first().map_or(1, |w| w.ibuf.capacity());
                let (slot, entry, _) = split(site.bit, u64::from(entries), 128);
                owner.warp = of_warp(slot, None);
                let ibuf = self.warps.get(slot as usize).map(|w| &w.ibuf);
                owner.instruction = ibuf.filter(|i| i.is_used(entry)).map(|i| {
                    let e = &i.entries[entry as usize];
                    (e.bits, e.pc)
                });
            }
            Kind::Pc => {
                let (slot, lane, _) = split(site.bit, 32, 32);
                owner.warp = of_warp(slot, Some(lane));
            }
            Kind::Mask => {
                let (slot, which, lane) = split(site.bit, 2, 32);
                owner.warp = of_warp(slot, Some(lane));
                owner.register = Some(["active mask", "live mask"][which as usize & 1].into());
            }
            Kind::Conv => {
                let (slot, b, lane) = split(site.bit, 16, 32);
                owner.warp = of_warp(slot, Some(lane));
                owner.register = Some(format!("B{b}"));
            }
            Kind::Sb => {
                let (slot, c, _) = split(site.bit, COUNTERS as u64, 6);
                owner.warp = of_warp(slot, None);
                owner.register = Some(format!("SB{c}"));
            }
            Kind::Smem => {
                let byte = (site.bit / 8) as u32;
                let cta =
                    self.ctas.iter().flatten().find(|c| byte.wrapping_sub(c.shared) < c.taken);
                owner.cta = cta.map(|c| c.id);
                owner.offset = cta.map(|c| u64::from(byte - c.shared));
            }
            Kind::Cache(_) => {
                let levels = [&self.l1d, &self.l1t, &self.l1c, &self.l1i];
                owner.line = levels.into_iter().find_map(|l| l.owner(site.array, site.bit));
            }
            Kind::Lmem | Kind::Gmem => {}
        }
        owner
    }

    /// The thread whose local memory an address is.
    pub(crate) fn local_owner(
        sms: &[Sm],
        config: &Config,
        address: u64,
        running: &Begun,
        owner: &mut Owner,
    ) {
        let (base, per_warp) = running.local_memory;
        let Some(at) = address.checked_sub(base).filter(|_| per_warp > 0) else { return };
        let (slot, within) = (at / per_warp, at % per_warp);
        let warps = u64::from(config.warps.max(1));
        let Some(sm) = sms.get((slot / warps) as usize) else { return };
        // Words of a warp's lanes lie side by side.
        let lane = (within / 4 % WARP as u64) as u32;
        owner.warp = sm.warp_owner((slot % warps) as u32, Some(lane), Some(running));
        owner.offset = Some(within / 128 * 4 + within % 4);
    }
}
