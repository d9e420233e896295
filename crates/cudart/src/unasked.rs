//! Calls that failed, and whether the program asked for their errors afterwards.
//! Whether it compared what a call returned cannot be seen; that it asked for the
//! last error, or for a code's name or text, can.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Mutex;

use upset_agent::owner::{self, Owner};
use upset_agent::report::{self, Record};

use crate::error::Error;
use crate::error_names::error_name;

static CALLS: Mutex<Calls> = Mutex::new(Calls { failed: Vec::new(), settled: Vec::new() });

thread_local! {
    /// A call serves another, which notes the failure itself.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// A call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Failed {
    call: &'static str,
    error: Error,
    /// The error's name in the call's API.
    name: &'static str,
}

/// What is known of a process's calls.
struct Calls {
    /// Failed, and not asked about since.
    failed: Vec<Failed>,
    /// Errors that stay and were asked about: every further call returns them.
    settled: Vec<Error>,
}

impl Calls {
    /// A call failed: whether that is news.
    fn fail(&mut self, failed: Failed) -> bool {
        let news = !self.settled.contains(&failed.error) && !self.failed.contains(&failed);
        if news {
            self.failed.push(failed);
        }
        news
    }

    /// The program asked for an error: its names in calls that returned it and were
    /// listed.
    fn ask(&mut self, error: Error) -> BTreeSet<&'static str> {
        let of = |f: &Failed| f.error == error;
        let names = self.failed.iter().filter(|f| of(f)).map(|f| f.name).collect();
        let before = self.failed.len();
        self.failed.retain(|f| !of(f));
        if self.failed.len() < before && error.stays() {
            self.settled.push(error);
        }
        names
    }
}

/// Notes that a call returns an error, by the name that its API has for it.
pub fn failed(call: &'static str, error: Error, name: &'static str) {
    // An answer of queries, not a failure.
    if error == Error::NOT_READY || WITHIN.get() {
        return;
    }
    if known(|calls| calls.fail(Failed { call, error, name })) == Some(true) {
        report::send(Record::Unasked { call: call.to_string(), error: name.to_string() });
    }
}

/// Notes that the program asks for an error. Kernels that went wrong have the name of
/// the runtime API, whichever was used.
pub fn asked(code: i32) {
    let mut names = known(|calls| calls.ask(Error(code))).unwrap_or_default();
    if !names.is_empty() {
        names.insert(error_name(code));
    }
    for name in names {
        report::send(Record::Asked { error: name.to_string() });
    }
}

/// Runs a call that serves another one.
pub fn within<T>(f: impl FnOnce() -> T) -> T {
    let before = WITHIN.replace(true);
    let done = f();
    WITHIN.set(before);
    done
}

/// Looks at the calls, but not in the child of a fork: a thread that only the
/// parent has may hold the lock for ever.
fn known<T>(f: impl FnOnce(&mut Calls) -> T) -> Option<T> {
    (report::is_heard() && owner::owner() != Owner::Parent)
        .then(|| f(&mut CALLS.lock().unwrap_or_else(|e| e.into_inner())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(call: &'static str) -> Failed {
        Failed { call, error: Error::INVALID_VALUE, name: "bad" }
    }

    fn dead(call: &'static str) -> Failed {
        Failed { call, error: Error::ILLEGAL_ADDRESS, name: "dead" }
    }

    #[test]
    fn a_question_settles_what_failed_before_it() {
        let mut calls = Calls { failed: Vec::new(), settled: Vec::new() };
        assert!(calls.fail(bad("a")));
        assert!(!calls.fail(bad("a")), "listed already");
        let other = Failed { name: "BAD", ..bad("c") };
        assert!(calls.fail(bad("b")) && calls.fail(dead("b")) && calls.fail(other));
        assert_eq!(Vec::from_iter(calls.ask(Error::INVALID_VALUE)), ["BAD", "bad"]);
        assert_eq!(calls.failed, [dead("b")]);
        assert!(calls.ask(Error::INVALID_VALUE).is_empty(), "nothing to ask for");
        assert!(calls.fail(bad("a")), "once more");
    }

    #[test]
    fn an_error_that_stays_is_asked_for_once() {
        let mut calls = Calls { failed: Vec::new(), settled: Vec::new() };
        assert!(calls.ask(Error::ILLEGAL_ADDRESS).is_empty(), "nothing has failed yet");
        assert!(calls.fail(dead("a")));
        assert_eq!(calls.ask(Error::ILLEGAL_ADDRESS).len(), 1);
        assert!(!calls.fail(dead("b")));
    }
}
