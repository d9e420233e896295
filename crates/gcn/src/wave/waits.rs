//! What `s_waitcnt` waits for.

/// Counters that `s_waitcnt` waits for: each must not be above its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Waits {
    /// Vector memory.
    pub vm: u8,
    /// Exports and data of stores.
    pub exp: u8,
    /// LDS, GDS, scalar memory, messages.
    pub lgkm: u8,
}

impl Waits {
    /// From the constant of `s_waitcnt`.
    pub const fn of(imm: u16) -> Waits {
        Waits { vm: (imm & 15) as u8, exp: (imm >> 4 & 7) as u8, lgkm: (imm >> 8 & 15) as u8 }
    }
}
