//! NVIDIA machine code (SASS), sm_70 to sm_90 and sm_35: tables, decoder,
//! disassembler, semantics, and the containers it comes in.
//!
//! An instruction is one row of a table under [`table`]; its meaning is one
//! lowering function under [`sem`] that turns the encoded word into an
//! [`upset_isa::Inst`]. sm_35 has another encoding and its own family of
//! tables, [`kepler`].

pub mod arch;
pub mod container;
pub mod decode;
pub mod disasm;
pub mod encoding;
pub mod fields;
pub mod kepler;
pub mod sem;
pub mod table;
pub mod word;

pub use arch::Arch;
pub use decode::{Decoded, Illegal, decode};
pub use encoding::Encoding;
pub use fields::{Fields, Lower, LowerError};
pub use word::Word;
