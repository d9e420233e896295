//! Whether a launch fits the chip.

use upset_chip::CuCore;
use upset_gcn::container::Kernel;

use super::locals::Locals;
use crate::{DeviceError, Launch};

/// What a launch takes of a compute unit.
pub(super) struct Fit {
    /// Vector registers of a wave.
    pub vgprs: u32,
    /// Scalar registers of a wave, VCC among them.
    pub sgprs: u32,
    /// Bytes of LDS that a work-group takes.
    pub lds: u32,
}

impl Fit {
    /// How a launch of a kernel with its local arguments fits; an error says why it does not.
    pub fn of(
        core: &CuCore,
        kernel: &Kernel,
        launch: &Launch,
        locals: &Locals,
    ) -> Result<Fit, DeviceError> {
        let bad = |why: String| DeviceError::Launch { kernel: kernel.name.clone(), why };
        let items = launch.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let groups = launch.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        if items == 0 || groups == 0 {
            return Err(bad("grid and work-group must not be empty".into()));
        }
        let most = core.cu.work_group;
        if items > u64::from(most) {
            return Err(bad(format!("{items} work-items per work-group, the chip allows {most}")));
        }
        if let Some(size) = kernel.group_size.filter(|size| *size != launch.block) {
            let [x, y, z] = size;
            return Err(bad(format!("its work-groups must have {x} x {y} x {z} work-items")));
        }
        let lds = locals.end + u64::from(launch.shared_bytes);
        if lds > u64::from(core.lds.per_group) {
            let most = core.lds.per_group;
            return Err(bad(format!("{lds} bytes of LDS, the chip allows {most}")));
        }
        let granule = |n: u32, by: u32| n.max(1).next_multiple_of(by.max(1));
        let vgprs = granule(kernel.abi.vgprs(), core.vgpr.granule);
        // VCC is there in any case.
        let sgprs = granule(kernel.abi.sgprs().max(2), core.sgpr.granule);
        let most = (core.sgpr.per_wave + 2).next_multiple_of(core.sgpr.granule.max(1));
        if sgprs > most {
            return Err(bad(format!("{sgprs} scalar registers, a wavefront has at most {most}")));
        }
        let waves = (items as u32).div_ceil(core.cu.wave_size.max(1));
        let per_simd = [
            (vgprs, core.vgpr.per_simd, "vector registers"),
            (sgprs, core.sgpr.per_simd, "scalar registers"),
        ];
        for (needs, has, what) in per_simd {
            let fit = (has / needs).min(core.cu.waves) * core.cu.simds;
            if fit < waves {
                return Err(bad(format!(
                    "{waves} wavefronts of {needs} {what} each, a compute unit has room for {fit}"
                )));
            }
        }
        if waves > core.cu.waves_per_cu() {
            return Err(bad(format!(
                "{waves} wavefronts per work-group, a compute unit holds {}",
                core.cu.waves_per_cu()
            )));
        }
        Ok(Fit { vgprs, sgprs, lds: (lds as u32).next_multiple_of(core.lds.granule.max(1)) })
    }
}
