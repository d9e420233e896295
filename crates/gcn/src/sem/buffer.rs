//! Vector memory: what an instruction does there.

use super::atomic::AtomicFn;

/// How many bytes a lane moves, and what becomes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A byte; small values are extended by their sign, or not.
    Byte(bool),
    /// Two bytes.
    Short(bool),
    /// Dwords as they are.
    Dwords(u8),
    /// So many channels of the descriptor's format.
    Format(u8),
    /// So many channels of the instruction's format.
    Typed(u8),
}

/// What an instruction does in memory.
#[derive(Clone, Copy, Debug)]
pub enum BufferOp {
    /// Loads.
    Load(Element),
    /// Stores.
    Store(Element),
    /// Changes an element in one go.
    Atomic {
        /// How.
        f: AtomicFn,
        /// 4 or 8.
        bytes: u8,
    },
    /// The vector cache forgets what it holds.
    Invalidate,
}
