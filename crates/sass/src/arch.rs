//! The architectures this crate decodes.

/// An architecture with 128-bit instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arch {
    /// Volta.
    Sm70,
    /// Turing.
    Sm75,
    /// Ampere.
    Sm80,
    /// Hopper.
    Sm90,
}

impl Arch {
    /// All of them, oldest first.
    pub const ALL: [Arch; 4] = [Arch::Sm70, Arch::Sm75, Arch::Sm80, Arch::Sm90];

    /// Compute capability as a number: 70, 75, 80, 90.
    pub fn number(self) -> u32 {
        match self {
            Arch::Sm70 => 70,
            Arch::Sm75 => 75,
            Arch::Sm80 => 80,
            Arch::Sm90 => 90,
        }
    }

    /// The architecture whose encoding the compute capability `sm` uses
    /// (72 runs sm_70 code, 86 and 89 use the encoding of 80).
    pub fn from_number(sm: u32) -> Option<Arch> {
        match sm {
            70 | 72 => Some(Arch::Sm70),
            75 => Some(Arch::Sm75),
            80 | 86 | 87 | 89 => Some(Arch::Sm80),
            90 => Some(Arch::Sm90),
            _ => None,
        }
    }
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}", self.number())
    }
}
