//! The GPU as it is now, by CUDA's driver and NVML.

use upset_burn::{About, BoardError};
use upset_realgpu::cuda;

use crate::failure::{self, Failure};

/// What the GPU of a plan is now.
pub fn now(plan: &About) -> Result<About, Failure> {
    let lacking = |why: &str| {
        let why = format!("the GPU cannot be compared with the plan's: {why}");
        Failure::new(failure::LACKING, why)
    };
    let uuid = plan.uuid.as_deref().unwrap_or_default();
    let seen = cuda::now(uuid).map_err(|e| match e {
        BoardError::CannotRun(why) | BoardError::Failed(why) => lacking(&why),
    })?;
    match seen {
        None => Err(Failure::new(
            failure::BAD_INPUT,
            format!("the plan is for {uuid}, which is not here"),
        )),
        // Firmware and MIG are NVML's to tell: a plan that knows them needs it.
        Some((_, Some(why))) if plan.vbios.is_some() || plan.mig.is_some() => Err(lacking(&why)),
        Some((about, _)) => Ok(about),
    }
}
