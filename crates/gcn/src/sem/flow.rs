//! Program control.

/// What a jump depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Nothing.
    Always,
    /// The scalar condition code has this value.
    Scc(bool),
    /// VCC is zero, or is not.
    VccZero(bool),
    /// EXEC is zero, or is not.
    ExecZero(bool),
    /// A debugger is attached: it never is.
    Debugger,
}

/// Program control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// The wave ends.
    End,
    /// A jump by the constant.
    Branch(Condition),
    /// The address of the next instruction goes to the result.
    GetPc,
    /// A jump to the source.
    SetPc,
    /// Both.
    SwapPc,
    /// `s_cbranch_g_fork`, `s_cbranch_i_fork`: the lanes that jump and those
    /// that do not go one after the other.
    Fork,
    /// Where they meet.
    Join,
    /// All waves of the work-group come here.
    Barrier,
    /// Waits for the counters that the constant names.
    Wait,
    /// Waits for so many issue slots.
    Nop,
    /// Sleeps for so many times 64 cycles.
    Sleep,
    /// Sets the wave's priority.
    Priority,
    /// Stops the wave for a debugger: it never goes on.
    Halt,
    /// Ends the wave where the constant says so (`s_setkill`).
    Kill,
    /// A message to the host or to fixed hardware: nobody listens.
    Message,
    /// As that, and stops.
    MessageHalt,
    /// Calls the trap handler: there is none.
    Trap,
    /// The instruction cache forgets what it holds.
    InvalidateCode,
    /// Counters of a tool that is not there.
    Nothing,
}
