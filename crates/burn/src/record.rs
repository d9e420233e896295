//! The record of a burn: everything that was asked, run and found.
//!
//! `docs/burn.schema.json` describes its JSON form.

use serde::Serialize;

use crate::classify::Verdict;
use crate::{About, Finding, Group, Injection, Level, Oracle, Sensors};

/// Version of the JSON form. It changes when a reader of the old one would be
/// misled.
pub const SCHEMA: u32 = 1;

/// Exit code of a burn that somebody stopped before its end.
pub const STOPPED: u8 = 130;

/// What a test came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It ran, reached everything, and every result was right.
    Passed,
    /// It found something wrong.
    Failed,
    /// It ran, found nothing wrong, and did not reach all it is to reach.
    NotCovered,
    /// It did not run, or not to its end.
    CouldNotRun,
}

/// A test of the record.
#[derive(Debug, Clone, Serialize)]
pub struct TestRecord {
    /// Its name.
    pub name: &'static str,
    /// Its group.
    pub group: Group,
    /// Unit under test.
    pub unit: &'static str,
    /// Who judged.
    pub oracle: Oracle,
    /// What it came to.
    pub state: State,
    /// Why, where it did not pass.
    pub why: String,
    /// Times it was run.
    pub runs: u32,
    /// Seconds it took, by the board's clock.
    pub seconds: f64,
    /// Results compared.
    pub results: u64,
    /// Results of the host that lanes were compared with, each by all of them;
    /// 0 where the test does not count them.
    pub references: u64,
    /// Lanes (SM, sub-core, lane) it computed on, where it counts them.
    pub lanes: u64,
    /// SMs it computed on, where it counts them.
    pub sms: Vec<u32>,
    /// Wrong results in all.
    pub errors: u64,
    /// The first and the last of them.
    pub findings: Vec<Finding>,
    /// What they have in common.
    pub verdict: Option<Verdict>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A test that was not asked for, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub why: String,
}

/// Readings of the sensors.
#[derive(Debug, Clone, Serialize)]
pub struct Readings {
    /// Before the first test.
    pub before: Sensors,
    /// After each run of a test.
    pub during: Vec<Sensors>,
    /// After the last.
    pub after: Sensors,
    /// Counts that moved and say that something is wrong.
    pub moved: Vec<String>,
}

/// An SM of the map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SmRecord {
    /// `%smid`.
    pub sm: u32,
    /// Lanes that every test which counts them reached.
    pub lanes: u32,
    /// Wrong results by sub-core.
    pub errors: Vec<u64>,
}

/// Everything.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Who wrote it.
    pub program: String,
    /// The board it belongs to.
    pub board: About,
    /// How much was asked.
    pub level: Level,
    /// Random operands hang on it.
    pub seed: u64,
    /// Errors were made on purpose.
    pub injected: Option<Injection>,
    /// Names of the tests that were asked for, in order.
    pub asked: Vec<&'static str>,
    /// Tests that were not.
    pub left_out: Vec<LeftOut>,
    /// What they came to.
    pub tests: Vec<TestRecord>,
    /// What all findings have in common.
    pub verdict: Option<Verdict>,
    /// The chip, SM by SM.
    pub map: Vec<SmRecord>,
    /// Readings of the sensors.
    pub sensors: Readings,
    /// 0 all asked tests ran and passed, 1 a defect, 3 something could not run,
    /// [`STOPPED`].
    pub exit_code: u8,
}

impl Record {
    /// The code that the findings ask for: a defect wins over what could not run.
    pub fn code(tests: &[TestRecord], moved: &[String]) -> u8 {
        if !moved.is_empty() || tests.iter().any(|t| t.state == State::Failed) {
            return 1;
        }
        let all_passed = !tests.is_empty() && tests.iter().all(|t| t.state == State::Passed);
        if all_passed { 0 } else { 3 }
    }

    /// Its JSON form.
    pub fn json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|t| t + "\n").map_err(|e| e.to_string())
    }

    /// Tests in a state.
    pub fn count(&self, state: State) -> usize {
        self.tests.iter().filter(|t| t.state == state).count()
    }
}
