//! A 128-bit instruction word.

/// One instruction as it stands in memory (little-endian).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(pub u128);

impl Word {
    /// Bytes per instruction.
    pub const BYTES: usize = 16;

    /// Reads 16 bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Word {
        Word(u128::from_le_bytes(bytes))
    }

    /// Bits `lo .. lo + width` as a number.
    #[inline]
    pub fn bits(self, lo: u32, width: u32) -> u64 {
        debug_assert!(width <= 64);
        ((self.0 >> lo) as u64) & (u64::MAX >> (64 - width))
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
        write!(f, "{:#034x}", self.0)
    }
}
