//! Digests of a machine's state: equal digests, equal future.
//!
//! Structures are taken apart field by field, so that a new field does not
//! compile until somebody has said here whether it can be seen.

use upset_mem::{Port, Tokens};
use upset_state::kind::Per;
use upset_state::{Digest, Site};

use crate::core::Core;
use crate::grid::Grid;
use crate::launch::Kernel;
use crate::machine::Machine;

/// A machine at the beginning of a cycle of a launch, before anything happens
/// in it but planned changes.
pub struct Standing<'a, C: Core> {
    pub(crate) machine: &'a Machine<C>,
    pub(crate) kernel: &'a C::Kernel,
    pub(crate) grid: &'a Grid,
    pub(crate) holds: bool,
}

/// A machine at the beginning of a cycle, to whoever looks at its state.
pub trait Stands {
    /// The cycle.
    fn cycle(&self) -> u64;
    /// First cycle of the launch.
    fn start(&self) -> u64;
    /// Whether no change of bits is to come and none is stuck.
    fn is_left_alone(&self) -> bool;
    /// Parts that the state is divided into, so that a difference is found
    /// without looking at everything: what is under way, each core, and what is
    /// below them.
    fn parts(&self) -> usize;
    /// The part that a bit is in, as far as that is easy to say.
    fn part_of(&self, site: Site) -> usize;
    /// Digest of one part. Times in it count from this cycle on: two machines
    /// whose parts all have equal digests go on alike, each from its own cycle,
    /// unless their code reads clocks.
    fn digest(&self, part: usize) -> u128;
}

impl<C: Core> Stands for Standing<'_, C> {
    fn cycle(&self) -> u64 {
        self.machine.now
    }

    fn start(&self) -> u64 {
        self.grid.start
    }

    fn is_left_alone(&self) -> bool {
        self.machine.changes.is_empty() && !self.holds
    }

    fn parts(&self) -> usize {
        self.machine.cores.len() + self.machine.mem.parts()
    }

    fn part_of(&self, site: Site) -> usize {
        let cores = self.machine.cores.len();
        let core = match site.array.kind.about().per {
            Per::Chip => return 0,
            Per::Listed if self.machine.mem.owner(site.array, site.bit).is_some() => {
                return cores + self.machine.mem.part_of_slice(site.array.instance);
            }
            Per::SubCore | Per::Sm | Per::Listed => C::core_of(&self.machine.config, site.array),
        };
        if core < cores { 1 + core } else { 0 }
    }

    fn digest(&self, part: usize) -> u128 {
        let Machine { cores, mem, now, .. } = self.machine;
        let mut d = Digest::new();
        let below = match part.checked_sub(1) {
            None => {
                self.digest_launch(&mut d);
                0
            }
            Some(core) if core < cores.len() => {
                cores[core].digest(*now, &mut d);
                return d.finish128();
            }
            Some(n) => n + 1 - cores.len(),
        };
        mem.digest(below, *now, self, &mut d);
        d.finish128()
    }
}

impl<C: Core> Standing<'_, C> {
    fn digest_launch(&self, d: &mut Digest) {
        let Machine {
            config: _,
            rules: _,
            // The driver's choice, not the chip's state.
            closed: _,
            // A part each.
            cores: _,
            mem: _,
            now,
            wakes,
            next_core,
            // There must be none: whoever compares asks.
            changes: _,
            trace: _,
            narrow: _,
            begun: _,
            is_running,
            hits: _,
            looks: _,
            // Empty between cycles.
            out: _,
            replies: _,
            ahead: _,
            busy: _,
            backwards: _,
            // Only listens.
            witness: _,
            // Changes nothing.
            slow: _,
            counting: _,
            threads: _,
            effort: _,
            beside: _,
        } = self.machine;
        // How many there are is the kernel's.
        let Grid { start, total: _, next, done, dispatch } = self.grid;
        let now = *now;
        wakes.iter().for_each(|t| d.time(now, *t));
        d.count(*next_core);
        d.value(is_running);
        d.put(now - start.min(&now));
        d.put(*next);
        d.put(*done);
        d.time(now, *dispatch);
        // What is launched follows from what the host has seen; the rest of it
        // is in memory.
        self.kernel.digest(d);
    }
}

impl<C: Core> Tokens for Standing<'_, C> {
    fn token(&self, port: Port, token: u32, atomic: bool) -> u64 {
        let core = self.machine.cores.get(usize::from(port.core));
        core.map_or(u64::MAX, |core| core.token(port.client, token, atomic))
    }
}
