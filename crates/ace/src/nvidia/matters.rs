//! What matters of the results of an instruction.

use upset_isa::{Lanes, Mask, WARP};

use crate::needs::Need;

/// Bits of results that matter, alone and jointly ([`crate::needs`]): up to four
/// words of each lane, two predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matters {
    pub(crate) alone: [Lanes; 4],
    pub(crate) jointly: [Lanes; 4],
    pub(crate) preds_alone: [Mask; 2],
    pub(crate) preds: [Mask; 2],
}

impl Matters {
    /// Nothing does.
    pub(crate) const NOTHING: Matters = Matters::each(0);
    /// Everything does.
    pub(crate) const ALL: Matters = Matters::each(!0);

    const fn each(bits: u32) -> Matters {
        let words = [[bits; WARP]; 4];
        Matters { alone: words, jointly: words, preds_alone: [bits; 2], preds: [bits; 2] }
    }

    /// What is needed of a value that goes as it is to a word of a lane.
    pub(crate) fn moved(&self, word: usize, lane: usize) -> Need {
        let (alone, jointly) = (self.alone[word][lane], self.jointly[word][lane]);
        Need::moved(Need { alone, jointly, ..Need::default() }, jointly != 0)
    }

    /// Lanes of which something may matter.
    pub(crate) fn lanes(&self) -> Mask {
        let mut lanes = self.preds[0] | self.preds[1];
        for l in 0..WARP {
            let any = self.jointly.iter().fold(0, |all, w| all | w[l]);
            lanes |= u32::from(any != 0) << l;
        }
        lanes
    }
}
