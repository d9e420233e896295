//! The options of `upset watch`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::chip_choice::ChipChoice;
use crate::subject::Subject;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum WatchCommand {
    /// Learn from fault-free runs what the counters of an application or program count
    Learn(Box<LearnArgs>),
    /// Check runs against what was learned; exit code 1 is an alarm
    Check(Box<CheckArgs>),
    /// Tell what a profile knows
    Show(ShowArgs),
}

/// Which method raises alarms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodArg {
    /// Laws, constants, learned regions, and SMs between each other
    Full,
    /// Least and largest of two ratios, as published in 2021
    Paper,
}

/// `upset watch learn`.
#[derive(Debug, Args)]
#[command(override_usage = "upset watch learn [OPTIONS] --chip <NAME|FILE> --out <PROFILE> <APP>
       upset watch learn [OPTIONS] --chip <NAME|FILE> --out <PROFILE> -- <PROGRAM> [ARGS]...")]
pub struct LearnArgs {
    /// What is run; in a program's arguments, {} is the number of the input.
    #[command(flatten)]
    pub subject: Subject,
    /// The chip.
    #[command(flatten)]
    pub chip: ChipChoice,
    /// Size of the input
    #[arg(long, default_value = "small", value_name = "small|paper", conflicts_with = "program")]
    pub scale: upset_apps::Scale,
    /// Without timing: counters are read at the end of each launch
    #[arg(long)]
    pub functional: bool,
    /// Inputs to learn ranges from (default: 100; 5 with --method paper)
    #[arg(long, value_name = "N")]
    pub inputs: Option<u64>,
    /// Further inputs to find the threshold with (default: as few as --alpha allows)
    #[arg(long, value_name = "N")]
    pub calibration: Option<u64>,
    /// Share of fault-free runs that may raise an alarm
    #[arg(long, default_value_t = 0.001, value_name = "RATE")]
    pub alpha: f64,
    /// Readings of each launch
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub samples: u64,
    /// Number of the first input: seeds of an application, {} and UPSET_INPUT of a program
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How alarms are raised
    #[arg(long, value_enum, default_value = "full")]
    pub method: MethodArg,
    /// Runs at a time (default: one per processor)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Where the profile goes
    #[arg(long, value_name = "PROFILE")]
    pub out: PathBuf,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

/// `upset watch check`.
#[derive(Debug, Args)]
#[command(override_usage = "upset watch check [OPTIONS] <PROFILE> <APP>
       upset watch check [OPTIONS] <PROFILE> -- <PROGRAM> [ARGS]...")]
pub struct CheckArgs {
    /// What `upset watch learn` wrote
    pub profile: PathBuf,
    /// What is run.
    #[command(flatten)]
    pub subject: Subject,
    /// A preset or a chip file (default: the profile's)
    #[arg(long, value_name = "NAME|FILE")]
    pub chip: Option<String>,
    /// Changes one parameter of --chip, e.g. sm.count=15 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "chip")]
    pub set: Vec<String>,
    /// Size of the input (default: the profile's)
    #[arg(long, value_name = "small|paper", conflicts_with = "program")]
    pub scale: Option<upset_apps::Scale>,
    /// Without timing (default: as the profile)
    #[arg(long)]
    pub functional: bool,
    /// Number of the first input (default: the first that was not learned from)
    #[arg(long)]
    pub seed: Option<u64>,
    /// Inputs to check
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub inputs: u64,
    /// Break this in every run, e.g. 'stuck1 mask:sm0.warp3.bit5@0' (docs/faults.md)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["program", "functional"])]
    pub fault: Option<String>,
    /// Give a run with a fault up after this many times the fault-free cycles
    #[arg(long, default_value_t = 2.0, value_name = "FACTOR")]
    pub limit: f64,
    /// Runs at a time (default: one per processor)
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write the result as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

/// `upset watch show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// What `upset watch learn` wrote
    pub profile: PathBuf,
}
