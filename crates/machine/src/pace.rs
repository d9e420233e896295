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

/// Of so few steps threads are not worth a look at the clock.
const SHORTEST: u64 = 32;
/// Stretches of as many steps, by powers of four, are alike.
const SIZES: usize = 4;
/// A way is tried for so many stretches on end,
const TRY: u32 = 5;
/// of which those at the beginning do not count: threads sleep, and what cores work
/// with is in the caches of another processor.
const WARMS_UP: u32 = 2;
/// The faster way is kept to for so many stretches before the other is tried again,
const KEEP: u32 = 300;
/// or for so many where it is much faster.
const KEEP_LONG: u32 = 1500;
/// In doubt threads: one after the other must be so much faster.
const DOUBT: f64 = 1.15;

/// What is known of stretches of one size.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Nanoseconds of a step, one core after the other and in threads; 0: not known.
    paces: [f64; 2],
    /// The way that is taken now: in threads.
    in_threads: bool,
    /// For so many stretches more.
    left: u32,
    /// Stretches that it was taken for, up to when they count.
    warm: u32,
}

impl Known {
    /// Threads are tried first.
    const NOTHING: Known = Known { paces: [0.0; 2], in_threads: true, left: TRY, warm: 0 };

    /// The way to take next, and for how long.
    fn turn(&mut self) {
        let [alone, beside] = self.paces;
        let (in_threads, left) = if alone == 0.0 || beside == 0.0 {
            (!self.in_threads, TRY)
        } else {
            let faster = beside < DOUBT * alone;
            let (fast, slow) = (beside.min(alone), beside.max(alone));
            match self.in_threads == faster && self.warm > TRY {
                // It was kept to: the other is tried again.
                true => (!faster, TRY),
                false => (faster, if slow > 1.5 * fast { KEEP_LONG } else { KEEP }),
            }
        };
        if in_threads != self.in_threads {
            self.warm = 0;
        }
        (self.in_threads, self.left) = (in_threads, left);
    }
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
        Pace { threads, known: [Known::NOTHING; SIZES] }
    }

    fn of(&mut self, steps: u64) -> &mut Known {
        let size = (steps.max(SHORTEST) / SHORTEST).ilog2() / 2;
        &mut self.known[(size as usize).min(SIZES - 1)]
    }

    /// Whether cores that are expected to make so many steps go in threads.
    pub(crate) fn in_threads(&mut self, steps: u64) -> bool {
        match self.threads {
            Threads::Always => true,
            Threads::WhereFaster => steps >= SHORTEST && self.of(steps).in_threads,
        }
    }

    /// Cores that were expected to make `expected` steps made so many, in threads or not.
    pub(crate) fn learn(&mut self, expected: u64, in_threads: bool, steps: u64, took: Duration) {
        if steps == 0 || expected < SHORTEST {
            return;
        }
        let known = self.of(expected);
        known.warm += 1;
        if known.warm > WARMS_UP {
            let pace = &mut known.paces[usize::from(in_threads)];
            let new = (took.as_nanos() as f64 / steps as f64).max(1.0);
            // Who was interrupted once is no slower for it.
            *pace = if *pace == 0.0 { new } else { 0.75 * *pace + 0.25 * new.min(3.0 * *pace) };
        }
        known.left -= 1;
        if known.left == 0 {
            known.turn();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often of `n` stretches of 100 steps threads are taken, where both ways
    /// take so many nanoseconds a step; the first stretches in threads take long.
    fn taken(pace: &mut Pace, n: u32, alone: u64, beside: u64) -> u32 {
        let mut before = false;
        (0..n).fold(0, |taken, _| {
            let in_threads = pace.in_threads(100);
            let each = match (in_threads, before) {
                (true, false) => 10 * beside,
                (true, true) => beside,
                (false, _) => alone,
            };
            before = in_threads;
            pace.learn(100, in_threads, 100, Duration::from_nanos(100 * each));
            taken + u32::from(in_threads)
        })
    }

    fn new() -> Pace {
        Pace::new(Threads::WhereFaster)
    }

    #[test]
    fn the_faster_way_is_kept_to() {
        assert!(taken(&mut new(), 1000, 500, 300) > 900);
        assert!(taken(&mut new(), 1000, 500, 2000) < 20);
    }

    #[test]
    fn a_way_that_becomes_the_faster_is_found() {
        let mut pace = new();
        taken(&mut pace, 1000, 500, 600);
        taken(&mut pace, 2 * KEEP_LONG, 500, 300);
        assert!(taken(&mut pace, 1000, 500, 300) > 900);
        // One stretch in which the host did something else changes nothing for long.
        pace.learn(100, true, 100, Duration::from_millis(50));
        taken(&mut pace, 2 * KEEP_LONG, 500, 300);
        assert!(taken(&mut pace, 1000, 500, 300) > 900);
    }

    #[test]
    fn both_ways_are_known_by_size() {
        let mut pace = new();
        taken(&mut pace, 100, 500, 2000);
        assert!(!pace.in_threads(100));
        assert!(pace.in_threads(20_000), "nothing is known of these");
        assert!(!pace.in_threads(SHORTEST - 1));
    }

    #[test]
    fn threads_are_always_taken_where_that_is_asked_for() {
        let mut pace = Pace::new(Threads::Always);
        pace.learn(100, true, 100, Duration::from_secs(1));
        assert!(pace.in_threads(0) && pace.in_threads(100));
    }
}
