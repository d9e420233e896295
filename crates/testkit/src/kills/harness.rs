//! What rounds are run with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::campaigns::Reference;
use super::process::Starter;

/// Runs rounds.
pub struct Harness {
    upset: PathBuf,
    pub(super) seed: u64,
    pub(super) may_mount: bool,
    pub(super) references: Vec<Reference>,
}

impl Harness {
    /// Runs every campaign undisturbed. `may_mount`: a full disk is a small
    /// file system that is filled, not only a limit on the size of files.
    pub fn new(upset: &Path, folder: &Path, seed: u64, may_mount: bool) -> Result<Harness, String> {
        Harness::with(upset, folder, seed, may_mount, Reference::all)
    }

    /// With the first few campaigns only, and without mounting anything.
    pub fn small(
        upset: &Path,
        folder: &Path,
        seed: u64,
        campaigns: usize,
    ) -> Result<Harness, String> {
        let few = |starter: &Starter<'_>, folder: &Path| Reference::few(starter, folder, campaigns);
        Harness::with(upset, folder, seed, false, few)
    }

    fn with(
        upset: &Path,
        folder: &Path,
        seed: u64,
        may_mount: bool,
        make: impl FnOnce(&Starter<'_>, &Path) -> Result<Vec<Reference>, String>,
    ) -> Result<Harness, String> {
        let upset = upset.to_path_buf();
        let mut harness = Harness { upset, seed, may_mount, references: Vec::new() };
        let starter = harness.starter("reference", folder.join("log"));
        harness.references = make(&starter, folder)?;
        Ok(harness)
    }

    /// Names of the campaigns and how long they take.
    pub fn campaigns(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        self.references.iter().map(|r| (r.name(), r.time))
    }

    pub(super) fn starter(&self, name: &str, log: PathBuf) -> Starter<'_> {
        let mark = format!("{}-{}-{name}", std::process::id(), self.seed);
        Starter { upset: &self.upset, mark, log }
    }
}
