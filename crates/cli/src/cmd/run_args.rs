//! The options of `upset run`, for applications and programs alike.

use std::path::PathBuf;

use clap::Args;

use super::counting_args::CountingArgs;
use crate::chip_choice::ChipChoice;
use crate::subject::Subject;

/// `upset run`.
#[derive(Debug, Args)]
#[command(override_usage = "upset run [OPTIONS] --chip <NAME|FILE> <APP>
       upset run [OPTIONS] --chip <NAME|FILE> -- <PROGRAM> [ARGS]...")]
pub struct RunArgs {
    /// What is run.
    #[command(flatten)]
    pub subject: Subject,
    /// The chip.
    #[command(flatten)]
    pub chip: ChipChoice,
    /// Size of the input
    #[arg(long, default_value = "small", value_name = "small|paper", conflicts_with = "program")]
    pub scale: upset_apps::Scale,
    /// Without timing: instructions one after the other, fast
    #[arg(long)]
    pub functional: bool,
    /// Seed of the generated input (default: the application's)
    #[arg(long, conflicts_with = "program")]
    pub seed: Option<u64>,
    /// Write the result as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write what ran where as a trace for Perfetto or chrome://tracing (1 us = 1 cycle)
    #[arg(long, value_name = "FILE", conflicts_with = "functional")]
    pub trace: Option<PathBuf>,
    /// What is counted.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// End a program's kernel with a launch timeout after so many cycles
    #[arg(long, value_name = "N", conflicts_with = "app")]
    pub kernel_cycles: Option<u64>,
    /// The program sees the real clock and random bytes, not those that are the same in every run
    #[arg(long, conflicts_with = "app")]
    pub real_clock: bool,
    /// The program's own exit code, even if a kernel trapped and the program asked for no error
    #[arg(long, conflicts_with = "app")]
    pub ignore_traps: bool,
    /// Threads of this machine that may work on a launch (0: one for each processor); the
    /// result is the same
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "program")]
    pub threads: usize,
    /// Step every cycle and look at everything in it: slow, with the same result
    #[arg(long, hide = true, conflicts_with_all = ["functional", "program"])]
    pub slow: bool,
    /// Print no tables
    #[arg(long, short)]
    pub quiet: bool,
}
