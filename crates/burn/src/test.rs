//! What a test is, and the table of all of them.

use serde::Serialize;

use crate::{Bench, BoardError, Level};

/// Who says what is right. Never the unit under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Oracle {
    /// A reference computed by the CPU, bit for bit.
    Cpu,
    /// The majority of all SMs, bit for bit.
    Vote,
}

/// What part of the chip a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Arithmetic units.
    Compute,
    /// Registers, shared memory, caches.
    Storage,
    /// Device memory and copies.
    Memory,
    /// Divergence, barriers, exchange between lanes, atomics.
    Control,
    /// Power and heat.
    Stress,
}

/// A row of the table of tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestAbout {
    /// Name on the command line.
    pub name: &'static str,
    /// Part of the chip.
    pub group: Group,
    /// Unit under test.
    pub unit: &'static str,
    /// Who judges.
    pub oracle: Oracle,
    /// What is fed to it.
    pub patterns: &'static str,
    /// What of the chip it reaches.
    pub footprint: &'static str,
    /// What it cannot see.
    pub blind: &'static str,
    /// Lowest level at which it is run unless it is named.
    pub from: Level,
    /// Its kernels have a variant that makes errors on purpose.
    pub injectable: bool,
    /// Why the model cannot run it; empty where it can. There it is left out
    /// unless it is named, and then it could not run.
    pub not_on_model: &'static str,
}

/// A test.
pub trait Test: Sync {
    /// Its row.
    fn about(&self) -> &'static TestAbout;
    /// Runs it once. An `Err` ends this test; findings made before stay.
    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError>;
}
