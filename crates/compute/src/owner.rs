//! What a bit of an SM belongs to now: CTA, warp, thread, register, line.

use upset_isa::WARP;
use upset_isa::codes::FLAGS;
use upset_isa::control::stack;
use upset_machine::{Begun, Owner, WarpOwner};
use upset_state::{Kind, Site};

use crate::cells::{Cell, OverBarriers, STATES};
use crate::config::Config;
use crate::sm::Sm;

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
        if let Some(per_warp) = self.per_warp(site.array.kind) {
            self.own_cell(site.array.kind, per_warp.cell(site.bit), running, &mut owner);
            return owner;
        }
        if site.array.kind.about().wire {
            self.own_wire(site, running, &mut owner);
            return owner;
        }
        match site.array.kind {
            Kind::Rf => {
                let file = site.array.instance as usize % self.files.len().max(1);
                let (row, lane) = ((site.bit / 1024) as u32, (site.bit / 32 % 32) as u32);
                let here = |slot: &usize| {
                    let w = &self.warps[*slot];
                    w.held && row.wrapping_sub(w.first_row) < w.rows
                };
                let slots = (file..self.warps.len()).step_by(self.files.len().max(1));
                if let Some(slot) = slots.into_iter().find(here) {
                    owner.warp = of_warp(slot as u32, Some(lane));
                    owner.register = Some(format!("R{}", row - self.warps[slot].first_row));
                }
            }
            Kind::Smem => {
                let byte = (site.bit / 8) as u32;
                let cta =
                    self.ctas.iter().flatten().find(|c| byte.wrapping_sub(c.shared) < c.taken);
                owner.cta = cta.map(|c| c.id);
                owner.offset = cta.map(|c| u64::from(byte - c.shared));
            }
            Kind::Bar => {
                let (slot, barrier) = OverBarriers::place(site.bit);
                let cta = self.ctas.get(slot).and_then(Option::as_ref);
                owner.cta = cta.map(|c| c.id);
                owner.register = Some(format!("barrier {barrier}"));
            }
            Kind::Cache(_) => {
                owner.line = self.levels().into_iter().find_map(|l| l.owner(site.array, site.bit));
            }
            _ => {}
        }
        owner
    }

    /// Who uses a wire.
    fn own_wire(&self, site: Site, running: Option<&Begun>, owner: &mut Owner) {
        let Site { array, bit } = site;
        owner.threads = Some(self.wires.threads(array.kind, bit));
        if let Some((warp, line)) = self.wires.line(array.kind, bit) {
            let subs = self.subs.len().max(1) as u32;
            owner.warp = self.warp_owner(warp * subs + array.instance % subs, None, running);
            owner.register = Some(format!("{line} line"));
        }
    }

    /// What a bit of a warp slot is to its warp.
    fn own_cell(&self, kind: Kind, cell: Cell, running: Option<&Begun>, owner: &mut Owner) {
        let Cell { slot, row, bit } = cell;
        let (lane, register) = match kind {
            Kind::Pred => (Some(bit), Some(format!("P{row}"))),
            Kind::Upred => (None, Some(format!("UP{row}"))),
            Kind::Ureg => (None, Some(format!("UR{row}"))),
            // With a stack, threads have one together.
            Kind::Pc if self.has_stack => (None, None),
            Kind::Pc => (Some(row), None),
            Kind::Mask => (Some(bit), Some(["active mask", "live mask"][row as usize & 1].into())),
            Kind::Conv => (Some(bit), Some(format!("B{row}"))),
            Kind::Sb => (None, Some(format!("SB{row}"))),
            Kind::Stack => (None, Some(format!("stack entry {row}"))),
            Kind::Sdepth => (None, Some("stack depth".into())),
            Kind::Tstate => (Some(bit), Some(format!("state {}", stack::STATES[row as usize & 3]))),
            Kind::Cc => (Some(bit), Some(format!("CC.{}", FLAGS[row as usize & 3]))),
            Kind::Wstate => (None, Some(STATES[row as usize % STATES.len()].into())),
            _ => (None, None),
        };
        owner.warp = self.warp_owner(slot, lane, running);
        owner.register = register;
        if kind == Kind::Ibuf {
            let ibuf = self.warps.get(slot as usize).map(|w| &w.ibuf);
            owner.instruction = ibuf.filter(|i| i.is_used(row)).map(|i| {
                let e = i.entry(row as usize);
                (e.bits, e.pc)
            });
        }
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
