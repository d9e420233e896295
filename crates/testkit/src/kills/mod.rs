//! Campaigns that are killed, run out of room or find their store damaged, and
//! have to end with the results of an undisturbed one.
//!
//! Everything is drawn from a seed and the round's number. The moments are
//! those of a real machine: the same seed draws the same disturbances, which
//! hit the campaign at about the same place.

mod campaigns;
mod damage;
mod disk;
mod kind;
mod moment;
mod process;
mod round;

use std::path::{Path, PathBuf};
use std::time::Duration;

use campaigns::Reference;
use process::{Running, Starter};

pub use round::{Landed, Tally};

/// Runs rounds.
pub struct Harness {
    upset: PathBuf,
    seed: u64,
    may_mount: bool,
    references: Vec<Reference>,
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

    /// Runs one round in a folder; the error tells what differs from the
    /// undisturbed campaign.
    pub fn round(&self, number: u64, folder: &Path) -> Result<Tally, String> {
        round::run(self, number, folder)
    }

    fn starter(&self, name: &str, log: PathBuf) -> Starter<'_> {
        let mark = format!("{}-{}-{name}", std::process::id(), self.seed);
        Starter { upset: &self.upset, mark, log }
    }
}
