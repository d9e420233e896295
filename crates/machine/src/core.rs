//! What a machine needs of a core, and what it gives it.

use upset_chip::{ChipError, ChipSpec};
use upset_mem::{Below, LinesInUse, Reply, Request, Written};
use upset_state::{ArrayId, Digest, Ghosts, Kind, Probe, Site, Visitor};

use crate::counters::Tally;
use crate::held::Held;
use crate::launch::{Begun, Kernel};
use crate::owner::Owner;
use crate::pmu::Counts;
use crate::trace::Trace;

/// What cores' caches must not keep when a kernel begins.
#[derive(Clone, Copy, Debug)]
pub struct Stale<'a> {
    /// Lines that were written below.
    pub written: &'a Written,
    /// Local memory of kernels before (address of the first slot's, bytes of each
    /// slot's) where this one's lies in another way: then a line of one core may
    /// be another core's now, and the first must not write it back later.
    pub local: Option<(u64, u64)>,
}

/// What the chip says of launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Cores of the chip.
    pub cores: u32,
    /// Cycles before a kernel's first work-group.
    pub kernel_latency: u32,
    /// L2 is emptied before a kernel.
    pub flush_l2: bool,
    /// Cores reach each other through what they send below alone.
    pub apart: bool,
    /// A core that has no room has none before it says that some was made.
    pub room_is_told: bool,
}

/// Why a launch was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenUp {
    /// Nothing can ever happen again.
    Deadlock,
    /// It was not done by this cycle.
    Cycles(u64),
    /// It had issued more than so many instructions.
    Instructions(u64),
}

/// What a step of a core works with.
pub struct Cx<'k, C: Core, P> {
    /// The cycle.
    pub now: u64,
    /// The launch.
    pub kernel: &'k C::Kernel,
    /// What was worked out for all of its work-groups.
    pub prepared: &'k C::Prepared,
    /// The chip's numbers.
    pub config: &'k C::Config,
    /// What is below the cores.
    pub mem: Below<'k>,
    /// Who watches.
    pub probe: &'k mut P,
    /// Requests on their way down; empty between steps.
    pub out: &'k mut Vec<Request>,
    /// Where spans go, if somebody wants them.
    pub trace: Option<&'k mut Trace>,
    /// Who is told of instructions.
    pub witness: Option<&'k C::Witness>,
    /// Every cycle is looked at, and in it whoever could do anything.
    pub slow: bool,
}

impl<C: Core, P: Probe> Cx<'_, C, P> {
    /// Hands requests to the crossbar. Most steps have none.
    #[inline]
    pub fn flush(&mut self) {
        if !self.out.is_empty() {
            self.send_all();
        }
    }

    #[inline(never)]
    fn send_all(&mut self) {
        // Of the others, most have one.
        if self.out.len() == 1
            && let Some(request) = self.out.pop()
        {
            return self.mem.send(self.now, request, self.probe);
        }
        for r in self.out.drain(..) {
            self.mem.send(self.now, r, self.probe);
        }
    }
}

/// A core: takes work-groups, and does what is due when it is stepped. All its
/// state is its own; what it shares with others is below, in memory. So cores may
/// be stepped in different threads of the host.
pub trait Core: Clone + Sized + Send {
    /// The chip's numbers as it needs them.
    type Config: Clone + Sync;
    /// A launch.
    type Kernel: Kernel + Sync;
    /// What is worked out once per launch.
    type Prepared: Sync;
    /// How a launch goes wrong.
    type Trap: Send;
    /// Who hears of its instructions.
    type Witness: Clone;
    /// What it counts.
    type Counters: Tally;

    /// The numbers of a chip; an error if it has other cores.
    fn config(chip: &ChipSpec) -> Result<Self::Config, ChipError>;
    /// What of them concerns launches.
    fn rules(config: &Self::Config) -> Rules;
    /// Core `id` of a chip, all arrays zero.
    fn new(chip: &ChipSpec, config: &Self::Config, id: u32) -> Self;
    /// Works out what is the same for all work-groups.
    fn prepare(kernel: &Self::Kernel) -> Self::Prepared;
    /// Tells a witness of a launch.
    fn begin(witness: &Self::Witness, cycle: u64, kernel: &Self::Kernel);

