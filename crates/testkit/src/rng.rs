//! A counter-based random generator: value `i` of stream `seed` is a pure
//! function of both, so any part of a sequence can be made anew.

/// The generator (splitmix64 over a keyed counter).
#[derive(Clone, Debug)]
pub struct Rng {
    key: u64,
    counter: u64,
}

/// The finaliser of splitmix64, a bijection that mixes well.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The odd constant that steps the counter.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Rng {
    /// Stream `seed`.
    pub fn new(seed: u64) -> Rng {
        Rng { key: mix(seed.wrapping_add(GOLDEN)), counter: 0 }
    }

    /// The next 64 bits.
    pub fn u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(GOLDEN);
        mix(self.key ^ mix(self.counter))
    }

    /// The next 32 bits.
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.u32()) * u64::from(n)) >> 32) as u32
    }

    /// One element of a slice.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let take = |seed| {
            let mut r = Rng::new(seed);
            [r.u64(), r.u64(), r.u64()]
        };
        assert_eq!(take(1), take(1));
        assert_ne!(take(1), take(2));
    }

    #[test]
    fn below_reaches_every_value() {
        let mut r = Rng::new(7);
        let mut seen = [false; 6];
        (0..200).for_each(|_| seen[r.below(6) as usize] = true);
        assert_eq!(seen, [true; 6]);
    }
}
