//! What the reads of March C- expect, and how much of it a level asks for.

use crate::march::algorithms::MARCH_C_MINUS;
use crate::march::{BACKGROUNDS, Op};
use crate::{About, Kind, Level};

/// One read of the test: its element, and whether it expects the complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// `⇑(r0,w1)`.
    pub element: String,
    /// Whether the complement of the background is expected.
    pub inverted: bool,
}

impl Read {
    /// The word that is expected with a background.
    pub fn expected(&self, background: u32) -> u32 {
        if self.inverted { !background } else { background }
    }

    /// How findings call it.
    pub fn operation(&self, background: u32) -> String {
        format!("March C- {} of {background:08x}", self.element)
    }
}

/// The reads of March C- in order: the kernels keep one word for each.
pub fn reads() -> Vec<Read> {
    let march = MARCH_C_MINUS.march();
    let of = |e: &crate::march::Element| {
        let element = e.to_string();
        let read = move |op: &Op| match *op {
            Op::Read(inverted) => Some(Read { element: element.clone(), inverted }),
            Op::Write(_) => None,
        };
        e.ops.iter().filter_map(read).collect::<Vec<_>>()
    };
    march.elements().iter().flat_map(of).collect()
}

/// Backgrounds that a level asks for: all six, but on the model, where cells of
/// one word do not disturb each other, level 1 goes through two.
pub fn backgrounds(about: &About, level: Level) -> &'static [u32] {
    match (about.kind, level) {
        (Kind::Model, Level::One) => &BACKGROUNDS[..2],
        _ => &BACKGROUNDS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernels are written for exactly these reads.
    #[test]
    fn kernels_keep_five_reads_that_take_turns() {
        let inverted: Vec<bool> = reads().iter().map(|r| r.inverted).collect();
        assert_eq!(inverted, [false, true, false, true, false]);
        assert_eq!(reads()[1].operation(0x5555_5555), "March C- ⇑(r1,w0) of 55555555");
        assert_eq!(reads()[1].expected(0x5555_5555), 0xaaaa_aaaa);
    }
}
