//! A decoded instruction, ready to execute.

use crate::{Exec, Mask, OpDef, PT};

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

/// Scheduling fields of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ctl {
    /// Cycles before the warp may issue again.
    pub stall: u8,
    /// The scheduler should prefer another warp.
    pub yield_: bool,
    /// Scoreboard released when the result is written (7 = none).
    pub write_sb: u8,
    /// Scoreboard released when operands are read (7 = none).
    pub read_sb: u8,
    /// Scoreboards that must be free before issue.
    pub wait: u8,
    /// Operand reuse flags, bit 0 = A, bit 1 = B, bit 2 = C.
    pub reuse: u8,
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

/// A decoded instruction: everything the engines need, nothing they must look up.
#[derive(Clone, Copy, Debug)]
pub struct Inst {
    /// Operation-wide properties.
    pub op: &'static OpDef,
    /// Guard predicate.
    pub guard: Guard,
    /// Scheduling fields.
    pub ctl: Ctl,
    /// Register destination.
    pub dst: Dst,
    /// Predicate destinations.
    pub pdst: [PredDst; 2],
    /// Sources A, B, C. Memory: A = address, B = data, C = second data (CAS swap value).
    pub src: [Src; 3],
    /// Predicate sources.
    pub psrc: [PredSrc; 3],
    /// Modifiers, in the private encoding of `exec`.
    pub mods: u32,
    /// Runs on the uniform datapath: one value, written to uniform registers.
    pub uniform: bool,
    /// What to do.
    pub exec: Exec,
}

impl Inst {
    /// An instruction without operands, to be filled in.
    pub fn new(op: &'static OpDef, exec: Exec) -> Inst {
        Inst {
            op,
            guard: Guard::ALWAYS,
            ctl: Ctl::default(),
            dst: Dst::None,
            pdst: [PredDst::NONE; 2],
            src: [Src::Zero; 3],
            psrc: [PredSrc::TRUE; 3],
            mods: 0,
            uniform: false,
            exec,
        }
    }
}

/// Mask with every lane on.
pub const ALL_LANES: Mask = u32::MAX;
