//! Random programs in real machine code, whose result does not depend on the
//! order in which warps, CTAs and memory accesses happen.
//!
//! A [`Program`] is a launch shape and a tree of statements. Every statement
//! has a key from which all its details (operands, modifiers, addresses,
//! stalls) are drawn, so that statements can be dropped without changing the
//! others: that is how a failing program is made small ([`shrink`]).
//!
//! What makes the result independent of order, and what is scheduled how:
//! `docs/random-programs.md`.

mod access;
mod arithmetic;
mod constructs;
mod emit;
mod frame;
mod image;
mod layout;
mod program;
mod run;
mod schedule;
pub(crate) mod settings;
mod shape;
mod shrink;
mod tree;
mod uniform;
mod variant;

#[cfg(test)]
mod tests;

pub use crate::engines::{ENGINES, Engine, FUNCTIONAL, Memory, TIMING};
pub use crate::tree::shrink;
pub use image::Image;
pub use program::Program;
pub use run::{Mismatch, check, compare, run};
pub use shape::{Chain, Shape};
pub use tree::{Node, StatementKind};
pub use variant::{chip, preset};
