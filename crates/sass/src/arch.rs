//! The architectures this crate decodes.

use crate::{disasm, kepler};

/// How the code of a compute capability is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 64-bit words in groups of eight, sm_35 and sm_37: [`kepler`].
    Kepler,
    /// 128-bit words, sm_70 and newer.
    Volta(Arch),
}

impl Encoding {
    /// The capabilities whose code is decoded, for people.
    pub const DECODED: &str = "sm_35, sm_37, sm_70, sm_75, sm_80 and sm_90";

    /// The encoding that the compute capability `sm` uses.
    pub fn from_number(sm: u32) -> Option<Encoding> {
        match sm {
            35 | 37 => Some(Encoding::Kepler),
            _ => Arch::from_number(sm).map(Encoding::Volta),
        }
    }

    /// A listing of code.
    pub fn listing(self, code: &[u8]) -> String {
        match self {
            Encoding::Kepler => kepler::disasm::listing(code),
            Encoding::Volta(arch) => disasm::listing(code, arch),
        }
    }
}

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
