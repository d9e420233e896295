//! The instructions, one table for each format, in the order of their opcodes.

mod buffer;
mod ds;
mod exp;
mod find;
mod mimg;
mod mtbuf;
mod mubuf;
mod smrd;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod vintrp;
mod vop1;
mod vop2;
mod vop3;
mod vopc;

pub use find::{find, rows};
