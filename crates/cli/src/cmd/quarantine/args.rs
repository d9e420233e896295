//! Arguments of `upset quarantine`.

use std::path::PathBuf;

use clap::Args;

/// `upset quarantine plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The JSON that `upset burn` wrote
    pub record: PathBuf,
    /// Write the plan here, as JSON
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `upset quarantine run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The plan that `upset quarantine plan` wrote
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub program: Vec<std::ffi::OsString>,
}

/// Commands that look at one file.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// A CUDA source to wrap; a cubin, fat binary or program to check
    pub file: PathBuf,
}
