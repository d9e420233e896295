//! What was submitted, as the folder keeps it.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use upset_campaign::Spec;
use xxhash_rust::xxh3::xxh3_128;

use crate::folder::write;
use crate::queue::Queued;
use crate::{Folder, SlurmError};

/// What a submission is about and which jobs it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the program.
    pub version: String,
    /// The program.
    pub program: PathBuf,
    /// Digest of its file.
    pub program_digest: String,
    /// Digest of the specification.
    pub spec_digest: String,
    /// Shards in all.
    pub shards: u32,
    /// Where the jobs run: paths in the specification start there.
    pub directory: PathBuf,
    /// Jobs, in the order of their submission.
    pub jobs: Vec<Job>,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Slurm's number.
    pub id: u64,
    /// What it does.
    #[serde(flatten)]
    pub what: What,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "does", rename_all = "lowercase")]
pub enum What {
    /// An array with a task for each of some shards.
    Shards {
        /// What is added to an index of the array.
        offset: u32,
        /// Indices as Slurm writes them.
        indices: String,
    },
    /// Merge and report.
    Merge,
}

impl Plan {
    /// The plan of a folder; `None` where nothing was submitted.
    pub fn load(folder: &Folder) -> Result<Option<Plan>, SlurmError> {
        let path = folder.plan();
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(SlurmError::io(&path, "read"))?,
        };
        let plan = serde_json::from_str(&text);
        plan.map(Some).map_err(|e| SlurmError::Input(format!("{}: {e}", path.display())))
    }

    /// Writes it.
    pub(crate) fn save(&self, folder: &Folder) -> Result<(), SlurmError> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|e| SlurmError::Input(e.to_string()))?;
        write(&folder.plan(), &format!("{text}\n"))
    }

    /// All jobs' numbers.
    pub fn ids(&self) -> Vec<u64> {
        self.jobs.iter().map(|j| j.id).collect()
    }

    /// The shard of a task in the queue.
    pub(crate) fn shard_of(&self, task: &Queued) -> Option<u32> {
        let job = self.jobs.iter().find(|j| j.id == task.job)?;
        match job.what {
            What::Shards { offset, .. } => Some(offset + task.index?),
            What::Merge => None,
        }
    }

    /// Whether a later submission is about the same; else what differs.
    pub(crate) fn admits(&self, new: &Plan, folder: &Folder) -> Result<(), SlurmError> {
        let here = folder.path().display();
        let other = |what: String| {
            let text = format!("{here} is the folder of another submission: {what}");
            Err(SlurmError::Input(format!("{text}. Give this one a folder of its own (--folder)")))
        };
        if self.shards != new.shards {
            return other(format!("{} shards, not {}", self.shards, new.shards));
        }
        if self.spec_digest != new.spec_digest {
            return other("its specification (spec.toml there) is not this one".into());
        }
        if self.version != new.version {
            return other(format!("made by version {}, this is {}", self.version, new.version));
        }
        if self.directory != new.directory {
            return other(format!("submitted in {}", self.directory.display()));
        }
        Ok(())
    }
}

/// The specification that a folder holds.
pub(crate) fn stored_spec(folder: &Folder) -> Result<Spec, SlurmError> {
    let path = folder.spec();
    let text = fs::read_to_string(&path).map_err(SlurmError::io(&path, "read"))?;
    let spec = Spec::parse(&text);
    spec.map_err(|e| SlurmError::Input(format!("{}: {e}", path.display())))
}

/// A digest as text.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}
