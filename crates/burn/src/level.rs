//! How much of a test is run.

use serde::Serialize;

/// How long a test may take: seconds, two minutes, a quarter of an hour, hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "u8")]
pub enum Level {
    /// Seconds.
    One,
    /// Two minutes.
    Two,
    /// A quarter of an hour.
    Three,
    /// Hours.
    Four,
}

impl Level {
    /// The level of that number.
    pub fn of(number: u8) -> Option<Level> {
        [Level::One, Level::Two, Level::Three, Level::Four]
            .into_iter()
            .find(|l| u8::from(*l) == number)
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> u8 {
        match level {
            Level::One => 1,
            Level::Two => 2,
            Level::Three => 3,
            Level::Four => 4,
        }
    }
}
