//! How bits go from operands to a result.

/// Which bits of operands a bit of the result can depend on, whatever the
/// values are. Second results (carries, the condition code) can depend on
/// anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitFlow {
    /// On the same bit of the operands, and on the bit that selects a lane.
    Bitwise,
    /// On one bit, or on none: which one, the operands with these numbers say
    /// (bit n: source n).
    Moves(u8),
    /// As [`BitFlow::Bitwise`]; where source 0 is known, on one bit.
    Picks,
    /// On the same and lower bits.
    Upwards,
    /// As that, and on the low 24 bits alone but for source 2.
    Low24,
    /// On this byte alone.
    Byte(u8),
    /// On anything.
    #[default]
    Any,
}
