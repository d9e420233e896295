//! Many seeds at once, in as many threads as there are cores.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number from the environment.
pub fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// What goes wrong with each seed, in the order of seeds.
pub fn failures<F: Send>(
    seeds: Range<u64>,
    check: impl Fn(u64) -> Option<F> + Sync,
) -> Vec<(u64, F)> {
    let next = AtomicU64::new(seeds.start);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    if let Some(failure) = check(seed) {
                        failures.lock().expect("no thread panics").push((seed, failure));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no thread panics");
    failures.sort_by_key(|(seed, _)| *seed);
    failures
}
