//! A campaign from its specification to its results.

use std::sync::atomic::{AtomicUsize, Ordering};

use upset_metrics::Counts;
use upset_store::{Digests, Store};

use crate::CampaignError;
use crate::chips;
use crate::desk::Desk;
use crate::golden::{Golden, limit_of};
use crate::open::{Opened, open};
use crate::options::Options;
use crate::processors::Processors;
use crate::spec::Spec;
use crate::subject::Campaign;
use crate::wire::Setup;
use crate::workload::Workload;

/// How far a campaign is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Application and chip.
    pub subject: String,
    /// Subjects before this one, and of all.
    pub subjects: (usize, usize),
    /// Experiments of the subject whose class is known.
    pub done: u64,
    /// Experiments of the subject.
    pub total: u64,
    /// Experiments of this round that need a worker: those that came back, and
    /// all of them. What the fault-free run tells beforehand is not among them.
    pub handed: (u64, u64),
    /// Experiments that became runs of their own; the others were followed
    /// through the fault-free run, or needed no run at all.
    pub simulated: u64,
    /// Classes so far.
    pub counts: Counts,
    /// What is counted.
    pub counted: Counted,
}

/// What a [`Progress`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Experiments of a sample.
    #[default]
    Experiments,
    /// Flips of an exact count, each for all bits and cycles that meet the same
    /// use first: their shares are no rates.
    Flips,
}

/// Hears how a campaign goes. Several subjects may be under way at once.
pub trait Observer: Send {
    /// Something the user should know.
    fn note(&mut self, text: &str);
    /// What is being done before the runs.
    fn stage(&mut self, subject: &str, what: &str);
    /// Runs came to their end.
    fn progress(&mut self, progress: &Progress);
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
    let campaign = Campaign { spec, options, desk, processors, shard, subjects };
    // Runs of a program take its folder's place: one subject at a time.
    let at_once = if spec.program.is_empty() { options.jobs.clamp(1, subjects) } else { 1 };
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    if id >= subjects || campaign.desk.ends() {
                        break;
                    }
                    if let Err(e) = campaign.subject(id) {
                        campaign.desk.fail(id, e);
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

/// What workers are told of a subject.
pub(crate) fn setup(
    spec: &Spec,
    app: usize,
    chip: usize,
    target: &Workload,
    golden: &Golden,
    seconds: u64,
) -> Setup {
    Setup {
        spec: spec.to_toml(),
        app,
        chip,
        cycles: golden.cycles,
        limit: limit_of(golden.cycles, spec.limit),
        output_digest: golden.output_digest.clone(),
        // Far beyond what the cycle limit allows: only a host that hangs gets there.
        processor_seconds: 120 + 60 * seconds,
        walk: false,
        holds: false,
        golden_bytes: 0,
        notes_bytes: 0,
        program: target.program(),
    }
}
