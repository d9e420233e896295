//! What stops a kernel.

use crate::Space;
use crate::windows::{Windows, space_of};

/// The cause of a trap, named as hardware names it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrapKind {
    /// A word that is no instruction.
    #[error("illegal instruction encoding")]
    IllegalEncoding,
    /// An instruction that is legal but that this tool does not execute.
    #[error("instruction {0} is not implemented")]
    Unimplemented(String),
    /// A register pair or quad that is not aligned to its size.
    #[error("misaligned register R{0}")]
    MisalignedRegister(u8),
    /// A register beyond what the kernel was given.
    #[error("register R{0} out of range")]
    RegisterOutOfRange(u8),
    /// A program counter that is no multiple of the instruction size.
    #[error("misaligned program counter {0:#x}")]
    MisalignedPc(u64),
    /// A program counter outside the code.
    #[error("program counter {0:#x} outside the code")]
    PcOutOfRange(u64),
    /// An access that is not aligned to its size.
    #[error("misaligned {space:?} address {addr:#x}")]
    MisalignedAddress {
        /// Address space.
        space: Space,
        /// Address.
        addr: u64,
    },
    /// An access to memory that is not there.
    #[error("{space:?} address {addr:#x} out of range")]
    AddressOutOfRange {
        /// Address space.
        space: Space,
        /// Address.
        addr: u64,
    },
    /// An access to global memory with an address of the shared or local window.
    #[error("address {addr:#x} is of the {} window, not of global memory", window(*space))]
    InvalidAddressSpace {
        /// The space whose window it is.
        space: Space,
        /// Address.
        addr: u64,
    },
    /// A constant bank or offset that is not there.
    #[error("invalid constant address c[{bank:#x}][{offset:#x}]")]
    InvalidConstant {
        /// Bank.
        bank: u8,
        /// Byte offset.
        offset: i64,
    },
    /// A CTA barrier number above 15, or a thread count that is no multiple of the warp size.
    #[error("CTA barrier misuse: {0}")]
    BarrierMisuse(&'static str),
    /// A divergence stack that is full, or has no entry for threads that need one.
    #[error("divergence stack error: {0}")]
    Stack(&'static str),
    /// Threads wait for each other for ever.
    #[error("deadlock: no thread of the CTA can run")]
    Deadlock,
    /// A breakpoint or `trap` instruction.
    #[error("trap instruction")]
    TrapInstruction,
    /// A texture handle that names no texture.
    #[error("invalid texture handle {0:#x}")]
    InvalidTexture(u32),
    /// The launch ran longer than its limit.
    #[error("instruction limit of {0} warp instructions reached")]
    InstructionLimit(u64),
    /// The launch ran beyond its last cycle.
    #[error("cycle limit reached at cycle {0}")]
    CycleLimit(u64),
}

fn window(space: Space) -> &'static str {
    match space {
        Space::Local => "local",
        Space::Shared | Space::Global | Space::Generic | Space::Const => "shared",
    }
}

impl TrapKind {
    /// What an access to global memory that is not there ends in.
    pub fn outside(addr: u64, windows: &Windows) -> TrapKind {
        match space_of(addr, windows) {
            Space::Global | Space::Generic | Space::Const => {
                TrapKind::AddressOutOfRange { space: Space::Global, addr }
            }
            space => TrapKind::InvalidAddressSpace { space, addr },
        }
    }

    /// The address of global memory that an access failed with.
    pub fn global_address(&self) -> Option<u64> {
        match *self {
            TrapKind::AddressOutOfRange { space: Space::Global | Space::Generic, addr }
            | TrapKind::MisalignedAddress { space: Space::Global | Space::Generic, addr } => {
                Some(addr)
            }
            _ => None,
        }
    }
}

/// A trap and where it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at pc {pc:#x}, CTA ({},{},{}), warp {warp}", cta[0], cta[1], cta[2])]
pub struct Trap {
    /// Cause.
    pub kind: TrapKind,
    /// Byte offset of the instruction in the code.
    pub pc: u32,
    /// CTA coordinates.
    pub cta: [u32; 3],
    /// Warp within the CTA.
    pub warp: u32,
}
