//! Files that machine code comes in.

pub mod abi;
pub mod amd;
pub mod argument;
pub mod descriptor;
pub mod error;
pub mod hsa;
pub mod metadata;
pub mod module;
pub mod open;
pub mod rsrc2;
pub mod startup;

pub use abi::Abi;
pub use argument::{Access, Argument, ArgumentKind, Binding};
pub use descriptor::Descriptor;
pub use error::ContainerError;
pub use module::{ConstantBuffer, Kernel, Module, Relocation, Segment};
pub use open::{is_amd, parse};
pub use rsrc2::Rsrc2;
pub use startup::{Given, Startup};
