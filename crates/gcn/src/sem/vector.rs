//! Vector instructions: what they get and what they give.

use upset_lanes::{Lanes, Mask, WARP};

use super::Mode;

/// Operand values of one half of a wave.
///
/// Sources are A, B and C as a low and a high word; what has 32 bits has zeroes
/// in its high word. Scalar operands and constants arrive broadcast over the
/// lanes, signs are already changed where modifiers say so, and reversed
/// operands are in their right order. Where the result is a source as well
/// (`v_mac_f32`), its old value is C.
pub struct Sources<'a> {
    /// A-lo, A-hi, B-lo, B-hi, C-lo, C-hi.
    pub r: [&'a Lanes; 6],
    /// A bit for each lane: the carry, VCC, what selects.
    pub bits: Mask,
    /// Lanes that execute.
    pub active: Mask,
    /// The wave's MODE.
    pub mode: Mode,
    /// Number of the first lane in its wave: 0 or 32.
    pub first: u32,
}

impl<'a> Sources<'a> {
    /// Low words of A.
    #[inline(always)]
    pub fn a(&self) -> &'a Lanes {
        self.r[0]
    }
    /// Low words of B.
    #[inline(always)]
    pub fn b(&self) -> &'a Lanes {
        self.r[2]
    }
    /// Low words of C.
    #[inline(always)]
    pub fn c(&self) -> &'a Lanes {
        self.r[4]
    }
    /// A of one lane as 64 bits.
    #[inline(always)]
    pub fn a64(&self, lane: usize) -> u64 {
        u64::from(self.r[0][lane]) | u64::from(self.r[1][lane]) << 32
    }
    /// B of one lane as 64 bits.
    #[inline(always)]
    pub fn b64(&self, lane: usize) -> u64 {
        u64::from(self.r[2][lane]) | u64::from(self.r[3][lane]) << 32
    }
    /// C of one lane as 64 bits.
    #[inline(always)]
    pub fn c64(&self, lane: usize) -> u64 {
        u64::from(self.r[4][lane]) | u64::from(self.r[5][lane]) << 32
    }
}

/// Results of one half of a wave; only active lanes are written.
#[derive(Clone)]
pub struct Results {
    /// Low and high words.
    pub d: [Lanes; 2],
    /// A bit for each lane: carries, flags, the outcome of a compare.
    pub bits: Mask,
}

impl Default for Results {
    fn default() -> Self {
        Results { d: [[0; WARP]; 2], bits: 0 }
    }
}

impl Results {
    /// Stores a 64-bit lane result.
    #[inline(always)]
    pub fn set64(&mut self, lane: usize, v: u64) {
        self.d[0][lane] = v as u32;
        self.d[1][lane] = (v >> 32) as u32;
    }
}

/// A vector instruction.
pub type VectorFn = fn(&Sources<'_>, &mut Results);

/// How long a vector instruction keeps its SIMD unit; the chip says how many
/// cycles each of these is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pace {
    /// One pass: sixteen lanes a cycle.
    #[default]
    Full,
    /// A fused multiply-add of single precision.
    Fma,
    /// Transcendental functions, products of 32-bit integers, steps of a division.
    Quarter,
    /// Sums, compares and shifts of 64 bits.
    Double,
    /// Conversions from and to double precision.
    ConvertDouble,
    /// Products and transcendental functions of double precision.
    DoubleProduct,
}
