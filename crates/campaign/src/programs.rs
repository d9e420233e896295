//! Campaigns over CUDA programs.

use crate::CampaignError;
use crate::spec::Spec;
use crate::wire::{GoldenOutputs, Setup};
use crate::worker::Line;

/// The worker's part.
pub(crate) fn work(
    line: &mut Line,
    setup: &Setup,
    spec: &Spec,
    chip: &str,
    golden: &GoldenOutputs,
) -> Result<(), CampaignError> {
    let _ = (line, setup, spec, chip, golden);
    Err(CampaignError::Program("programs are not there yet".into()))
}
