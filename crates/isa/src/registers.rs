//! Registers that are none: numbers with a fixed value.

/// The register that reads zero and drops writes.
pub const RZ: u8 = 255;
/// The uniform register that reads zero and drops writes.
pub const URZ: u8 = 63;
/// The predicate that reads true and drops writes.
pub const PT: u8 = 7;
