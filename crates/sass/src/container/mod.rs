//! The containers that NVIDIA machine code comes in: cubins, fat binaries, and
//! host programs that carry fat binaries. What is read, and how the meaning of
//! each field was found: `docs/containers.md`.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use upset_sass::container::{self, Addresses};
//! let file = std::fs::read("kernels.cubin")?;
//! let module = container::open(&file)?.module(75)?;
//! let mut addresses = Addresses { code: 0x1000, globals: 0x10_0000, ..Addresses::default() };
//! addresses.handles = module.number_references(1);
//! let placed = module.place(&addresses)?;
//! println!("{} kernels, {} bytes of code", placed.kernels.len(), placed.code.len());
//! # Ok(())
//! # }
//! ```

pub mod attribute;
mod bytes;
mod compression;
pub mod cubin;
mod elf;
mod error;
pub mod fatbin;
mod lines;
mod link;
mod module;
mod place;
pub mod reloc;
mod unrecognised;

pub use error::{ContainerError, ErrorClass};
pub use fatbin::runs_on;
pub use lines::SourceLines;
pub use module::{
    CodeSection, Data, Extent, Function, Kernel, Module, Param, Params, RelocTarget, Relocation,
    Shared, Slot, Stack, Symbol, SymbolKind, SymbolPlace,
};
pub use place::{Addresses, Placed, PlacedKernel};

use bytes::{u16_at, u32_at};
use unrecognised::describe;

/// A recognised file.
#[derive(Debug)]
pub enum Container<'a> {
    /// Machine code for one architecture.
    Cubin(Box<Module>),
    /// Images for several architectures, of a fat binary or a host program.
    Fat(Vec<fatbin::Entry<'a>>),
}

/// Reads a cubin, a fat binary or a host program, whichever it is.
pub fn open(bytes: &[u8]) -> Result<Container<'_>, ContainerError> {
    if u32_at(bytes, 0) == fatbin::MAGIC {
        return fatbin::parse(bytes).map(Container::Fat);
    }
    if bytes.starts_with(b"\x7fELF") {
        if u16_at(bytes, 0x12) == elf::EM_CUDA {
            return cubin::parse(bytes).map(|m| Container::Cubin(Box::new(m)));
        }
        return fatbin::parse_host(bytes).map(Container::Fat);
    }
    Err(ContainerError::Unrecognised { found: describe(bytes) })
}

impl Container<'_> {
    /// The modules for a device of compute capability `sm`: the cubin itself,
    /// or the best image of each container (a host program has one container
    /// per source file).
    pub fn modules(&self, sm: u32) -> Result<Vec<Module>, ContainerError> {
        match self {
            Container::Cubin(module) if runs_on(module.sm, sm) => Ok(vec![*module.clone()]),
            Container::Cubin(module) => {
                Err(ContainerError::NoCode { sm, has: format!("sm_{}", module.sm) })
            }
            Container::Fat(entries) => entries
                .chunk_by(|a, b| a.container == b.container)
                .map(|entries| cubin::parse(&fatbin::choose(entries, sm)?.image()?))
                .collect(),
        }
    }

    /// The first of [`Self::modules`], for files with a single one.
    pub fn module(&self, sm: u32) -> Result<Module, ContainerError> {
        let first = self.modules(sm)?.into_iter().next();
        first.ok_or_else(|| ContainerError::NoCode { sm, has: "nothing".into() })
    }
}
