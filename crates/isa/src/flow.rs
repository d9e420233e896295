//! Control flow and synchronisation, as descriptions the engines carry out.

use crate::control::stack::EntryKind;

/// A jump target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Byte offset from the next instruction.
    Relative(i64),
    /// Byte address within the kernel's code space.
    Absolute(i64),
    /// Next instruction + source A pair + offset (`BRX`, `RET.REL`).
    RegRelative(i64),
    /// Source A pair + offset (`JMX`, `RET.ABS`).
    RegAbsolute(i64),
}

/// Reduction a CTA barrier performs over a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarReduce {
    /// Count of true.
    Popc,
    /// All true.
    And,
    /// Any true.
    Or,
}

/// CTA barrier operation. The barrier index is source A (register) or `index`;
/// the thread count is source B when `counted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarOp {
    /// Arrive and wait.
    Sync,
    /// Arrive only.
    Arrive,
    /// Arrive and wait, with reduction of predicate source 0.
    Reduce(BarReduce),
}

/// A control-flow or synchronisation operation. Conditions beyond the guard
/// are in `psrc[0]` (and `psrc[1]` for uniform conditions), and for machines
/// with condition codes a test of them in the modifiers
/// ([`when`](crate::codes::when)); all must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// `BRA`, `JMP`, `BRX`, `JMX`.
    Branch(Target),
    /// `BRA.CONV`: the executing threads jump if they are all of the threads that
    /// source A names, or with `masked` unset, all live threads of the warp.
    /// `BRA.DIV`: if they are not, all active threads jump. Its guard counts:
    /// compilers of CUDA 13 let it fail in threads whose group is another
    /// (`R2UR P1, URZ, R5; @!P1 BRA.DIV UR5`), and none of them may go on.
    BranchIfGroup {
        /// Where to.
        target: Target,
        /// `.CONV`.
        converged: bool,
        /// The threads to compare with are in source A.
        masked: bool,
    },
    /// `CALL`: the return address is in a register pair already for `.NOINC`.
    Call(Target),
    /// `RET`.
    Ret(Target),
    /// `SSY`, `PBK`, `PCNT`, `PRET`, `PLONGJMP`: push where threads will go on.
    Push {
        /// What for.
        kind: EntryKind,
        /// Where.
        target: Target,
    },
    /// `CAL`, `JCAL` of machines with a stack: push the next instruction, and go.
    CallByStack(Target),
    /// `BRK`, `CONT`, `RET`, `LONGJMP` of machines with a stack.
    LeaveFor(EntryKind),
    /// `EXIT`.
    Exit,
    /// `KILL`.
    Kill,
    /// `BSSY Bn, target`: open a convergence region.
    Bssy {
        /// Barrier register.
        bar: u8,
        /// Reconvergence point.
        target: Target,
    },
    /// `BSYNC Bn`: wait for the participants.
    Bsync {
        /// Barrier register.
        bar: u8,
    },
    /// `BREAK Bn`: leave the barrier.
    Break {
        /// Barrier register.
        bar: u8,
    },
    /// `BMOV`: barrier register to register (destination), optionally clearing it.
    BmovRead {
        /// Barrier register (16.. = the special thread-state registers).
        bar: u8,
        /// `.CLEAR`.
        clear: bool,
    },
    /// `BMOV`: register (source A) to barrier register.
    BmovWrite {
        /// Barrier register.
        bar: u8,
        /// `.PQUAD` or other handling that this engine treats as plain.
        wide: bool,
    },
    /// `WARPSYNC mask` (source A): wait for the named threads. Groups that meet
    /// there issue it once more together.
    WarpSync {
        /// Threads of different masks go on apart (`.EXCLUSIVE`).
        exclusive: bool,
    },
    /// `WARPSYNC.COLLECTIVE mask, target`: wait for the named threads, wherever
    /// they wait, and do with them what follows, up to `ENDCOLLECTIVE`.
    Collective {
        /// Where to go on after that.
        target: Target,
    },
    /// `ENDCOLLECTIVE`: each thread goes on where it is to.
    EndCollective,
    /// `YIELD`, `NANOSLEEP`: let other threads of the warp run.
    Yield,
    /// `BAR`.
    Bar {
        /// Operation.
        op: BarOp,
        /// Barrier number when immediate.
        index: Option<u8>,
        /// Thread count when immediate.
        count: Option<u16>,
        /// Thread count in source B.
        counted: bool,
        /// Register form: number in bits 0-3 of source A, thread count in
        /// bits 16-27 of it (0 = all threads).
        packed: bool,
    },
    /// `B2R.RESULT`: result of the last barrier reduction into destination / predicate destination.
    BarResult,
    /// `LEPC`: an address of code into the destination pair.
    ReadPc {
        /// Bytes from this instruction (0 without an offset: seen on H200).
        plus: i64,
    },
    /// `BPT.TRAP`, breakpoints: stop with a trap.
    Trap,
}
