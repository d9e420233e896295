//! What a file of machine code holds, whatever its format.

use super::abi::Abi;
use super::argument::{Argument, ArgumentKind};

/// Bytes that are loaded together, at an address relative to where the module lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Relative address.
    pub address: u64,
    /// Its bytes; those that the file leaves out are zero.
    pub bytes: Vec<u8>,
    /// Instructions are fetched from it.
    pub executable: bool,
    /// Kernels may write it.
    pub writable: bool,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Relative address of its first instruction.
    pub entry: u64,
    /// Bytes of its code, where the file says so.
    pub code_bytes: u64,
    /// What hardware is told of it.
    pub abi: Abi,
    /// Its arguments, hidden ones among them.
    pub arguments: Vec<Argument>,
    /// Size of a work-group, where the source fixes it.
    pub group_size: Option<[u32; 3]>,
    /// Work-items that a work-group may have.
    pub most_items: u32,
}

impl Kernel {
    /// The arguments that a host gives; the others are the driver's.
    pub fn explicit(&self) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(|a| !matches!(a.kind, ArgumentKind::Hidden(_)))
    }
}

/// Eight bytes that hold the address of something in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Their relative address.
    pub address: u64,
    /// Relative address of what they lead to.
    pub target: u64,
}

/// Constants of a program, which its kernels read through a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantBuffer {
    /// Its number in the file.
    pub number: u32,
    /// Relative address of its bytes.
    pub address: u64,
    /// How many there are.
    pub bytes: u64,
}

/// A module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// What is loaded, by address.
    pub segments: Vec<Segment>,
    /// What depends on where it lies.
    pub relocations: Vec<Relocation>,
    /// Constants that kernels read through resources, by number.
    pub constants: Vec<ConstantBuffer>,
    /// Kernels by name.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// A kernel.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Bytes at a relative address.
    pub fn bytes(&self, address: u64, len: u64) -> Option<&[u8]> {
        self.segments.iter().find_map(|s| {
            let at = usize::try_from(address.checked_sub(s.address)?).ok()?;
            s.bytes.get(at..at.checked_add(usize::try_from(len).ok()?)?)
        })
    }
}
