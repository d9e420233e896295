//! A sub-core: a scheduler with a register file and units.

use crate::config::Config;
use crate::regfile::RegisterFile;
use crate::sched::Scheduler;
use crate::units::Units;

/// A sub-core.
#[derive(Clone, Debug)]
pub struct SubCore {
    /// Its register file.
    pub file: RegisterFile,
    /// Its scheduler.
    pub sched: Scheduler,
    /// Its units.
    pub units: Units,
    /// First cycle at which the address unit is free.
    pub address_free: u64,
    /// Memory instructions that the SM has not taken.
    pub queued: u32,
    /// First cycle at which the fetch port is free.
    pub fetch_free: u64,
}

impl SubCore {
    /// An idle sub-core of a chip, by its number on it.
    pub fn new(config: &Config, number: u32) -> SubCore {
        SubCore {
            file: RegisterFile::new(config, number),
            sched: Scheduler::new(config.warps.div_ceil(config.subcores) as usize),
            units: Units::default(),
            address_free: 0,
            queued: 0,
            fetch_free: 0,
        }
    }
}
