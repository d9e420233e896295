//! A 64-bit instruction word.

/// One instruction or control word as it stands in memory (little-endian).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(pub u64);

impl Word {
    /// Bytes per word.
    pub const BYTES: usize = 8;

    /// Reads 8 bytes.
    pub fn from_bytes(bytes: [u8; 8]) -> Word {
        Word(u64::from_le_bytes(bytes))
    }

    /// Bits `lo .. lo + width` as a number.
    #[inline]
    pub fn bits(self, lo: u32, width: u32) -> u64 {
        debug_assert!(width >= 1 && lo + width <= 64);
        (self.0 >> lo) & (u64::MAX >> (64 - width))
    }

    /// Bits `lo .. lo + width` as a signed number.
    #[inline]
    pub fn signed(self, lo: u32, width: u32) -> i64 {
        let shift = 64 - width;
        ((self.bits(lo, width) << shift) as i64) >> shift
    }

    /// One bit.
    #[inline]
    pub fn bit(self, n: u32) -> bool {
        (self.0 >> n) & 1 == 1
    }
}

impl std::fmt::Debug for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#018x}", self.0)
    }
}
