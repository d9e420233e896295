//! `upset verify`: experiments of a store again, naively.

use std::path::PathBuf;

use clap::Args;
use upset_campaign::{Choice, Observer, Options};
use upset_store::Store;

use super::campaign::{interruptible, worker_command};
use crate::campaign_progress::CampaignBar;
use crate::failure::{self, Failure, print};
use crate::words::{counted, does};

/// `upset verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A store of a campaign
    store: PathBuf,
    /// Check this many experiments, chosen at random (default: all)
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Only experiments that were found out in these ways: simulated, followed, converged,
    /// converged-later, overwritten, untouched
    #[arg(long, value_name = "WAY,…", value_delimiter = ',')]
    how: Vec<String>,
    /// Seed of the choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Worker processes (default: one per core)
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Print nothing but the result
    #[arg(long, short)]
    quiet: bool,
}

/// Differences that are listed.
const SHOWN: usize = 20;

/// Runs the command.
pub fn run(args: VerifyArgs) -> Result<(), Failure> {
    let results = Store::read(&args.store).map_err(upset_campaign::CampaignError::from)?;
    let stop = interruptible()?;
    let options = Options {
        out: args.store.clone(),
        begin: upset_campaign::Begin::Resume,
        shard: None,
        jobs: args.jobs.map_or_else(super::campaign::cores, usize::from),
        worker: worker_command()?,
        stop,
    };
    let mut bar = match args.quiet {
        true => CampaignBar::hidden(),
        false => CampaignBar::new(std::io::IsTerminal::is_terminal(&std::io::stderr())),
    };
    let observer: &mut dyn Observer = &mut bar;
    let choice = Choice { sample: args.sample, seed: args.seed, how: args.how };
    let verified = upset_campaign::verify(&results, &choice, &options, observer)?;
    drop(bar);
    let how: Vec<String> = verified.how.iter().map(|(how, n)| format!("{n} {how}")).collect();
    let mut text = format!(
        "{} run again from cycle 0 ({}): {}\n",
        counted(verified.checked, "experiment"),
        how.join(", "),
        does(verified.differences.len() as u64, "differ")
    );
    if verified.tool_errors > 0 {
        let fail = does(verified.tool_errors, "fail");
        text.push_str(&format!("{fail} in the tool, as before\n"));
    }
    for d in verified.differences.iter().take(SHOWN) {
        text.push_str(&format!(
            "{}: stored {} in {} cycles ({}), now {} in {} cycles\n",
            d.stored.fault,
            d.stored.class.name(),
            d.stored.cycles,
            d.stored.how,
            d.class.name(),
            d.cycles
        ));
    }
    print(&text)?;
    match verified.differences.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(failure::NO, "")),
    }
}
