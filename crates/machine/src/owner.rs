//! What a bit belongs to now: kernel, CTA, warp, thread, register, line.

use serde::{Deserialize, Serialize};
use upset_mem::LineOwner;
use upset_state::{Change, Site};

use crate::core::{Core, Kernel};
use crate::machine::Machine;

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
    /// Address of the first warp slot's local memory, and bytes of each slot's.
    pub local_memory: (u64, u64),
}

impl Begun {
    pub(crate) fn new(launch: u64, cycle: u64, kernel: &impl Kernel) -> Begun {
        Begun {
            launch,
            cycle,
            kernel: kernel.name().to_string(),
            base: kernel.base(),
            block: kernel.block(),
            local_memory: kernel.local_memory(),
        }
    }

    /// Coordinates of a thread of a work-group.
    pub fn thread(&self, number: u32) -> [u32; 3] {
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

impl<C: Core> Machine<C> {
    /// What a bit belongs to now.
    pub fn owner(&self, site: Site) -> Owner {
        let running = self.running();
        let mut owner = match self.mem.owner(site.array, site.bit) {
            Some(line) => Owner { line: Some(line), ..Owner::default() },
            None => self
                .cores
                .get(C::core_of(&self.config, site.array))
                .map_or_else(Owner::default, |core| core.owner(site, running)),
        };
        owner.launch = running.map(|r| r.launch);
        owner.kernel = running.map(|r| r.kernel.clone());
        if let Some((line, running)) = owner.line.zip(running) {
            C::local_owner(&self.cores, &self.config, line.address, running, &mut owner);
        }
        owner
    }
}
