//! Calls that failed, and whether the program asked for their errors afterwards.
//! Whether it compared what a call returned cannot be seen; that it asked for the
//! last error, or for a code's name or text, can.

use std::sync::Mutex;

use upset_agent::owner::{self, Owner};
use upset_agent::report::{self, Record};

use crate::error::Error;
use crate::error_names::error_name;

static CALLS: Mutex<Calls> = Mutex::new(Calls { failed: Vec::new(), settled: Vec::new() });

/// What is known of a process's calls.
struct Calls {
    /// Failed, and not asked about since.
    failed: Vec<(&'static str, Error)>,
    /// Errors that stay and were asked about: every further call returns them.
    settled: Vec<Error>,
}

impl Calls {
    /// A call failed: whether that is news.
    fn fail(&mut self, call: &'static str, error: Error) -> bool {
        let news = !self.settled.contains(&error) && !self.failed.contains(&(call, error));
        if news {
            self.failed.push((call, error));
        }
        news
    }

    /// The program asked for an error: whether calls that returned it were listed.
    fn ask(&mut self, error: Error) -> bool {
        let before = self.failed.len();
        self.failed.retain(|(_, e)| *e != error);
        let news = self.failed.len() < before;
        if news && error.stays() {
            self.settled.push(error);
        }
        news
    }
}

/// Notes that a call returns an error.
pub fn failed(call: &'static str, error: Error) {
    // An answer of queries, not a failure.
    if error == Error::NOT_READY {
        return;
    }
    if news(|calls| calls.fail(call, error)) {
        let error = error_name(error.code()).to_string();
        report::send(Record::Unasked { call: call.to_string(), error });
    }
}

/// Notes that the program asks for an error.
pub fn asked(code: i32) {
    if news(|calls| calls.ask(Error(code))) {
        report::send(Record::Asked { error: error_name(code).to_string() });
    }
}

/// Looks at the calls, but not in the child of a fork: a thread that only the
/// parent has may hold the lock for ever.
fn news(f: impl FnOnce(&mut Calls) -> bool) -> bool {
    report::is_heard()
        && owner::owner() != Owner::Parent
        && f(&mut CALLS.lock().unwrap_or_else(|e| e.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Error = Error::INVALID_VALUE;
    const DEAD: Error = Error::ILLEGAL_ADDRESS;

    #[test]
    fn a_question_settles_what_failed_before_it() {
        let mut calls = Calls { failed: Vec::new(), settled: Vec::new() };
        assert!(calls.fail("a", BAD));
        assert!(!calls.fail("a", BAD), "listed already");
        assert!(calls.fail("b", BAD) && calls.fail("b", DEAD));
        assert!(calls.ask(BAD));
        assert_eq!(calls.failed, [("b", DEAD)]);
        assert!(!calls.ask(BAD), "nothing to ask for");
        assert!(calls.fail("a", BAD), "once more");
    }

    #[test]
    fn an_error_that_stays_is_asked_for_once() {
        let mut calls = Calls { failed: Vec::new(), settled: Vec::new() };
        assert!(!calls.ask(DEAD), "nothing has failed yet");
        assert!(calls.fail("a", DEAD));
        assert!(calls.ask(DEAD));
        assert!(!calls.fail("b", DEAD));
    }
}
