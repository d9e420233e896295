//! A worker that walks, as the coordinator knows it: the line to it, and the
//! processors that it has.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::processors::Held;
use crate::wire::ToWorker;

/// A worker that walks.
#[derive(Clone)]
pub(crate) struct Walker(Arc<Mutex<Known>>);

struct Known {
    /// `None` when it is gone.
    to: Option<ChildStdin>,
    /// Processors that it and what split from it have.
    held: usize,
}

impl Walker {
    /// A worker that was started with a processor.
    pub fn new(to: ChildStdin, held: Held<'_>) -> Walker {
        held.keep();
        Walker(Arc::new(Mutex::new(Known { to: Some(to), held: 1 })))
    }

    fn locked(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it something. One that is gone shows when it is heard next.
    pub fn tell(&self, parts: &[&[u8]]) {
        if let Some(to) = &mut self.locked().to {
            let told = parts.iter().try_for_each(|part| to.write_all(part));
            let _ = told.and_then(|()| to.flush());
        }
    }

    /// It gets another processor; false when it is gone.
    pub fn receive(&self) -> bool {
        let mut known = self.locked();
        let text = serde_json::to_string(&ToWorker::Have).unwrap_or_default();
        let told = known
            .to
            .as_mut()
            .is_some_and(|to| writeln!(to, "{text}").and_then(|()| to.flush()).is_ok());
        known.held += usize::from(told);
        told
    }

    /// It gives one back: how many that are.
    pub fn give(&self) -> usize {
        let mut known = self.locked();
        let one = known.held.min(1);
        known.held -= one;
        one
    }

    /// It is gone: how many processors it had.
    pub fn dismiss(&self) -> usize {
        let mut known = self.locked();
        known.to = None;
        std::mem::take(&mut known.held)
    }
}
