//! What an instruction has to write, and where the wave goes next.

use upset_lanes::Mask;

use super::reg::Reg;
use super::waits::Waits;
use crate::sem::vector::Results;

/// Scalar registers to be written.
#[derive(Clone, Copy, Debug)]
pub struct ScalarWrites {
    list: [(Reg, u32); 8],
    len: u8,
}

impl Default for ScalarWrites {
    fn default() -> Self {
        ScalarWrites { list: [(Reg::M0, 0); 8], len: 0 }
    }
}

impl ScalarWrites {
    /// Adds one.
    #[inline]
    pub fn push(&mut self, reg: Reg, value: u32) {
        if let Some(to) = self.list.get_mut(usize::from(self.len)) {
            *to = (reg, value);
            self.len += 1;
        }
    }

    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// All of them, in order.
    #[inline]
    pub fn list(&self) -> &[(Reg, u32)] {
        &self.list[..usize::from(self.len)]
    }
}

/// Vector registers to be written: so many from the first on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The first register.
    pub first: u32,
    /// How many, at most two; none where there is no vector result.
    pub count: u8,
    /// Lanes of each half.
    pub lanes: [Mask; 2],
}

/// Where a wave goes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// To the next instruction.
    #[default]
    Step,
    /// To an address.
    Jump(u64),
    /// Nowhere: it is done.
    End,
    /// On, once all waves of its work-group are here.
    Barrier,
    /// On, once its counters are low enough.
    Wait(Waits),
    /// On, after so many issue slots.
    Pause(u32),
    /// On, after so many naps of the chip's length.
    Sleep(u32),
    /// On, with another priority.
    Priority(u8),
    /// Nowhere, for ever.
    Halt,
    /// On, with an empty instruction cache.
    InvalidateCode,
}

/// All that an instruction does besides memory.
#[derive(Clone, Default)]
pub struct Outcome {
    /// Values of vector registers, one for each half.
    pub vector: [Results; 2],
    /// Which vector registers they go to.
    pub rows: Rows,
    /// Scalar registers.
    pub scalars: ScalarWrites,
    /// Where the wave goes.
    pub next: Next,
}

impl Outcome {
    /// Nothing to write, on to the next instruction. Values stay as they are.
    #[inline]
    pub fn begin(&mut self) {
        self.rows = Rows::default();
        self.scalars.clear();
        self.next = Next::Step;
    }
}
