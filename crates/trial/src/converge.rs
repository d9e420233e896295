//! Convergence: runs that have become the fault-free run again.
//!
//! A faulty run that comes to a place where the fault-free run took a note, in
//! the same state, and whose host has seen the same bytes, goes on as the
//! fault-free run does (docs/exactness.md). State is digested in parts. The
//! part that differed last is looked at first, so that a look that finds a
//! difference costs little; all parts are looked at once, at the end.

use std::sync::{Arc, Mutex};

use upset_device::{Checks, Stands};
use upset_metrics::Class;
use upset_state::Site;

use crate::Outcome;
use crate::notes::{Note, Notes, locked};

/// What is told when a run has become the fault-free one: its outcome.
pub type Tell = Box<dyn FnMut(Outcome) + Send>;

/// Compares a run with the notes of the fault-free one.
#[derive(Clone)]
pub struct Convergence(Arc<Mutex<State>>);

struct State {
    notes: Notes,
    masked: Outcome,
    /// Last cycle of a run.
    limit: u64,
    /// The run has left the fault-free one; the first bit that was changed, if any was.
    away: Option<Option<Site>>,
    launch: u64,
    start: u64,
    /// Next note to compare with.
    at: usize,
    /// Part that differed last.
    suspect: Option<usize>,
    tell: Tell,
}

impl Convergence {
    /// Compares with `notes`, once the run has left the fault-free one.
    /// `masked` is the outcome of a run that is the same to its end.
    pub fn new(notes: Notes, masked: Outcome, limit: u64, tell: Tell) -> Convergence {
        Convergence(Arc::new(Mutex::new(State {
            notes,
            masked,
            limit,
            away: None,
            launch: 0,
            start: 0,
            at: 0,
            suspect: None,
            tell,
        })))
    }

    /// From now on the run is a faulty one; where it was changed first.
    pub fn leave(&self, site: Option<Site>) {
        locked(&self.0).away = Some(site);
    }

    /// For a device.
    pub fn checks(&self) -> Box<dyn Checks + Send> {
        Box::new(self.clone())
    }
}

impl State {
    /// The next note of this launch.
    fn ahead(&self) -> Option<&Note> {
        self.notes.list.get(self.at).filter(|n| n.launch == self.launch)
    }

    fn pass(&mut self, now: u64) {
        while self.ahead().is_some_and(|n| self.start + n.offset <= now) {
            self.at += 1;
        }
    }

    /// The outcome of the run, if it is now the fault-free one.
    fn judge(&mut self, standing: &dyn Stands, heard: u128) -> Option<Outcome> {
        let changed = self.away?;
        let note = self.notes.list.get(self.at).filter(|n| n.launch == self.launch)?;
        let here = standing.cycle() == self.start + note.offset;
        if !here || heard != note.heard || !standing.is_left_alone() {
            return None;
        }
        // A run cannot be ahead of time zero, but a launch can begin earlier.
        let shift = i128::from(self.start) - i128::from(note.start);
        let cycles = u64::try_from(i128::from(self.masked.cycles) + shift).ok()?;
        if shift != 0 && self.notes.sees_time || cycles > self.limit {
            return None;
        }
        if note.parts.len() != standing.parts() {
            return None;
        }
        let same = |part: usize| note.parts.get(part).copied() == Some(standing.digest(part));
        let first = self.suspect.or_else(|| changed.map(|site| standing.part_of(site)));
        let first = first.unwrap_or(0);
        // Then what is under way, then what is below the SMs, then the SMs.
        let order =
            std::iter::once(first).chain(std::iter::once(0)).chain((1..note.parts.len()).rev());
        for part in order {
            if !same(part) {
                self.suspect = Some(part);
                return None;
            }
        }
        let class = if shift == 0 { Class::Masked } else { Class::Performance };
        Some(Outcome { class, cycles, early: true, ..self.masked.clone() })
    }
}

impl Checks for Convergence {
    fn begin(&mut self, launch: u64, cycle: u64, _sees_time: bool) {
        let mut state = locked(&self.0);
        (state.launch, state.start) = (launch, cycle);
        state.at = state.notes.list.partition_point(|n| n.launch < launch);
    }

    fn next(&self) -> u64 {
        let state = locked(&self.0);
        match (&state.away, state.ahead()) {
            (Some(_), Some(note)) => state.start + note.offset,
            _ => u64::MAX,
        }
    }

    fn check(&mut self, standing: &dyn Stands, heard: u128) {
        let mut state = locked(&self.0);
        // Notes of cycles before the run left are behind.
        let now = standing.cycle();
        state.pass(now.saturating_sub(1));
        if let Some(outcome) = state.judge(standing, heard) {
            (state.tell)(outcome);
        }
        state.pass(now);
    }
}
