//! The options of `upset inject`, for applications and programs alike.

use std::path::PathBuf;

use clap::Args;
use upset_campaign::{ComparisonFlags, Spec};

use crate::chip_choice::ChipChoice;
use crate::failure::{self, Failure};
use crate::subject::{Subject, as_text};

/// `upset inject`.
#[derive(Debug, Args)]
#[command(override_usage = "upset inject [OPTIONS] --chip <NAME|FILE> --fault <NAME> <APP>
       upset inject [OPTIONS] --chip <NAME|FILE> --fault <NAME> -- <PROGRAM> [ARGS]...")]
pub struct InjectArgs {
    /// What is run.
    #[command(flatten)]
    pub subject: Subject,
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
    pub comparison: ComparisonFlags,
    /// Write the result as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Step every cycle and look at everything in it: slow, with the same result
    #[arg(long, hide = true, conflicts_with = "program")]
    pub slow: bool,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

/// What the flags ask for.
pub fn specification(args: &InjectArgs) -> Result<Spec, Failure> {
    if args.subject.app.is_some() && args.comparison.are_for_programs() {
        let text = "--elements, --files, --success, --failure and --command are for programs";
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let mut spec = Spec {
        apps: args.subject.app.iter().cloned().collect(),
        program: as_text(&args.subject.program)?,
        chips: vec![args.chip.chip.clone()],
        set: args.chip.set.clone(),
        ..Spec::default()
    };
    args.comparison.apply(&mut spec);
    spec.check()?;
    Ok(spec)
}
