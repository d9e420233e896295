//! Runs a [`VectorFn`] on plain values, for tests.

use proptest::prelude::*;
use upset_lanes::{Lanes, Mask, WARP};

use super::Mode;
use super::vector::{Results, Sources, VectorFn};

/// Operands of one run.
#[derive(Clone, Debug)]
pub struct Inputs {
    rows: [Lanes; 6],
    bits: Mask,
    mode: Mode,
    first: u32,
}

impl Inputs {
    /// Three 32-bit sources, the same in every lane.
    pub fn of([a, b, c]: [u32; 3]) -> Inputs {
        Inputs::of64([a, b, c].map(u64::from))
    }

    /// Three 64-bit sources, the same in every lane.
    pub fn of64(sources: [u64; 3]) -> Inputs {
        let rows = std::array::from_fn(|n| [(sources[n / 2] >> (32 * (n % 2))) as u32; WARP]);
        Inputs { rows, bits: 0, mode: Mode(0), first: 0 }
    }

    /// With another value of the low word of source `n` in every lane.
    pub fn each(mut self, n: usize, f: impl Fn(u32) -> u32) -> Inputs {
        self.rows[2 * n] = std::array::from_fn(|l| f(l as u32));
        self
    }

    /// With this bit in every lane.
    pub fn bits(self, on: bool) -> Inputs {
        Inputs { bits: Mask::from(on).wrapping_neg(), ..self }
    }

    /// With these bits.
    pub fn mask(self, bits: Mask) -> Inputs {
        Inputs { bits, ..self }
    }

    /// With a mode.
    pub fn mode(self, mode: u32) -> Inputs {
        Inputs { mode: Mode(mode), ..self }
    }

    /// Of the upper half of a wave.
    pub fn upper(self) -> Inputs {
        Inputs { first: 32, ..self }
    }

    /// Runs `f`.
    pub fn run(&self, f: VectorFn) -> Results {
        let sources = Sources {
            r: self.rows.each_ref(),
            bits: self.bits,
            active: Mask::MAX,
            mode: self.mode,
            first: self.first,
        };
        let mut results = Results::default();
        f(&sources, &mut results);
        results
    }

    /// The last lane's word and bit.
    pub fn lane(&self, f: VectorFn) -> (u32, bool) {
        let results = self.run(f);
        (results.d[0][31], results.bits >> 31 == 1)
    }

    /// The last lane's two words and bit.
    pub fn lane64(&self, f: VectorFn) -> (u64, bool) {
        let results = self.run(f);
        let value = u64::from(results.d[0][31]) | u64::from(results.d[1][31]) << 32;
        (value, results.bits >> 31 == 1)
    }
}

/// Any word, and often one at the edge of something.
pub fn edges32() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => any::<u32>(),
        1 => prop::sample::select(vec![0, 1, 31, 32, 0x7f_ffff, 0x80_0000, 0xff_ffff]),
        1 => prop::sample::select(vec![i32::MAX as u32, 1 << 31, u32::MAX, u32::MAX - 1]),
    ]
}

/// Bits of a single: numbers of all sizes and often a special one.
pub fn singles() -> impl Strategy<Value = u32> {
    prop_oneof![
        3 => any::<u32>(),
        2 => (any::<bool>(), 110u32..145, any::<u32>())
            .prop_map(|(n, e, f)| u32::from(n) << 31 | e << 23 | f >> 9),
        1 => (any::<bool>(), any::<u32>()).prop_map(|(n, f)| u32::from(n) << 31 | f >> 9),
        1 => (any::<bool>(), prop::sample::select(vec![
            0, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x4000_0000, 0x7f7f_ffff, 0x7f80_0000,
            0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff,
        ])).prop_map(|(n, x)| u32::from(n) << 31 | x),
    ]
}

/// Bits of a double.
pub fn doubles() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => any::<u64>(),
        2 => (any::<bool>(), 990u64..1060, any::<u64>())
            .prop_map(|(n, e, f)| u64::from(n) << 63 | e << 52 | f >> 12),
        1 => (any::<bool>(), any::<u64>()).prop_map(|(n, f)| u64::from(n) << 63 | f >> 12),
        1 => (any::<bool>(), prop::sample::select(vec![
            0, 1, (1 << 52) - 1, 1 << 52, 0x3ff << 52, 1 << 62, (0x7ff << 52) - 1, 0x7ff << 52,
            0x7ff << 52 | 1, 0xfff << 51,
        ])).prop_map(|(n, x)| u64::from(n) << 63 | x),
    ]
}

/// Any mode of rounding and denormals, the usual ones often.
pub fn modes() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..256, Just(0xc0), Just(0xf0), Just(0)]
}
