//! The command line.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::cmd::ace::AceArgs;
use crate::cmd::apps::AppsArgs;
use crate::cmd::burn::BurnArgs;
use crate::cmd::campaign::CampaignArgs;
use crate::cmd::chips::ChipsArgs;
use crate::cmd::compare::CompareArgs;
use crate::cmd::compile::CompileArgs;
use crate::cmd::disasm::DisasmArgs;
use crate::cmd::doors::DoorsArgs;
use crate::cmd::env::EnvArgs;
use crate::cmd::exhaustive::ExhaustiveArgs;
use crate::cmd::export::ExportArgs;
use crate::cmd::grade::GradeArgs;
use crate::cmd::inject_args::InjectArgs;
use crate::cmd::merge::MergeArgs;
use crate::cmd::quarantine::QuarantineCommand;
use crate::cmd::report::ReportArgs;
use crate::cmd::run_args::RunArgs;
use crate::cmd::serve::ServeArgs;
use crate::cmd::shell::{CompletionsArgs, ManArgs};
use crate::cmd::slurm::SlurmCommand;
use crate::cmd::toolkit::ToolkitArgs;
use crate::cmd::verify::VerifyArgs;
use crate::cmd::watch::WatchCommand;

/// Exit codes, shown at the end of `--help`.
const AFTER: &str = "\
Exit codes: 0 done and right; 1 done, and the answer is no (a result differs, a kernel trapped); \
2 usage or bad input; 3 the program needs something that is not supported; 4 a failure of upset itself; \
130 interrupted, with everything saved. \
A CUDA program's own exit code or signal is passed on, unless it is 1, 3 or 4 for these reasons.";

/// What a flipped, stuck or flickering bit does to a GPU program.
#[derive(Debug, Parser)]
#[command(name = "upset", version, long_version = crate::version::LONG, after_help = AFTER)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List chips, show one, or import a GPGPU-Sim configuration
    Chips(ChipsArgs),
    /// List the applications
    Apps(AppsArgs),
    /// Disassemble machine code
    Disasm(DisasmArgs),
    /// Run an application and check its result, or run a CUDA program
    Run(RunArgs),
    /// Print how to launch a CUDA program by hand
    Env(EnvArgs),
    /// Break bits once and tell what happens, step by step
    Inject(Box<InjectArgs>),
    /// Break bits many times and keep what happens
    Campaign(Box<CampaignArgs>),
    /// Break every bit in every cycle of a small kernel: an exact AVF
    Exhaustive(Box<ExhaustiveArgs>),
    /// Bound from above what flipped bits can do, from one fault-free run
    Ace(AceArgs),
    /// Show what campaigns found: tables, JSON, a page with charts
    Report(Box<ReportArgs>),
    /// Compare two campaigns: differences, ratios and tests of AVF, SDC, DUE and FIT
    Compare(CompareArgs),
    /// Show campaigns in a browser while they run
    Serve(ServeArgs),
    /// Write a campaign's results for other programs: CSV, JSON, Parquet
    Export(ExportArgs),
    /// Join the stores of a campaign's shards into the one that a single campaign makes
    Merge(MergeArgs),
    /// Run a campaign in shards on a Slurm cluster, or print a job file for another scheduler
    #[command(subcommand)]
    Slurm(SlurmCommand),
    /// Run experiments of a store again, from cycle 0, and tell differences
    Verify(VerifyArgs),
    /// Compile a CUDA program for a chip, so that it runs on the model
    Compile(CompileArgs),
    /// Fetch NVIDIA's compiler without installing it, or tell which one is used
    Toolkit(ToolkitArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for every command
    Man(ManArgs),
    /// Tell by which ways the wrong bits of a campaign left their arrays
    Doors(DoorsArgs),
    /// Let performance counters notice faults in the field: learn from fault-free runs, check others
    #[command(subcommand)]
    Watch(WatchCommand),
    /// Test a GPU, real or modelled, and say which unit fails
    Burn(Box<BurnArgs>),
    /// Grade such tests on a modelled GPU: which faults they detect, and where they place them
    Grade(Box<GradeArgs>),
    /// Go on without a GPU's bad unit: plan what to leave out, run programs without it
    #[command(subcommand)]
    Quarantine(QuarantineCommand),
    /// A process that opens a library which turns PTX into machine code
    #[command(hide = true)]
    Jitlink {
        /// The library, and the words that ptxas would be given
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// A process that carries out a campaign's runs
    #[command(hide = true)]
    Worker {
        /// The campaign's process
        parent: u32,
    },
}
