//! Which channel, slice, bank and row an address belongs to.

use upset_chip::{BankHash, ChipSpec, PartitionHash};

use crate::hash::Ipoly;

/// Addresses to places, as GPGPU-Sim's `mem_addr_mapping` orders them.
#[derive(Clone, Debug)]
pub struct AddressMap {
    partitions: u64,
    /// log2 of their number, if it is a power of two.
    power: Option<u32>,
    /// What divides 32 bits by their number, if it is none: 2^64 by it, rounded up.
    reciprocal: u64,
    /// log2 of the bytes that stay in one channel.
    shift: u32,
    hash: Hash,
    slices_per_partition: u64,
    /// Bits of the in-channel address that choose the slice, lowest first.
    slice_bits: Vec<u32>,
    /// The lowest of them, if they lie side by side.
    slice_shift: Option<u32>,
    slice_mask: u64,
    /// How many there are.
    slice_width: u32,
    /// There is a power of two of slices in a channel.
    even: bool,
    bank: Vec<Run>,
    row: Vec<Run>,
    /// Bits of the address map, and those of them that are row bits.
    map_bits: u32,
    row_bits: u32,
    bank_xor: u64,
}

#[derive(Clone, Debug)]
enum Hash {
    Plain,
    Xor,
    Ipoly(Ipoly),
}

/// Where a line lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Memory channel.
    pub channel: u32,
    /// L2 slice, counted over the chip.
    pub slice: u32,
    /// Address inside the channel.
    pub rest: u64,
}

/// Neighbouring bits of a field: `(address >> from & mask) << to`.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: u32,
    mask: u64,
    to: u32,
}

impl AddressMap {
    /// Of a chip.
    pub fn new(chip: &ChipSpec) -> AddressMap {
        let m = &chip.memory;
        let partitions = u64::from(m.partitions);
        let degree = partitions.next_power_of_two().ilog2();
        let hash = match m.partition_hash {
            PartitionHash::Plain => Hash::Plain,
            PartitionHash::Xor => Hash::Xor,
            PartitionHash::Ipoly => Hash::Ipoly(Ipoly::new(degree)),
        };
        // Lowest bit first.
        let map: Vec<char> = m.address_map.chars().filter(|c| *c != '.').rev().collect();
        let per = u64::from(m.slices_per_partition);
        let wanted = per.next_power_of_two().ilog2() as usize;
        // A line is in one slice: bits within it cannot choose.
        let mut slice_bits: Vec<u32> =
            (7..map.len()).filter(|&i| map[i] == 'B').map(|i| i as u32).take(wanted).collect();
        for bit in 7.. {
            if slice_bits.len() >= wanted {
                break;
            }
            if !slice_bits.contains(&bit) {
                slice_bits.push(bit);
            }
        }
        let bank = runs(&map, 'B');
        let banks = u64::from(chip.dram.banks);
        let lowest = slice_bits.first().copied().unwrap_or(7);
        let side_by_side = (lowest..).zip(&slice_bits).all(|(at, bit)| at == *bit);
        AddressMap {
            partitions,
            power: partitions.is_power_of_two().then(|| partitions.ilog2()),
            reciprocal: (u64::MAX / partitions).wrapping_add(1),
            slice_shift: side_by_side.then_some(lowest),
            slice_mask: (1 << slice_bits.len()) - 1,
            slice_width: slice_bits.len() as u32,
            even: per.is_power_of_two(),
            shift: m.partition_bytes.ilog2(),
            hash,
            slices_per_partition: per,
            slice_bits,
            bank,
            row: runs(&map, 'R'),
            map_bits: map.iter().rposition(|c| *c == 'R').map_or(map.len(), |i| i + 1) as u32,
            row_bits: map.iter().filter(|c| **c == 'R').count() as u32,
            bank_xor: if chip.dram.bank_hash == BankHash::Xor { banks - 1 } else { 0 },
        }
    }

    /// By the number of channels: quotient and remainder.
    #[inline]
    fn divide(&self, value: u64) -> (u64, u64) {
        let n = self.partitions;
        if let Some(power) = self.power {
            return (value >> power, value & (n - 1));
        }
        if value > u64::from(u32::MAX) {
            return self.divide_long(value);
        }
        // The reciprocal is too large by less than n in 2^64, and so is the product
        // by less than one part in n: no integer lies between.
        let quotient = ((u128::from(value) * u128::from(self.reciprocal)) >> 64) as u64;
        (quotient, value - quotient * n)
    }

    #[cold]
    #[inline(never)]
    fn divide_long(&self, value: u64) -> (u64, u64) {
        (value / self.partitions, value % self.partitions)
    }

    /// Channel and slice of an address.
    pub fn place(&self, addr: u64) -> Place {
        self.place_here(addr)
    }

