//! A scheduler with what it has for itself. Where sub-cores are whole it has a
//! register file and units too; on older chips several share those
//! ([`Sm::files`](crate::sm::Sm), [`Groups`](crate::units::Groups)).

use crate::config::Config;
use crate::regfile::Reuse;
use crate::sched::Scheduler;
use crate::units::Units;

/// A scheduler and what is its own.
#[derive(Clone, Debug)]
pub struct SubCore {
    /// Its scheduler.
    pub sched: Scheduler,
    /// Operands that it keeps from the last reads.
    pub reuse: Reuse,
    /// Units that it has for itself.
    pub units: Units,
    /// First cycle at which the address unit is free.
    pub address_free: u64,
    /// Memory instructions that the SM has not taken.
    pub queued: u32,
    /// First cycle at which the fetch port is free.
    pub fetch_free: u64,
}

impl SubCore {
    /// An idle one of a chip.
    pub fn new(config: &Config) -> SubCore {
        SubCore {
            sched: Scheduler::new(config.warps.div_ceil(config.schedulers) as usize),
            reuse: Reuse::default(),
            units: Units::default(),
            address_free: 0,
            queued: 0,
            fetch_free: 0,
        }
    }
}
