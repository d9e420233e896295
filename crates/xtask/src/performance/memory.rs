//! The memory that a program and all its processes have at once.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::took::Took;
use crate::overhead::processor_seconds;
use crate::{Outcome, root};

/// How often it is looked at.
const TICK: Duration = Duration::from_millis(200);

/// Runs a program; what it took, and the most MB that its processes had together
/// (pages that several share count once).
pub fn watched(upset: &Path, words: &[&str]) -> Outcome<(Took, f64)> {
    let (before, started) = (processor_seconds(), Instant::now());
    let mut child = Command::new(upset)
        .current_dir(root())
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("cannot run {}: {e}", upset.display()))?;
    let mut most = 0;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        most = most.max(together(child.id()));
        std::thread::sleep(TICK);
    };
    let took =
        Took { wall: started.elapsed().as_secs_f64(), processor: processor_seconds() - before };
    match status.success() {
        true => Ok((took, most as f64 * 1024.0 / 1e6)),
        false => Err(format!("upset {}: {status}", words.join(" "))),
    }
}

/// KiB of a process and all below it. What ends meanwhile counts as nothing.
fn together(process: u32) -> u64 {
    let file = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}"));
    let own = file("smaps_rollup").ok().and_then(|text| proportional(&text)).unwrap_or(0);
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let below = threads.into_iter().flatten().flatten().flat_map(|thread| {
        let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        list.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()
    });
    own + below.map(together).sum::<u64>()
}

/// The line `Pss:` of smaps_rollup.
fn proportional(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix("Pss:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory() {
        let text = "00-ff ---p 0 00:00 0 [rollup]\nRss:  30 kB\nPss:       12 kB\nPss_Anon: 3 kB\n";
        assert_eq!(proportional(text), Some(12));
        assert!(together(std::process::id()) > 100);
    }
}
