//! What can go wrong between upset and a cluster.

use std::io;
use std::path::{Path, PathBuf};

use upset_campaign::CampaignError;
use upset_store::StoreError;

/// A submission or a look at one that did not work.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// Something that was asked for makes no sense.
    #[error("{0}")]
    Input(String),
    /// A command of Slurm is not there.
    #[error(
        "{0} is not on PATH: this is no machine that submits to Slurm; `upset slurm script` prints \
         a job file for other schedulers"
    )]
    Missing(&'static str),
    /// A command of Slurm failed, in its own words.
    #[error("{command} failed: {words}")]
    Command {
        /// Its name.
        command: &'static str,
        /// What it said.
        words: String,
    },
    /// A file.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What for.
        doing: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// A store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The specification.
    #[error(transparent)]
    Campaign(Box<CampaignError>),
}

impl From<CampaignError> for SlurmError {
    fn from(error: CampaignError) -> SlurmError {
        SlurmError::Campaign(Box::new(error))
    }
}

impl SlurmError {
    /// For files that cannot be read or written.
    pub(crate) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> SlurmError {
        let path = path.to_path_buf();
        move |source| SlurmError::Io { path, doing, source }
    }
}
