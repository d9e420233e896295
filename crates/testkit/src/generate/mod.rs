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
mod run;
mod schedule;
mod shape;
mod shrink;
mod tree;
mod uniform;
mod variant;

#[cfg(test)]
mod tests;

pub use image::Image;
pub use run::{ENGINES, Engine, FUNCTIONAL, Memory, Mismatch, TIMING, check, compare, run};
pub use shape::{Chain, Shape};
pub use shrink::shrink;
pub use tree::{Kind, Node};
pub use variant::{chip, preset};

use crate::Rng;
use upset_sass::Arch;

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What it was made from.
    pub seed: u64,
    /// Its architecture.
    pub arch: Arch,
    /// Geometry, memory and registers.
    pub shape: Shape,
    /// What every thread does.
    pub body: Vec<Node>,
    /// Functions that statements call.
    pub functions: Vec<Vec<Node>>,
}

/// Functions that every program has.
pub(crate) const FUNCTIONS: usize = 2;

impl Program {
    /// Program `seed`.
    pub fn new(seed: u64, arch: Arch) -> Program {
        let mut rng = Rng::new(seed);
        let size = rng.pick(&[8, 16, 16, 32, 32, 64, 96]);
        Program::with_size(seed, arch, size)
    }

    /// Program `seed` with about `size` statements.
    pub fn with_size(seed: u64, arch: Arch, size: u32) -> Program {
        let mut rng = Rng::new(seed.wrapping_mul(2).wrapping_add(1));
        let shape = Shape::random(&mut rng);
        let functions = (0..FUNCTIONS).map(|i| tree::function(&mut rng, i)).collect();
        let body = tree::body(&mut rng, size);
        Program { seed, arch, shape, body, functions }
    }

    /// Statements, those of functions included.
    pub fn statements(&self) -> usize {
        tree::count(&self.body) + self.functions.iter().map(|f| tree::count(f)).sum::<usize>()
    }

    /// Machine code and everything else a launch needs.
    pub fn image(&self) -> Image {
        Image::new(self)
    }
}
