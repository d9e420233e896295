//! When a campaign is disturbed.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use super::process::Running;
use crate::Rng;

/// A moment in the life of a campaign.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Wait until this file has appeared so many times.
    file: Option<(&'static str, u32)>,
    /// And then, or from the start, this long.
    then: Duration,
}

impl Moment {
    /// Draws a moment: mostly any, sometimes while something is being written.
    pub fn draw(rng: &mut Rng, time: Duration) -> Moment {
        let micros = |rng: &mut Rng, most: u64| Duration::from_micros(rng.u64() % most.max(1));
        match rng.below(10) {
            0..=5 => Moment { file: None, then: micros(rng, time.as_micros() as u64 * 11 / 10) },
            // Before there is a store, or just then.
            6 => Moment { file: None, then: micros(rng, 12_000) },
            // The rollback journal is there for some milliseconds.
            7 | 8 => Moment { file: Some(("-journal", 1 + rng.below(5))), then: micros(rng, 8000) },
            // The file that takes the store's place at its birth and end.
            _ => Moment { file: Some(("-new", 1 + rng.below(2))), then: micros(rng, 6000) },
        }
    }

    /// Draws a moment at which there is a journal, mostly.
    pub fn while_writing(rng: &mut Rng) -> Moment {
        let then = Duration::from_micros(u64::from(rng.below(1500)));
        Moment { file: Some(("-journal", 1 + rng.below(8))), then }
    }

    /// Waits for it; false when the campaign was over before.
    pub fn wait(&self, running: &mut Running, store: &Path) -> bool {
        if let Some((suffix, times)) = self.file {
            let file = PathBuf::from(format!("{}{suffix}", store.display()));
            let mut seen = 0;
            let mut there = false;
            loop {
                let now = file.exists();
                seen += u32::from(now && !there);
                there = now;
                if seen == times {
                    break;
                }
                if running.is_over() {
                    return false;
                }
                sleep(Duration::from_micros(50));
            }
            sleep(self.then);
        } else {
            sleep(self.then.saturating_sub(running.age()));
        }
        !running.is_over()
    }
}
