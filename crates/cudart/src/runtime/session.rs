//! The one runtime of the process: made at the first call that needs it, used
//! by one thread at a time, and left alone by children of a fork.

use std::sync::Mutex;

use upset_agent::owner::{self, Owner};
use upset_agent::report::{self, Record};
use upset_agent::say::say;

use super::life::Past;
use super::state::Runtime;
use crate::error::{Error, Result};
use crate::host::Ours;

static RUNTIME: Mutex<Option<Made>> = Mutex::new(None);

/// The runtime, or why there is none.
// One per process: the size does not matter.
#[allow(clippy::large_enum_variant)]
enum Made {
    Runtime(Runtime),
    /// After `cudaDeviceReset`.
    Reset(Past),
    Failed(Error),
}

/// For calls that may wait for the device: they report what went wrong before,
/// and what kernels printed so far comes out.
pub fn sync<T>(f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    with(|rt| {
        rt.flush_messages();
        rt.fault.surface()?;
        f(rt)
    })
}

/// For calls that put work into a stream: they report only what an earlier
/// call has already reported.
pub fn stream<T>(f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    with(|rt| {
        rt.fault.surfaced()?;
        f(rt)
    })
}

/// Uses the runtime, whatever happened before.
pub fn with<T>(f: impl FnOnce(&mut Runtime) -> Result<T>) -> Result<T> {
    if owner::owner() == Owner::Parent {
        // As the vendor's runtime answers in the child of a fork. The lock may
        // be held for ever by a thread that only the parent has.
        return Err(Error::INITIALIZATION_ERROR);
    }
    let mut made = RUNTIME.lock().unwrap_or_else(|e| e.into_inner());
    if !matches!(*made, Some(Made::Runtime(_) | Made::Failed(_))) {
        owner::adopt();
        let past = match made.take() {
            Some(Made::Reset(past)) => Some(past),
            _ => None,
        };
        *made = Some(start(past));
    }
    match made.as_mut() {
        Some(Made::Runtime(rt)) => {
            let done = f(rt);
            rt.note_copies();
            done
        }
        Some(Made::Failed(e)) => Err(*e),
        _ => Err(Error::INITIALIZATION_ERROR),
    }
}

fn start(past: Option<Past>) -> Made {
    let first = past.is_none();
    match Runtime::start(past) {
        Ok(rt) => {
            // After a reset, kernels' sums go on: it is the same run.
            if first {
                report::send(Record::Started);
            }
            Made::Runtime(rt)
        }
        Err((error, message)) => {
            say(&message);
            report::send(Record::Note { message, lacking: error == Error::NOT_SUPPORTED });
            Made::Failed(error)
        }
    }
}

/// Gives up everything that the process has on the device; the next call
/// starts afresh. What kernels did so far still counts.
pub fn reset() -> Result<()> {
    match owner::owner() {
        Owner::Nobody => return Ok(()),
        Owner::Parent => return Err(Error::INITIALIZATION_ERROR),
        Owner::Us => {}
    }
    let mut made = RUNTIME.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(Made::Runtime(_)) = made.as_ref()
        && let Some(Made::Runtime(rt)) = made.take()
    {
        *made = Some(Made::Reset(rt.retire()));
    }
    Ok(())
}

/// Runs when the process ends in an orderly way, after the application's own
/// exit handlers.
extern "C" fn at_exit() {
    // Another thread may be inside a long launch: then there is no orderly end
    // to report, and waiting for it would hang the application's exit.
    if owner::owner() != Owner::Us {
        return;
    }
    let _ours = Ours::enter();
    let Ok(mut made) = RUNTIME.try_lock() else { return };
    match made.as_mut() {
        Some(Made::Runtime(rt)) => rt.end(),
        Some(Made::Reset(past)) => past.end(),
        _ => {}
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;
