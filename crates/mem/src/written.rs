//! Which lines were written.

use crate::LINE;

/// Lines per region: regions are 4 GiB.
const REGION_SHIFT: u32 = 32;

/// A bit per 128-byte line, for address ranges that may lie far apart.
#[derive(Clone, Debug, Default)]
pub struct Written {
    regions: Vec<Region>,
    /// Region of the last access: the next is mostly in the same.
    last: usize,
}

#[derive(Clone, Debug)]
struct Region {
    number: u64,
    bits: Vec<u64>,
    /// First and last word that may have ones.
    used: (usize, usize),
}

impl Written {
    /// Marks the line of an address.
    #[inline]
    pub fn set(&mut self, addr: u64) {
        let (word, bit) = place(addr);
        let region = self.region(addr >> REGION_SHIFT);
        if region.bits.len() <= word {
            region.bits.resize((word + 1).next_power_of_two(), 0);
        }
        region.bits[word] |= bit;
        region.used = (region.used.0.min(word), region.used.1.max(word));
    }

    /// Marks all lines of a range.
    pub fn set_range(&mut self, addr: u64, len: u64) {
        if len == 0 {
            return;
        }
        let last = addr.saturating_add(len - 1) & !(LINE - 1);
        let mut line = addr & !(LINE - 1);
        loop {
            self.set(line);
            // Whole words at once.
            if line.is_multiple_of(64 * LINE) && last - line >= 63 * LINE {
                let (word, _) = place(line);
                self.region(line >> REGION_SHIFT).bits[word] = !0;
                line += 63 * LINE;
            }
            if line >= last {
                return;
            }
            line += LINE;
        }
    }

    /// Whether the line of an address was marked.
    #[inline]
    pub fn is_set(&self, addr: u64) -> bool {
        let (word, bit) = place(addr);
        let number = addr >> REGION_SHIFT;
        let region = match self.regions.get(self.last) {
            Some(r) if r.number == number => Some(r),
            _ => self.regions.iter().find(|r| r.number == number),
        };
        region.and_then(|r| r.bits.get(word)).is_some_and(|w| w & bit != 0)
    }

    /// True when no line is marked.
    pub fn is_empty(&self) -> bool {
        self.regions.iter().all(|r| r.used.0 > r.used.1)
    }

    /// Forgets all marks.
    pub fn clear(&mut self) {
        for region in &mut self.regions {
            let (first, last) = region.used;
            if let Some(words) = region.bits.get_mut(first..last.saturating_add(1)) {
                words.fill(0);
            }
            region.used = (usize::MAX, 0);
        }
    }

    /// Takes in the marks, in the order of their addresses.
    pub(crate) fn digest(&self, d: &mut upset_state::Digest) {
        let mut regions: Vec<&Region> = self.regions.iter().collect();
        regions.sort_unstable_by_key(|r| r.number);
        for Region { number, bits, used } in regions {
            let words = bits.iter().enumerate().skip(used.0);
            for (i, word) in words.take_while(|(i, _)| *i <= used.1).filter(|(_, w)| **w != 0) {
                d.put(*number);
                d.count(i);
                d.put(*word);
            }
        }
        d.put(u64::MAX);
    }

    #[inline]
    fn region(&mut self, number: u64) -> &mut Region {
        if self.regions.get(self.last).is_none_or(|r| r.number != number) {
            self.last = match self.regions.iter().position(|r| r.number == number) {
                Some(i) => i,
                None => {
                    self.regions.push(Region { number, bits: Vec::new(), used: (usize::MAX, 0) });
                    self.regions.len() - 1
                }
            };
        }
        &mut self.regions[self.last]
    }
}

/// Word and bit of an address in its region.
#[inline]
fn place(addr: u64) -> (usize, u64) {
    let line = (addr & ((1 << REGION_SHIFT) - 1)) / LINE;
    ((line / 64) as usize, 1 << (line % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn ranges_mark_their_lines_and_no_other(
            ranges in prop::collection::vec((0u64..4, 0u64..100_000, 0u64..40_000), 1..10)
        ) {
            let mut w = Written::default();
            let mut model = BTreeSet::new();
            for (region, at, len) in ranges {
                let addr = (region << 32) + (1 << 32) - 50_000 + at;
                w.set_range(addr, len);
                if len > 0 {
                    model.extend(addr / LINE..=(addr + len - 1) / LINE);
                }
            }
            for region in 0..6u64 {
                for line in 0..1200 {
                    let addr = (region << 32) + (1 << 32) - 60_032 + line * LINE;
                    prop_assert_eq!(w.is_set(addr), model.contains(&(addr / LINE)));
                }
            }
            prop_assert_eq!(w.is_empty(), model.is_empty());
            w.clear();
            prop_assert!(w.is_empty());
            prop_assert!(model.iter().all(|l| !w.is_set(l * LINE)));
        }
    }
}
