//! How many CTAs of a kernel an SM holds, and what stops the next one.
//!
//! The rules are NVIDIA's (`cuda_occupancy.h` of the CUDA toolkit, the same
//! for compute capability 3.x, 7.x and 9.x): registers are given to warps, in
//! granules, out of partitions; shared memory is given to CTAs in granules.

use std::fmt;

use serde::Serialize;

use crate::spec::SmCore;

/// What one CTA of a kernel asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelResources {
    /// Threads per CTA.
    pub threads: u32,
    /// Registers per thread, as the compiler reports them.
    pub registers: u32,
    /// Shared memory per CTA, static and dynamic, without the reserved part.
    pub shared_bytes: u32,
    /// Named barriers used.
    pub barriers: u32,
}

/// A resource that bounds the number of CTAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Resident warps (and so threads).
    Warps,
    /// Resident CTAs.
    Ctas,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// Named barriers.
    Barriers,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Warps => "warps per SM",
            Limit::Ctas => "CTAs per SM",
            Limit::Registers => "registers",
            Limit::Shared => "shared memory",
            Limit::Barriers => "named barriers",
        })
    }
}

/// How a kernel fits an SM.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// CTAs resident at a time; 0 = the kernel cannot be launched.
    pub ctas_per_sm: u32,
    /// Warps of one CTA.
    pub warps_per_cta: u32,
    /// Resident warps over the SM's maximum.
    pub fraction: f64,
    /// What stops the next CTA.
    pub limit: Limit,
    /// Registers one CTA takes, rounding included.
    pub registers_per_cta: u64,
    /// Shared bytes one CTA takes, rounding and reserve included.
    pub shared_per_cta: u64,
}

impl SmCore {
    /// How a kernel fits these SMs.
    pub fn occupancy(&self, kernel: KernelResources) -> Occupancy {
        let sm = &self.sm;
        let warps_per_cta = kernel.threads.div_ceil(sm.warp_size.max(1)).max(1);
        let regs_per_warp = self.registers.per_warp(kernel.registers, sm.warp_size);
        let registers_per_cta = regs_per_warp * u64::from(warps_per_cta);
        let shared_per_cta = self.shared_per_cta(kernel.shared_bytes);

        let whole = kernel.threads > 0 && kernel.threads <= sm.threads_per_cta;
        let by_warps = if whole { sm.warps / warps_per_cta } else { 0 };
        let barriers = if kernel.barriers <= sm.barriers_per_cta { u32::MAX } else { 0 };
        // The first of equals is named, the most telling one first.
        let bounds = [
            (Limit::Barriers, barriers),
            (Limit::Registers, self.ctas_by_registers(kernel.registers, warps_per_cta)),
            (Limit::Shared, self.ctas_by_shared(kernel.shared_bytes, shared_per_cta)),
            (Limit::Warps, by_warps),
            (Limit::Ctas, sm.ctas),
        ];
        let (limit, ctas_per_sm) =
            bounds.into_iter().min_by_key(|(_, n)| *n).unwrap_or((Limit::Ctas, 0));
        let warps = u64::from(ctas_per_sm) * u64::from(warps_per_cta);
        Occupancy {
            ctas_per_sm,
            warps_per_cta,
            fraction: warps as f64 / f64::from(sm.warps.max(1)),
            limit,
            registers_per_cta,
            shared_per_cta,
        }
    }

    fn shared_per_cta(&self, bytes: u32) -> u64 {
        let s = &self.shared;
        (u64::from(bytes) + u64::from(s.reserved_per_cta))
            .next_multiple_of(u64::from(s.granule.max(1)))
    }

    fn ctas_by_shared(&self, asked: u32, allocated: u64) -> u32 {
        if asked > self.shared.per_cta {
            return 0;
        }
        match u64::from(self.shared.bytes).checked_div(allocated) {
            Some(n) => u32::try_from(n).unwrap_or(u32::MAX),
            None => u32::MAX,
        }
    }

    fn ctas_by_registers(&self, per_thread: u32, warps_per_cta: u32) -> u32 {
        let r = &self.registers;
        let per_warp = r.per_warp(per_thread, self.sm.warp_size);
        if per_warp == 0 {
            return u32::MAX;
        }
        // The launch check assumes that every partition gives as much.
        let partitions = u64::from(r.partitions.max(1));
        let assumed = per_warp * u64::from(warps_per_cta).next_multiple_of(partitions);
        if per_thread > r.per_thread || assumed > u64::from(r.per_cta) {
            return 0;
        }
        let warps = u64::from(r.per_sm) / partitions / per_warp * partitions;
        u32::try_from(warps / u64::from(warps_per_cta.max(1))).unwrap_or(u32::MAX)
    }
}
