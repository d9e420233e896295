//! How fast a campaign goes, and how long it will take.
//!
//! Runs do not come evenly: many are known at once from the fault-free run, and
//! those that must be simulated take their time. So the time left is a range: what
//! the paces of the last seconds, minutes and of all the time so far would make it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::Serialize;

/// How far back paces are taken from; the last is all the time.
const WINDOWS: [Duration; 3] =
    [Duration::from_secs(15), Duration::from_secs(60), Duration::from_secs(300)];

/// A pace over less than this is none.
const LEAST: Duration = Duration::from_secs(2);

/// Seconds that are left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Left {
    /// By the fastest pace.
    pub least: f64,
    /// By the slowest; `None` when nothing came of late.
    pub most: Option<f64>,
}

/// How many were done when.
#[derive(Debug, Default)]
pub struct Pace {
    samples: VecDeque<(Instant, u64)>,
    first: Option<(Instant, u64)>,
}

impl Pace {
    /// Takes note.
    pub fn note(&mut self, now: Instant, done: u64) {
        // Results that go away (a store that is begun anew) begin it anew.
        if self.samples.back().is_some_and(|(_, last)| *last > done) {
            *self = Pace::default();
        }
        self.first.get_or_insert((now, done));
        self.samples.push_back((now, done));
        let longest = WINDOWS[WINDOWS.len() - 1];
        while self.samples.get(1).is_some_and(|(t, _)| now.duration_since(*t) >= longest) {
            self.samples.pop_front();
        }
    }

    /// Experiments per second over each window, the shortest first.
    fn paces(&self) -> Vec<f64> {
        let (Some(first), Some(&(now, done))) = (self.first, self.samples.back()) else {
            return Vec::new();
        };
        let since = |window: Duration| {
            // The newest sample that is as old as the window.
            let at = self.samples.partition_point(|(t, _)| now.duration_since(*t) >= window);
            at.checked_sub(1).and_then(|i| self.samples.get(i)).copied()
        };
        let starts = WINDOWS.iter().filter_map(|w| since(*w)).chain([first]);
        let pace = |(then, before): (Instant, u64)| {
            let time = now.duration_since(then);
            (time >= LEAST).then(|| (done - before) as f64 / time.as_secs_f64())
        };
        starts.filter_map(pace).collect()
    }

    /// Experiments per second of late.
    pub fn per_second(&self) -> Option<f64> {
        self.paces().first().copied()
    }

    /// How long so many experiments take.
    pub fn left(&self, missing: u64) -> Option<Left> {
        let paces = self.paces();
        let fastest = paces.iter().copied().fold(0.0, f64::max);
        let slowest = paces.iter().copied().fold(f64::INFINITY, f64::min);
        let time = |pace: f64| missing as f64 / pace;
        (fastest > 0.0)
            .then(|| Left { least: time(fastest), most: (slowest > 0.0).then(|| time(slowest)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pace: &mut Pace, begun: Instant, samples: &[(u64, u64)]) {
        for (second, done) in samples {
            pace.note(begun + Duration::from_secs(*second), *done);
        }
    }

    #[test]
    fn a_steady_pace_has_one_answer() {
        let (mut pace, begun) = (Pace::default(), Instant::now());
        at(&mut pace, begun, &[(0, 100)]);
        assert_eq!(pace.left(50), None);
        let steady: Vec<(u64, u64)> = (1..=400).map(|s| (s, 100 + 10 * s)).collect();
        at(&mut pace, begun, &steady);
        assert_eq!(pace.per_second(), Some(10.0));
        assert_eq!(pace.left(50), Some(Left { least: 5.0, most: Some(5.0) }));
        assert!(pace.samples.len() < 310);
    }

    #[test]
    fn an_uneven_one_has_a_range() {
        let (mut pace, begun) = (Pace::default(), Instant::now());
        // 900 at once, then one a second.
        at(&mut pace, begun, &[(0, 0), (1, 900), (10, 909), (21, 920)]);
        let left = pace.left(100).unwrap();
        // 21 s for 920: 43.8 a second; of the last 15 s, 1 a second: since second 1.
        assert!((left.least - 100.0 * 21.0 / 920.0).abs() < 1e-9, "{left:?}");
        assert!((left.most.unwrap() - 100.0).abs() < 1e-9, "{left:?}");
        assert_eq!(pace.per_second(), Some(1.0));
        // Nothing for a while: nobody knows.
        at(&mut pace, begun, &[(60, 920)]);
        assert_eq!(pace.left(100).unwrap().most, None);
        // Begun anew.
        at(&mut pace, begun, &[(61, 3)]);
        assert_eq!(pace.left(100), None);
    }
}
