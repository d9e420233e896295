//! A profile: what is known of fault-free runs of one program on one chip.

use serde::{Deserialize, Serialize};

use crate::constants::LaunchConstants;
use crate::paper::Paper;
use crate::regions::Regions;
use crate::statistics::conformal::Threshold;

/// The file's version: another one is another meaning.
pub const VERSION: u32 = 1;

/// Which method raises alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Laws, constants, regions, and SMs between each other.
    #[default]
    Full,
    /// The published one: least and largest of two ratios.
    Paper,
}

/// What a profile is of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Application, or a program's command line.
    pub name: String,
    /// Digest of its device code.
    pub code: String,
    /// Chip.
    pub chip: String,
    /// Digest of the chip's values.
    pub chip_digest: String,
    /// With timing, or functional.
    pub mode: String,
    /// Input size of an application.
    pub scale: Option<String>,
}

/// Why a profile does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The subject is another.
    #[error(
        "the profile is of {what} {learned}, and this is {given}; learn one of it with `upset watch learn`"
    )]
    Other {
        /// What differs.
        what: &'static str,
        /// As learned.
        learned: String,
        /// As given.
        given: String,
    },
    /// The file says something else than this program writes.
    #[error("no profile of `upset watch learn`: {0}")]
    NoProfile(String),
    /// A later or an earlier one.
    #[error(
        "the profile has version {0}, and this program reads version {VERSION}; learn it anew with `upset watch learn`"
    )]
    Version(u32),
    /// A counter that there is no more.
    #[error(
        "the profile needs the counter `{counter}`, which {chip} does not have; learn one for {chip} with `upset watch learn`"
    )]
    Counter {
        /// Counter.
        counter: String,
        /// Chip.
        chip: String,
    },
}

impl Subject {
    /// Whether this is the subject of a profile.
    pub fn is(&self, learned: &Subject) -> Result<(), Mismatch> {
        let none = || "no size".to_string();
        let (scale, other) =
            (self.scale.clone().unwrap_or_else(none), learned.scale.clone().unwrap_or_else(none));
        let rows = [
            ("the program", &learned.name, &self.name),
            ("the code", &learned.code, &self.code),
            ("the chip", &learned.chip, &self.chip),
            ("a chip with the values", &learned.chip_digest, &self.chip_digest),
            ("the mode", &learned.mode, &self.mode),
            ("the input size", &other, &scale),
        ];
        for (what, learned, given) in rows {
            if learned != given {
                return Err(Mismatch::Other {
                    what,
                    learned: learned.clone(),
                    given: given.clone(),
                });
            }
        }
        Ok(())
    }
}

/// How it was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lessons {
    /// Inputs for ranges.
    pub inputs: u64,
    /// Inputs for the threshold.
    pub calibration: u64,
    /// Number of the first input.
    pub seed: u64,
    /// False alarms that are accepted, of runs.
    pub alpha: f64,
    /// Readings of each launch.
    pub samples: u64,
    /// Cycles between readings, by launch of a run.
    pub every: Vec<u64>,
    /// The chip as it was named.
    pub chip: String,
    /// Changes to it.
    pub set: Vec<String>,
}

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Of the file.
    pub version: u32,
    /// What it is of.
    pub subject: Subject,
    /// How it was learned.
    pub lessons: Lessons,
    /// Which method raises alarms.
    pub method: Method,
    /// Counters that are read.
    pub counters: Vec<String>,
    /// Counts that follow from the launch.
    pub constants: Vec<LaunchConstants>,
    /// Ranges of others.
    pub regions: Regions,
    /// The distance that raises an alarm; none where the method has none.
    pub threshold: Option<Threshold>,
    /// Scores of the calibration, in order of inputs.
    pub scores: Vec<f64>,
    /// The published method's ranges.
    pub paper: Paper,
}

impl Profile {
    /// Reads a profile's text.
    pub fn parse(text: &str) -> Result<Profile, Mismatch> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let no = |e: serde_json::Error| Mismatch::NoProfile(e.to_string());
        match serde_json::from_str::<Versioned>(text).map_err(no)?.version {
            VERSION => serde_json::from_str(text).map_err(no),
            other => Err(Mismatch::Version(other)),
        }
    }

    /// Its text.
    pub fn to_text(&self) -> String {
        // Numbers are finite and keys are text: nothing can go wrong.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether all its counters are among those that a chip has.
    pub fn has_counters(&self, chip: &str, counters: &[&str]) -> Result<(), Mismatch> {
        match self.counters.iter().find(|c| !counters.contains(&c.as_str())) {
            Some(c) => Err(Mismatch::Counter { counter: c.clone(), chip: chip.into() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            name: "va".into(),
            code: "12".into(),
            chip: "rtx2060".into(),
            chip_digest: "34".into(),
            mode: "timing".into(),
            scale: Some("small".into()),
        }
    }

    #[test]
    fn a_profile_is_read_as_it_was_written() {
        let profile = Profile {
            version: VERSION,
            subject: subject(),
            scores: vec![0.1, 1e9, 0.0],
            threshold: Some(Threshold { value: 0.3, rank: 1, inputs: 3 }),
            ..Profile::default()
        };
        assert_eq!(Profile::parse(&profile.to_text()), Ok(profile.clone()));
        let later = Profile { version: 7, ..profile };
        assert_eq!(Profile::parse(&later.to_text()), Err(Mismatch::Version(7)));
        for text in ["", "{}", "[1]", r#"{"version":1}"#] {
            assert!(matches!(Profile::parse(text), Err(Mismatch::NoProfile(_))), "{text}");
        }
    }

    #[test]
    fn every_difference_is_told() {
        let learned = subject();
        assert_eq!(learned.is(&learned), Ok(()));
        type Change = fn(&mut Subject);
        let changes: [(Change, &str); 6] = [
            (|s| s.name = "sp".into(), "is of the program va, and this is sp;"),
            (|s| s.code = "13".into(), "the code 12"),
            (|s| s.chip = "h200".into(), "the chip rtx2060"),
            (|s| s.chip_digest = "35".into(), "a chip with the values 34"),
            (|s| s.mode = "functional".into(), "the mode timing"),
            (|s| s.scale = None, "the input size small, and this is no size"),
        ];
        for (change, told) in changes {
            let mut other = subject();
            change(&mut other);
            let text = other.is(&learned).unwrap_err().to_string();
            assert!(text.contains(told), "{text}");
        }
    }

    #[test]
    fn a_counter_that_the_chip_lacks_is_named() {
        let profile = Profile { counters: vec!["a".into(), "b".into()], ..Profile::default() };
        assert_eq!(profile.has_counters("x", &["b", "a", "c"]), Ok(()));
        let text = profile.has_counters("x", &["a"]).unwrap_err().to_string();
        assert!(text.starts_with("the profile needs the counter `b`, which x does not"), "{text}");
    }
}
