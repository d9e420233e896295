//! What an application is to its callers.

use crate::launcher::{Direct, Way};
use crate::{AppError, Manifest, Output, Scale, Target, Verdict};
use upset_chip::{ChipSpec, Vendor};
use upset_device::Device;

/// An application: a program that drives a device, and its right answer.
pub trait App: Send + Sync {
    /// Names, description, kernels, scales, tolerance.
    fn manifest(&self) -> &Manifest;

    /// Runs it from a fresh device to its outputs, in a way of the caller's.
    fn run_by(
        &self,
        gpu: &mut Device,
        scale: Scale,
        seed: u64,
        way: Way<'_>,
    ) -> Result<AppRun, AppError>;

    /// Runs it from a fresh device to its outputs.
    fn run(&self, gpu: &mut Device, scale: Scale, seed: u64) -> Result<AppRun, AppError> {
        self.run_by(gpu, scale, seed, Way { code: None, launcher: &mut Direct })
    }

    /// Compares a run's outputs with the reference.
    fn check(&self, run: &AppRun) -> Verdict;

    /// What its code is compiled for.
    fn targets(&self) -> Vec<Target>;

    /// The code that a chip runs, with its name; empty when there is none.
    fn binaries(&self, chip: &ChipSpec) -> Vec<(String, Vec<u8>)>;

    /// Whose chips it has code for.
    fn vendors(&self) -> Vec<Vendor> {
        let mut vendors: Vec<Vendor> = self.targets().into_iter().map(Target::vendor).collect();
        vendors.dedup();
        vendors
    }

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
