//! Broken bits, found by their place. Stuck ones are masks of words: a whole
//! bank costs what one bit costs.

use std::collections::BTreeMap;

use crate::bits::{Bytes, Words};
use crate::quirks::Quirks;
use crate::{ArrayId, Bits, Force, Stored, Use};

/// Stuck bits of 64 that lie side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldWord {
    /// Ones where a bit is stuck.
    pub mask: u64,
    /// What they are stuck at; zero elsewhere.
    pub value: u64,
}

/// Bits that are stuck or misbehave, found by their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Words with stuck bits by array and number, both ascending; none is empty.
    arrays: Vec<(ArrayId, BTreeMap<u64, HeldWord>)>,
    /// Bits that misbehave in other ways.
    pub quirks: Quirks,
}

impl Held {
    /// Whether no bit is broken.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty() && self.quirks.is_empty()
    }

    /// Whether a bit of an array is broken.
    #[inline]
    pub fn has(&self, array: ArrayId) -> bool {
        !self.is_empty() && (self.find(array).is_ok() || self.quirks.has(array))
    }

    fn find(&self, array: ArrayId) -> Result<usize, usize> {
        self.arrays.binary_search_by_key(&array, |(id, _)| *id)
    }

    /// A bit is stuck from now on.
    pub fn hold(&mut self, force: Force) {
        let at = self.find(force.array).unwrap_or_else(|at| {
            self.arrays.insert(at, (force.array, BTreeMap::new()));
            at
        });
        let word = self.arrays[at].1.entry(force.bit / 64).or_default();
        let bit = 1 << (force.bit % 64);
        word.mask |= bit;
        word.value = word.value & !bit | u64::from(force.value) << (force.bit % 64);
    }

    /// A bit is no longer stuck at that value.
    pub fn let_go(&mut self, force: Force) {
        let Ok(at) = self.find(force.array) else { return };
        let words = &mut self.arrays[at].1;
        let Some(word) = words.get_mut(&(force.bit / 64)) else { return };
        let bit = 1 << (force.bit % 64);
        if word.mask & bit == 0 || (word.value & bit != 0) != force.value {
            return;
        }
        word.mask &= !bit;
        word.value &= !bit;
        if word.mask == 0 {
            words.remove(&(force.bit / 64));
            if words.is_empty() {
                self.arrays.remove(at);
            }
        }
    }

    /// The words of an array that have stuck bits: number (bit 0 of word n is
    /// bit 64 n of the array) and bits, ascending.
    pub fn words(&self, array: ArrayId) -> impl Iterator<Item = (u64, HeldWord)> {
        let words = self.find(array).ok().map(|at| &self.arrays[at].1);
        words.into_iter().flatten().map(|(number, word)| (*number, *word))
    }

    /// Every stuck bit, by array and number.
    pub fn forces(&self) -> impl Iterator<Item = Force> {
        self.arrays.iter().flat_map(|(array, words)| {
            words.iter().flat_map(move |(number, word)| {
                (0..64).filter(|i| word.mask >> i & 1 == 1).map(move |i| Force {
                    array: *array,
                    bit: number * 64 + i,
                    value: word.value >> i & 1 == 1,
                })
            })
        })
    }

    /// Gives stuck bits their value among `count` units of `UNIT` bits each
    /// that lie from bit `first` of an array on: `put` is told unit, mask and value.
    #[inline]
    fn each<const UNIT: u32>(
        &self,
        array: ArrayId,
        first: u64,
        count: usize,
        mut put: impl FnMut(usize, u64, u64),
    ) {
        let Ok(at) = self.find(array) else { return };
        let end = first.saturating_add(count as u64 * u64::from(UNIT));
        if first == end {
            return;
        }
        for (&number, word) in self.arrays[at].1.range(first / 64..=(end - 1) / 64) {
            let start = number * 64;
            // Units that overlap with the word, whether or not they are aligned to it.
            let low = start.max(first);
            let high = (start + 63).min(end - 1);
            let units = (low - first) / u64::from(UNIT)..=(high - first) / u64::from(UNIT);
            for unit in units {
                let begin = first + unit * u64::from(UNIT);
                let part = |bits: u64| match begin >= start {
                    true => bits >> (begin - start),
                    false => bits << (start - begin),
                };
                put(unit as usize, part(word.mask), part(word.value));
            }
        }
    }

    /// Words were stored from bit `first` on: stuck bits among them get their value back.
    #[inline]
    pub fn force_words(&self, array: ArrayId, first: u64, words: &mut [u32]) {
        self.each::<32>(array, first, words.len(), |i, mask, value| {
            words[i] = words[i] & !(mask as u32) | value as u32;
        });
    }

    /// Bytes were stored from bit `first` on: stuck bits among them get their value back.
    #[inline]
    pub fn force_bytes(&self, array: ArrayId, first: u64, bytes: &mut [u8]) {
        self.each::<8>(array, first, bytes.len(), |i, mask, value| {
            bytes[i] = bytes[i] & !(mask as u8) | value as u8;
        });
    }

    /// Words were stored: stuck bits among them get their value back, those that
    /// misbehave do where they were written.
    #[inline]
    pub fn store_words(&self, of: Stored, words: &mut [u32]) {
        self.force_words(of.array, of.first, words);
        self.act(of, &mut Words(words));
    }

    /// Bytes were stored.
    #[inline]
    pub fn store_bytes(&self, of: Stored, bytes: &mut [u8]) {
        self.force_bytes(of.array, of.first, bytes);
        self.act(of, &mut Bytes(bytes));
    }

    #[inline]
    fn act(&self, of: Stored, bits: &mut dyn Bits) {
        if !self.quirks.is_empty() {
            let Stored { array, first, now, extent } = of;
            let is_used = |bit: u64| extent.covers(array.kind, bit);
            self.quirks.act(&Use::new(array, first, now), bits, &is_used);
        }
    }

    /// A wire is driven with words: broken bits among them are what they are.
    pub fn drive(&self, of: &Use<'_>, words: &mut [u32]) {
        self.force_words(of.array, of.first, words);
        if !self.quirks.is_empty() {
            self.quirks.act(of, &mut Words(words), &|_| true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use proptest::prelude::*;

    const ARRAY: ArrayId = ArrayId::data(Kind::Smem, 3);

    fn held(bits: &[(u64, bool)]) -> (Held, BTreeMap<u64, bool>) {
        let (mut held, mut model) = (Held::default(), BTreeMap::new());
        for &(bit, value) in bits {
            held.hold(Force { array: ARRAY, bit, value });
            model.insert(bit, value);
        }
        (held, model)
    }

    proptest! {
        /// Wherever they lie, aligned or not, exactly the stuck bits are forced.
        #[test]
        fn stored_bits_are_forced_one_by_one(
            bits in prop::collection::vec((0u64..400, any::<bool>()), 0..60),
            first in 0u64..200,
            words in prop::collection::vec(any::<u32>(), 1..5),
        ) {
            let (held, model) = held(&bits);
            let mut forced = words.clone();
            held.force_words(ARRAY, first, &mut forced);
            let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let before = bytes.clone();
            held.force_bytes(ARRAY, first, &mut bytes);
            for i in 0..words.len() * 32 {
                let now = model.get(&(first + i as u64)).copied();
                prop_assert_eq!(forced[i / 32] >> (i % 32) & 1 == 1,
                    now.unwrap_or(words[i / 32] >> (i % 32) & 1 == 1), "word bit {}", i);
                prop_assert_eq!(bytes[i / 8] >> (i % 8) & 1 == 1,
                    now.unwrap_or(before[i / 8] >> (i % 8) & 1 == 1), "byte bit {}", i);
            }
        }

        /// What is let go is free, and nothing of it stays behind.
        #[test]
        fn holds_and_releases_are_a_set(
            bits in prop::collection::vec((0u64..300, any::<bool>()), 0..60),
            gone in prop::collection::vec((0u64..300, any::<bool>()), 0..60),
        ) {
            let (mut held, mut model) = held(&bits);
            for (bit, value) in gone {
                held.let_go(Force { array: ARRAY, bit, value });
                if model.get(&bit) == Some(&value) {
                    model.remove(&bit);
                }
            }
            let list: Vec<(u64, bool)> = held.forces().map(|f| (f.bit, f.value)).collect();
            prop_assert_eq!(list, model.iter().map(|(b, v)| (*b, *v)).collect::<Vec<_>>());
            prop_assert_eq!(held.is_empty(), model.is_empty());
        }
    }

    #[test]
    fn other_arrays_are_left_alone() {
        let (held, _) = held(&[(5, true)]);
        let mut words = [0];
        held.force_words(ArrayId::data(Kind::Smem, 2), 0, &mut words);
        assert_eq!((words, held.words(ARRAY).count()), ([0], 1));
    }
}
