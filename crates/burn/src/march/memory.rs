//! A memory of single bits with one fault in it.

use super::{Fault, Sense, Transition, Wired};

/// The memory, over cells that its user lends: millions of memories of two cells
/// are tried, and none of them needs an allocation.
#[derive(Debug)]
pub struct Memory<'a> {
    cells: &'a mut [bool],
    /// What was last written or read, for wires that keep it.
    wires: bool,
    fault: Option<Fault>,
}

/// Where an address leads: no cell, one, or two.
type Reached = [Option<usize>; 2];

impl<'a> Memory<'a> {
    /// A memory that holds this, with a fault or none.
    pub fn new(cells: &'a mut [bool], fault: Option<Fault>) -> Memory<'a> {
        let mut memory = Memory { cells, wires: false, fault };
        memory.settle();
        memory
    }

    /// Writes at an address.
    pub fn write(&mut self, address: usize, value: bool) {
        self.wires = value;
        for cell in self.reached(address).into_iter().flatten() {
            self.write_cell(cell, value);
        }
        self.settle();
    }

    /// Reads at an address.
    pub fn read(&mut self, address: usize) -> bool {
        let value = match self.reached(address) {
            [Some(a), Some(b)] => match self.wired() {
                Wired::And => self.cells[a] && self.cells[b],
                Wired::Or => self.cells[a] || self.cells[b],
            },
            [Some(a), None] | [None, Some(a)] => self.cells[a],
            [None, None] => match self.fault {
                Some(Fault::NoCell { sense, .. } | Fault::Stolen { sense, .. }) => match sense {
                    Sense::Constant(value) => value,
                    Sense::Kept => self.wires,
                },
                _ => self.wires,
            },
        };
        self.wires = value;
        value
    }

    fn reached(&self, address: usize) -> Reached {
        match self.fault {
            Some(Fault::NoCell { x, .. }) if address == x => [None, None],
            Some(Fault::Stolen { x, .. }) if address == x => [None, None],
            Some(Fault::Stolen { x, y, .. }) if address == y => [Some(x), Some(y)],
            Some(Fault::Merged { x, y }) if address == x => [Some(y), None],
            Some(Fault::Shared { x, y, .. }) if address == x => [Some(x), Some(y)],
            _ => [Some(address), None],
        }
    }

    fn wired(&self) -> Wired {
        match self.fault {
            Some(Fault::Stolen { wired, .. } | Fault::Shared { wired, .. }) => wired,
            _ => Wired::Or,
        }
    }

    fn write_cell(&mut self, cell: usize, value: bool) {
        let before = self.cells[cell];
        let change = match (before, value) {
            (false, true) => Some(Transition::Rise),
            (true, false) => Some(Transition::Fall),
            _ => None,
        };
        if let Some(Fault::Transition { cell: broken, fails }) = self.fault
            && broken == cell
            && change == Some(fails)
        {
            return;
        }
        self.cells[cell] = value;
        match self.fault {
            Some(Fault::Inverting { aggressor, victim, on })
                if aggressor == cell && change == Some(on) =>
            {
                self.cells[victim] = !self.cells[victim];
            }
            Some(Fault::Idempotent { aggressor, victim, on, value })
                if aggressor == cell && change == Some(on) =>
            {
                self.cells[victim] = value;
            }
            _ => {}
        }
    }

    /// What holds all the time, whatever was written.
    fn settle(&mut self) {
        match self.fault {
            Some(Fault::StuckAt { cell, value }) => self.cells[cell] = value,
            Some(Fault::State { aggressor, victim, state, value })
                if self.cells[aggressor] == state =>
            {
                self.cells[victim] = value;
            }
            _ => {}
        }
    }
}
