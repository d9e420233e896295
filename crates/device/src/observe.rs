//! The chip's arrays, for those who watch and change them.

use std::sync::{Arc, Mutex};

use upset_compute::{Change, InUse, Look, SharedLooker, Trace, Witness};
use upset_state::{Ghosts, Haunted, Watch};

use crate::Device;
use crate::machine::Machine;
use crate::storage::{Haunting, Part, Storage};

/// With fewer steps of cores at once, threads cost more than they save.
const WORTH_THREADS: u64 = 48;

impl Device {
    /// The chip's arrays, in timing mode.
    pub fn machine(&self) -> Option<&Machine> {
        match &self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { machine, .. } => Some(machine),
        }
    }

    /// The chip's arrays, to be read and changed, in timing mode.
    pub fn machine_mut(&mut self) -> Option<&mut Machine> {
        match &mut self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { machine, .. } => Some(machine),
        }
    }

    /// Tells `watch` of every access to the chip's arrays from now on; stuck
    /// bits need one as well.
    pub fn watch(&mut self, with: Watch) {
        if let Storage::Machine { watch, .. } = &mut self.storage {
            *watch = Some(Box::new(with));
        }
    }

    /// Tells `witness` of every launch and instruction while the arrays are watched.
    pub fn witness<W>(&mut self, witness: Arc<Mutex<W>>)
    where
        W: Witness + upset_cu::Witness + Send + 'static,
    {
        match self.machine_mut() {
            Some(Machine::Sm(machine)) => machine.witness(witness),
            Some(Machine::Cu(machine)) => machine.witness(witness),
            None => {}
        }
    }

    /// Tells `looker` what bits belong to at their cycles, in timing mode.
    pub fn look(&mut self, looks: Vec<Look>, looker: SharedLooker) {
        if let Some(machine) = self.machine_mut() {
            machine.look(looks, looker);
        }
    }

    /// Follows ghosts from now on, while nobody watches; `part` is asked when
    /// one must leave.
    pub fn haunt(&mut self, ghosts: Ghosts, part: Part) {
        if let Storage::Machine { haunt, .. } = &mut self.storage {
            *haunt = Some(Box::new(Haunting { probe: Haunted { ghosts }, part }));
        }
    }

    /// The ghosts that are followed.
    pub fn ghosts(&self) -> Option<&Ghosts> {
        match &self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { haunt, .. } => haunt.as_ref().map(|h| &h.probe.ghosts),
        }
    }

    /// Stops watching.
    pub fn unwatch(&mut self) -> Option<Watch> {
        match &mut self.storage {
            Storage::Plain(_) => None,
            Storage::Machine { watch, .. } => watch.take().map(|w| *w),
        }
    }

    /// Plans a change of bits at a cycle. Stuck bits get a watch if there is none.
    pub fn plan(&mut self, cycle: u64, change: Change) {
        if let Storage::Machine { machine, watch, .. } = &mut self.storage {
            if !matches!(change, Change::Flip(_)) && watch.is_none() {
                *watch = Some(Box::default());
            }
            machine.plan(cycle, change);
        }
    }

    /// From now on every cycle is stepped and everything looked at in it, in
    /// timing mode: slow, with the same result.
    pub fn go_slowly(&mut self) {
        if let Some(machine) = self.machine_mut() {
            machine.go_slowly();
        }
    }

    /// From now on cores go in the threads of rayon's pool where that is worth it, in timing
    /// mode: with the same result. Not for a process that forks.
    pub fn use_threads(&mut self) {
        self.use_threads_from(WORTH_THREADS);
    }

    /// The same where cores have to make about so many steps before they hear of each other.
    pub fn use_threads_from(&mut self, steps: u64) {
        if let Some(machine) = self.machine_mut() {
            machine.use_threads(steps);
        }
    }

    /// Cycles so far, in timing mode.
    pub fn cycles(&self) -> Option<u64> {
        self.machine().map(Machine::cycle)
    }

    /// Gives up a launch that reaches this cycle.
    pub fn limit_cycles(&mut self, cycle: u64) {
        self.cycle_limit = cycle;
    }

    /// Starts recording what runs where, in timing mode.
    pub fn start_trace(&mut self) {
        if let Some(m) = self.machine_mut() {
            m.start_trace();
        }
    }

    /// What was recorded.
    pub fn trace(&self) -> Option<&Trace> {
        self.machine().and_then(Machine::trace)
    }

    /// How much of the arrays was in use since the trace was started.
    pub fn in_use(&self) -> InUse {
        self.machine().map(|m| m.in_use()).unwrap_or_default()
    }
}
