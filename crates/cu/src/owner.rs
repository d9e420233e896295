//! What a bit of a compute unit belongs to now: work-group, wave, register, line.

use upset_gcn::wave::WAVE;
use upset_machine::{Begun, Owner, WarpOwner};
use upset_state::{Kind, Site};

use crate::cells::{Cell, PerWave};
use crate::cu::Cu;
use crate::group::Group;

impl Cu {
    fn wave_owner(
        &self,
        slot: u32,
        lane: Option<u32>,
        running: Option<&Begun>,
    ) -> Option<WarpOwner> {
        let wave = self.waves.get(slot as usize).filter(|w| w.held)?;
        let group = self.groups.get(wave.group as usize).and_then(Option::as_ref);
        let number = |lane: u32| wave.id * WAVE as u32 + lane;
        Some(WarpOwner {
            sm: self.id,
            slot,
            cta: group.map_or([0; 3], |g| g.id),
            warp: wave.id,
            lane,
            thread: lane.zip(running).map(|(lane, k)| k.thread(number(lane))),
            pc: wave.pc.wrapping_sub(running.map_or(0, |k| k.base)) as u32,
        })
    }

    fn owner(&self, site: Site, running: Option<&Begun>) -> Owner {
        let mut owner = Owner::default();
        if let Some(per_wave) = PerWave::of(site.array.kind, self.buffer_rows()) {
            self.own_cell(site.array.kind, per_wave.cell(site.bit), running, &mut owner);
            return owner;
        }
        let simd = site.array.instance as usize % self.simds.len().max(1);
        let slots = || (simd..self.waves.len()).step_by(self.simds.len().max(1));
        match site.array.kind {
            Kind::Vrf => {
                let row = (site.bit / 1024) as u32;
                let lane = (site.bit / 32 % 64) as u32;
                let here = |slot: &usize| {
                    let w = &self.waves[*slot];
                    w.held && row.wrapping_sub(w.first_row) < 2 * w.vgprs
                };
                if let Some(slot) = slots().find(here) {
                    owner.warp = self.wave_owner(slot as u32, Some(lane), running);
                    let first = self.waves[slot].first_row;
                    owner.register = Some(format!("v{}", (row - first) / 2));
                }
            }
            Kind::Srf => {
                let row = (site.bit / 32) as u32;
                let here = |slot: &usize| {
                    let w = &self.waves[*slot];
                    w.held && row.wrapping_sub(w.first_sgpr) < w.sgprs
                };
                if let Some(slot) = slots().find(here) {
                    owner.warp = self.wave_owner(slot as u32, None, running);
                    let w = &self.waves[slot];
                    let n = row - w.first_sgpr;
                    owner.register = Some(match w.sgprs - n {
                        2 => "vcc_lo".into(),
                        1 => "vcc_hi".into(),
                        _ => format!("s{n}"),
                    });
                }
            }
            Kind::Lds => {
                let byte = (site.bit / 8) as u32;
                let groups = || self.groups.iter().flatten();
                let group = groups().find(|g| byte.wrapping_sub(g.lds) < g.taken);
                owner.cta = group.map(|g| g.id);
                owner.offset = group.map(|g| u64::from(byte - g.lds));
            }
            Kind::Bar => {
                let slot = (site.bit / u64::from(crate::cells::BAR_BITS)) as usize;
                owner.cta = self.groups.get(slot).and_then(Option::as_ref).map(|g| g.id);
                owner.register = Some("barrier".into());
            }
            _ => {}
        }
        owner
    }

    /// What a bit of a wave slot is to its wave.
    fn own_cell(&self, kind: Kind, cell: Cell, running: Option<&Begun>, owner: &mut Owner) {
        let Cell { slot, row, bit } = cell;
        let lane = (kind == Kind::Exec).then_some(bit);
        owner.warp = self.wave_owner(slot, lane, running);
        owner.register = match kind {
            Kind::Wait => crate::counters::NAMES.get(row as usize).map(|n| (*n).to_string()),
            Kind::Ibuf => None,
            _ => kind.name().map(str::to_string),
        };
        if kind == Kind::Ibuf {
            let ibuf = self.waves.get(slot as usize).map(|w| &w.ibuf);
            owner.instruction = ibuf.and_then(|i| {
                let at = i.address(row)? + u64::from(bit / 32 * 4);
                let dword = i.dword(at)?;
                let next = i.dword(at + 4).map_or(0, |d| d.value);
                let bits = u128::from(dword.value) | u128::from(next) << 32;
                Some((bits, at.wrapping_sub(running.map_or(0, |k| k.base)) as u32))
            });
        }
    }

    fn buffer_rows(&self) -> u32 {
        self.waves.first().map_or(1, |w| w.ibuf.capacity())
    }
}

impl Group {
    pub(crate) fn owner_of(&self, site: Site, running: Option<&Begun>) -> Owner {
        if let Kind::Cache(_) = site.array.kind {
            let levels = self.cus.iter().map(|cu| &cu.l1v);
            let mut levels = levels.chain([&self.shared.l1s, &self.shared.l1i]);
            let line = levels.find_map(|l| l.owner(site.array, site.bit));
            return Owner { line, ..Owner::default() };
        }
        self.cu_of(site.array).map_or_else(Owner::default, |cu| cu.owner(site, running))
    }
}

/// The work-item whose scratch an address is.
pub(crate) fn local_owner(groups: &[Group], address: u64, running: &Begun, owner: &mut Owner) {
    let (base, per_wave) = running.local_memory;
    let Some(at) = address.checked_sub(base).filter(|_| per_wave > 0) else { return };
    let (slot, within) = (at / per_wave, at % per_wave);
    let cus = || groups.iter().flat_map(|g| &g.cus);
    let per_cu = cus().next().map_or(1, |cu| cu.waves.len() as u64);
    let Some(cu) = cus().find(|cu| u64::from(cu.id) == slot / per_cu) else { return };
    // Words of a wave's lanes lie side by side.
    let lane = (within / 4 % WAVE as u64) as u32;
    owner.warp = cu.wave_owner((slot % per_cu) as u32, Some(lane), Some(running));
    owner.offset = Some(within / 256 * 4 + within % 4);
}
