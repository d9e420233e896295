//! What a bit belongs to now: kernel, CTA, warp, thread, register, line.

use serde::{Deserialize, Serialize};
use upset_isa::WARP;
use upset_mem::LineOwner;
use upset_state::kind::Per;
use upset_state::{Change, Kind, Site};

use crate::kernel::Kernel;
use crate::machine::Machine;
use crate::sm::Sm;
use crate::view::UNIFORM_ROWS;
use crate::warp::COUNTERS;

/// A launch that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its number, from 0.
    pub launch: u64,
    /// First cycle.
    pub cycle: u64,
    /// Kernel.
    pub kernel: String,
    /// Address of its program.
    pub base: u64,
    block: [u32; 3],
    local_base: u64,
    local_per_warp: u64,
}

impl Begun {
    pub(crate) fn new(launch: u64, cycle: u64, kernel: &Kernel) -> Begun {
        Begun {
            launch,
            cycle,
            kernel: kernel.name.clone(),
            base: kernel.code.program.base,
            block: kernel.block,
            local_base: kernel.local_base,
            local_per_warp: kernel.local_per_warp(),
        }
    }

    /// Coordinates of a thread of a CTA.
    fn thread(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.block.map(|n| n.max(1));
        [number % x, number / x % y, number / x / y]
    }
}

/// The warp that a bit belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarpOwner {
    /// SM.
    pub sm: u32,
    /// Warp slot of the SM.
    pub slot: u32,
    /// CTA.
    pub cta: [u32; 3],
    /// Number within the CTA.
    pub warp: u32,
    /// Lane, where the bit is one lane's.
    pub lane: Option<u32>,
    /// Coordinates of that lane's thread.
    pub thread: Option<[u32; 3]>,
    /// Byte offset of the instruction it stands at.
    pub pc: u32,
}

/// What a bit belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Launch number, while one runs.
    pub launch: Option<u64>,
    /// Its kernel.
    pub kernel: Option<String>,
    /// The warp, if one lives there.
    pub warp: Option<WarpOwner>,
    /// What programs call the row: `R7`, `P2`, `UR4`, `B0`, `SB3`.
    pub register: Option<String>,
    /// CTA whose shared memory it is.
    pub cta: Option<[u32; 3]>,
    /// Byte in the CTA's shared memory, or in the thread's local memory.
    pub offset: Option<u64>,
    /// Line of a cache, or place in memory.
    pub line: Option<LineOwner>,
    /// Bits of an instruction buffer's entry, and where they came from.
    #[serde(skip)]
    pub instruction: Option<(u128, u32)>,
}

impl Owner {
    /// Whether anybody can still see the bit.
    pub fn is_allocated(&self) -> bool {
        self.warp.is_some() || self.cta.is_some() || self.line.is_some_and(|l| l.valid)
    }
}

/// A change of a bit, and what it belonged to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struck {
    /// When.
    pub cycle: u64,
    /// What was done.
    pub change: Change,
    /// The bit's value before; none where there is no such bit yet.
    pub before: Option<bool>,
    /// What it belonged to.
    pub owner: Owner,
}

/// The changes of a run. A bank has half a million bits: of all of them the
/// value is kept, of the first also what they belonged to.
#[derive(Clone, Debug, Default)]
pub struct Strikes {
    /// The first [`Strikes::KEPT`] changes, with what they belonged to.
    pub first: Vec<Struck>,
    /// All changes, and the bit's value before; none where there is no such bit yet.
    pub all: Vec<(Change, Option<bool>)>,
    /// Of all changes, those of bits that belonged to somebody.
    pub allocated: u64,
}

impl Strikes {
    /// Changes of which it is kept what they belonged to.
    pub const KEPT: usize = 1024;

    /// Changes of one cycle: the bits' values before (none where there are no
    /// such bits yet) and what they belonged to.
    pub(crate) fn add(&mut self, cycle: u64, changes: &[Change], before: &[bool], owned: Owned) {
        let value = |i: usize| before.get(i).copied();
        self.all.extend(changes.iter().enumerate().map(|(i, change)| (*change, value(i))));
        self.allocated += owned.allocated;
        let first = changes.iter().zip(owned.first).enumerate();
        self.first.extend(first.map(|(i, (change, owner))| Struck {
            cycle,
            change: *change,
            before: value(i),
            owner,
        }));
    }
}

/// What bits that are about to change belong to.
#[derive(Default)]
pub(crate) struct Owned {
    first: Vec<Owner>,
    allocated: u64,
}

impl Owned {
    /// One bit more; its owner is kept while there is room.
    pub(crate) fn add(&mut self, owner: Owner, room: usize) {
        self.allocated += u64::from(owner.is_allocated());
        if self.first.len() < room {
            self.first.push(owner);
        }
    }
}

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

    fn owner(&self, site: Site, running: Option<&Begun>) -> Owner {
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
}

impl Machine {
    /// What a bit belongs to now.
    pub fn owner(&self, site: Site) -> Owner {
        let running = self.running();
        let sm = match site.array.kind.about().per {
            Per::SubCore => site.array.instance / self.config().subcores.max(1),
            Per::Sm | Per::Listed | Per::Chip => site.array.instance,
        };
        let mut owner = match (site.array.kind, self.mem.owner(site.array, site.bit)) {
            (_, Some(line)) => Owner { line: Some(line), ..Owner::default() },
            (_, None) => self
                .sms()
                .get(sm as usize)
                .map_or_else(Owner::default, |sm| sm.owner(site, running)),
        };
        owner.launch = running.map(|r| r.launch);
        owner.kernel = running.map(|r| r.kernel.clone());
        if let Some((line, running)) = owner.line.zip(running) {
            self.local_owner(line.address, running, &mut owner);
        }
        owner
    }

    /// The thread whose local memory an address is.
    fn local_owner(&self, address: u64, running: &Begun, owner: &mut Owner) {
        let per_warp = running.local_per_warp;
        let Some(at) = address.checked_sub(running.local_base).filter(|_| per_warp > 0) else {
            return;
        };
        let (slot, within) = (at / per_warp, at % per_warp);
        let warps = u64::from(self.config().warps.max(1));
        let Some(sm) = self.sms().get((slot / warps) as usize) else { return };
        // Words of a warp's lanes lie side by side.
        let lane = (within / 4 % WARP as u64) as u32;
        owner.warp = sm.warp_owner((slot % warps) as u32, Some(lane), Some(running));
        owner.offset = Some(within / 128 * 4 + within % 4);
    }
}
