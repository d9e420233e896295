//! Which register is for what.

use upset_gcn::Operand;
use upset_gcn::operand::Operand::{Sgpr, Vgpr};

/// Scalar registers.
pub(crate) mod s {
    /// Where `s_cbranch_*_fork` keeps the other lanes.
    pub const FORK: u8 = 0;
    /// EXEC as the wave began (a pair).
    pub const INITIAL: u8 = 4;
    /// Pointers: input, slots, reductions, output (pairs).
    pub const POINTERS: u8 = 8;
    /// Number of the wave in the launch.
    pub const WAVE: u8 = 16;
    /// Number of the wave in its work-group.
    pub const MEMBER: u8 = 17;
    /// Number of the work-group.
    pub const GROUP: u8 = 18;
    /// Which of two buffers this wave writes.
    pub const PARITY: u8 = 19;
    /// Descriptors under construction, two of four registers.
    pub const DESCRIPTOR: u8 = 20;
    /// Scratch of a statement: two pairs, two words.
    pub const PAIR: u8 = 28;
    pub const WORD: u8 = 32;
    /// Counters of scalar loops, one for each depth.
    pub const LOOP: u8 = 34;
    /// Saved EXEC, two pairs for each depth.
    pub const SAVED: u8 = 38;
    /// Where functions return to.
    pub const RETURN: u8 = 54;
    /// Registers that statements compute with.
    pub const POOL: u8 = 56;
}

/// Vector registers.
pub(crate) mod v {
    /// Number of the lane.
    pub const LANE: u8 = 0;
    /// Counters of vector loops, one for each depth.
    pub const LOOP: u8 = 1;
    /// A scratch register.
    pub const WORD: u8 = 3;
    /// Addresses, up to two registers.
    pub const ADDRESS: u8 = 4;
    /// Data that nobody looks at afterwards, up to five registers.
    pub const DATA: u8 = 6;
    /// Registers that statements compute with.
    pub const POOL: u8 = 11;
}

/// Depth of constructs that save EXEC.
pub(crate) const DEPTH: u8 = 4;
/// Vector loops within vector loops.
pub(crate) const VECTOR_LOOPS: u8 = 2;
/// Scalar loops within scalar loops.
pub(crate) const SCALAR_LOOPS: u8 = 4;

/// What pointers point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Input,
    Slots,
    Reductions,
    Output,
}

/// Pointers of a launch.
pub(crate) const POINTERS: usize = 4;

impl Region {
    /// The pair that holds its address.
    pub fn pointer(self) -> u8 {
        s::POINTERS + 2 * self as u8
    }
}

/// Scalar register `n`.
pub(crate) fn sgpr(n: u8) -> Operand {
    Sgpr(n)
}

/// Vector register `n`.
pub(crate) fn vgpr(n: u8) -> Operand {
    Vgpr(n)
}
