//! Whether a launch fits the chip.

use upset_chip::{KernelResources, Occupancy, SmCore};

use super::kernel::LoadedKernel;
use crate::{DeviceError, Launch};

/// What a launch takes of an SM.
pub(super) struct Fit {
    /// Shared bytes a CTA can address.
    pub(super) window: u32,
    /// Shared bytes asked for.
    pub(super) shared: u32,
    pub(super) occupancy: Occupancy,
}

impl Fit {
    /// How a launch of a kernel fits; an error says why it does not.
    pub(super) fn of(
        core: &SmCore,
        kernel: &LoadedKernel,
        launch: &Launch,
    ) -> Result<Fit, DeviceError> {
        let bad = |why: String| DeviceError::Launch { kernel: kernel.name.clone(), why };
        let threads = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let ctas = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        if threads == 0 || ctas == 0 {
            return Err(bad("grid and block must not be empty".into()));
        }
        if threads > u64::from(core.sm.threads_per_cta) {
            let most = core.sm.threads_per_cta;
            return Err(bad(format!("{threads} threads per block, the chip allows {most}")));
        }
        let window = u64::from(kernel.shared_bytes) + u64::from(launch.shared_bytes);
        let shared = window - u64::from(kernel.shared_reserved);
        if shared > u64::from(core.shared.per_cta) {
            let most = core.shared.per_cta;
            return Err(bad(format!("{shared} bytes of shared memory, the chip allows {most}")));
        }
        let occupancy = core.occupancy(KernelResources {
            threads: threads as u32,
            registers: kernel.registers,
            shared_bytes: shared as u32,
            barriers: kernel.barriers,
        });
        if occupancy.ctas_per_sm == 0 {
            return Err(bad(format!("one block does not fit an SM ({})", occupancy.limit)));
        }
        let resident = u64::from(occupancy.ctas_per_sm) * u64::from(core.sm.count);
        if launch.cooperative && ctas > resident {
            return Err(DeviceError::NotResident { kernel: kernel.name.clone(), ctas, resident });
        }
        Ok(Fit { window: window as u32, shared: shared as u32, occupancy })
    }
}
