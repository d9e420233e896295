//! This process and those that it starts: Ctrl-C, cores, workers.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::failure::{self, Failure};

/// Set when the user presses Ctrl-C.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Worker processes unless the user says how many.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How a worker is started.
pub fn worker_command() -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe()
        .map_err(|e| Failure::new(failure::OURS, format!("cannot find the program upset: {e}")))?;
    Ok(vec![program.into(), "worker".into(), std::process::id().to_string().into()])
}

/// Signals so close together are one: `timeout` and batch systems send theirs to
/// a process and to its group.
const ONE_SIGNAL: Duration = Duration::from_millis(500);

/// A flag that Ctrl-C sets. The first one ends the work in order, a second one
/// at once: the store is sound either way.
pub fn interruptible() -> Result<&'static AtomicBool, Failure> {
    let stop = Arc::clone(&STOP);
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        let since = first.get_or_insert_with(Instant::now).elapsed();
        if stop.swap(true, Ordering::Relaxed) && since > ONE_SIGNAL {
            std::process::exit(failure::INTERRUPTED.into());
        }
    })
    .map_err(|e| Failure::new(failure::OURS, format!("cannot wait for Ctrl-C: {e}")))?;
    Ok(&STOP)
}
