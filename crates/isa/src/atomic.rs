//! Atomic read-modify-write operations as pure functions of old value and operand.

/// The operation of an atomic or reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomOp {
    /// Sum (wrapping).
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// `old >= b ? 0 : old + 1`.
    Inc,
    /// `old == 0 || old > b ? b : old - 1`.
    Dec,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise xor.
    Xor,
    /// Exchange.
    Exch,
    /// Compare and swap.
    Cas,
}

/// How the bits of an atomic operand are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomType {
    /// Unsigned 32 bits.
    U32,
    /// Signed 32 bits.
    S32,
    /// Unsigned 64 bits.
    U64,
    /// Signed 64 bits.
    S64,
    /// FP32, denormals flushed.
    F32Ftz,
    /// FP32, denormals kept.
    F32,
    /// FP64.
    F64,
    /// Two FP16 (round to nearest even).
    F16x2,
    /// Two BF16.
    Bf16x2,
}
