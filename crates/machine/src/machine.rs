//! The whole chip: cores, memory, and what is known of its launches.

use std::collections::BTreeMap;

use upset_chip::{ChipError, ChipSpec};
use upset_mem::{MemorySystem, Reply, Request};
use upset_state::{Change, Site, Visit, Visitor};

use crate::core::{Core, Rules};
use crate::counting::Counting;
use crate::launch::Begun;
use crate::lead::Lead;
use crate::look::Looks;
use crate::owner::Owner;
use crate::strikes::Strikes;
use crate::trace::Trace;

/// The chip.
#[derive(Clone)]
pub struct Machine<C: Core> {
    pub(crate) config: C::Config,
    pub(crate) rules: Rules,
    pub(crate) cores: Vec<C>,
    /// Everything below the cores.
    pub mem: MemorySystem,
    pub(crate) now: u64,
    /// When each core is to be stepped.
    pub(crate) wakes: Vec<u64>,
    /// Where the search for room begins.
    pub(crate) next_core: usize,
    /// Cores that no work-group is given to, as a driver may decide; empty: none.
    pub(crate) closed: Vec<bool>,
    /// Later changes by cycle, those of a cycle in the order they were planned.
    pub(crate) changes: BTreeMap<u64, Vec<Change>>,
    pub(crate) trace: Option<Trace>,
    /// A traced kernel has accesses of less than a word.
    pub(crate) narrow: bool,
    /// Launches so far.
    pub(crate) begun: Vec<Begun>,
    /// The last of them has not ended.
    pub(crate) is_running: bool,
    /// What changed bits belonged to, if somebody wants to know.
    pub(crate) hits: Option<Strikes>,
    /// Bits that somebody wants to be told of.
    pub(crate) looks: Option<Looks>,
    /// Who is told of instructions in watched runs.
    pub(crate) witness: Option<C::Witness>,
    /// No cycle is skipped.
    pub(crate) slow: bool,
    /// What is read of the cores' counters, if somebody wants to know.
    pub(crate) counting: Option<Box<Counting>>,
    pub(crate) out: Vec<Request>,
    pub(crate) replies: Vec<Reply>,
    /// Where cores are that run ahead of each other.
    pub(crate) ahead: Vec<Lead>,
    /// Those of them that have something to do.
    pub(crate) busy: Vec<usize>,
    /// They went from the last to the first the last time.
    pub(crate) backwards: bool,
    /// They go beside each other where they made at least so many steps the last time.
    pub(crate) threads: Option<u64>,
    /// Steps that they made the last time.
    pub(crate) effort: u64,
    /// How often they did.
    pub(crate) beside: u64,
}

impl<C: Core> Machine<C> {
    /// A chip at cycle 0, all arrays zero; an error if its cores are others.
    pub fn new(chip: &ChipSpec) -> Result<Machine<C>, ChipError> {
        let config = C::config(chip)?;
        let rules = C::rules(&config);
        let cores: Vec<C> = (0..rules.cores).map(|i| C::new(chip, &config, i)).collect();
        Ok(Machine {
            config,
            rules,
            wakes: vec![u64::MAX; cores.len()],
            mem: MemorySystem::new(chip),
            cores,
            now: 0,
            next_core: 0,
            closed: Vec::new(),
            changes: BTreeMap::new(),
            trace: None,
            narrow: false,
            begun: Vec::new(),
            is_running: false,
            hits: None,
            looks: None,
            witness: None,
            slow: false,
            counting: None,
            out: Vec::new(),
            replies: Vec::new(),
            ahead: Vec::new(),
            busy: Vec::new(),
            backwards: false,
            threads: None,
            effort: 0,
            beside: 0,
        })
    }

    /// The numbers it runs by.
    pub fn config(&self) -> &C::Config {
        &self.config
    }

    /// From the next launch on, work-groups come to these cores alone. At least
    /// one of them must be there, or launches would wait for ever: an unknown
    /// set is no restriction.
    pub fn keep_to(&mut self, cores: &[usize]) {
        let closed: Vec<bool> = (0..self.cores.len()).map(|i| !cores.contains(&i)).collect();
        self.closed = if closed.contains(&false) { closed } else { Vec::new() };
    }

    /// From now on every cycle is stepped, and in it everything is looked at that
    /// could do anything, needed or not: slow, with the same result.
    pub fn go_slowly(&mut self) {
        self.slow = true;
    }

    /// From now on cores that run ahead of each other do so in the threads that rayon
    /// has, where they made at least so many steps the last time: with the same result.
    pub fn use_threads(&mut self, steps: u64) {
        self.threads = Some(steps);
    }

    /// How often cores went beside each other.
    pub fn went_beside(&self) -> u64 {
        self.beside
    }

    /// Cycles since its start.
    pub fn cycle(&self) -> u64 {
        self.now
    }

    /// Starts recording what runs where, and how much of the arrays it uses.
    pub fn start_trace(&mut self) {
        self.count_in_use();
        self.trace = Some(Trace::default());
    }

    /// What was recorded.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Every launch so far, in order.
    pub fn begun(&self) -> &[Begun] {
        &self.begun
    }

    pub(crate) fn running(&self) -> Option<&Begun> {
        self.begun.last().filter(|_| self.is_running)
    }

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

    /// Tells `witness` of every instruction, as long as the arrays are watched.
    pub fn witness(&mut self, witness: C::Witness) {
        self.witness = Some(witness);
    }
}

impl<C: Core> Visit for Machine<C> {
    fn visit(&mut self, v: &mut dyn Visitor) {
        for core in &mut self.cores {
            core.visit(v);
        }
        self.mem.visit(v);
    }
}
