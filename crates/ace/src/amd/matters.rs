//! What matters of the results of an instruction.

use upset_gcn::wave::WAVE;
use upset_lanes::{Lanes, WARP};

use crate::needs::Need;

/// Vector registers that an instruction can write.
pub(crate) const WORDS: usize = 5;
/// Scalar registers that an instruction which computes can write.
pub(crate) const SCALARS: usize = 8;

/// Bits of results that matter, alone and jointly ([`crate::needs`]): vector
/// words in two halves, and scalar ones in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matters {
    pub(crate) alone: [[Lanes; 2]; WORDS],
    pub(crate) jointly: [[Lanes; 2]; WORDS],
    pub(crate) scalars: [Need; SCALARS],
}

impl Matters {
    /// Nothing does.
    pub(crate) const NOTHING: Matters = Matters::each(0);
    /// Everything does.
    pub(crate) const ALL: Matters = Matters::each(!0);

    const fn each(bits: u32) -> Matters {
        let words = [[[bits; WARP]; 2]; WORDS];
        let need = Need { alone: bits, jointly: bits, passes: 0, slips: 0 };
        Matters { alone: words, jointly: words, scalars: [need; SCALARS] }
    }

    /// What is needed of a value that goes as it is to a word of a lane.
    pub(crate) fn moved(&self, word: usize, lane: usize) -> Need {
        let (half, l) = (lane / WARP, lane % WARP);
        let (alone, jointly) = (self.alone[word][half][l], self.jointly[word][half][l]);
        Need::moved(Need { alone, jointly, ..Need::default() }, jointly != 0)
    }

    /// Lanes of which some word may matter.
    pub(crate) fn lanes(&self) -> u64 {
        let mut words = [[0; WARP]; 2];
        for word in &self.jointly {
            for half in 0..2 {
                for l in 0..WARP {
                    words[half][l] |= word[half][l];
                }
            }
        }
        let lane = |l: usize| u64::from(words[l / WARP][l % WARP] != 0) << l;
        (0..WAVE).fold(0, |all, l| all | lane(l))
    }

    /// Whether some of the first so many scalar results may.
    pub(crate) fn any_scalar(&self) -> bool {
        self.scalars.iter().any(|n| n.jointly != 0)
    }
}
