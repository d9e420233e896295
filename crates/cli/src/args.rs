//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cmd::ace::AceArgs;
use crate::cmd::campaign::CampaignArgs;
use crate::cmd::compile::CompileArgs;
use crate::cmd::doors::DoorsArgs;
use crate::cmd::exhaustive::ExhaustiveArgs;
use crate::cmd::export::ExportArgs;
use crate::cmd::inject::InjectArgs;
use crate::cmd::report::ReportArgs;
use crate::cmd::shell::{CompletionsArgs, ManArgs};
use crate::cmd::toolkit::ToolkitArgs;
use crate::cmd::verify::VerifyArgs;

/// Exit codes, shown at the end of `--help`.
const AFTER: &str = "\
Exit codes: 0 done and right; 1 done, and the answer is no (a result differs, a kernel trapped); \
2 usage or bad input; 3 the program needs something that is not supported; 4 a failure of upset itself; \
130 interrupted, with everything saved. \
A CUDA program's own exit code or signal is passed on, unless it is 3 or 4 for these reasons.";

/// What a flipped, stuck or flickering bit does to a GPU program.
#[derive(Debug, Parser)]
#[command(name = "upset", version, after_help = AFTER)]
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
    /// Write a campaign's results for other programs: CSV, JSON, Parquet
    Export(ExportArgs),
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
    /// A process that carries out a campaign's runs
    #[command(hide = true)]
    Worker {
        /// The campaign's process
        parent: u32,
    },
}

/// Which chip.
#[derive(Debug, Args)]
pub struct ChipChoice {
    /// A preset (see `upset chips`) or a chip file
    #[arg(long, value_name = "NAME|FILE")]
    pub chip: String,
    /// Changes one parameter, e.g. sm.count=15 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// `upset chips`.
#[derive(Debug, Args)]
pub struct ChipsArgs {
    /// List them all when absent.
    #[command(subcommand)]
    pub command: Option<ChipsCommand>,
    /// Write the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// `upset chips …`.
#[derive(Debug, Subcommand)]
pub enum ChipsCommand {
    /// Show one chip
    Show {
        /// A preset or a chip file
        #[arg(value_name = "NAME|FILE")]
        chip: String,
        /// Changes one parameter, e.g. sm.count=15 (may be repeated)
        #[arg(long = "set", value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Print the whole chip as a chip file
        #[arg(long, conflicts_with_all = ["arrays", "json"])]
        toml: bool,
        /// List every array of the machine: instances, bits each, bits in all
        #[arg(long)]
        arrays: bool,
        /// Write JSON: the arrays, or else the whole chip
        #[arg(long)]
        json: bool,
    },
    /// Turn a GPGPU-Sim 4 configuration into a chip file
    Import {
        /// gpgpusim.config
        file: PathBuf,
        /// Name of the chip
        #[arg(long)]
        name: Option<String>,
        /// Write the chip file here instead of to standard output
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
}

/// `upset apps`.
#[derive(Debug, Args)]
pub struct AppsArgs {
    /// Write the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// `upset disasm`.
#[derive(Debug, Args)]
pub struct DisasmArgs {
    /// A cubin, a fat binary, or a program with GPU code inside
    pub file: PathBuf,
    /// Only this kernel or function
    #[arg(long)]
    pub kernel: Option<String>,
    /// Compute capability to pick from a fat binary, e.g. 75 (default: the newest)
    #[arg(long, value_name = "SM")]
    pub sm: Option<u32>,
}

/// `upset run`.
#[derive(Debug, Args)]
#[command(override_usage = "upset run [OPTIONS] --chip <NAME|FILE> <APP>
       upset run [OPTIONS] --chip <NAME|FILE> -- <PROGRAM> [ARGS]...")]
pub struct RunArgs {
    /// A built-in application (see `upset apps`) or a folder with an app.toml
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    pub app: Option<String>,
    /// A CUDA program, linked with `-cudart shared`, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
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
    /// End a program's kernel with a launch timeout after so many cycles
    #[arg(long, value_name = "N", conflicts_with = "app")]
    pub kernel_cycles: Option<u64>,
    /// The program sees the real clock and random bytes, not those that are the same in every run
    #[arg(long, conflicts_with = "app")]
    pub real_clock: bool,
    /// Print no tables
    #[arg(long, short)]
    pub quiet: bool,
}

/// `upset env`.
#[derive(Debug, Args)]
pub struct EnvArgs {
    /// The chip.
    #[command(flatten)]
    pub chip: ChipChoice,
    /// Without timing: instructions one after the other, fast
    #[arg(long)]
    pub functional: bool,
    /// Write what ran where as a trace for Perfetto or chrome://tracing (1 us = 1 cycle)
    #[arg(long, value_name = "FILE", conflicts_with = "functional")]
    pub trace: Option<PathBuf>,
    /// End a kernel with a launch timeout after so many cycles
    #[arg(long, value_name = "N")]
    pub kernel_cycles: Option<u64>,
    /// Programs see the real clock and random bytes, not those that are the same in every run
    #[arg(long)]
    pub real_clock: bool,
}
