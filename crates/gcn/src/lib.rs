//! AMD machine code of Southern Islands (GCN1, gfx600): tables, decoder,
//! encoder and text.
//!
//! An instruction is one row of a table under [`table`]: its opcode, its
//! operands and what it touches besides them. [`decode()`] turns words into an
//! [`Inst`], [`encode()`] turns it back, [`text()`] spells it as LLVM's assembler
//! reads it.

#![forbid(unsafe_code)]

pub mod bit_flow;
pub mod bits;
pub mod container;
pub mod decode;
pub mod encode;
pub mod format;
pub mod immediate;
pub mod inst;
pub mod listing;
pub mod operand;
pub mod row;
pub mod rules;
pub mod sem;
pub mod table;
pub mod text;
pub mod trap;
pub mod wave;

pub use bit_flow::BitFlow;
pub use decode::{Illegal, decode, listed, read};
pub use encode::{Words, encode};
pub use format::Format;
pub use inst::{Detail, Inst};
pub use listing::listing;
pub use operand::Operand;
pub use row::Row;
pub use rules::Broken;
pub use text::text;
