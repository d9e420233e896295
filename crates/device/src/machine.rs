//! A chip in timing mode, whatever its cores.

use upset_chip::{ChipSpec, CoreSpec};
use upset_machine::pmu::{Reading, Sampling};
use upset_machine::{Begun, Change, InUse, Look, Owner, SharedLooker, Strikes, Trace};
use upset_mem::MemorySystem;
use upset_state::{Probe, Site, Visit, Visitor};

use crate::DeviceError;

/// A chip, cycle by cycle.
// One per device, behind a box: the sizes of the variants do not matter.
#[allow(clippy::large_enum_variant)]
pub enum Machine {
    /// Of NVIDIA's SMs.
    Sm(upset_compute::Machine),
    /// Of AMD's compute units.
    Cu(upset_cu::Machine),
}

/// Does the same with either machine.
macro_rules! either {
    ($machine:expr, $m:ident => $what:expr) => {
        match $machine {
            Machine::Sm($m) => $what,
            Machine::Cu($m) => $what,
        }
    };
}

impl Machine {
    /// A chip at cycle 0, all arrays zero.
    pub fn new(chip: &ChipSpec) -> Result<Machine, DeviceError> {
        Ok(match &chip.core {
            CoreSpec::Sm(_) => Machine::Sm(upset_compute::Machine::new(chip)?),
            CoreSpec::Cu(_) => Machine::Cu(upset_cu::Machine::new(chip)?),
        })
    }

    /// Whether differences of a bit can be followed from the start.
    pub fn can_haunt(site: Site) -> bool {
        site.array.is_followable()
    }

    /// Everything below the cores.
    pub fn mem(&self) -> &MemorySystem {
        either!(self, m => &m.mem)
    }

    /// Everything below the cores, to be changed.
    pub fn mem_mut(&mut self) -> &mut MemorySystem {
        either!(self, m => &mut m.mem)
    }

    /// Cycles since its start.
    pub fn cycle(&self) -> u64 {
        either!(self, m => m.cycle())
    }

    /// From now on no cycle is skipped: slow, with the same result.
    pub fn go_slowly(&mut self) {
        either!(self, m => m.go_slowly());
    }

    /// From now on cores go in threads of the host where they have to make about so many
    /// steps: with the same result.
    pub fn use_threads(&mut self, steps: u64) {
        either!(self, m => m.use_threads(steps));
    }

    /// How often they did.
    pub fn went_beside(&self) -> u64 {
        either!(self, m => m.went_beside())
    }

    /// What a bit belongs to now.
    pub fn owner(&self, site: Site) -> Owner {
        either!(self, m => m.owner(site))
    }

    /// Every launch so far, in order.
    pub fn begun(&self) -> &[Begun] {
        either!(self, m => m.begun())
    }

    /// Plans a change of bits at a cycle.
    pub fn plan(&mut self, cycle: u64, change: Change) {
        either!(self, m => m.plan(cycle, change));
    }

    /// Carries out the changes whose cycle has come.
    pub fn apply_due<P: Probe>(&mut self, probe: &mut P) {
        either!(self, m => m.apply_due(probe));
    }

    /// Ghosts that differ in bytes which the host is about to read must leave.
    pub fn host_looks<P: Probe>(
        &mut self,
        addr: u64,
        len: u64,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        either!(self, m => m.host_looks(addr, len, probe, part));
    }

    /// Ghosts that differ in bytes which the host carries and is about to look at
    /// must leave; without a range, in any that it has got.
    pub fn host_looks_at_carried<P: Probe>(
        &mut self,
        range: Option<(u64, u64)>,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        either!(self, m => m.host_looks_at_carried(range, probe, part));
    }

    /// Lets ghosts leave that must.
    pub fn let_ghosts_go<P: Probe>(
        &mut self,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        either!(self, m => m.let_ghosts_go(probe, part));
    }

    /// From now on remembers what the bits that are changed belong to.
    pub fn record_hits(&mut self) {
        either!(self, m => m.record_hits());
    }

    /// What was remembered.
    pub fn hits(&self) -> Option<&Strikes> {
        either!(self, m => m.hits())
    }

    /// Tells `looker` what bits belong to at their cycles.
    pub fn look(&mut self, looks: Vec<Look>, looker: SharedLooker) {
        either!(self, m => m.look(looks, looker));
    }

    /// From the next launch on, work-groups come to these cores alone.
    pub fn keep_to(&mut self, cores: &[usize]) {
        either!(self, m => m.keep_to(cores));
    }

    /// Starts recording what runs where, and how much of the arrays it uses.
    pub fn start_trace(&mut self) {
        either!(self, m => m.start_trace());
    }

    /// What was recorded.
    pub fn trace(&self) -> Option<&Trace> {
        either!(self, m => m.trace())
    }

    /// Reads the counters of every launch from now on.
    pub fn start_counting(&mut self, sampling: Sampling) {
        either!(self, m => m.start_counting(sampling));
    }

    /// The same, with cycles between readings for each launch in turn.
    pub fn start_counting_each(&mut self, every: Vec<u64>) {
        either!(self, m => m.start_counting_each(every));
    }

    /// What was counted, launch by launch.
    pub fn readings(&self) -> &[Reading] {
        either!(self, m => m.readings())
    }

    /// How much of the arrays was in use since then.
    pub fn in_use(&self) -> InUse {
        either!(self, m => m.in_use())
    }
}

impl Visit for Machine {
    fn visit(&mut self, v: &mut dyn Visitor) {
        either!(self, m => m.visit(v));
    }
}
