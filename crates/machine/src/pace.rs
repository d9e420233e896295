//! Whether cores that run ahead of each other go in threads of the host: as the run
//! goes, both ways are tried and timed, and the faster is kept to. Threads that have to
//! be woken cost more than a short stretch takes, and on a host that does other work
//! beside, so does waiting for the last of them. Both ways do the same, so that nobody
//! but the clock can tell which was taken.

use std::time::Duration;

/// When cores go in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Whenever there is more than one core with something to do.
    Always,
    /// Where that is faster.
    WhereFaster,
}

/// Fewer steps than this are not worth a look at the clock.
const SHORTEST: u64 = 8;
/// Stretches of as many steps, by powers of two, are alike.
const SIZES: usize = 16;
/// Of so many stretches of one size the slower way is tried once.
const AGAIN: u32 = 24;
/// The same while it is known to be much slower.
const SELDOM: u32 = 8 * AGAIN;

/// What is known of stretches of one size.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Nanoseconds of a step, one core after the other and in threads; 0: not known.
    paces: [f64; 2],
    /// Stretches since the slower way was tried.
    since: u32,
}

/// What is known of both ways.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    threads: Threads,
    known: [Known; SIZES],
}

impl Pace {
    /// Nothing yet.
    pub(crate) fn new(threads: Threads) -> Pace {
        Pace { threads, known: [Known::default(); SIZES] }
    }

    fn of(&mut self, steps: u64) -> &mut Known {
        &mut self.known[(steps.max(1).ilog2() as usize).min(SIZES - 1)]
    }

    /// Whether cores that are expected to make so many steps go in threads.
    pub(crate) fn in_threads(&mut self, steps: u64) -> bool {
        if self.threads == Threads::Always {
            return true;
        }
        if steps < SHORTEST {
            return false;
        }
        let known = self.of(steps);
        let [alone, beside] = known.paces;
        if alone == 0.0 || beside == 0.0 {
            return alone != 0.0;
        }
        let slower = beside > alone;
        let (fast, slow) = if slower { (alone, beside) } else { (beside, alone) };
        known.since += 1;
        if known.since >= if slow > 1.5 * fast { SELDOM } else { AGAIN } {
            known.since = 0;
            return slower;
        }
        !slower
    }

    /// Cores that were expected to make `expected` steps made so many, in threads or not.
    pub(crate) fn learn(&mut self, expected: u64, in_threads: bool, steps: u64, took: Duration) {
        if steps == 0 || expected < SHORTEST {
            return;
        }
        let pace = &mut self.of(expected).paces[usize::from(in_threads)];
        let new = (took.as_nanos() as f64 / steps as f64).max(1.0);
        // Who was interrupted once is no slower for it.
        *pace = if *pace == 0.0 { new } else { 0.75 * *pace + 0.25 * new.min(3.0 * *pace) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often of `n` stretches of 100 steps threads are taken, where both ways
    /// take so many nanoseconds a step.
    fn taken(pace: &mut Pace, n: u32, alone: u64, beside: u64) -> u32 {
        (0..n).fold(0, |taken, _| {
            let in_threads = pace.in_threads(100);
            let each = if in_threads { beside } else { alone };
            pace.learn(100, in_threads, 100, Duration::from_nanos(100 * each));
            taken + u32::from(in_threads)
        })
    }

    #[test]
    fn the_faster_way_is_kept_to() {
        let mut pace = Pace::new(Threads::WhereFaster);
        assert!(taken(&mut pace, 1000, 500, 300) > 900);
        let mut pace = Pace::new(Threads::WhereFaster);
        assert!(taken(&mut pace, 1000, 500, 2000) < 20);
    }

    #[test]
    fn a_way_that_becomes_the_faster_is_found() {
        let mut pace = Pace::new(Threads::WhereFaster);
        taken(&mut pace, 1000, 500, 600);
        taken(&mut pace, 1000, 500, 300);
        assert!(taken(&mut pace, 1000, 500, 300) > 900);
        // One stretch in which the host did something else changes nothing.
        pace.learn(100, true, 100, Duration::from_millis(50));
        taken(&mut pace, 4 * AGAIN, 500, 300);
        assert!(taken(&mut pace, 1000, 500, 300) > 900);
    }

    #[test]
    fn both_ways_are_known_by_size() {
        let mut pace = Pace::new(Threads::WhereFaster);
        assert!(taken(&mut pace, 100, 500, 300) > 80);
        assert!(!pace.in_threads(2000), "nothing is known of these");
        assert!(!pace.in_threads(SHORTEST - 1));
    }

    #[test]
    fn threads_are_always_taken_where_that_is_asked_for() {
        let mut pace = Pace::new(Threads::Always);
        assert!(pace.in_threads(0) && pace.in_threads(1));
    }
}
