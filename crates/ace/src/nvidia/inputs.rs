//! What an instruction reads, and the values of it.

use upset_isa::{Inst, Lanes, Mask, RZ, Src, URZ, Width};

use crate::rows::unpack;

/// Something that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A vector register.
    Reg(u8),
    /// A uniform register.
    UReg(u8),
    /// A predicate: its lanes are the bits of lane 0's word.
    Pred(u8),
    /// A uniform predicate, likewise.
    UPred(u8),
}

/// Operand values of an arithmetic instruction.
pub(crate) struct Values {
    pub(crate) rows: [Lanes; 6],
    pub(crate) preds: [Mask; 3],
}

impl Values {
    /// From the words that a trace keeps.
    pub(crate) fn unpack(words: &[u32], mut at: usize) -> Values {
        let rows = std::array::from_fn(|_| unpack(words, &mut at));
        let preds = words.get(at..).and_then(|w| w.first_chunk()).copied().unwrap_or_default();
        Values { rows, preds }
    }
}

/// The registers behind the six operand rows.
pub(crate) fn inputs(inst: &Inst) -> [Option<Input>; 6] {
    let mut inputs = [None; 6];
    for (i, src) in inst.src.iter().enumerate() {
        let (low, high) = match *src {
            Src::Reg(r, w) => {
                let high = (w != Width::W1).then(|| r.saturating_add(1)).filter(|&r| r != RZ);
                ((r != RZ).then_some(Input::Reg(r)), high.map(Input::Reg))
            }
            Src::UReg(r, w) => {
                let high = (w != Width::W1 && r < URZ).then(|| r + 1).filter(|&r| r < URZ);
                ((r < URZ).then_some(Input::UReg(r)), high.map(Input::UReg))
            }
            _ => (None, None),
        };
        inputs[2 * i] = low;
        inputs[2 * i + 1] = high;
    }
    inputs
}
