//! What comes back from memory.

use upset_lanes::{Lanes, Mask, WARP};

use super::reg::Destinations;
use crate::inst::Inst;
use crate::operand::Operand;

/// Registers that a load can have: four, and one for its status.
pub const REGISTERS: usize = 5;

/// Values for the registers of a result; what was not set is zero.
#[derive(Clone, Debug)]
pub struct Returned {
    /// Both halves of each register.
    pub words: [[Lanes; 2]; REGISTERS],
}

impl Default for Returned {
    fn default() -> Self {
        Returned { words: [[[0; WARP]; 2]; REGISTERS] }
    }
}

impl Returned {
    /// Sets a lane of a register.
    #[inline(always)]
    pub fn set(&mut self, register: usize, lane: usize, value: u32) {
        self.words[register][lane / WARP][lane % WARP] = value;
    }

    /// Sets a lane of two registers.
    #[inline(always)]
    pub fn set64(&mut self, register: usize, lane: usize, value: u64) {
        self.set(register, lane, value as u32);
        self.set(register + 1, lane, (value >> 32) as u32);
    }

    /// Writes the instruction's result; nothing where it has none.
    #[inline]
    pub fn write(&self, to: &mut impl Destinations, inst: &Inst, lanes: u64) {
        let Operand::Vgpr(first) = inst.dst else { return };
        let count = usize::from(inst.result_dwords()).min(REGISTERS);
        for (n, word) in self.words[..count].iter().enumerate() {
            for (half, value) in word.iter().enumerate() {
                let mask = (lanes >> (32 * half)) as Mask;
                if mask != 0 {
                    to.write_vgpr(u32::from(first) + n as u32, half, mask, value);
                }
            }
        }
    }
}