    /// A kernel is about to begin: what is stale goes.
    fn enter_kernel<P: Probe>(
        &mut self,
        now: u64,
        config: &Self::Config,
        stale: &Stale<'_>,
        out: &mut Vec<Request>,
        probe: &mut P,
    );
    /// Takes a work-group if there is room.
    fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, Self, P>) -> bool;
    /// First cycle at which it takes another.
    fn next_admission(&self) -> u64;
    /// Does everything that is due now. With ghosts it may stop before an
    /// instruction that one of them must not execute, and is stepped again.
    fn step<P: Probe>(&mut self, cx: &mut Cx<'_, Self, P>) -> Result<(), Self::Trap>;
    /// An answer from below.
    fn receive<P: Probe>(&mut self, reply: Reply, cx: &mut Cx<'_, Self, P>);
    /// An answer from below for nobody: only the array that asked gets it.
    fn fill<P: Probe>(&mut self, now: u64, reply: Reply, out: &mut Vec<Request>, probe: &mut P);
    /// When to step it again.
    fn wake(&self) -> u64;
    /// Whether every work-group that it was given has ended.
    fn is_vacant(&self) -> bool {
        false
    }
    /// Work-groups that ended since it was last asked.
    fn take_ended(&mut self) -> u32;
    /// Whether room was made since it was last asked.
    fn take_vacated(&mut self) -> bool;
    /// Control state of a kind was changed from outside: what depends on it is
    /// looked at again.
    fn rouse(&mut self, kind: Kind, now: u64);
    /// Bits of it were changed from outside: what it remembers of them is forgotten.
    fn touched(&mut self, _now: u64) {}
    /// Forgets everything in flight and all work-groups (after a trap).
    fn abandon(&mut self, now: u64);

    /// Time before `now` is nobody's.
    fn idle_until(&mut self, now: u64);
    /// Adds what has passed since something changed to its counters.
    fn account(&mut self, now: u64);
    /// What it has counted.
    fn counters(&self) -> Self::Counters;
    /// Lanes of a warp.
    const LANES: u32 = 32;
    /// Schedulers of a core.
    fn schedulers(config: &Self::Config) -> u32 {
        let _ = config;
        0
    }
    /// Counts for its performance-monitoring unit from now on, if it has one.
    fn start_counting(&mut self) {}
    /// What that has counted before cycle `at`, which is not before the last
    /// that it was stepped in. Changes nothing.
    fn counts(&self, at: u64) -> Counts {
        let _ = at;
        Counts::default()
    }
    /// The trap of a launch that is given up, told at its first resident warp.
    fn give_up(cores: &[Self], why: GivenUp) -> Self::Trap;

    /// Shows every array to `v`.
    fn visit(&mut self, v: &mut dyn Visitor);
    /// Shows what holds bytes as an array does, but is none of the chip's: what
    /// stands in for a cache that it lacks.
    fn visit_hidden(&mut self, _: &mut dyn Visitor) {}
    /// Which core an array of cores is in.
    fn core_of(config: &Self::Config, array: ArrayId) -> usize;
    /// Puts all that decides its future into `d`, times as counted from `now`.
    fn digest(&self, now: u64, d: &mut Digest);
    /// A number for what it knows a request by, that depends on its state alone.
    fn token(&self, client: u8, token: u32, atomic: bool) -> u64;
    /// What one of its bits belongs to.
    fn owner(&self, site: Site, running: Option<&Begun>) -> Owner;
    /// Says which thread's local memory an address is.
    fn local_owner(
        cores: &[Self],
        config: &Self::Config,
        address: u64,
        running: &Begun,
        owner: &mut Owner,
    );

    /// Counts what is in use from now on.
    fn count_in_use(&mut self);
    /// What its work-groups hold, if that is counted.
    fn held(&self) -> Vec<&Held>;
    /// Cycles with a work-group resident, of each part that takes some.
    fn active_cycles(&self) -> Vec<u64> {
        vec![self.counters().active_cycles()]
    }
    /// Lines in use of each of its caches, by the cache's name.
    fn lines_in_use(&self) -> Vec<(&str, &LinesInUse)>;

    /// Gives a ghost's differences to what is in flight.
    fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32);
    /// This run is no longer followed.
    fn forget_ghosts(&mut self);
}
