//! A campaign from its specification to its results.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use upset_metrics::Counts;
use upset_store::{Digests, Store};

use crate::CampaignError;
use crate::chips;
use crate::desk::Desk;
use crate::intents::intents;
use crate::open::{Opened, open};
use crate::options::Options;
use crate::processors::Processors;
use crate::progress::Observer;
use crate::shards;
use crate::spec::Spec;
use crate::subject::Campaign;

/// Subjects under way at once with so many processors. What a subject does before its
/// runs takes one processor, so that there must be as many, and more: those that are short
/// fill what is left at the end. Each has a walk, whose memory is its own whether it
/// computes or waits.
fn at_once(jobs: usize) -> usize {
    jobs + jobs / 2
}

/// A finished campaign.
#[derive(Clone, Debug)]
pub struct Done {
    /// Digest of the results, with all that was asked.
    pub digest: String,
    /// Digest of the results alone.
    pub results_digest: String,
    /// Classes over all experiments.
    pub counts: Counts,
    /// Experiments that were simulated in this call.
    pub simulated: u64,
}

/// Runs or resumes a campaign.
pub fn run(
    spec: Option<Spec>,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Done, CampaignError> {
    let Opened { spec, mut store, is_new } = open(spec, options)?;
    let done = carry_out(&spec, &mut store, options, observer);
    // A campaign that could not begin leaves nothing behind.
    let refused = matches!(&done, Err(e) if !matches!(e, CampaignError::Interrupted));
    if refused && is_new && store.strata().is_ok_and(|s| s.is_empty()) {
        drop(store);
        let _ = std::fs::remove_file(&options.out);
    }
    done
}

fn carry_out(
    spec: &Spec,
    store: &mut Store,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Done, CampaignError> {
    spec.check()?;
    chips::check(spec)?;
    let subjects = spec.apps.len().max(1) * spec.chips.len();
    let shard = store.shard()?;
    let has_part = shard.as_ref().is_none_or(|s| !s.parts.is_empty());
    let desk = Desk::new(store, observer, options.stop);
    let processors = Processors::new(options.jobs);
    let costs = shards::costs(spec, &intents(spec)).into_iter();
    let costs = costs.map(|(subject, cost)| (subject, cost.of_piece(1))).collect();
    let campaign = Campaign { spec, options, desk, processors, costs, shard, subjects };
    // Runs of a program take its folder's place: one subject at a time.
    let at_once = match spec.program.is_empty() {
        true => at_once(options.jobs).clamp(1, subjects),
        false => 1,
    };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    if id >= subjects || campaign.desk.ends() {
                        break;
                    }
                    match catch_unwind(AssertUnwindSafe(|| campaign.subject(id))) {
                        Ok(Ok(())) => {}
                        Ok(Err(e)) => campaign.desk.fail(id, e),
                        Err(panic) => {
                            // Nobody waits for a turn that does not come.
                            campaign.desk.fail(id, CampaignError::Interrupted);
                            resume_unwind(panic);
                        }
                    }
                }
            });
        }
    });
    let simulated = campaign.desk.close()?;
    if has_part && store.strata()?.is_empty() {
        return Err(CampaignError::Spec(format!(
            "no application launches {}: nothing to break",
            spec.kernels.join(" or ")
        )));
    }
    let mut counts = Counts::default();
    for stratum in store.strata()? {
        store.done(stratum.id)?.iter().for_each(|(_, class)| counts.add(*class));
    }
    let Digests { all: digest, results: results_digest } = store.finish()?;
    Ok(Done { digest, results_digest, counts, simulated })
}
