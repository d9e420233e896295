//! Bits that misbehave when they are used: now and then, upside down, or
//! together, as a table says.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::how::{Does, How};
use crate::random::philox;
use crate::{ArrayId, Bits, Use};

/// Bits of a word, for which syndromes are drawn.
const WORD: u64 = 32;

/// A bit that misbehaves at its uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quirk {
    /// The array.
    pub array: ArrayId,
    /// The bit.
    pub bit: u64,
    /// How.
    pub how: How,
}

impl Quirk {
    /// Whether a use at this cycle can be wrong, as far as the bit alone tells:
    /// operands decide as well, and the other bits of a syndrome.
    pub fn may_act(&self, now: u64) -> bool {
        let bit = match self.how.does {
            Does::Stick(_) | Does::Invert => self.bit,
            Does::Syndrome(_) => self.bit / WORD * WORD,
        };
        is_hit(&self.how, key_of(self.array), bit, now)
    }

    /// Cycles of a span in which it sticks or is inverted, operands aside.
    pub fn cycles(&self, span: Range<u64>) -> impl Iterator<Item = u64> {
        let (how, array, bit) = (self.how, key_of(self.array), self.bit);
        span.filter(move |now| is_hit(&how, array, bit, *now))
    }
}

/// What stands for an array in draws. Its name does: numbers of kinds change
/// when kinds are added.
fn key_of(array: ArrayId) -> u64 {
    let ArrayId { kind, instance, part } = array;
    xxh3_64(format!("{kind:?}#{instance}.{part}").as_bytes())
}

/// Whether a use of a bit is among those that are hit.
fn is_hit(how: &How, array: u64, bit: u64, now: u64) -> bool {
    how.rate.is_none_or(|rate| rate.hits(philox([bit, now, 0, 0], [how.seed, array])[0]))
}

/// Bits of a word that misbehave alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    how: How,
    bits: u32,
}

/// The broken words of an array, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Broken {
    array: ArrayId,
    /// Its part in draws.
    key: u64,
    words: BTreeMap<u64, Vec<Group>>,
}

/// Bits that misbehave, found by their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// By array, ascending; none is empty.
    arrays: Vec<Broken>,
}

impl Quirks {
    /// Whether all bits behave.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    fn find(&self, array: ArrayId) -> Result<usize, usize> {
        self.arrays.binary_search_by_key(&array, |broken| broken.array)
    }

    /// Whether a bit of an array misbehaves.
    #[inline]
    pub fn has(&self, array: ArrayId) -> bool {
        self.find(array).is_ok()
    }

    /// A bit misbehaves from now on.
    pub fn begin(&mut self, quirk: Quirk) {
        let Quirk { array, bit, how } = quirk;
        let at = self.find(array).unwrap_or_else(|at| {
            let words = BTreeMap::new();
            self.arrays.insert(at, Broken { array, key: key_of(array), words });
            at
        });
        let groups = self.arrays[at].words.entry(bit / WORD).or_default();
        let bits = 1 << (bit % WORD);
        match groups.iter_mut().find(|g| g.how == how) {
            Some(group) => group.bits |= bits,
            None => groups.push(Group { how, bits }),
        }
    }

    /// It no longer does so in this way.
    pub fn end(&mut self, quirk: Quirk) {
        let Ok(at) = self.find(quirk.array) else { return };
        let words = &mut self.arrays[at].words;
        let number = quirk.bit / WORD;
        let Some(groups) = words.get_mut(&number) else { return };
        for group in groups.iter_mut().filter(|g| g.how == quirk.how) {
            group.bits &= !(1 << (quirk.bit % WORD));
        }
        groups.retain(|g| g.bits != 0);
        if groups.is_empty() {
            words.remove(&number);
            if words.is_empty() {
                self.arrays.remove(at);
            }
        }
    }

    /// Bits from `of.first` on are used: those that misbehave do. `is_used` tells
    /// which of them are, by their distance from the first.
    pub fn act(&self, of: &Use<'_>, bits: &mut dyn Bits, is_used: &dyn Fn(u64) -> bool) {
        let Ok(at) = self.find(of.array) else { return };
        let broken = &self.arrays[at];
        let end = of.first.saturating_add(bits.len());
        if of.first == end {
            return;
        }
        // Words of a wire are what drives it, wherever they lie; those of storage
        // lie where they are, whatever part of them is written.
        let wire = of.array.kind.about().wire;
        let start = if wire { of.first } else { of.first / WORD * WORD };
        let here = |first| Here { of, array: broken.key, first, end };
        if !start.is_multiple_of(WORD) {
            for first in (start..end).step_by(WORD as usize) {
                broken.across(first, |group| here(first).act(&group, bits, is_used));
            }
            return;
        }
        for (&number, groups) in broken.words.range(start / WORD..=(end - 1) / WORD) {
            groups.iter().for_each(|group| here(number * WORD).act(group, bits, is_used));
        }
    }
}

impl Broken {
    /// Groups of the 32 bits from `first` on, which lie in two words.
    fn across(&self, first: u64, mut each: impl FnMut(Group)) {
        let none = Vec::new();
        let of = |number: u64| self.words.get(&number).unwrap_or(&none);
        let (low, high) = (of(first / WORD), of(first / WORD + 1));
        let shift = first % WORD;
        for group in low {
            let rest = high.iter().find(|g| g.how == group.how).map_or(0, |g| g.bits);
            let bits = group.bits >> shift | rest << (WORD - shift);
            each(Group { bits, ..*group });
        }
        for group in high.iter().filter(|g| low.iter().all(|l| l.how != g.how)) {
            each(Group { bits: group.bits << (WORD - shift), ..*group });
        }
    }
}

/// A word that is used.
struct Here<'a> {
    of: &'a Use<'a>,
    array: u64,
    /// Its first bit.
    first: u64,
    /// Where the use ends.
    end: u64,
}

impl Here<'_> {
    fn act(&self, group: &Group, bits: &mut dyn Bits, is_used: &dyn Fn(u64) -> bool) {
        let how = &group.how;
        let (mut used, mut value) = (0u32, 0u32);
        for i in (0..WORD).filter(|i| group.bits >> i & 1 == 1) {
            let bit = self.first.saturating_add(i);
            if bit < self.of.first || bit >= self.end || !is_used(bit - self.of.first) {
                continue;
            }
            let word = ((bit - self.of.first) / WORD) as usize;
            let words = bits.len().div_ceil(WORD) as usize;
            if how.only.is_none_or(|only| only.is_met(&self.of.operands, word, words)) {
                used |= 1 << i;
                value |= u32::from(bits.get(bit - self.of.first)) << i;
            }
        }
        if used == 0 {
            return;
        }
        let hit = |i: u64| is_hit(how, self.array, self.first + i, self.of.now);
        let each = |used: u32| {
            let bits = (0..WORD).filter(|i| used >> i & 1 == 1 && hit(*i));
            bits.fold(0u32, |all, i| all | 1 << i)
        };
        let wrong = match how.does {
            Does::Stick(true) => !value & each(used & !value),
            Does::Stick(false) => value & each(used & value),
            Does::Invert => each(used),
            // One draw for the word, whatever part of it is used.
            Does::Syndrome(table) if hit(0) => {
                let place = [self.first, self.of.now];
                table.draw(group.bits, value, place, [how.seed, self.array]) & used
            }
            Does::Syndrome(_) => 0,
        };
        for i in (0..WORD).filter(|i| wrong >> i & 1 == 1) {
            bits.flip(self.first + i - self.of.first);
        }
    }
}

#[cfg(test)]
mod tests;
