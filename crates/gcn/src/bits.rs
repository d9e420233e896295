//! Fields of 32-bit words.

/// Bits `lo .. lo + width` of a word.
pub const fn get(word: u32, lo: u32, width: u32) -> u32 {
    (word >> lo) & ((1 << width) - 1)
}

/// A value of `width` bits at `lo`; what does not fit is cut off.
pub const fn put(value: u32, lo: u32, width: u32) -> u32 {
    (value & ((1 << width) - 1)) << lo
}

/// One bit of a word.
pub const fn flag(word: u32, lo: u32) -> bool {
    word >> lo & 1 == 1
}
