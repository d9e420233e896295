//! Threads that wait for a short while what comes next are kept from falling asleep: to
//! wake one takes longer than memory needs for its part of a stretch.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Turns after which a thread sleeps all the same: about a millisecond.
const MOST: u32 = 20_000;

/// As long as it is there, the other threads of rayon's pool do not sleep.
pub(crate) struct Awake(Arc<AtomicBool>);

impl Awake {
    pub(crate) fn new() -> Awake {
        let over = Arc::new(AtomicBool::new(false));
        for _ in 1..rayon::current_num_threads() {
            let over = Arc::clone(&over);
            rayon::spawn(move || wait_for(&over));
        }
        Awake(over)
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Nothing but time passes: which thread does this, and how long, no result can tell.
fn wait_for(over: &AtomicBool) {
    for _ in 0..MOST {
        if over.load(Ordering::Relaxed) {
            return;
        }
        spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::iter::{IntoParallelIterator, ParallelIterator};

    #[test]
    fn who_was_kept_awake_works_afterwards() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        let sum: u64 = pool.install(|| {
            let rounds = 0..100u64;
            rounds
                .map(|round| {
                    drop(Awake::new());
                    (0..10).into_par_iter().map(|n| n * round).sum::<u64>()
                })
                .sum()
        });
        assert_eq!(sum, 45 * 4950);
    }

    #[test]
    fn nobody_waits_for_ever() {
        wait_for(&AtomicBool::new(false));
        wait_for(&AtomicBool::new(true));
    }
}
