//! Files that machine code comes in.

pub mod descriptor;
pub mod error;
pub mod hsa;
pub mod metadata;
pub mod module;

pub use descriptor::Descriptor;
pub use error::ContainerError;
pub use hsa::{is_amd, parse};
pub use metadata::{Argument, ArgumentKind};
pub use module::{Kernel, Module, Relocation, Segment};
