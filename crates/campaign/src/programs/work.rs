//! What a worker does with a program.

use super::bench::ProgramBench;
use super::run::order_of;
use crate::CampaignError;
use crate::line::Line;
use crate::spec::Spec;
use crate::wire::{GoldenOutputs, Setup, ToCoordinator};

/// The program as a worker runs it.
pub(crate) fn for_worker(
    setup: &Setup,
    spec: &Spec,
    chip: &str,
) -> Result<ProgramBench, CampaignError> {
    let told = setup.program.as_ref();
    let told = told.ok_or_else(|| CampaignError::Workers("no folder for runs".into()))?;
    let mut bench = ProgramBench::within(spec, chip, told.folder.clone())?;
    bench.private = told.private.clone();
    Ok(bench)
}

/// Every run from cycle 0, in a process of its own.
pub(crate) fn one_by_one(
    line: &mut Line,
    bench: &ProgramBench,
    setup: &Setup,
    golden: &GoldenOutputs,
) -> Result<(), CampaignError> {
    while let Some(job) = line.next()? {
        let (outcome, killed) = bench.trial(&order_of(job.changes, setup), setup, golden);
        let outcome = Box::new(outcome);
        line.say(&ToCoordinator::Done { id: job.id, outcome, killed, left: false });
    }
    Ok(())
}
