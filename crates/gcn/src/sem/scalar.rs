//! Scalar instructions: what they get and what they give.

/// Operand values. What has 32 bits has zeroes above them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources {
    /// The first source.
    pub a: u64,
    /// The second source.
    pub b: u64,
    /// The old value of the result, where that is a source.
    pub old: u64,
    /// The 16-bit constant.
    pub imm: u16,
    /// The scalar condition code.
    pub scc: bool,
    /// EXEC.
    pub exec: u64,
}

/// Results. The row says which of them an instruction has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The result; of 32 bits the low ones.
    pub value: u64,
    /// The scalar condition code.
    pub scc: bool,
    /// EXEC.
    pub exec: u64,
}

impl Results {
    /// A result and the condition code.
    pub const fn new(value: u64, scc: bool) -> Results {
        Results { value, scc, exec: 0 }
    }
}

/// A scalar instruction.
pub type ScalarFn = fn(&Sources) -> Results;
