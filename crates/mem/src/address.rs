//! Which channel, slice, bank and row an address belongs to.

use upset_chip::{BankHash, ChipSpec, PartitionHash};

use crate::hash::Ipoly;

/// Addresses to places, as GPGPU-Sim's `mem_addr_mapping` orders them.
#[derive(Clone, Debug)]
pub struct AddressMap {
    partitions: u64,
    /// log2 of the bytes that stay in one channel.
    shift: u32,
    hash: Hash,
    slices_per_partition: u64,
    /// Bits of the in-channel address that choose the slice, lowest first.
    slice_bits: Vec<u32>,
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
        AddressMap {
            partitions,
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

    /// Channel and slice of an address.
    #[inline]
    pub fn place(&self, addr: u64) -> Place {
        let n = self.partitions;
        let chunk = addr >> self.shift;
        let (high, low) = if n.is_power_of_two() {
            (chunk >> n.ilog2(), chunk & (n - 1))
        } else {
            (chunk / n, chunk % n)
        };
        // A hash that is no permutation would load channels unevenly: with a
        // power of two it permutes the low bits, otherwise it rotates them.
        let channel = match &self.hash {
            Hash::Plain => low,
            Hash::Xor if n.is_power_of_two() => low ^ high & (n - 1),
            Hash::Xor => (low + high % n) % n,
            Hash::Ipoly(ipoly) if n.is_power_of_two() => ipoly.of(chunk) & (n - 1),
            Hash::Ipoly(ipoly) => (low + ipoly.of(high)) % n,
        };
        let rest = high << self.shift | addr & ((1 << self.shift) - 1);
        let mut sub = 0;
        for (i, bit) in self.slice_bits.iter().enumerate() {
            sub |= (rest >> bit & 1) << i;
        }
        if !self.slices_per_partition.is_power_of_two() {
            sub %= self.slices_per_partition;
        }
        let slice = channel * self.slices_per_partition + sub;
        Place { channel: channel as u32, slice: slice as u32, rest }
    }

    /// The in-channel address without the bits that chose the slice.
    #[inline]
    pub(crate) fn in_slice(&self, rest: u64) -> u64 {
        if !self.slices_per_partition.is_power_of_two() {
            return rest;
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
