//! Operands of an instruction: where values come from and go to.

use crate::PT;

/// Guard predicate `@P0`, `@!UP3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// Predicate index; [`PT`] means always.
    pub pred: u8,
    /// `@!P`.
    pub negate: bool,
    /// The guard is a uniform predicate.
    pub uniform: bool,
}

impl Guard {
    /// No guard.
    pub const ALWAYS: Guard = Guard { pred: PT, negate: false, uniform: false };
    /// True when the guard cannot switch lanes off.
    pub fn is_always(self) -> bool {
        self.pred == PT && !self.negate
    }
}

/// Words an operand spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 32 bits.
    W1,
    /// 64 bits, an aligned register pair.
    W2,
    /// 96 bits.
    W3,
    /// 128 bits, an aligned group of four.
    W4,
}

impl Width {
    /// Number of 32-bit words.
    pub fn words(self) -> u8 {
        match self {
            Width::W1 => 1,
            Width::W2 => 2,
            Width::W3 => 3,
            Width::W4 => 4,
        }
    }
}

/// Where a constant operand lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstAddr {
    /// `c[bank][offset]`, offset in bytes.
    Bank {
        /// Bank 0..31.
        bank: u8,
        /// Byte offset (may be negative after a fault: kept signed).
        offset: i32,
    },
    /// `cx[URn][offset]`: bindless, the uniform pair holds the descriptor.
    Bindless {
        /// Uniform register pair.
        ureg: u8,
        /// Byte offset.
        offset: i32,
    },
}

/// A register-sized source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// Absent or constant zero.
    Zero,
    /// Vector register (`RZ` reads zero).
    Reg(u8, Width),
    /// Uniform register, broadcast.
    UReg(u8, Width),
    /// Immediate, low word.
    Imm(u32),
    /// Immediate in the high word of a 64-bit operand (FP64 immediates).
    ImmHigh(u32),
    /// Constant memory.
    Const(ConstAddr, Width),
}

/// Destination register(s).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dst {
    /// None.
    None,
    /// Vector register.
    Reg(u8, Width),
    /// Uniform register.
    UReg(u8, Width),
}

/// A predicate source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PredSrc {
    /// Index, [`PT`] reads true.
    pub pred: u8,
    /// `!P`.
    pub negate: bool,
    /// From the uniform predicates.
    pub uniform: bool,
}

impl PredSrc {
    /// Reads true.
    pub const TRUE: PredSrc = PredSrc { pred: PT, negate: false, uniform: false };
    /// Reads false.
    pub const FALSE: PredSrc = PredSrc { pred: PT, negate: true, uniform: false };
}

/// A predicate destination ([`PT`] drops the write).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PredDst {
    /// Index.
    pub pred: u8,
    /// Into the uniform predicates.
    pub uniform: bool,
}

impl PredDst {
    /// Dropped.
    pub const NONE: PredDst = PredDst { pred: PT, uniform: false };
}
