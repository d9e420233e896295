//! A program: a launch shape and a tree of statements.

use super::shape::Shape;
use super::tree::{self, Node};
use crate::Rng;
use crate::tree::count;
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
const FUNCTIONS: usize = 2;

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
        count(&self.body) + self.functions.iter().map(|f| count(f)).sum::<usize>()
    }
}
