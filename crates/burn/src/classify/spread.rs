//! How wrong addresses of device memory are spread, and whether they look like
//! those of one channel.
//!
//! Which addresses share a channel is a secret of real GPUs. What is known is
//! the form: addresses are dealt out in blocks, in turn (a period, not always a
//! power of two) or by parities of address bits. If all wrong addresses leave
//! the same remainder, or satisfy the same parities, and there are so many of
//! them that random ones would not, then they share what deals by that rule.
//! Everything here is kept up to date address by address, in constant space.

use std::collections::BTreeSet;

use super::count::Count;
use crate::topology::MemoryPlace;

/// Addresses that are told apart.
pub const ADDRESSES: usize = 4096;
/// A chance below this is no chance.
pub const LUCK: f64 = 1e-3;
/// log2 of the smallest block that is dealt to a channel. Within 512 bytes
/// words differ by the lane that stores them, which tells nothing of channels.
const BLOCK: u32 = 9;
/// log2 of the largest such block.
const LARGEST: u32 = 13;
const BLOCKS: usize = (LARGEST - BLOCK + 1) as usize;

/// Wrong addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spread {
    count: Count,
    /// Bits that were wrong in all.
    common: u64,
    addresses: BTreeSet<u64>,
    /// Bits in which addresses differ.
    differ: u64,
    /// Greatest common divisor of distances in blocks, for each size of block.
    divisors: [u64; BLOCKS],
    /// Differences of block numbers, reduced: those with the same highest bit
    /// were added up modulo 2.
    basis: Vec<u64>,
    channels: BTreeSet<Option<u32>>,
    slices: BTreeSet<Option<u32>>,
    /// Channels and slices of the chip, where the board states them.
    of: Option<(u32, u32)>,
}

/// A rule that all addresses obey.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// In words.
    pub words: String,
    /// How probable it is that as many random addresses obey one, at most.
    pub luck: f64,
}

impl Spread {
    /// One wrong word.
    pub fn add(&mut self, address: u64, bits: u64, at: Option<MemoryPlace>) {
        self.common = if self.count.errors == 0 { bits } else { self.common & bits };
        self.count.add(1, bits);
        self.channels.insert(at.map(|p| p.channel));
        self.slices.insert(at.map(|p| p.slice));
        self.of = self.of.or(at.map(|p| (p.channels, p.slices)));
        self.keep(address);
    }

    fn keep(&mut self, address: u64) {
        let Some(&first) = self.addresses.first() else {
            self.addresses.insert(address);
            return;
        };
        self.relate(first, address);
        if self.addresses.len() < ADDRESSES {
            self.addresses.insert(address);
        }
    }

    /// Takes in what one address says about another.
    fn relate(&mut self, first: u64, address: u64) {
        self.differ |= first ^ address;
        for (shift, divisor) in (BLOCK..).zip(&mut self.divisors) {
            *divisor = gcd(*divisor, (first >> shift).abs_diff(address >> shift));
        }
        self.reduce((first ^ address) >> BLOCK);
    }

    fn reduce(&mut self, mut difference: u64) {
        for &row in &self.basis {
            difference = difference.min(difference ^ row);
        }
        if difference != 0 {
            self.basis.push(difference);
            // Largest first, so that one pass reduces.
            self.basis.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// Joins another.
    pub fn join(&mut self, other: &Spread) {
        if other.count.errors == 0 {
            return;
        }
        self.common = match self.count.errors {
            0 => other.common,
            _ => self.common & other.common,
        };
        self.count.add(other.count.errors, other.count.bits);
        other.addresses.iter().for_each(|a| self.keep(*a));
        // What the other has kept no address of.
        self.differ |= other.differ;
        for (divisor, theirs) in self.divisors.iter_mut().zip(other.divisors) {
            *divisor = gcd(*divisor, theirs);
        }
        other.basis.iter().for_each(|row| self.reduce(*row));
        self.channels.extend(&other.channels);
        self.slices.extend(&other.slices);
        self.of = self.of.or(other.of);
    }

    /// All of them.
    pub fn count(&self) -> Count {
        self.count
    }

    /// The lowest that were kept.
    pub fn lowest(&self, most: usize) -> Vec<u64> {
        self.addresses.iter().take(most).copied().collect()
    }

    /// Different addresses; more than [`ADDRESSES`] are not counted.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Bits in which they differ.
    pub fn differ(&self) -> u64 {
        self.differ
    }

    /// One address, or addresses within 32 bytes.
    pub fn is_one_word(&self) -> bool {
        !self.is_empty() && self.differ < 32
    }

    /// Blocks of a size that have wrong words.
    fn blocks(&self, shift: u32) -> i32 {
        let all: BTreeSet<u64> = self.addresses.iter().map(|a| a >> shift).collect();
        all.len() as i32
    }

    /// Why all of them are of one channel, if they look so.
    pub fn one_channel(&self) -> Option<Rule> {
        let rules = match self.of {
            // What is stated needs no guess.
            Some(of) => vec![self.stated(of)],
            None => vec![self.in_turn(), self.by_parity(), self.same_bit()],
        };
        let rules = rules.into_iter().flatten().filter(|r| r.luck < LUCK);
        rules.min_by(|a, b| a.luck.total_cmp(&b.luck))
    }

    fn stated(&self, (channels, slices): (u32, u32)) -> Option<Rule> {
        let one = |of: &BTreeSet<Option<u32>>| match of.first() {
            Some(Some(n)) if of.len() == 1 => Some(*n),
            _ => None,
        };
        let channel = one(&self.channels)?;
        let (words, parts) = match one(&self.slices) {
            Some(slice) => (format!("slice {slice} of L2, in channel {channel}"), slices),
            None => (format!("channel {channel}"), channels),
        };
        let luck = f64::from(parts).powi(1 - self.blocks(LARGEST));
        Some(Rule { words: format!("all in {words} of {channels}, as the board maps them"), luck })
    }

    /// Dealt out in turn.
    fn in_turn(&self) -> Option<Rule> {
        let of = |(shift, divisor): (u32, u64)| {
            // Of random distances one in 2^n has a factor 2, one in 3^n a
            // factor 3, …: together less than twice the first.
            let luck = 2.0 * BLOCKS as f64 * 2f64.powi(1 - self.blocks(shift));
            (divisor > 1).then(|| Rule {
                words: format!("all in the same block of {} bytes, of every {divisor}", 1 << shift),
                luck,
            })
        };
        // The largest period says most.
        let all = (BLOCK..).zip(self.divisors);
        all.filter(|(_, d)| *d > 1).max_by_key(|(shift, d)| d << shift).and_then(of)
    }

    /// Dealt out by parities of address bits.
    fn by_parity(&self) -> Option<Rule> {
        let width = 64 - (self.differ >> BLOCK).leading_zeros();
        let parities = (width as usize).checked_sub(self.basis.len())?;
        // Each of the 2^width parities is even for half of random addresses.
        let luck = 2f64.powi(width as i32 + 1 - self.blocks(BLOCK));
        (parities > 0).then(|| Rule {
            words: format!(
                "{parities} parities of their address bits {BLOCK} to {} are the same for all",
                width + BLOCK - 1
            ),
            luck,
        })
    }

    /// The same data line, wherever they are.
    fn same_bit(&self) -> Option<Rule> {
        let bits = self.count.bits;
        let luck = 32f64.powi(1 - self.blocks(BLOCK));
        (bits.is_power_of_two() && self.common == bits).then(|| Rule {
            words: format!(
                "always bit {} alone, at addresses without a pattern: one data line",
                bits.trailing_zeros()
            ),
            luck,
        })
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
