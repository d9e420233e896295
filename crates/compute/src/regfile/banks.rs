//! Register banks and their read ports.

use crate::config::Config;

/// Banks there can be at most.
pub const BANKS: usize = 4;

/// Cycles by which so many reads of each bank delay the next issue.
#[inline]
pub fn delay(reads: [u32; BANKS], config: &Config) -> u32 {
    let worst = reads.into_iter().max().unwrap_or(0);
    if worst <= config.ports {
        return 0;
    }
    worst.div_ceil(config.ports) - 1
}

/// The same for registers that are all read from their banks.
pub fn conflicts(registers: &[(u8, u8)], config: &Config) -> u8 {
    let banks = (config.banks as usize).min(BANKS);
    let mut reads = [0; BANKS];
    registers.iter().for_each(|(reg, _)| reads[usize::from(*reg) % banks] += 1);
    // No more than there are reads.
    delay(reads, config) as u8
}
