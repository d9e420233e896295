//! Sizes that all levels of the hierarchy speak in.

/// Bytes a packet speaks of.
pub const LINE: u64 = 128;
/// Bytes of one bit of a packet's sector mask.
pub const SECTOR: u64 = 32;
