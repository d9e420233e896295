//! The one runtime of the process: made at the first call that needs it, used
//! by one thread at a time, and left alone by children of a fork.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::Runtime;
use crate::error::{Error, Result};
use crate::report::{self, Record};

/// Exit code of a failure of ours, as `upset` documents it.
pub const OUR_FAILURE: i32 = 4;

static RUNTIME: Mutex<Option<Made>> = Mutex::new(None);
/// The process that made the runtime; 0 before.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// The runtime, or why there is none.
// One per process: the size does not matter.
#[allow(clippy::large_enum_variant)]
enum Made {
    Runtime(Runtime),
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
    let me = std::process::id();
    let owner = OWNER.load(Ordering::Acquire);
    if owner != 0 && owner != me {
        // As the vendor's runtime answers in the child of a fork. The lock may
        // be held for ever by a thread that only the parent has.
        return Err(Error::INITIALIZATION_ERROR);
    }
    let mut made = RUNTIME.lock().unwrap_or_else(|e| e.into_inner());
    let made = made.get_or_insert_with(|| {
        OWNER.store(me, Ordering::Release);
        match Runtime::start() {
            Ok(rt) => {
                report::send(Record::Started);
                Made::Runtime(rt)
            }
            Err((error, message)) => {
                eprintln!("upset: {message}");
                report::send(Record::Note { message, lacking: error == Error::NOT_SUPPORTED });
                Made::Failed(error)
            }
        }
    });
    match made {
        Made::Runtime(rt) => f(rt),
        Made::Failed(e) => Err(*e),
    }
}

/// Uses the runtime if there is one already, in the process that made it.
pub fn if_made<T>(f: impl FnOnce(&mut Runtime) -> T) -> Option<T> {
    if OWNER.load(Ordering::Acquire) != std::process::id() {
        return None;
    }
    let mut made = RUNTIME.lock().unwrap_or_else(|e| e.into_inner());
    match made.as_mut()? {
        Made::Runtime(rt) => Some(f(rt)),
        Made::Failed(_) => None,
    }
}

/// Runs when the process ends in an orderly way, after the application's own
/// exit handlers.
extern "C" fn at_exit() {
    // Another thread may be inside a long launch: then there is no orderly end
    // to report, and waiting for it would hang the application's exit.
    if OWNER.load(Ordering::Acquire) != std::process::id() {
        return;
    }
    let Ok(mut made) = RUNTIME.try_lock() else { return };
    if let Some(Made::Runtime(rt)) = made.as_mut() {
        rt.end();
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;
