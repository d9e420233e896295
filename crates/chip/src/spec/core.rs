//! What executes code on a chip: SMs or compute units.

use serde::Serialize;

use super::cu::CuCore;
use super::sm::{
    FrontEndSpec, LoadStoreSpec, RegisterSpec, SchedulerSpec, SharedSpec, SmSpec, TimingSpec,
    UnitSpec,
};

/// The cores of a chip.
#[derive(Clone, Debug, PartialEq)]
pub enum CoreSpec {
    /// NVIDIA's.
    Sm(Box<SmCore>),
    /// AMD's.
    Cu(Box<CuCore>),
}

/// Streaming multiprocessors, and all tables that say what they are made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SmCore {
    /// Streaming multiprocessors.
    pub sm: SmSpec,
    /// Warp schedulers.
    pub scheduler: SchedulerSpec,
    /// Fetch and decode.
    pub frontend: FrontEndSpec,
    /// Register file.
    pub registers: RegisterSpec,
    /// Shared memory.
    pub shared: SharedSpec,
    /// Load/store path.
    pub lsu: LoadStoreSpec,
    /// Execution units.
    pub units: Vec<UnitSpec>,
    /// Single operations.
    pub timing: TimingSpec,
}

impl SmCore {
    /// The execution unit of that name.
    pub fn unit(&self, name: &str) -> Option<&UnitSpec> {
        self.units.iter().find(|u| u.name == name)
    }
}
