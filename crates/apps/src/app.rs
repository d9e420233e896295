//! What an application is to its callers.

use crate::{AppError, Manifest, Values, Verdict};
use std::fmt;
use std::str::FromStr;
use upset_device::Device;

/// How large an input to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scale {
    /// A fraction of a second; for tests.
    Small,
    /// The published size.
    Paper,
}

impl Scale {
    /// Every scale, smallest first.
    pub const ALL: [Scale; 2] = [Scale::Small, Scale::Paper];

    /// The name used on the command line and in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Small => "small",
            Scale::Paper => "paper",
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|scale| scale.name() == text);
        found.ok_or_else(|| format!("no scale {text:?}: it is small or paper"))
    }
}

/// An application: a program that drives a device, and its right answer.
pub trait App: Send + Sync {
    /// Names, description, kernels, scales, tolerance.
    fn manifest(&self) -> &Manifest;

    /// Runs it from a fresh device to its outputs.
    fn run(&self, gpu: &mut Device, scale: Scale, seed: u64) -> Result<AppRun, AppError>;

    /// Compares a run's outputs with the reference.
    fn check(&self, run: &AppRun) -> Verdict;

    /// The code that a chip of this architecture runs, with its name; empty
    /// when there is none.
    fn binaries(&self, arch: u32) -> Vec<(String, Vec<u8>)>;

    /// Short name, e.g. `hs`.
    fn id(&self) -> &str {
        &self.manifest().id
    }

    /// Other names it answers to, e.g. `hotspot`.
    fn aliases(&self) -> &[String] {
        &self.manifest().aliases
    }

    /// One line on what it computes.
    fn description(&self) -> &str {
        &self.manifest().description
    }

    /// The input's seed unless the user names another.
    fn default_seed(&self) -> u64 {
        self.manifest().seed
    }
}

/// A finished run: what came back to the host, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct AppRun {
    /// The application's id.
    pub app: String,
    /// The scale it ran at.
    pub scale: Scale,
    /// The seed of its input.
    pub seed: u64,
    /// Its results.
    pub outputs: Vec<Output>,
    /// Every launch, in order.
    pub launches: Vec<LaunchRecord>,
}

/// One result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// What it is.
    pub name: String,
    /// Its elements.
    pub values: Values,
}

impl Output {
    /// Names a result.
    pub fn new(name: impl Into<String>, values: impl Into<Values>) -> Self {
        Self { name: name.into(), values: values.into() }
    }
}

/// One kernel launch as the host asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRecord {
    /// The kernel's name.
    pub kernel: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
}
