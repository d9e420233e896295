//! Where results were wrong: all of them are counted, kept as findings or not.

use std::collections::{BTreeMap, BTreeSet};

use super::count::Count;
use super::spread::Spread;
use crate::Place;
use crate::topology::MemoryPlace;

/// Wrong words of one array of an SM: its shared memory, a first-level cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    /// By sub-core and lane of the reader, where they are known.
    pub readers: BTreeMap<Option<(u32, u32)>, Count>,
    /// Addresses, at most [`CELLS`] of them.
    pub addresses: BTreeSet<u64>,
}

/// Addresses of an SM's array that are told apart.
pub const CELLS: usize = 1024;

impl Cells {
    fn add(&mut self, reader: Option<(u32, u32)>, address: u64, bits: u64) {
        self.readers.entry(reader).or_default().add(1, bits);
        self.keep(address);
    }

    fn keep(&mut self, address: u64) {
        if self.addresses.len() < CELLS {
            self.addresses.insert(address);
        }
    }

    fn join(&mut self, other: &Cells) {
        for (reader, count) in &other.readers {
            self.readers.entry(*reader).or_default().join(*count);
        }
        other.addresses.iter().for_each(|a| self.keep(*a));
    }

    /// All its wrong results.
    pub fn count(&self) -> Count {
        let mut all = Count::default();
        self.readers.values().for_each(|c| all.join(*c));
        all
    }
}

/// Wrong results by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// By SM, sub-core and lane.
    pub lanes: BTreeMap<(u32, u32, u32), Count>,
    /// By SM and array, where it is an SM's own storage that was wrong.
    pub storage: BTreeMap<(u32, String), Cells>,
    /// By SM, where nothing else is known.
    pub sms: BTreeMap<u32, Count>,
    /// Of device memory and L2, which belong to no SM.
    pub memory: Spread,
    /// The rest.
    pub elsewhere: Count,
}

impl Tally {
    /// One wrong result; `at` is where its address is, where the board states it.
    pub fn add(&mut self, place: &Place, bits: u64, at: Option<MemoryPlace>) {
        let reader = place.sub_core.zip(place.lane);
        match (place.sm, place.address, &place.pipe) {
            // What is known of device memory that only one lane saw wrong is the lane.
            (Some(sm), Some(address), Some(array)) => {
                let cells = self.storage.entry((sm, array.clone())).or_default();
                cells.add(reader, address, bits);
            }
            (Some(sm), ..) => match reader {
                Some((sub, lane)) => self.lanes.entry((sm, sub, lane)).or_default().add(1, bits),
                None => self.sms.entry(sm).or_default().add(1, bits),
            },
            (None, Some(address), _) => self.memory.add(address, bits, at),
            (None, None, _) => self.elsewhere.add(1, bits),
        }
    }

    /// Joins another.
    pub fn join(&mut self, other: &Tally) {
        for (place, count) in &other.lanes {
            self.lanes.entry(*place).or_default().join(*count);
        }
        for (place, cells) in &other.storage {
            self.storage.entry(place.clone()).or_default().join(cells);
        }
        for (sm, count) in &other.sms {
            self.sms.entry(*sm).or_default().join(*count);
        }
        self.memory.join(&other.memory);
        self.elsewhere.join(other.elsewhere);
    }

    /// All wrong results.
    pub fn total(&self) -> Count {
        let mut all = self.elsewhere;
        self.lanes.values().for_each(|c| all.join(*c));
        self.storage.values().for_each(|c| all.join(c.count()));
        self.sms.values().for_each(|c| all.join(*c));
        all.join(self.memory.count());
        all
    }

    /// SMs with wrong results.
    pub fn concerned(&self) -> BTreeSet<u32> {
        let lanes = self.lanes.keys().map(|k| k.0);
        lanes.chain(self.storage.keys().map(|k| k.0)).chain(self.sms.keys().copied()).collect()
    }

    /// Wrong results by SM and sub-core, for what has one.
    pub fn by_sub_core(&self) -> BTreeMap<(u32, u32), u64> {
        let mut all: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for ((sm, sub, _), count) in &self.lanes {
            *all.entry((*sm, *sub)).or_default() += count.errors;
        }
        for ((sm, _), cells) in &self.storage {
            for (reader, count) in &cells.readers {
                if let Some((sub, _)) = reader {
                    *all.entry((*sm, *sub)).or_default() += count.errors;
                }
            }
        }
        all
    }
}
