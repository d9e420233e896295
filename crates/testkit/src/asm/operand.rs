//! Operands.

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct R(pub u8);

/// Reads zero, drops what is written.
pub const RZ: R = R(255);

impl R {
    /// The register `n` further on.
    pub fn plus(self, n: u8) -> R {
        R(self.0 + n)
    }
}

/// A uniform register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct U(pub u8);

/// Reads zero, drops what is written.
pub const URZ: U = U(63);

/// A predicate, or in uniform instructions a uniform predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct P {
    /// 0 to 6; 7 always holds.
    pub index: u8,
    /// Its negation.
    pub not: bool,
}

/// Always holds; drops what is written.
pub const PT: P = P { index: 7, not: false };

impl P {
    /// Predicate `index`.
    pub const fn new(index: u8) -> P {
        P { index, not: false }
    }
}

impl std::ops::Not for P {
    type Output = P;
    fn not(self) -> P {
        P { not: !self.not, ..self }
    }
}

/// A source that may be something else than a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    /// A register.
    Reg(R),
    /// 32 bits.
    Imm(u32),
    /// A word of a constant bank.
    Const {
        /// Bank.
        bank: u8,
        /// Byte offset, a multiple of four.
        offset: u16,
    },
    /// A uniform register, from sm_75 on.
    Uniform(U),
}

/// `c[bank][offset]`.
pub const fn constant(bank: u8, offset: u16) -> Src {
    Src::Const { bank, offset }
}

impl From<R> for Src {
    fn from(r: R) -> Src {
        Src::Reg(r)
    }
}

impl From<U> for Src {
    fn from(u: U) -> Src {
        Src::Uniform(u)
    }
}

impl From<u32> for Src {
    fn from(v: u32) -> Src {
        Src::Imm(v)
    }
}
