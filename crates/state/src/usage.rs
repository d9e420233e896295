//! What is used of an array, and when: bits of a row, what was stored, what drives
//! a wire.

use crate::{ArrayId, Kind};

/// Which bits of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All of them.
    Row,
    /// The 32-bit words of these lanes.
    Lanes(u32),
    /// The bytes of a line with ones here.
    Bytes(u128),
}

impl Extent {
    /// Whether it has a bit of a row.
    pub fn covers(self, kind: Kind, bit_of_row: u64) -> bool {
        match self {
            Extent::Row => true,
            // A lane of a predicate is a bit, of a register a word.
            Extent::Lanes(lanes) => {
                let bits = kind.about().lane_bits().unwrap_or(32);
                lanes >> (bit_of_row >> bits.trailing_zeros()) & 1 == 1
            }
            Extent::Bytes(bytes) => bytes >> (bit_of_row / 8) & 1 == 1,
        }
    }
}

/// What drives a wire.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// The array of the wire.
    pub array: ArrayId,
    /// First bit of the words; each further word lies 32 bits on.
    pub first: u64,
    /// The cycle.
    pub now: u64,
    /// Operands a, b, c of the lanes that the words are of, where the unit has some.
    pub operands: [Option<&'a [u32]>; 3],
}

impl<'a> Use<'a> {
    /// A wire without operands.
    pub const fn new(array: ArrayId, first: u64, now: u64) -> Use<'a> {
        Use { array, first, now, operands: [None; 3] }
    }
}

/// Where and when something was stored.
#[derive(Clone, Copy, Debug)]
pub struct Stored {
    /// The array.
    pub array: ArrayId,
    /// First bit of what is told.
    pub first: u64,
    /// The cycle.
    pub now: u64,
    /// What of it was written, the rest being what it was; seen from `first`.
    pub extent: Extent,
}

impl Stored {
    /// All of it was written.
    pub const fn whole(array: ArrayId, first: u64, now: u64) -> Stored {
        Stored { array, first, now, extent: Extent::Row }
    }
}
