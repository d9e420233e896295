//! Where the subjects of a campaign meet: the store, which one at a time writes,
//! whoever hears how it goes, and the order in which strata get their numbers.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use upset_store::Store;

use crate::CampaignError;
use crate::progress::Observer;

/// How often a subject that waits for its turn asks whether everything ends.
const TICK: Duration = Duration::from_millis(100);

/// The desk.
pub(crate) struct Desk<'a> {
    things: Mutex<Things<'a>>,
    turn: Condvar,
    /// Set when the user wants it to end.
    stop: &'a AtomicBool,
    /// A subject has failed.
    failed: AtomicBool,
}

/// What is on it.
pub(crate) struct Things<'a> {
    pub store: &'a mut Store,
    pub observer: &'a mut dyn Observer,
    /// Number of the next stratum.
    pub next_stratum: u32,
    /// Experiments that were simulated.
    pub simulated: u64,
    /// The subject whose turn it is.
    next_subject: usize,
    /// What workers told and the user knows.
    noted: BTreeSet<String>,
    /// The first subject that failed, and why.
    failure: Option<(usize, CampaignError)>,
}

impl Things<'_> {
    /// Tells the user something once.
    pub fn note_once(&mut self, note: String) {
        if !self.noted.contains(&note) {
            self.observer.note(&note);
            self.noted.insert(note);
        }
    }
}

impl<'a> Desk<'a> {
    /// A desk with nothing done.
    pub fn new(
        store: &'a mut Store,
        observer: &'a mut dyn Observer,
        stop: &'a AtomicBool,
    ) -> Desk<'a> {
        let things = Things {
            store,
            observer,
            next_stratum: 0,
            simulated: 0,
            next_subject: 0,
            noted: BTreeSet::new(),
            failure: None,
        };
        let failed = AtomicBool::new(false);
        Desk { things: Mutex::new(things), turn: Condvar::new(), stop, failed }
    }

    /// What is on it, for one at a time.
    pub fn locked(&self) -> MutexGuard<'_, Things<'a>> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all subjects are to end.
    pub fn ends(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    /// [`Self::ends`], as an error.
    pub fn go_on(&self) -> Result<(), CampaignError> {
        match self.ends() {
            true => Err(CampaignError::Interrupted),
            false => Ok(()),
        }
    }

    /// Waits until all subjects before this one have got their strata.
    pub fn in_turn(&self, subject: usize) -> Result<MutexGuard<'_, Things<'a>>, CampaignError> {
        let mut things = self.locked();
        while things.next_subject != subject {
            self.go_on()?;
            let waited = self.turn.wait_timeout(things, TICK);
            things = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(things)
    }

    /// The subject whose turn it was has got its strata: so many.
    pub fn pass(&self, things: &mut Things<'_>, strata: usize) {
        things.next_stratum += strata as u32;
        things.next_subject += 1;
        self.turn.notify_all();
    }

    /// A subject has failed: the others end.
    pub fn fail(&self, subject: usize, why: CampaignError) {
        let mut things = self.locked();
        // What ended because of another's failure is none.
        let ended = matches!(why, CampaignError::Interrupted);
        let first = things.failure.as_ref().is_none_or(|(before, e)| {
            matches!(e, CampaignError::Interrupted) || !ended && subject < *before
        });
        if first {
            things.failure = Some((subject, why));
        }
        self.failed.store(true, Ordering::Relaxed);
        self.turn.notify_all();
    }

    /// All subjects have ended: how many experiments were simulated.
    pub fn close(self) -> Result<u64, CampaignError> {
        let things = self.things.into_inner().unwrap_or_else(PoisonError::into_inner);
        match things.failure {
            Some((_, why)) => Err(why),
            None if self.stop.load(Ordering::Relaxed) => Err(CampaignError::Interrupted),
            None => Ok(things.simulated),
        }
    }
}
