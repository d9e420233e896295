//! How many work-groups of a kernel a compute unit holds, and what stops the
//! next one.
//!
//! A group starts when all of its wavefronts fit: each takes a slot, vector
//! registers and scalar registers of one SIMD unit, in granules; the group takes
//! local data share, and a barrier if it has more than one wavefront (LLVM,
//! `AMDGPUBaseInfo.cpp`: `getMaxWorkGroupsPerCU` and its neighbours).

use std::fmt;

use serde::Serialize;

use crate::spec::CuCore;

/// What one work-group of a kernel asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveResources {
    /// Work-items per work-group.
    pub work_items: u32,
    /// Vector registers per lane.
    pub vgprs: u32,
    /// Scalar registers per wavefront, VCC among them.
    pub sgprs: u32,
    /// Local data share per work-group.
    pub lds_bytes: u32,
}

/// A resource that bounds the number of work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaveLimit {
    /// Wavefront slots, or the size of a work-group.
    Waves,
    /// Vector registers.
    Vgprs,
    /// Scalar registers.
    Sgprs,
    /// Local data share.
    Lds,
    /// Barriers.
    Barriers,
}

impl fmt::Display for WaveLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaveLimit::Waves => "wavefronts per CU",
            WaveLimit::Vgprs => "vector registers",
            WaveLimit::Sgprs => "scalar registers",
            WaveLimit::Lds => "local data share",
            WaveLimit::Barriers => "barriers",
        })
    }
}

/// How a kernel fits a compute unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WaveOccupancy {
    /// Work-groups resident at a time; 0 = the kernel cannot be launched.
    pub groups_per_cu: u32,
    /// Wavefronts of one work-group.
    pub waves_per_group: u32,
    /// Wavefronts that registers and slots of one SIMD unit allow.
    pub waves_per_simd: u32,
    /// Resident wavefronts over the compute unit's maximum.
    pub fraction: f64,
    /// What stops the next work-group.
    pub limit: WaveLimit,
    /// Rows of vector registers that one wavefront takes, rounding included.
    pub vgprs_per_wave: u32,
    /// Scalar registers that one wavefront takes, rounding included.
    pub sgprs_per_wave: u32,
    /// Bytes of local data share that one work-group takes, rounding included.
    pub lds_per_group: u32,
}

impl CuCore {
    /// How a kernel fits these compute units.
    pub fn occupancy(&self, kernel: WaveResources) -> WaveOccupancy {
        let cu = &self.cu;
        let waves_per_group = kernel.work_items.div_ceil(cu.wave_size.max(1)).max(1);
        let vgprs = rounded(kernel.vgprs, self.vgpr.granule);
        let sgprs = rounded(kernel.sgprs, self.sgpr.granule);
        let lds = rounded(kernel.lds_bytes, self.lds.granule);
        let by = |of: u32, takes: u32| of.checked_div(takes).unwrap_or(u32::MAX);
        // Two more than code can name: VCC.
        let most_sgprs = rounded(self.sgpr.per_wave + 2, self.sgpr.granule);
        let by_vgprs = by(self.vgpr.per_simd, vgprs);
        let by_sgprs = if sgprs > most_sgprs { 0 } else { by(self.sgpr.per_simd, sgprs) };
        // Wavefronts are spread over the SIMD units as they find room there.
        let groups = |per_simd: u32| per_simd.saturating_mul(cu.simds) / waves_per_group;
        let whole = kernel.work_items > 0 && kernel.work_items <= cu.work_group;
        let barriers = if waves_per_group > 1 { cu.barriers } else { u32::MAX };
        let by_lds = match kernel.lds_bytes > self.lds.per_group {
            true => 0,
            false => by(self.lds.bytes, lds),
        };
        // The first of equals is named, the most telling one first.
        let bounds = [
            (WaveLimit::Vgprs, groups(by_vgprs)),
            (WaveLimit::Sgprs, groups(by_sgprs)),
            (WaveLimit::Lds, by_lds),
            (WaveLimit::Waves, if whole { groups(cu.waves) } else { 0 }),
            (WaveLimit::Barriers, barriers),
        ];
        let (limit, groups_per_cu) =
            bounds.into_iter().min_by_key(|(_, n)| *n).unwrap_or((WaveLimit::Waves, 0));
        let waves = f64::from(groups_per_cu) * f64::from(waves_per_group);
        WaveOccupancy {
            groups_per_cu,
            waves_per_group,
            waves_per_simd: by_vgprs.min(by_sgprs).min(cu.waves),
            fraction: waves / f64::from(cu.waves_per_cu().max(1)),
            limit,
            vgprs_per_wave: vgprs,
            sgprs_per_wave: sgprs,
            lds_per_group: lds,
        }
    }
}

/// Rounded up to whole granules; what does not fit a number is too much anyway.
fn rounded(asked: u32, granule: u32) -> u32 {
    asked.checked_next_multiple_of(granule.max(1)).unwrap_or(u32::MAX)
}
