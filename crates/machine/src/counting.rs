//! What is read of the cores' counters, and what was read.

use crate::core::Core;
use crate::pmu::{Counts, Period, Reading, Sampling};

/// Counts (of one SM and period) that all readings may have together: 350 MB.
const ROOM: usize = 1_000_000;
/// Readings of a launch that stands still, where no limit comes before.
const STILL: u64 = 100;

/// What is read, and when.
#[derive(Clone)]
pub(crate) struct Counting {
    sampling: Sampling,
    /// Cycles between readings of each launch, which go before `sampling`.
    listed: Vec<u64>,
    readings: Vec<Reading>,
    /// Counts that are still to be kept.
    room: usize,
    /// First cycle of the launch under way.
    start: u64,
    /// Cycles between its readings.
    every: u64,
    /// Cycle of the next one; `u64::MAX` for none before the end.
    next: u64,
    /// Up to where it stood still.
    stood: u64,
    /// Each core's counts at the last one.
    last: Vec<Counts>,
}

impl Counting {
    /// Nothing is read yet.
    pub fn new(sampling: Sampling, listed: Vec<u64>) -> Counting {
        Counting {
            sampling,
            listed,
            readings: Vec::new(),
            room: ROOM,
            start: 0,
            every: 0,
            next: u64::MAX,
            stood: 0,
            last: Vec::new(),
        }
    }

    /// What was read.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// When a launch is read, by its number.
    pub fn sampling(&self, launch: usize) -> Sampling {
        match self.listed.get(launch) {
            None => self.sampling,
            Some(0) => Sampling::AtEnd,
            Some(&every) => Sampling::Every(every),
        }
    }

    /// A launch begins, to be read every so many cycles; 0 for its end alone.
    pub fn begin<C: Core>(&mut self, cores: &[C], reading: Reading, every: u64) {
        self.start = reading.start;
        self.every = every;
        self.stood = 0;
        self.next = if every == 0 { u64::MAX } else { self.start.saturating_add(every) };
        self.last = cores.iter().map(|core| core.counts(self.start)).collect();
        self.readings.push(reading);
    }

    /// Whether there is something to read at a cycle.
    #[inline]
    pub fn is_due(&self, now: u64) -> bool {
        self.next <= now
    }

    /// Reads what is due.
    pub fn read_due<C: Core>(&mut self, cores: &[C], now: u64) {
        while self.next <= now {
            let at = self.next;
            self.next = at.saturating_add(self.every);
            if self.room < cores.len() {
                self.next = u64::MAX;
                self.readings.last_mut().into_iter().for_each(|r| r.cut = true);
                return;
            }
            self.room -= cores.len();
            self.read(cores, at, true);
        }
    }

    /// Nothing will ever happen again, and nobody has ended the launch: until it
    /// is given up, readings go on, of cores that only wait.
    pub fn stand_still<C: Core>(&mut self, cores: &[C], now: u64, given_up: u64) {
        let longest = now.saturating_add(self.every.saturating_mul(STILL));
        let until = given_up.min(longest);
        if self.every != 0 && until > now {
            self.read_due(cores, until);
            self.stood = until;
        }
    }

    /// A launch is over, one way or the other.
    pub fn end<C: Core>(&mut self, cores: &[C], now: u64, ended: bool) {
        let now = now.max(self.stood);
        self.read_due(cores, now);
        let cycles = now - self.start;
        // What happens in the last cycle is not a period of its own.
        let periods = self.readings.last().map(|r| r.periods.as_slice()).unwrap_or_default();
        let apart = periods.last().is_none_or(|p| p.to < cycles);
        self.read(cores, now, apart);
        self.next = u64::MAX;
        if let Some(reading) = self.readings.last_mut() {
            (reading.ended, reading.cycles) = (ended, cycles);
        }
    }

    /// Reads all cores: a period of its own, or a part of the last one.
    fn read<C: Core>(&mut self, cores: &[C], at: u64, apart: bool) {
        let sms: Vec<Counts> = cores
            .iter()
            .zip(&mut self.last)
            .map(|(core, last)| {
                let counts = core.counts(at);
                counts.since(&std::mem::replace(last, counts))
            })
            .collect();
        let Some(reading) = self.readings.last_mut() else { return };
        match reading.periods.last_mut().filter(|_| !apart) {
            Some(period) => {
                for (sum, counts) in period.sms.iter_mut().zip(&sms) {
                    *sum = sum.plus(counts);
                }
            }
            None => reading.periods.push(Period { to: at - self.start, sms }),
        }
    }
}
