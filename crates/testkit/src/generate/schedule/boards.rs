//! Scoreboards: which one an instruction uses, and which ones others wait for.

use super::blocks::Block;
use super::effects::{RESOURCES, Timing};
use super::item::Item;
use crate::Rng;
use crate::asm::Control;

/// Scoreboards of a warp.
const BOARDS: u32 = 6;
/// All of them.
const ALL: u8 = (1 << BOARDS) - 1;

/// The scoreboards that an instruction itself uses.
pub(crate) fn choose(item: &Item) -> Control {
    let mut rng = Rng::new(item.key ^ 0xb0a2d);
    let mut control = Control::stall(1);
    let e = &item.effects;
    let reads = e.registers().next().is_some();
    let write = rng.below(BOARDS) as u8;
    // Another one: a counter of both would fall twice.
    let read = ((u32::from(write) + 1 + rng.below(BOARDS - 1)) % BOARDS) as u8;
    match e.timing {
        Timing::Variable => {
            control.write = Some(write);
            // The result's arrival tells as well that operands were read.
            control.read = (reads && rng.below(2) == 0).then_some(read);
        }
        Timing::Late => control.read = reads.then_some(read),
        Timing::Fixed | Timing::None => {}
    }
    control
}

/// For each resource the scoreboards to wait for before it is read or written
/// (`writes`), or only before it is written (`reads`).
#[derive(Clone, PartialEq, Eq)]
struct Pending {
    writes: [u8; RESOURCES],
    reads: [u8; RESOURCES],
}

impl Pending {
    const NONE: Pending = Pending { writes: [0; RESOURCES], reads: [0; RESOURCES] };

    fn all(&self) -> u8 {
        self.writes.iter().chain(&self.reads).fold(0, |m, b| m | b) & ALL
    }

    fn join(&mut self, other: &Pending) -> bool {
        let before = self.clone();
        for i in 0..RESOURCES {
            self.writes[i] |= other.writes[i];
            self.reads[i] |= other.reads[i];
        }
        *self != before
    }

    /// Passes an instruction: what it must wait for, and what it leaves behind.
    fn pass(&mut self, item: &Item, control: &mut Control) {
        let e = &item.effects;
        let mut wait = control.wait;
        for &(r, _) in &e.reads {
            wait |= self.writes[r];
        }
        for &r in &e.writes {
            wait |= self.writes[r] | self.reads[r];
        }
        if e.call {
            wait |= self.all();
        }
        control.wait = wait;
        for b in self.writes.iter_mut().chain(&mut self.reads) {
            *b &= !wait;
        }
        let bit = |b: Option<u8>| b.map_or(0, |n| 1u8 << n);
        let read = if control.read.is_some() { bit(control.read) } else { bit(control.write) };
        for r in e.registers() {
            self.reads[r] |= read;
        }
        for &r in &e.writes {
            self.writes[r] |= bit(control.write);
        }
    }
}

/// Sets the wait masks: a fixed point over all ways through the code. Masks
/// and states only ever grow on the way there, so it ends, and every state
/// covers what the blocks before it leave behind.
pub(crate) fn waits(items: &[Item], blocks: &[Block], controls: &mut [Control]) {
    let mut before = vec![Pending::NONE; blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, block) in blocks.iter().enumerate() {
            let mut state = before[i].clone();
            for at in block.range.clone() {
                state.pass(&items[at], &mut controls[at]);
            }
            for &next in &block.next {
                changed |= before[next].join(&state);
            }
        }
    }
}
