//! What a host has got from the device and not looked at ([`crate::carried`]).

use std::ops::Range;

use upset_mem::LINE;

/// What a host carries.
#[derive(Default)]
pub(crate) struct Luggage {
    pub(crate) copies: Vec<Copy>,
    /// Where the next one begins, in a count of all that was ever carried.
    pub(crate) next: u64,
}

/// Bytes that it copied at once.
pub(crate) struct Copy {
    /// Where they begin in that count.
    pub(crate) at: u64,
    pub(crate) len: usize,
    pub(crate) bytes: Bytes,
}

/// Where they are.
pub(crate) enum Bytes {
    /// The kept output of this number.
    Output(usize),
    /// Worked out by the host, or outputs are not kept.
    Own(Vec<u8>),
}

impl Copy {
    /// The lines that they lie in.
    pub(crate) fn lines(&self) -> Range<u64> {
        self.at & !(LINE - 1)..self.at + self.len as u64
    }
}
