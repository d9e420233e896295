//! Reading the cores' counters while a launch runs.
//!
//! To read changes nothing: a core says what it would have counted by a cycle
//! in which nothing has happened yet, so the machine need not stop there.

use upset_state::Quiet;

use crate::attendant::{Attendant, Limits};
use crate::core::Core;
use crate::counting::Counting;
use crate::launch::Kernel;
use crate::machine::Machine;
use crate::pmu::{Reading, Sampling};

/// Nobody stands by.
struct Alone;

impl<C: Core> Attendant<C> for Alone {
    fn progress(&mut self, _: u64, _: u64) {}
}

impl<C: Core> Machine<C> {
    /// Reads the counters of every launch from now on.
    pub fn start_counting(&mut self, sampling: Sampling) {
        self.count_as(sampling, Vec::new());
    }

    /// The same, with cycles between readings for each launch from now on in
    /// turn; 0, and launches beyond the list: at the end alone.
    pub fn start_counting_each(&mut self, every: Vec<u64>) {
        let mut listed = vec![0; self.begun.len()];
        listed.extend(every);
        self.count_as(Sampling::AtEnd, listed);
    }

    fn count_as(&mut self, sampling: Sampling, listed: Vec<u64>) {
        self.cores.iter_mut().for_each(C::start_counting);
        self.counting = Some(Box::new(Counting::new(sampling, listed)));
    }

    /// What was counted, launch by launch.
    pub fn readings(&self) -> &[Reading] {
        self.counting.as_ref().map_or(&[], |c| c.readings())
    }

    /// Cycles between readings of the launch that is about to begin; 0 for none
    /// before its end.
    pub(crate) fn reading_every(&self, kernel: &C::Kernel, limits: Limits) -> u64 {
        let Some(counting) = &self.counting else { return 0 };
        match counting.sampling(self.begun.len()) {
            Sampling::AtEnd => 0,
            Sampling::Every(cycles) => cycles,
            Sampling::Parts(parts) => self.length(kernel, limits).div_ceil(parts.max(1)).max(1),
        }
    }

    /// Cycles that a launch would take now.
    fn length(&self, kernel: &C::Kernel, limits: Limits) -> u64 {
        let mut copy = self.clone();
        (copy.counting, copy.trace, copy.hits) = (None, None, None);
        (copy.looks, copy.witness) = (None, None);
        // However it ends: time has passed until then.
        let _ = copy.run(kernel, limits, &mut Quiet, &mut Alone);
        copy.now - self.now
    }

    /// A launch has begun.
    pub(crate) fn begin_reading(&mut self, kernel: &C::Kernel, every: u64) {
        let Some(counting) = &mut self.counting else { return };
        let reading = Reading {
            launch: self.begun.last().map_or(0, |b| b.launch),
            kernel: kernel.name().to_string(),
            grid: kernel.grid(),
            block: kernel.block(),
            lanes: C::LANES,
            schedulers: C::schedulers(&self.config),
            ended: false,
            cut: false,
            start: self.now,
            cycles: 0,
            periods: Vec::new(),
        };
        counting.begin(&self.cores, reading, every);
    }

    /// Reads what is due. Nothing has happened since the last turn.
    #[inline]
    pub(crate) fn read_due(&mut self) {
        if let Some(counting) = &mut self.counting
            && counting.is_due(self.now)
        {
            counting.read_due(&self.cores, self.now);
        }
    }

    /// The launch under way will never end by itself; it is given up at a cycle.
    pub(crate) fn count_stillness(&mut self, given_up: u64) {
        if let Some(counting) = &mut self.counting {
            counting.stand_still(&self.cores, self.now, given_up);
        }
    }

    /// A launch is over, one way or the other.
    pub(crate) fn end_reading(&mut self, ended: bool) {
        if let Some(counting) = &mut self.counting {
            counting.end(&self.cores, self.now, ended);
        }
    }
}
