//! Floating point as GPUs compute it: pure functions from bits to bits.
//!
//! [`exact`] is the reference: every format, every rounding mode, exact
//! integer arithmetic. [`lane`] holds the fast equivalents for one lane (host
//! arithmetic with exact error terms, so the answers are the same on every
//! machine), and [`warp`] the warp-wide operations that instructions lower to.

pub mod convert;
pub mod double;
pub mod exact;
pub mod format;
pub mod half;
pub mod lane;
pub mod mufu;
pub mod narrow;
#[cfg(test)]
mod tests;
pub mod warp;

pub use format::Format;

/// Canonical NaN of FP32 results: single-precision operations do not carry payloads.
pub const NAN32: u32 = 0x7fff_ffff;
/// Canonical NaN of FP16 and BF16 results.
pub const NAN16: u16 = 0x7fff;
/// NaN that an invalid FP64 operation generates (`CUDART_NAN` of CUDA's headers).
pub const NAN64: u64 = 0xfff8_0000_0000_0000;

/// Rounding direction, numbered as instructions encode it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To nearest, ties to even (`.RN`).
    Nearest,
    /// Towards minus infinity (`.RM`).
    Down,
    /// Towards plus infinity (`.RP`).
    Up,
    /// Towards zero (`.RZ`).
    Zero,
}

impl Rounding {
    /// All of them, in encoding order.
    pub const ALL: [Rounding; 4] =
        [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];

    /// From the two-bit field of an instruction.
    #[inline]
    pub fn from_bits(bits: u32) -> Rounding {
        Rounding::ALL[(bits & 3) as usize]
    }

    /// The two-bit field.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Rounding::Nearest => 0,
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::Zero => 3,
        }
    }

    /// Whether a magnitude is raised when cut off: `odd` is the lowest kept
    /// bit, `half` and `sticky` what lies below it.
    #[inline]
    pub fn increments(self, negative: bool, odd: bool, half: bool, sticky: bool) -> bool {
        match self {
            Rounding::Nearest => half && (sticky || odd),
            Rounding::Down => negative && (half || sticky),
            Rounding::Up => !negative && (half || sticky),
            Rounding::Zero => false,
        }
    }

    /// Whether an overflowing magnitude becomes infinity (otherwise the largest number).
    #[inline]
    pub fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Rounding::Nearest => true,
            Rounding::Down => negative,
            Rounding::Up => !negative,
            Rounding::Zero => false,
        }
    }
}

/// A comparison, one bit per outcome: less, equal, greater, unordered.
///
/// The four-bit encoding of `FSETP` is exactly this truth table
/// (F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cond(pub u8);

impl Cond {
    /// Never.
    pub const F: Cond = Cond(0);
    /// Less.
    pub const LT: Cond = Cond(1);
    /// Equal.
    pub const EQ: Cond = Cond(2);
    /// Greater.
    pub const GT: Cond = Cond(4);
    /// Unordered.
    pub const NAN: Cond = Cond(8);
    /// Always.
    pub const T: Cond = Cond(15);

    /// Evaluates the condition from the three ordered outcomes.
    #[inline]
    pub fn holds(self, lt: bool, eq: bool, gt: bool) -> bool {
        let outcome =
            u8::from(lt) | u8::from(eq) << 1 | u8::from(gt) << 2 | u8::from(!(lt | eq | gt)) << 3;
        self.0 & outcome != 0
    }
}
