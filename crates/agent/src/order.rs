//! Breaking bits in the device, as the `upset` that launched the program says.

use std::io;

use upset_trial::underway::Underway;

use crate::config::Config;
use crate::report::{self, OUR_FAILURE, Record};

/// Takes the order, if there is one and no other process was first.
pub fn take(config: &Config) -> Option<Underway> {
    match Underway::take(config.trial.as_deref()?) {
        Ok(order) => order,
        Err(e) => fail("read its order", &e),
    }
}

/// What was written, or the end.
pub fn told(written: io::Result<()>) {
    if let Err(e) = written {
        fail("write what it found", &e);
    }
}

/// A run that cannot tell what it did is of no use.
pub fn fail(what: &str, e: &io::Error) -> ! {
    let message = format!("the run cannot {what}: {e}");
    report::send(Record::Failed { message });
    // SAFETY: ends the process at once; nothing of it is of any use.
    unsafe { libc::_exit(OUR_FAILURE) }
}
