//! Digests: 128 bits that tell whether two states are the same.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::Xxh3;

/// Small values gather here before they are hashed.
const GATHER: usize = 4096;

/// Takes in values one after the other and makes 128 bits of them.
///
/// Whoever gives it a time gives it relative to now, and leaves out what nobody
/// can see any more: equal digests shall mean that all that follows is equal.
#[derive(Default)]
pub struct Digest {
    gathered: Vec<u8>,
    hash: Xxh3,
}

impl Digest {
    /// Nothing taken in yet.
    pub fn new() -> Digest {
        Digest { gathered: Vec::with_capacity(GATHER + 256), hash: Xxh3::new() }
    }

    fn pass_on(&mut self) {
        self.hash.update(&self.gathered);
        self.gathered.clear();
    }

    /// Takes in bytes as they are; their number is not taken in.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        if bytes.len() >= GATHER {
            self.pass_on();
            self.hash.update(bytes);
            return;
        }
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= GATHER {
            self.pass_on();
        }
    }

    /// Takes in a number.
    #[inline]
    pub fn put(&mut self, number: impl Into<u64>) {
        self.bytes(&number.into().to_le_bytes());
    }

    /// Takes in a row of words.
    #[inline]
    pub fn words(&mut self, words: &[u32]) {
        let from = self.gathered.len();
        self.gathered.resize(from + 4 * words.len(), 0);
        for (to, word) in self.gathered[from..].chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        if self.gathered.len() >= GATHER {
            self.pass_on();
        }
    }

    /// Takes in a number of things.
    pub fn count(&mut self, n: usize) {
        self.put(n as u64);
    }

    /// Takes in a time of which only `max(now, time)` is ever used;
    /// `u64::MAX` means never.
    #[inline]
    pub fn time(&mut self, now: u64, at: u64) {
        self.put(if at == u64::MAX { at } else { at.saturating_sub(now) });
    }

    /// Takes in a value by its derived hash. Not for values with addresses or
    /// function pointers in them: those differ from process to process.
    pub fn value(&mut self, value: &impl Hash) {
        value.hash(self);
    }

    /// The digest of everything taken in.
    pub fn finish128(mut self) -> u128 {
        self.pass_on();
        self.hash.digest128()
    }
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
    }

    fn finish(&self) -> u64 {
        let mut hash = self.hash.clone();
        hash.update(&self.gathered);
        hash.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_values_are_cut_into_calls_does_not_matter() {
        let long: Vec<u8> = (0..20_000u32).map(|i| i as u8).collect();
        let mut whole = Digest::new();
        whole.bytes(&long);
        let mut pieces = Digest::new();
        long.chunks(777).for_each(|p| pieces.bytes(p));
        assert_eq!(whole.finish128(), pieces.finish128());
        let words: Vec<u32> = (0..3000).collect();
        let mut a = Digest::new();
        a.words(&words);
        let mut b = Digest::new();
        words.iter().for_each(|w| b.bytes(&w.to_le_bytes()));
        assert_eq!(a.finish128(), b.finish128());
    }

    #[test]
    fn the_past_is_one_time_and_never_another() {
        let of = |now, at| {
            let mut d = Digest::new();
            d.time(now, at);
            d.finish128()
        };
        assert_eq!(of(10, 3), of(10, 10));
        assert_eq!(of(10, 12), of(110, 112));
        assert_ne!(of(10, 11), of(10, 10));
        assert_ne!(of(10, u64::MAX), of(11, u64::MAX - 1));
        assert_eq!(of(10, u64::MAX), of(11, u64::MAX));
    }
}
