//! Draws of experiments.
//!
//! The generator's key is the seed and the stream, its counter the experiment's
//! number and the draw's: any draw of any experiment can be made without the
//! ones before it, and none depends on who makes it or in which order.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use upset_state::random::philox;
use xxhash_rust::xxh3::xxh3_64;

/// What a series of draws follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The campaign's seed.
    pub seed: u64,
    /// The stratum's own number.
    pub stream: u64,
}

impl Key {
    /// The key of the stratum with this label.
    pub fn new(seed: u64, label: &str) -> Key {
        Key { seed, stream: xxh3_64(label.as_bytes()) }
    }
}

/// The random numbers of one experiment.
#[derive(Clone, Debug)]
pub struct Draws {
    key: [u64; 2],
    number: u64,
    block: u64,
    words: [u64; 4],
    used: usize,
}

impl Draws {
    /// The numbers of experiment `number`.
    pub fn new(key: Key, number: u64) -> Draws {
        Draws { key: [key.seed, key.stream], number, block: 0, words: [0; 4], used: 4 }
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        if self.used == 4 {
            self.words = philox([self.block, self.number, 0, 0], self.key);
            self.block += 1;
            self.used = 0;
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// A number below `limit`, each equally likely; 0 when `limit` is 0.
    ///
    /// D. Lemire, "Fast random integer generation in an interval", 2019: the
    /// high half of a product, with the few low halves that would favour some
    /// numbers drawn again.
    pub fn below(&mut self, limit: u64) -> u64 {
        let uneven = if limit == 0 { 0 } else { limit.wrapping_neg() % limit };
        loop {
            let product = u128::from(self.word()) * u128::from(limit);
            if product as u64 >= uneven {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number below a limit of more than 64 bits: draws as many bits as the
    /// limit has until the number is below it.
    pub fn below_wide(&mut self, limit: u128) -> u128 {
        if let Ok(limit) = u64::try_from(limit) {
            return u128::from(self.below(limit));
        }
        let spare = (limit - 1).leading_zeros();
        loop {
            let high = u128::from(self.word()) << 64;
            let drawn = (high | u128::from(self.word())) >> spare;
            if drawn < limit {
                return drawn;
            }
        }
    }

    /// A fair coin.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// `count` distinct numbers below `limit`, ascending, every set of them
    /// equally likely (R. W. Floyd's way); all numbers when there are fewer.
    pub fn distinct(&mut self, count: u64, limit: u64) -> Vec<u64> {
        let mut set = BTreeSet::new();
        for top in limit.saturating_sub(count)..limit {
            let drawn = self.below(top + 1);
            if !set.insert(drawn) {
                set.insert(top);
            }
        }
        set.into_iter().collect()
    }

    /// `count` distinct numbers below `limit` of which `with` is one.
    pub fn distinct_with(&mut self, with: u64, count: u64, limit: u64) -> Vec<u64> {
        let others = self.distinct(count.saturating_sub(1), limit.saturating_sub(1));
        let mut all: Vec<u64> = others.into_iter().map(|n| n + u64::from(n >= with)).collect();
        let at = all.partition_point(|n| *n < with);
        all.insert(at, with);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_numbers_differ() {
        let first = |seed, label, number| Draws::new(Key::new(seed, label), number).word();
        let all = [first(1, "a", 0), first(2, "a", 0), first(1, "b", 0), first(1, "a", 1)];
        let distinct: BTreeSet<u64> = all.into_iter().collect();
        assert_eq!(distinct.len(), 4);
        assert_eq!(first(1, "a", 0), first(1, "a", 0));
    }

    #[test]
    fn bounded_numbers_are_even() {
        let mut draws = Draws::new(Key::new(7, "even"), 0);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[draws.below(6) as usize] += 1;
        }
        // 10,000 each with a deviation of 91.
        assert!(counts.iter().all(|c| c.abs_diff(10_000) < 450), "{counts:?}");
        // Two thirds of the range, where taking the remainder would be far off.
        let limit = u64::MAX / 3 * 2;
        let low = (0..60_000).filter(|_| draws.below(limit) < limit / 2).count();
        assert!(low.abs_diff(30_000) < 600, "{low}");
        let limit = 3u128 << 90;
        let low = (0..60_000).filter(|_| draws.below_wide(limit) < 1 << 90).count();
        assert!(low.abs_diff(20_000) < 600, "{low}");
        assert_eq!(draws.below(1), 0);
        assert_eq!(draws.below(0), 0);
        assert_eq!(draws.below_wide(0), 0);
    }

    #[test]
    fn every_set_is_equally_likely() {
        let mut draws = Draws::new(Key::new(7, "sets"), 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..20_000 {
            *counts.entry(draws.distinct(2, 5)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 10);
        assert!(counts.values().all(|c| c.abs_diff(2000) < 250), "{counts:?}");
        assert_eq!(draws.distinct(9, 3), [0, 1, 2]);
        for _ in 0..100 {
            let with = draws.distinct_with(3, 3, 5);
            assert!(with.len() == 3 && with.contains(&3) && with.is_sorted(), "{with:?}");
        }
    }
}
