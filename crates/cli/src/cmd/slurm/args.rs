//! Arguments of `upset slurm`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use upset_campaign::Flags;

/// `upset slurm`.
#[derive(Debug, Subcommand)]
pub enum SlurmCommand {
    /// Submit an array with a task for each shard, and a job that merges and reports; again: go on
    Submit(Box<SubmitArgs>),
    /// Tell how far the shards are, the rates so far and the time left
    Status(StatusArgs),
    /// Print a job file for other schedulers: the shard follows from an index
    Script(ScriptArgs),
}

/// `upset slurm submit`.
#[derive(Debug, Args)]
#[command(
    override_usage = "upset slurm submit SPEC.toml --shards <N> [OPTIONS] [-- SBATCH OPTIONS]"
)]
pub struct SubmitArgs {
    /// A specification file; flags change what it says
    #[arg(value_name = "SPEC.toml")]
    pub spec: PathBuf,
    /// Shards of the campaign, each a task of the array
    #[arg(long, value_name = "N")]
    pub shards: u32,
    /// Folder for stores, job files and logs, which all nodes must see (default: named after the specification)
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Print what would be submitted; nothing is written
    #[arg(long)]
    pub dry_run: bool,
    /// Keys of the specification.
    #[command(flatten)]
    pub flags: Flags,
    /// Options for sbatch: partition, account, time, --cpus-per-task
    #[arg(last = true, value_name = "SBATCH OPTIONS")]
    pub options: Vec<String>,
}

/// `upset slurm status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Folder that `upset slurm submit` made
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Write all of it as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Look again and again, every 10 s or as many as given, until nothing moves
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
          default_missing_value = "10", conflicts_with = "json")]
    pub watch: Option<NonZeroU64>,
}

/// `upset slurm script`.
#[derive(Debug, Args)]
pub struct ScriptArgs {
    /// A specification file, at the path where the jobs find it
    #[arg(value_name = "SPEC.toml")]
    pub spec: PathBuf,
    /// Shards of the campaign
    #[arg(long, value_name = "N")]
    pub shards: u32,
    /// Environment variable that holds the index (default: the script's first argument)
    #[arg(long, value_name = "NAME")]
    pub index_var: Option<String>,
    /// Index of the first shard
    #[arg(long, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1))]
    pub first_index: u32,
    /// Folder for the stores, where the jobs find it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}