    /// The same where the way to a function would be felt.
    #[inline(always)]
    pub(crate) fn place_here(&self, addr: u64) -> Place {
        let n = self.partitions;
        let chunk = addr >> self.shift;
        let (high, low) = self.divide(chunk);
        // A hash that is no permutation would load channels unevenly: with a
        // power of two it permutes the low bits, otherwise it rotates them.
        let channel = match &self.hash {
            Hash::Plain => low,
            Hash::Xor if self.power.is_some() => low ^ high & (n - 1),
            Hash::Xor => self.divide(low + self.divide(high).1).1,
            Hash::Ipoly(ipoly) if self.power.is_some() => ipoly.of(chunk) & (n - 1),
            Hash::Ipoly(ipoly) => self.divide(low + ipoly.of(high)).1,
        };
        let rest = high << self.shift | addr & ((1 << self.shift) - 1);
        let mut sub = match self.slice_shift {
            Some(shift) => rest >> shift & self.slice_mask,
            None => self.scattered(rest),
        };
        if !self.even {
            sub %= self.slices_per_partition;
        }
        let slice = channel * self.slices_per_partition + sub;
        Place { channel: channel as u32, slice: slice as u32, rest }
    }

    /// The bits that choose the slice, where they do not lie side by side.
    #[cold]
    fn scattered(&self, rest: u64) -> u64 {
        let own = |(i, bit): (usize, &u32)| (rest >> bit & 1) << i;
        self.slice_bits.iter().enumerate().map(own).sum()
    }

    /// The in-channel address without the bits that chose the slice.
    #[inline]
    pub(crate) fn in_slice(&self, rest: u64) -> u64 {
        if !self.even {
            return rest;
        }
        if let Some(shift) = self.slice_shift {
            let below = (1 << shift) - 1;
            return rest & below | rest >> self.slice_width & !below;
        }
        let mut addr = rest;
        for &bit in self.slice_bits.iter().rev() {
            let below = (1 << bit) - 1;
            addr = addr & below | addr >> 1 & !below;
        }
        addr
    }

    /// Bank and row of an in-channel address.
    #[inline]
    pub(crate) fn bank_and_row(&self, rest: u64) -> (u32, u64) {
        let high = if self.map_bits < 64 { rest >> self.map_bits } else { 0 };
        let row = gather(&self.row, rest) | high << self.row_bits.min(63);
        let bank = gather(&self.bank, rest) ^ row & self.bank_xor;
        (bank as u32, row)
    }
}

fn runs(map: &[char], letter: char) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let places = (0..map.len().min(64)).filter(|i| map[*i] == letter);
    for (to, from) in (0..).zip(places) {
        let from = from as u32;
        match runs.last_mut() {
            Some(r) if r.from + r.mask.count_ones() == from => r.mask = r.mask << 1 | 1,
            _ => runs.push(Run { from, mask: 1, to }),
        }
    }
    runs
}

#[inline]
fn gather(runs: &[Run], addr: u64) -> u64 {
    runs.iter().fold(0, |sum, r| sum | (addr >> r.from & r.mask) << r.to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn lines_of_every_chip_spread_evenly_and_are_not_confused() {
        for preset in ChipSpec::presets() {
            let chip = ChipSpec::preset(preset.name).unwrap();
            let map = AddressMap::new(&chip);
            let slices = chip.slices() as usize;
            let mut seen = vec![0; slices];
            let mut places = BTreeSet::new();
            let lines = slices as u64 * 4096;
            for line in 0..lines {
                let place = map.place(0x7_0000_0000 + line * 128);
                assert_eq!(place.slice / chip.memory.slices_per_partition, place.channel);
                seen[place.slice as usize] += 1;
                assert!(places.insert((place.channel, place.rest)), "{}", preset.name);
            }
            let (least, most) = (seen.iter().min().unwrap(), seen.iter().max().unwrap());
            assert!(most - least <= most / 8, "{}: {least} to {most}", preset.name);
        }
    }

    proptest! {
        #[test]
        fn reciprocals_divide(long: u64, short: u32) {
            for preset in ChipSpec::presets() {
                let map = AddressMap::new(&ChipSpec::preset(preset.name).unwrap());
                for value in [long, short.into(), u32::MAX.into()] {
                    let n = map.partitions;
                    prop_assert_eq!(map.divide(value), (value / n, value % n));
                }
            }
        }
    }

    #[test]
    fn bits_are_where_the_map_says() {
        let chip = ChipSpec::preset("rtx2060").unwrap();
        let map = AddressMap::new(&chip);
        assert_eq!(map.slice_bits, [7]);
        assert_eq!(map.bank_and_row(1 << 7), (1, 0));
        assert_eq!(map.bank_and_row(1 << 12), (2, 0));
        assert_eq!(map.bank_and_row(1 << 15), (0, 1));
        assert_eq!(map.bank_and_row(1 << 28), (0, 1 << 13));
        assert_eq!(map.in_slice(0x180), 0x80);
        assert_eq!(map.place(u64::MAX).channel, (u64::MAX / 256 % 12) as u32);
    }
}
