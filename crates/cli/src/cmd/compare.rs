//! `upset compare`: what differs between two campaigns, and whether it is chance.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use upset_report::Versus;
use upset_store::Results;

use super::estimate_args::EstimateArgs;
use super::report::load;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};

/// `upset compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The store of a campaign, or a folder with the stores of its shards (*.db)
    #[arg(value_name = "A")]
    a: PathBuf,
    /// What to compare it with: another one
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Write all numbers as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    estimates: EstimateArgs,
    /// End with exit code 1 if a figure differs, corrected for all tests that are made
    #[arg(long)]
    fail_if_different: bool,
    /// Print no tables
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<(), Failure> {
    let (first, second) = (stores(&args.a)?, stores(&args.b)?);
    // The file is opened before the work: a wrong path is told at once.
    let read = [&first[..], &second].concat();
    let open = |path| Destination::open_beside(path, &read);
    let json = args.json.as_deref().map(open).transpose()?;
    let versus = compared(args, &first, &second)?;
    if !(args.quiet || json.as_ref().is_some_and(Destination::is_stdout)) {
        print(&versus.text())?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", versus.json()))?;
    }
    match args.fail_if_different && versus.different() > 0 {
        true => Err(Failure::new(failure::NO, "")),
        false => Ok(()),
    }
}

/// What the command shows.
pub fn versus(args: &CompareArgs) -> Result<Versus, Failure> {
    compared(args, &stores(&args.a)?, &stores(&args.b)?)
}

fn compared(args: &CompareArgs, a: &[PathBuf], b: &[PathBuf]) -> Result<Versus, Failure> {
    let all = |paths: &[PathBuf]| paths.iter().map(load).collect::<Result<Vec<Results>, Failure>>();
    let (a, b) = (all(a)?, all(b)?);
    let options = [args.estimates.options(&a)?, args.estimates.options(&b)?];
    Versus::new(&a, &b, options.each_ref()).map_err(|why| Failure::new(failure::BAD_INPUT, why))
}

/// The stores of one side.
fn stores(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).map_err(|e| Failure::read(path, &e))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut stores: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|e| e == "db")).collect();
    stores.sort();
    if stores.is_empty() {
        let text = format!("{} is a folder without a store (*.db)", path.display());
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    Ok(stores)
}
