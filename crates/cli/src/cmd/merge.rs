//! `upset merge`: the stores of a campaign's shards become one.

use std::path::PathBuf;

use clap::Args;
use upset_store::StoreError;

use crate::failure::{self, Failure, print};
use crate::words::counted;

/// `upset merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Stores of one campaign: shards in any order, also some of them twice or restarted
    #[arg(value_name = "STORE", required = true)]
    stores: Vec<PathBuf>,
    /// The store to make; one that is the result already is left as it is
    #[arg(long, short, value_name = "STORE")]
    out: PathBuf,
    /// Print nothing but failures
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &MergeArgs) -> Result<(), Failure> {
    let merged = upset_store::merge(&args.stores, &args.out).map_err(|e| {
        let code = match &e {
            StoreError::Incomplete { .. } => failure::NO,
            e if e.is_input() => failure::BAD_INPUT,
            _ => failure::OURS,
        };
        Failure::new(code, e.to_string())
    })?;
    match args.quiet {
        true => Ok(()),
        false => print(&format!(
            "{} of {} in {}, digest {}\n",
            counted(merged.experiments, "experiment"),
            counted(args.stores.len() as u64, "store"),
            args.out.display(),
            merged.digests.all
        )),
    }
}
