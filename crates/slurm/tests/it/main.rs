//! Job files: what they say, and what they do under a shell.

mod behaviour;
mod texts;

use std::path::{Path, PathBuf};

use upset_campaign::Spec;
use upset_slurm::{Folder, Plan};

fn spec() -> Spec {
    Spec { apps: vec!["va".into()], chips: vec!["rtx2060".into()], ..Spec::default() }
}

fn plan(program: &Path, directory: &Path) -> Plan {
    Plan {
        version: "0.1.0".into(),
        program: program.into(),
        program_digest: "0".into(),
        spec_digest: "0".into(),
        shards: 8,
        directory: directory.into(),
        jobs: Vec::new(),
    }
}

fn folder(path: impl Into<PathBuf>) -> Folder {
    Folder::new(path)
}
