//! What one work-group did, in order, as far as the way back needs it.

use std::collections::BTreeMap;

use upset_cu::{Issued, Stage};

use super::held::{Given, Held};

/// An instruction of a part of the trace that was dealt with before.
const GONE: u32 = u32::MAX;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It read its operands; what computes wrote its results as well.
    Issued,
    /// The data of a store was read.
    Taken,
    /// LDS was accessed.
    Shared,
    /// The result of a memory instruction was written.
    Completed,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) cycle: u64,
    pub(crate) what: What,
    /// Number of the instruction.
    pub(crate) inst: u32,
}

/// One instruction of one wave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) pc: u32,
    /// Number of the wave in its work-group.
    pub(crate) wave: u32,
    /// Its first word in [`Trace::values`].
    pub(crate) values: u32,
    /// It goes to memory. Memory instructions that do nothing do not.
    pub(crate) begun: bool,
}

/// The trace of a work-group, or of the newest part of it.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) items: Vec<Item>,
    pub(crate) done: Vec<Done>,
    pub(crate) values: Vec<u32>,
    /// By wave: its newest instruction.
    newest: Vec<u32>,
    /// By the number of an access: its instruction.
    under_way: BTreeMap<u32, u32>,
}

impl Trace {
    /// An instruction reads its operands.
    pub(crate) fn issued(&mut self, i: &Issued<'_>, given: Given, held: &mut Held) {
        let values = self.values.len() as u32;
        held.record(i.operands, i.inst, given, &mut self.values);
        self.add(i.cycle, Done { pc: i.pc, wave: i.wave, values, begun: false });
    }

    /// An instruction whose values are there.
    pub(crate) fn add(&mut self, cycle: u64, done: Done) {
        let (number, wave) = (self.done.len() as u32, done.wave as usize);
        self.done.push(done);
        self.items.push(Item { cycle, what: What::Issued, inst: number });
        if self.newest.len() <= wave {
            self.newest.resize(wave + 1, GONE);
        }
        self.newest[wave] = number;
    }

    /// The newest instruction of a wave goes to memory.
    pub(crate) fn begun(&mut self, wave: u32, access: u32) {
        let number = self.newest.get(wave as usize).copied().unwrap_or(GONE);
        if let Some(done) = self.done.get_mut(number as usize) {
            done.begun = true;
        }
        self.under_way.insert(access, number);
    }

    /// A memory instruction goes on.
    pub(crate) fn stepped(&mut self, cycle: u64, access: u32, stage: Stage) {
        let (what, inst) = match stage {
            Stage::Begun { .. } => return,
            Stage::Taken => (What::Taken, self.under_way.get(&access).copied()),
            Stage::Shared => (What::Shared, self.under_way.get(&access).copied()),
            Stage::Completed => (What::Completed, self.under_way.remove(&access)),
        };
        if let Some(inst) = inst.filter(|i| *i != GONE) {
            self.items.push(Item { cycle, what, inst });
        }
    }

    /// Instructions that have not ended: nothing is known of their results.
    pub(crate) fn open(&self) -> impl Iterator<Item = u32> {
        self.under_way.values().copied().filter(|i| *i != GONE)
    }

    /// Forgets what was dealt with. What is under way may still end.
    pub(crate) fn cut(&mut self) {
        self.items.clear();
        self.done.clear();
        self.values.clear();
        self.newest.fill(GONE);
        self.under_way.values_mut().for_each(|inst| *inst = GONE);
    }
}
