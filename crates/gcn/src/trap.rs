//! What stops a kernel.

/// The cause of a trap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrapKind {
    /// Words that are no instruction.
    #[error("illegal instruction {0:#010x}")]
    Illegal(u32),
    /// An instruction that is legal but that this tool does not execute.
    #[error("instruction {0} is not implemented")]
    Unimplemented(String),
    /// A program counter outside the code.
    #[error("program counter {0:#x} outside the code")]
    PcOutOfRange(u64),
    /// An access to memory that is not there.
    #[error("memory violation at address {0:#x}")]
    MemoryViolation(u64),
    /// `s_trap`, and no trap handler.
    #[error("trap instruction {0}")]
    TrapInstruction(u8),
    /// Waves wait for each other, or for nothing, for ever.
    #[error("deadlock: no wave of the work-group can run")]
    Deadlock,
    /// The launch ran longer than its limit.
    #[error("instruction limit of {0} wave instructions reached")]
    InstructionLimit(u64),
    /// The launch ran beyond its last cycle.
    #[error("cycle limit reached at cycle {0}")]
    CycleLimit(u64),
}

/// A trap and where it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at pc {pc:#x}, work-group ({},{},{}), wave {wave}", group[0], group[1], group[2])]
pub struct Trap {
    /// Cause.
    pub kind: TrapKind,
    /// Address of the instruction.
    pub pc: u64,
    /// Work-group coordinates.
    pub group: [u32; 3],
    /// Wave within the work-group.
    pub wave: u32,
}
