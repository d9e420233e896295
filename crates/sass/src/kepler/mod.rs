//! Kepler (sm_35, sm_37): 64-bit instructions in groups of eight words, of
//! which the first says when the others may issue.
//!
//! Built like the tables of later chips ([`crate::table`]): an instruction is
//! one [`Row`] under [`table`], read by decoder, disassembler and execution.
//! Encodings and where they are known from: `docs/kepler.md`.

pub mod column;
pub mod control;
pub mod decode;
pub mod disasm;
pub mod fields;
pub mod form;
pub mod print;
pub mod row;
pub mod sem;
pub mod table;
pub mod word;

pub use control::Control;
pub use decode::{Decoded, Illegal, decode};
pub use fields::{Fields, Lower};
pub use form::Form;
pub use row::{Code, Codes, Row};
pub use word::Word;
