//! Where ghosts differ: rows of arrays, memory, and bytes between them.

use crate::words::{WORDS, Words};
use crate::{ArrayId, Kind};

/// A row of at most 32 words that can differ: of an array, or on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(u64);

/// What a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Rows of an array that are kept together ([`About::ghost_rows`](crate::kind::About)).
    Array {
        /// The array.
        array: ArrayId,
        /// Which of its groups of rows.
        group: u32,
    },
    /// 128 bytes of memory.
    Memory {
        /// Their address.
        line: u64,
    },
    /// 128 bytes that the host has of the device's and has not looked at.
    Host {
        /// Where they begin, as the device counts what the host carries.
        line: u64,
    },
    /// Bytes between two arrays.
    Flight {
        /// Number of the packet.
        id: u32,
        /// Row of the packet.
        row: u32,
    },
}

/// Classes that places fall into, so that most searches end before they begin.
pub(crate) const CLASSES: usize = 64;
/// From here on: which kind of array, or one of the three below.
const KIND_SHIFT: u32 = 54;
const MEMORY: u64 = (1 << (64 - KIND_SHIFT)) - 1;
const FLIGHT: u64 = MEMORY - 1;
const HOST: u64 = FLIGHT - 1;
const UPPER: u32 = 32;
const FLIGHT_ROW: u32 = 4;
const REST: u64 = (1 << KIND_SHIFT) - 1;

impl Place {
    /// The group of rows of an array that a row is in.
    #[inline]
    pub fn of_row(array: ArrayId, row: u32) -> Place {
        // At least one: a division that might fail would be made where nobody follows, too.
        let group = row / array.kind.about().ghost_rows.max(1);
        let kind = array.kind.index() as u64;
        Place(kind << KIND_SHIFT | u64::from(array.instance) << UPPER | u64::from(group))
    }

    /// Where a bit of an array is, whose rows have so many bits: the one place
    /// that takes a bit's number apart for ghosts.
    pub fn of_bit(array: ArrayId, row_bits: u64, bit: u64) -> (Place, Words) {
        let mut words = [0; WORDS];
        let group_bits = row_bits * u64::from(array.kind.about().ghost_rows);
        let within = bit % group_bits;
        words[(within / 32) as usize % WORDS] = match row_bits {
            // All lanes have the one bit.
            1 => !0,
            _ => 1 << (within % 32),
        };
        (Place::of_row(array, (bit / row_bits) as u32), words)
    }

    /// The 128 bytes of memory that hold an address.
    pub const fn memory(addr: u64) -> Place {
        Place(MEMORY << KIND_SHIFT | addr >> 7 & REST)
    }

    /// The 128 bytes that the host carries and that hold an address.
    pub const fn host(addr: u64) -> Place {
        Place(HOST << KIND_SHIFT | addr >> 7 & REST)
    }

    /// Bytes on their way.
    pub const fn flight(id: u32, row: u32) -> Place {
        Place(FLIGHT << KIND_SHIFT | (id as u64) << FLIGHT_ROW | row as u64)
    }

    /// Its class; kinds may share one.
    #[inline]
    pub(crate) fn class(self) -> usize {
        (self.0 >> KIND_SHIFT) as usize % CLASSES
    }

    /// The class of an array's places.
    #[inline]
    pub(crate) const fn class_of(kind: Kind) -> usize {
        kind.index() % CLASSES
    }

    /// What it is in.
    pub fn space(self) -> Space {
        let rest = self.0 & REST;
        match self.0 >> KIND_SHIFT {
            MEMORY => Space::Memory { line: rest << 7 },
            HOST => Space::Host { line: rest << 7 },
            FLIGHT => Space::Flight {
                id: (rest >> FLIGHT_ROW) as u32,
                row: (rest & ((1 << FLIGHT_ROW) - 1)) as u32,
            },
            kind => Space::Array {
                array: ArrayId::data(Kind::with_index(kind as usize), (rest >> UPPER) as u32),
                group: rest as u32,
            },
        }
    }
}

