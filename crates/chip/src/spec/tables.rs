//! The tables of a chip file, as they are written: those of either core.

use serde::{Deserialize, Serialize};

use super::cache::CacheSpec;
use super::chip::{ClockSpec, IdentitySpec, LaunchSpec, ModelSpec};
use super::core::{CoreSpec, SmCore};
use super::cu::{
    CountersSpec, CuCore, CuSpec, CyclesSpec, FetchSpec, LdsSpec, ScalarMemorySpec, SgprSpec,
    VectorMemorySpec, VgprSpec,
};
use super::driver::DriverSpec;
use super::memory::{DramSpec, InterconnectSpec, MemorySpec};
use super::sm::{
    FrontEndSpec, LoadStoreSpec, RegisterSpec, SchedulerSpec, SharedSpec, SmSpec, TimingSpec,
    UnitSpec,
};

/// Declares the tables, each of which may be missing, in the order written.
macro_rules! tables {
    ($($(#[$of:meta])* $name:ident: $spec:ty,)*) => {
        /// Every table a file may have.
        #[derive(Clone, Debug, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Tables {
            $(
                $(#[$of])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub(super) $name: Option<$spec>,
            )*
        }
    };
}

tables! {
    chip: IdentitySpec,
    clock: ClockSpec,
    sm: SmSpec,
    scheduler: SchedulerSpec,
    frontend: FrontEndSpec,
    registers: RegisterSpec,
    shared: SharedSpec,
    lsu: LoadStoreSpec,
    #[serde(rename = "unit")]
    units: Vec<UnitSpec>,
    timing: TimingSpec,
    cu: CuSpec,
    vgpr: VgprSpec,
    sgpr: SgprSpec,
    lds: LdsSpec,
    fetch: FetchSpec,
    cycles: CyclesSpec,
    smem: ScalarMemorySpec,
    vmem: VectorMemorySpec,
    counters: CountersSpec,
    #[serde(rename = "cache")]
    caches: Vec<CacheSpec>,
    memory: MemorySpec,
    dram: DramSpec,
    interconnect: InterconnectSpec,
    launch: LaunchSpec,
    driver: DriverSpec,
    model: ModelSpec,
}

/// A table that must be there.
pub(super) fn needed<T>(table: Option<T>, name: &str) -> Result<T, String> {
    table.ok_or_else(|| format!("there is no table [{name}]"))
}

impl Tables {
    /// Takes the tables of the cores out.
    pub(super) fn take_core(&mut self) -> Result<CoreSpec, String> {
        let Some(cu) = self.cu.take() else {
            return Ok(CoreSpec::Sm(Box::new(SmCore {
                sm: needed(self.sm.take(), "sm")?,
                scheduler: needed(self.scheduler.take(), "scheduler")?,
                frontend: needed(self.frontend.take(), "frontend")?,
                registers: needed(self.registers.take(), "registers")?,
                shared: needed(self.shared.take(), "shared")?,
                lsu: needed(self.lsu.take(), "lsu")?,
                units: self.units.take().unwrap_or_default(),
                timing: needed(self.timing.take(), "timing")?,
            })));
        };
        Ok(CoreSpec::Cu(Box::new(CuCore {
            cu,
            vgpr: needed(self.vgpr.take(), "vgpr")?,
            sgpr: needed(self.sgpr.take(), "sgpr")?,
            lds: needed(self.lds.take(), "lds")?,
            fetch: needed(self.fetch.take(), "fetch")?,
            cycles: needed(self.cycles.take(), "cycles")?,
            smem: needed(self.smem.take(), "smem")?,
            vmem: needed(self.vmem.take(), "vmem")?,
            counters: needed(self.counters.take(), "counters")?,
        })))
    }

    /// Puts the tables of the cores in.
    pub(super) fn put_core(&mut self, core: CoreSpec) {
        match core {
            CoreSpec::Sm(core) => {
                let SmCore { sm, scheduler, frontend, registers, shared, lsu, units, timing } =
                    *core;
                self.sm = Some(sm);
                self.scheduler = Some(scheduler);
                self.frontend = Some(frontend);
                self.registers = Some(registers);
                self.shared = Some(shared);
                self.lsu = Some(lsu);
                self.units = Some(units);
                self.timing = Some(timing);
            }
            CoreSpec::Cu(core) => {
                let CuCore { cu, vgpr, sgpr, lds, fetch, cycles, smem, vmem, counters } = *core;
                self.cu = Some(cu);
                self.vgpr = Some(vgpr);
                self.sgpr = Some(sgpr);
                self.lds = Some(lds);
                self.fetch = Some(fetch);
                self.cycles = Some(cycles);
                self.smem = Some(smem);
                self.vmem = Some(vmem);
                self.counters = Some(counters);
            }
        }
    }
}
