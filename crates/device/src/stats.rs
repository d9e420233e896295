//! Statistics per kernel and in total.

use serde::{Deserialize, Serialize};
use upset_compute::LaunchCounters;

/// What one static kernel did over all its launches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelStats {
    /// Name as in the module.
    pub name: String,
    /// Launches.
    pub launches: u64,
    /// CTAs over all launches.
    pub ctas: u64,
    /// Warp instructions.
    pub warp_insts: u64,
    /// Thread instructions (active lanes, guard or not).
    pub thread_insts: u64,
    /// Registers per thread.
    pub registers: u32,
    /// Shared bytes per CTA, static and dynamic, largest of all launches.
    pub shared_bytes: u32,
    /// Local bytes per thread.
    pub local_bytes: u32,
    /// Grid and block of the last launch.
    pub last: ([u32; 3], [u32; 3]),
    /// Cycles and what happened in them, in timing mode.
    pub timing: Option<LaunchCounters>,
}

/// Statistics of a device, kernels in order of first launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Per kernel.
    pub kernels: Vec<KernelStats>,
}

impl Stats {
    /// The entry of a kernel, made when first asked for.
    pub fn of(&mut self, name: &str) -> &mut KernelStats {
        let i = self.kernels.iter().position(|k| k.name == name).unwrap_or_else(|| {
            self.kernels.push(KernelStats {
                name: name.to_string(),
                launches: 0,
                ctas: 0,
                warp_insts: 0,
                thread_insts: 0,
                registers: 0,
                shared_bytes: 0,
                local_bytes: 0,
                last: ([0; 3], [0; 3]),
                timing: None,
            });
            self.kernels.len() - 1
        });
        &mut self.kernels[i]
    }

    /// Sums over all kernels of what timing mode counts.
    pub fn timing(&self) -> Option<LaunchCounters> {
        let mut sum: Option<LaunchCounters> = None;
        for t in self.kernels.iter().filter_map(|k| k.timing.as_ref()) {
            *sum.get_or_insert_default() += t;
        }
        sum
    }

    /// Sums over all kernels: launches, warp and thread instructions.
    pub fn total(&self) -> (u64, u64, u64) {
        self.kernels
            .iter()
            .fold((0, 0, 0), |t, k| (t.0 + k.launches, t.1 + k.warp_insts, t.2 + k.thread_insts))
    }
}