/// The bits of an array in which a group of rows differs by `words`; the
/// array's rows have so many bits.
pub fn bits_of(
    array: ArrayId,
    group: u32,
    row_bits: u64,
    words: &Words,
) -> impl Iterator<Item = u64> {
    let first = u64::from(group) * u64::from(array.kind.about().ghost_rows) * row_bits;
    // Where one bit is all lanes, one of them speaks for it.
    let bits = if row_bits == 1 { 1 } else { 32 };
    words.iter().zip((0..).step_by(32)).flat_map(move |(&word, at)| {
        (0..bits).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + at + bit)
    })
}

/// Where bytes come from: a copy moves the ghosts' differences as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(Option<(Place, u32)>);

impl Origin {
    /// They are the same for all ghosts: computed from what none of them
    /// changed, or given by the host.
    pub const ALIKE: Origin = Origin(None);

    /// A place, from one of its words on.
    pub const fn at(place: Place, word: u32) -> Origin {
        Origin(Some((place, word)))
    }

    /// A packet, from one of its words on; number 0 stands for one in which
    /// nobody differs.
    pub const fn flight(id: u32, word: u32) -> Origin {
        match id {
            0 => Origin::ALIKE,
            id => Origin::at(Place::flight(id, 0), word),
        }
    }

    /// Place and word.
    #[inline]
    pub(crate) fn place(self) -> Option<(Place, u32)> {
        self.0
    }

    /// So many words further on.
    pub fn skip(self, words: u32) -> Origin {
        Origin(self.0.map(|(place, word)| (place, word + words)))
    }
}

/// Bytes together with where they come from.
#[derive(Clone, Copy, Debug)]
pub struct Sourced<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Where they come from.
    pub origin: Origin,
}

impl<'a> Sourced<'a> {
    /// Bytes that are the same for all ghosts.
    pub const fn alike(bytes: &'a [u8]) -> Sourced<'a> {
        Sourced { bytes, origin: Origin::ALIKE }
    }

    /// Those from a byte on, which begins a word.
    pub fn skip(self, byte: usize) -> Sourced<'a> {
        let bytes = self.bytes.get(byte..).unwrap_or_default();
        Sourced { bytes, origin: self.origin.skip(byte as u32 / 4) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::KINDS;

    #[test]
    fn places_say_what_they_are() {
        let space = |place: Place| place.space();
        let rf = ArrayId::data(Kind::Rf, 119);
        assert_eq!(space(Place::of_row(rf, 511)), Space::Array { array: rf, group: 511 });
        let l2 = ArrayId::data(Kind::Cache(4), 47);
        assert_eq!(space(Place::of_row(l2, 1023)), Space::Array { array: l2, group: 1023 });
        let memory = Space::Memory { line: 0x7f12_3456_7f80 };
        assert_eq!(space(Place::memory(0x7f12_3456_7fff)), memory);
        assert_eq!(space(Place::host(0x1234_5699)), Space::Host { line: 0x1234_5680 });
        let flight = Space::Flight { id: u32::MAX, row: 5 };
        assert_eq!(space(Place::flight(u32::MAX, 5)), flight);
        assert_eq!(Origin::flight(0, 3), Origin::ALIKE);
    }

    /// Bit to place and back, for rows of all kinds.
    #[test]
    fn every_bit_is_found_again() {
        for about in &KINDS {
            let array = ArrayId::data(about.kind, 3);
            let Some(granules) = about.granules else { continue };
            let row_bits = u64::from(granules.count * granules.bits);
            for bit in (0..100_000).step_by(37) {
                let (place, words) = Place::of_bit(array, row_bits, bit);
                let Space::Array { array: found, group } = place.space() else { panic!() };
                let bits: Vec<u64> = bits_of(found, group, row_bits, &words).collect();
                assert_eq!((found, bits), (array, vec![bit]), "{}", about.name);
            }
        }
    }
}
