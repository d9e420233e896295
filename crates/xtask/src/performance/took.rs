//! What commands take.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::overhead::processor_seconds;
use crate::{Outcome, root};

/// What a command took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Took {
    /// On the clock.
    pub wall: f64,
    /// Processor time of it and all its processes.
    pub processor: f64,
}

/// Runs a program in the repository's root; what it printed, and what it took.
pub fn timed(upset: &Path, words: &[&str]) -> Outcome<(String, Took)> {
    let (before, started) = (processor_seconds(), Instant::now());
    let done = Command::new(upset).current_dir(root()).args(words).output();
    let done = done.map_err(|e| format!("cannot run {}: {e}", upset.display()))?;
    let took =
        Took { wall: started.elapsed().as_secs_f64(), processor: processor_seconds() - before };
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr);
        return Err(format!("upset {}: {}", words.join(" "), why.trim()));
    }
    Ok((String::from_utf8_lossy(&done.stdout).into_owned(), took))
}

/// A place for a store that is not there, this process's own.
pub fn fresh_store() -> Outcome<String> {
    let folder = root().join("target/performance");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let name = format!("campaign-{}.db", std::process::id());
    let store = folder.join(&name);
    for end in ["", "-lock", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("{name}{end}")));
    }
    store.to_str().map(String::from).ok_or_else(|| "the path of the tree is not text".into())
}
