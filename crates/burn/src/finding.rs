//! What a test found, and how much of it is kept.

use std::collections::VecDeque;

use serde::Serialize;

use crate::Place;

/// One wrong result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Name of the test.
    pub test: &'static str,
    /// Operation, array or step within the test, `ffma`, `march-c- ⇑(r0,w1)`, …
    pub operation: String,
    /// Where.
    pub place: Place,
    /// What the reference says.
    pub expected: u64,
    /// What came back.
    pub found: u64,
    /// Width of both in bits.
    pub width: u32,
    /// What went in, or what else helps to see the error again.
    pub note: String,
    /// Seconds since the board was opened.
    pub at: f64,
    /// Degrees Celsius.
    pub temperature: Option<f64>,
    /// Clock of the SMs in MHz.
    pub clock: Option<f64>,
    /// Watts.
    pub power: Option<f64>,
}

impl Finding {
    /// The bits that are wrong.
    pub fn wrong_bits(&self) -> u64 {
        self.expected ^ self.found
    }
}

/// Findings that are kept at each end; the middle is only counted.
pub const KEPT: usize = 256;

/// All findings of a test: the first and the last are kept, all are counted.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    first: Vec<Finding>,
    last: VecDeque<Finding>,
    count: u64,
}

impl Findings {
    /// Takes one.
    pub fn push(&mut self, finding: Finding) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(finding);
            return;
        }
        if self.last.len() == KEPT {
            self.last.pop_front();
        }
        self.last.push_back(finding);
    }

    /// Takes all of another.
    pub fn join(&mut self, other: Findings) {
        let dropped = other.count - (other.first.len() + other.last.len()) as u64;
        other.first.into_iter().chain(other.last).for_each(|f| self.push(f));
        self.count += dropped;
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Those that were kept, in order.
    pub fn kept(&self) -> impl Iterator<Item = &Finding> {
        self.first.iter().chain(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(at: f64) -> Finding {
        Finding {
            test: "fma",
            operation: "FFMA".into(),
            place: Place::default(),
            expected: 1,
            found: 0,
            width: 32,
            note: String::new(),
            at,
            temperature: None,
            clock: None,
            power: None,
        }
    }

    #[test]
    fn the_first_and_the_last_are_kept_and_all_are_counted() {
        let mut all = Findings::default();
        (0..3000).for_each(|i| all.push(finding(f64::from(i))));
        assert_eq!(all.count(), 3000);
        let kept: Vec<f64> = all.kept().map(|f| f.at).collect();
        assert_eq!((kept.len(), kept[0], kept[255]), (2 * KEPT, 0.0, 255.0));
        assert_eq!((kept[256], kept[511]), (2744.0, 2999.0));
        let mut twice = all.clone();
        twice.join(all);
        assert_eq!(twice.count(), 6000);
    }
}
