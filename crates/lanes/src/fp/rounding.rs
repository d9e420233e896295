//! Rounding directions.

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
