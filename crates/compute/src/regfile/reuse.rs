//! The operand reuse cache.

use std::hash::{Hash, Hasher};

use crate::code::Op;
use crate::config::Config;
use crate::regfile::banks::{BANKS, delay};

/// Slots the cache has room for.
const SLOTS: usize = 4;
const EMPTY: u32 = u32::MAX;

/// Operands kept from the last reads: one entry per bank and operand slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    held: [[u32; SLOTS]; BANKS],
    /// Something is held: follows from what is.
    some: bool,
}

impl Hash for Reuse {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.held.hash(h);
    }
}

impl Default for Reuse {
    fn default() -> Self {
        Reuse { held: [[EMPTY; SLOTS]; BANKS], some: false }
    }
}

impl Reuse {
    /// Reads an instruction's operands of warp `warp`; returns the cycles by
    /// which conflicts in the banks delay the next issue.
    #[inline]
    pub fn read(&mut self, op: &Op, warp: u32, config: &Config) -> u32 {
        match self.some || op.inst.ctl.reuse != 0 {
            true => self.read_through(op, warp, config),
            false => op.conflicts.into(),
        }
    }

    #[inline(never)]
    fn read_through(&mut self, op: &Op, warp: u32, config: &Config) -> u32 {
        // No chip has more; the compiler does not know.
        let banks = (config.banks as usize).min(BANKS);
        // A division would be felt.
        let mask = banks.is_power_of_two().then(|| banks - 1);
        let mut reads = [0u32; BANKS];
        for &(reg, slot) in &op.reads[..usize::from(op.read_count)] {
            let bank = mask.map_or_else(|| usize::from(reg) % banks, |m| usize::from(reg) & m);
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
        self.some = self.held.as_flattened().iter().fold(false, |some, e| some | (*e != EMPTY));
        delay(reads, config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::testing::op;
    use crate::regfile::banks::conflicts;
    use upset_chip::ChipSpec;
    use upset_isa::Unit;

    /// Two banks with one port each, three slots of the cache.
    fn config() -> Config {
        let mut config = Config::new(&ChipSpec::preset("rtx2060").expect("a chip")).expect("SMs");
        (config.banks, config.ports, config.reuse_slots) = (2, 1, 3);
        config
    }

    /// An instruction that reads registers, and asks to keep some slots.
    fn reads(registers: &[u8], keep: u8) -> Op {
        reads_on(&config(), registers, keep)
    }

    fn reads_on(config: &Config, registers: &[u8], keep: u8) -> Op {
        let mut op = op(Unit::Fma);
        for (slot, r) in registers.iter().enumerate() {
            op.reads[slot] = (*r, slot as u8);
        }
        op.read_count = registers.len() as u8;
        op.conflicts = conflicts(&op.reads[..registers.len()], config);
        op.inst.ctl.reuse = keep;
        op
    }

    #[test]
    fn reads_of_one_bank_wait_for_each_other() {
        let (mut reuse, config) = (Reuse::default(), config());
        assert_eq!(reuse.read(&reads(&[2, 3], 0), 0, &config), 0);
        assert_eq!(reuse.read(&reads(&[2, 4], 0), 0, &config), 1);
        assert_eq!(reuse.read(&reads(&[2, 4, 6], 0), 0, &config), 2);
        let two_ports = Config { ports: 2, ..config };
        let read = reads_on(&two_ports, &[2, 4, 6], 0);
        assert_eq!(reuse.read(&read, 0, &two_ports), 1);
    }

    #[test]
    fn what_was_kept_needs_no_port_until_the_next_read_of_its_slot() {
        let (mut reuse, config) = (Reuse::default(), config());
        assert_eq!(reuse.read(&reads(&[2, 4], 0b01), 0, &config), 1);
        // R2 in slot 0 comes from the cache.
        assert_eq!(reuse.read(&reads(&[2, 4], 0), 0, &config), 0);
        // That read did not ask to keep it.
        assert_eq!(reuse.read(&reads(&[2, 4], 0), 0, &config), 1);
    }

    #[test]
    fn another_warps_register_is_another() {
        let (mut reuse, config) = (Reuse::default(), config());
        reuse.read(&reads(&[2], 0b1), 0, &config);
        assert_eq!(reuse.read(&reads(&[2, 4], 0b1), 1, &config), 1);
        assert_eq!(reuse.read(&reads(&[2, 4], 0), 1, &config), 0);
    }
}
