//! Which unit an instruction takes.

/// The unit that an instruction will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// First cycle at which it is free.
    pub free: u64,
    /// Its number, where there are several.
    pub pipe: u8,
}
