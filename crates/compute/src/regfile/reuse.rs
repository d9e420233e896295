//! Register banks, their read ports, and the operand reuse cache.

use crate::code::Op;
use crate::config::Config;

/// Banks and slots the cache has room for.
const BANKS: usize = 4;
const SLOTS: usize = 4;
const EMPTY: u32 = u32::MAX;

/// Operands kept from the last reads: one entry per bank and operand slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reuse {
    held: [[u32; SLOTS]; BANKS],
}

impl Default for Reuse {
    fn default() -> Self {
        Reuse { held: [[EMPTY; SLOTS]; BANKS] }
    }
}

impl Reuse {
    /// Reads an instruction's operands of warp `warp`; returns the cycles by
    /// which conflicts in the banks delay the next issue.
    #[inline]
    pub fn read(&mut self, op: &Op, warp: u32, config: &Config) -> u32 {
        // No chip has more; the compiler does not know.
        let banks = (config.banks as usize).min(BANKS);
        let mut reads = [0u32; BANKS];
        for &(reg, slot) in &op.reads[..usize::from(op.read_count)] {
            let bank = usize::from(reg) % banks;
            let slot = usize::from(slot);
            let entry = warp << 8 | u32::from(reg);
            let cached = slot < config.reuse_slots as usize && slot < SLOTS;
            if !(cached && self.held[bank][slot] == entry) {
                reads[bank] += 1;
            }
            if cached {
                // Any read of the bank and slot drops the entry unless it asks to stay.
                let keep = op.inst.ctl.reuse >> slot & 1 == 1;
                self.held[bank][slot] = if keep { entry } else { EMPTY };
            }
        }
        let worst = reads.into_iter().max().unwrap_or(0).div_ceil(config.ports);
        worst.saturating_sub(1)
    }
}
