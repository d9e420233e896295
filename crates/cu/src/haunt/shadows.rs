//! What a compute unit keeps of ghosts: their parts in what is in flight and in
//! the instruction that issues.

use std::collections::BTreeMap;

use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;
use upset_gcn::wave::{Outcome, Reg, Returned, WAVE};
use upset_lanes::{Lanes, Mask};

use crate::access::Raw;

/// A ghost's part in a memory instruction.
#[derive(Clone)]
pub(crate) struct Shadow {
    pub(super) ghost: u32,
    pub(super) raw: Raw,
    pub(super) returned: Returned,
    pub(super) operands: [[u64; WAVE]; 3],
}

/// Ghosts' parts in what is in flight, and in the instruction that issues.
#[derive(Clone, Default)]
pub(crate) struct Shadows {
    pub(super) accesses: BTreeMap<u32, Vec<Shadow>>,
    /// What ghosts write with the instruction that issues.
    pub(super) issuing: Vec<Written>,
    /// Who has a part in it.
    pub(super) involved: Vec<u32>,
}

/// What a ghost writes.
#[derive(Clone)]
pub(crate) struct Written {
    pub(super) ghost: u32,
    /// Halves of vector registers: number, half, lanes, values.
    pub(super) rows: Vec<(u32, usize, Mask, Lanes)>,
    pub(super) scalars: Vec<(Reg, u32)>,
}

impl Written {
    /// What an instruction without memory writes.
    pub(super) fn of_outcome(ghost: u32, outcome: &Outcome) -> Written {
        let mut rows = Vec::new();
        for word in 0..usize::from(outcome.rows.count) {
            for half in 0..2 {
                let mask = outcome.rows.lanes[half];
                if mask != 0 {
                    let n = outcome.rows.first + word as u32;
                    rows.push((n, half, mask, outcome.vector[half].d[word]));
                }
            }
        }
        Written { ghost, rows, scalars: outcome.scalars.list().to_vec() }
    }

    /// What a memory instruction's answer writes.
    pub(super) fn of_returned(ghost: u32, inst: &Inst, returned: &Returned, lanes: u64) -> Written {
        let mut rows = Vec::new();
        if let Operand::Vgpr(first) = inst.dst {
            let count = usize::from(inst.result_dwords()).min(returned.words.len());
            for (n, word) in returned.words[..count].iter().enumerate() {
                for (half, value) in word.iter().enumerate() {
                    let mask = (lanes >> (32 * half)) as Mask;
                    if mask != 0 {
                        rows.push((u32::from(first) + n as u32, half, mask, *value));
                    }
                }
            }
        }
        Written { ghost, rows, scalars: Vec::new() }
    }
}
