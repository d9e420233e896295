//! A program: a launch shape and a tree of statements.

use super::shape::Shape;
use super::tree::{self, Node, WaveKind};
use crate::Rng;
use crate::tree::{Shrinks, count};

/// A random program of waves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveProgram {
    /// What it was made from.
    pub seed: u64,
    /// Geometry, memory and registers.
    pub shape: Shape,
    /// What every wave does.
    pub body: Vec<Node>,
    /// Functions that statements call.
    pub functions: Vec<Vec<Node>>,
}

/// Functions that every program has.
const FUNCTIONS: usize = 2;

impl WaveProgram {
    /// Program `seed`.
    pub fn new(seed: u64) -> WaveProgram {
        let mut rng = Rng::new(seed);
        let size = rng.pick(&[6, 12, 12, 24, 24, 48, 80]);
        WaveProgram::with_size(seed, size)
    }

    /// Program `seed` with about `size` statements.
    pub fn with_size(seed: u64, size: u32) -> WaveProgram {
        let mut rng = Rng::new(seed.wrapping_mul(2).wrapping_add(1));
        let shape = Shape::random(&mut rng);
        let functions = (0..FUNCTIONS).map(|_| tree::function(&mut rng)).collect();
        let body = tree::body(&mut rng, size);
        WaveProgram { seed, shape, body, functions }
    }

    /// Statements, those of functions included.
    pub fn statements(&self) -> usize {
        count(&self.body) + self.functions.iter().map(|f| count(f)).sum::<usize>()
    }
}

impl Shrinks for WaveProgram {
    type Kind = WaveKind;

    fn lists(&mut self) -> Vec<&mut Vec<Node>> {
        std::iter::once(&mut self.body).chain(&mut self.functions).collect()
    }

    fn settings(&mut self) -> &mut Vec<String> {
        &mut self.shape.settings
    }

    fn smaller(&self) -> Vec<WaveProgram> {
        let changes = [
            |s: &mut Shape| s.launches = 1,
            |s: &mut Shape| s.grid = [1; 3],
            |s: &mut Shape| s.grid = [s.groups().div_ceil(2), 1, 1],
            |s: &mut Shape| s.block = [1; 3],
            |s: &mut Shape| s.block = [s.items().min(64), 1, 1],
            |s: &mut Shape| s.block = [s.items().div_ceil(2), 1, 1],
            |s: &mut Shape| s.vector_pool = 6,
            |s: &mut Shape| s.scalar_pool = 8,
            |s: &mut Shape| s.idle_lds = 0,
            |s: &mut Shape| s.waits = super::shape::Waits::Drain,
        ];
        let changed = |change: fn(&mut Shape)| {
            let mut candidate = self.clone();
            change(&mut candidate.shape);
            candidate
        };
        changes.into_iter().map(changed).collect()
    }
}
