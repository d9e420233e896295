//! The folder of a submission: everything that a campaign on a cluster has.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::SlurmError;

/// Held while something is submitted.
const LOCK: &str = "plan.lock";

/// A folder, and what is where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// By its path, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The specification, complete.
    pub fn spec(&self) -> PathBuf {
        self.0.join("spec.toml")
    }

    /// What was submitted.
    pub fn plan(&self) -> PathBuf {
        self.0.join("plan.json")
    }

    /// The job file of the shards.
    pub fn shard_script(&self) -> PathBuf {
        self.0.join("shard.sh")
    }

    /// The job file of the merge.
    pub fn merge_script(&self) -> PathBuf {
        self.0.join("merge.sh")
    }

    /// What jobs print.
    pub fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    /// What a shard's tasks note of their beginnings and ends.
    pub fn notes(&self, shard: u32) -> PathBuf {
        self.0.join("state").join(shard.to_string())
    }

    /// The same of the merge.
    pub fn merge_notes(&self) -> PathBuf {
        self.0.join("state/merge")
    }

    /// A shard's store.
    pub fn store(&self, shard: u32) -> PathBuf {
        self.0.join(format!("shard.{shard}.db"))
    }

    /// The store of the whole campaign.
    pub fn merged(&self) -> PathBuf {
        self.0.join("merged.db")
    }

    /// Whether it is there with something in it, and not from a submission.
    pub(crate) fn is_foreign(&self) -> bool {
        let ours = [self.plan(), self.0.join(LOCK)].iter().any(|p| p.exists());
        !ours && fs::read_dir(&self.0).is_ok_and(|mut inside| inside.next().is_some())
    }

    /// Makes what is missing of the folders.
    pub(crate) fn make(&self) -> Result<(), SlurmError> {
        for folder in [self.0.clone(), self.logs(), self.0.join("state")] {
            fs::create_dir_all(&folder).map_err(SlurmError::io(&folder, "make"))?;
        }
        Ok(())
    }

    /// The right to submit from here, until it is dropped.
    pub(crate) fn lock(&self) -> Result<File, SlurmError> {
        let path = self.0.join(LOCK);
        let file = File::create(&path).map_err(SlurmError::io(&path, "write"))?;
        file.lock().map_err(SlurmError::io(&path, "lock"))?;
        Ok(file)
    }
}

/// Writes a file as a whole, or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), SlurmError> {
    let new = path.with_extension("new");
    fs::write(&new, text)
        .and_then(|()| fs::rename(&new, path))
        .map_err(SlurmError::io(path, "write"))
}
