//! Random programs of waves in AMD's machine code, whose result does not
//! depend on the order in which waves, work-groups and memory accesses happen.
//!
//! They are made as the programs of [`generate`](crate::generate) are: a
//! [`WaveProgram`] is a launch shape and a tree of statements, and every
//! statement has a key from which all its details are drawn.
//! `docs/random-programs.md` says what makes results independent of order.

mod access;
mod arithmetic;
mod constructs;
mod emit;
mod frame;
mod image;
mod lanes;
mod layout;
mod object;
mod pauses;
mod pieces;
mod program;
mod registers;
mod run;
mod settings;
mod shape;
mod share;
mod touch;
mod tree;
mod waits;

#[cfg(test)]
mod tests;

pub use image::WaveImage;
pub use program::WaveProgram;
pub use run::{WaveMismatch, check, chip, compare, run};
pub use shape::{Shape, Waits};
pub use tree::{Node, WaveKind};
