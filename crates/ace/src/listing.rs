//! Code of kernels, for those who ask which instruction wrote something.

use std::sync::Arc;

/// Code of a kernel.
pub(crate) enum Listing {
    /// NVIDIA's, and the byte of its first instruction.
    Nvidia(Arc<upset_device::Code>, u32),
    /// AMD's, likewise.
    Amd(Arc<upset_cu::Code>, u32),
}

impl Listing {
    /// Byte of the kernel's first instruction.
    pub(crate) fn entry(&self) -> u32 {
        match self {
            Listing::Nvidia(_, entry) | Listing::Amd(_, entry) => *entry,
        }
    }

    /// The machine words at a byte; of AMD's code two dwords.
    pub(crate) fn word(&self, pc: u32) -> Option<u128> {
        match self {
            Listing::Nvidia(code, _) => {
                let program = &code.program;
                program.words.get((pc / program.layout.step()) as usize).copied()
            }
            Listing::Amd(code, _) => {
                let dword = |n: u32| code.words.get((pc / 4 + n) as usize).copied();
                Some(u128::from(dword(0)?) | u128::from(dword(1).unwrap_or(0)) << 32)
            }
        }
    }
}
