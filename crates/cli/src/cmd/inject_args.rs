//! The options of `upset inject`, for applications and programs alike.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use upset_campaign::{Spec, choices};
use upset_trial::Element;

use crate::chip_choice::ChipChoice;
use crate::failure::{self, Failure};

/// `upset inject`.
#[derive(Debug, Args)]
#[command(override_usage = "upset inject [OPTIONS] --chip <NAME|FILE> --fault <NAME> <APP>
       upset inject [OPTIONS] --chip <NAME|FILE> --fault <NAME> -- <PROGRAM> [ARGS]...")]
pub struct InjectArgs {
    /// A built-in application (see `upset apps`) or a folder with an app.toml
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    pub app: Option<String>,
    /// A CUDA program, linked with `-cudart shared`, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// The chip.
    #[command(flatten)]
    pub chip: ChipChoice,
    /// What to break and when, e.g. 'rf:sm3.sub1.row117.lane5.bit12@10234' (docs/faults.md)
    #[arg(long, value_name = "NAME")]
    pub fault: String,
    /// Size of the input
    #[arg(long, default_value = "small", value_name = "small|paper", conflicts_with = "program")]
    pub scale: upset_apps::Scale,
    /// Seed of the generated input (default: the application's)
    #[arg(long, conflicts_with = "program")]
    pub seed: Option<u64>,
    /// Give the run up after this many times the fault-free cycles
    #[arg(long, default_value_t = 2.0, value_name = "FACTOR")]
    pub limit: f64,
    /// How results are compared.
    #[command(flatten)]
    pub comparison: Comparison,
    /// Write the result as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

/// How results are compared, as in `upset campaign`.
#[derive(Debug, Args)]
pub struct Comparison {
    /// What decides on silent corruption: outputs (default), results, verdict; programs: outputs, stdout, files, message, command
    #[arg(long, value_name = "WHAT")]
    compare: Option<choices::Comparison>,
    /// Relative error of floats that still counts as right
    #[arg(long, value_name = "X")]
    tolerance: Option<f64>,
    /// Programs: type of the elements of outputs: f32, f64, i32, u32 (default), u8
    #[arg(long, value_name = "TYPE")]
    elements: Option<Element>,
    /// Programs: output files, for --compare files
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    files: Vec<String>,
    /// Programs: what is printed when the result is right, for --compare message
    #[arg(long, value_name = "TEXT")]
    success: Option<String>,
    /// Programs: what is printed when it is found wrong, for --compare message
    #[arg(long, value_name = "TEXT")]
    failure: Option<String>,
    /// Programs: a command that exits with 0 when the result is right, for --compare command
    #[arg(long, value_name = "COMMAND", value_delimiter = ' ')]
    command: Vec<String>,
    /// Programs: see the real clock and random bytes, not those that are the same in every run
    #[arg(long)]
    real_clock: bool,
}

/// What the flags ask for.
pub fn specification(args: &InjectArgs) -> Result<Spec, Failure> {
    let text = |a: &OsString| {
        a.to_str().map(String::from).ok_or_else(|| {
            Failure::new(failure::BAD_INPUT, format!("the argument {a:?} is not UTF-8"))
        })
    };
    let (c, default) = (&args.comparison, Spec::default());
    let for_programs = c.elements.is_some()
        || c.success.is_some()
        || c.failure.is_some()
        || !(c.files.is_empty() && c.command.is_empty());
    if args.app.is_some() && for_programs {
        let text = "--elements, --files, --success, --failure and --command are for programs";
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let spec = Spec {
        apps: args.app.iter().cloned().collect(),
        program: args.program.iter().map(text).collect::<Result<_, _>>()?,
        chips: vec![args.chip.chip.clone()],
        set: args.chip.set.clone(),
        compare: c.compare.unwrap_or(default.compare),
        tolerance: c.tolerance.unwrap_or(default.tolerance),
        elements: c.elements.unwrap_or(default.elements),
        files: c.files.clone(),
        success: c.success.clone().unwrap_or_default(),
        failure: c.failure.clone().unwrap_or_default(),
        command: c.command.clone(),
        real_clock: c.real_clock,
        ..Spec::default()
    };
    spec.check()?;
    Ok(spec)
}
