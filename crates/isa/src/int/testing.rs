//! Runs an [`AluFn`] on plain values, for tests.

use crate::{AluFn, Lanes, Results, Sources, WARP};

/// Operands of one run; the lanes hold different values.
#[derive(Clone, Debug)]
pub struct Operands {
    pub r: [Lanes; 6],
    pub p: [u32; 3],
    pub active: u32,
}

impl Default for Operands {
    fn default() -> Self {
        Operands { r: [[0; WARP]; 6], p: [0; 3], active: u32::MAX }
    }
}

impl Operands {
    /// Three 32-bit sources, the same in every lane.
    pub fn splat(a: u32, b: u32, c: u32) -> Operands {
        let mut o = Operands::default();
        (o.r[0], o.r[2], o.r[4]) = ([a; WARP], [b; WARP], [c; WARP]);
        o
    }

    /// Runs `f`.
    pub fn run(&self, f: AluFn, mods: u32) -> Results {
        let s = Sources { r: self.r.each_ref(), p: self.p, active: self.active };
        let mut out = Results::default();
        f(mods, &s, &mut out);
        out
    }

    /// Source words of one lane.
    pub fn lane(&self, lane: usize) -> [u32; 6] {
        self.r.map(|row| row[lane])
    }

    /// Predicate sources of one lane.
    pub fn preds(&self, lane: usize) -> [bool; 3] {
        self.p.map(|p| p >> lane & 1 == 1)
    }
}

/// Result words and predicates of one lane.
pub fn of_lane(r: &Results, lane: usize) -> (u32, u32, bool, bool) {
    (r.d[0][lane], r.d[1][lane], r.p[0] >> lane & 1 == 1, r.p[1] >> lane & 1 == 1)
}

/// Operands with the values where carries, signs and shifts change meaning.
pub fn operands() -> impl proptest::strategy::Strategy<Value = Operands> {
    use proptest::prelude::*;
    let word = prop_oneof![
        4 => any::<u32>(),
        2 => prop::sample::select(vec![
            0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff,
            0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff,
        ]),
        1 => 0u32..80,
    ];
    // A vector, not nested arrays: those overflow the stack of a test thread.
    (prop::collection::vec(word, 6 * WARP), any::<[u32; 3]>(), any::<u32>()).prop_map(
        |(words, p, active)| {
            let r = std::array::from_fn(|n| std::array::from_fn(|lane| words[n * WARP + lane]));
            Operands { r, p, active }
        },
    )
}
