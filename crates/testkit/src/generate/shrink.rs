//! What can be smaller about a program.

use super::{Node, Program, StatementKind};
use crate::tree::Shrinks;

impl Shrinks for Program {
    type Kind = StatementKind;

    fn lists(&mut self) -> Vec<&mut Vec<Node>> {
        std::iter::once(&mut self.body).chain(&mut self.functions).collect()
    }

    fn settings(&mut self) -> &mut Vec<String> {
        &mut self.shape.settings
    }

    fn smaller(&self) -> Vec<Program> {
        let changes = [
            |p: &mut Program| p.shape.launches = 1,
            |p: &mut Program| p.shape.grid = [1; 3],
            |p: &mut Program| p.shape.grid = [p.shape.ctas().div_ceil(2), 1, 1],
            |p: &mut Program| p.shape.block = [1; 3],
            |p: &mut Program| p.shape.block = [p.shape.threads().min(32), 1, 1],
            |p: &mut Program| p.shape.block = [p.shape.threads().div_ceil(2), 1, 1],
            |p: &mut Program| p.shape.pool = 4,
            |p: &mut Program| p.shape.idle_shared = 0,
            |p: &mut Program| p.shape.tight = false,
        ];
        let changed = |change: fn(&mut Program)| {
            let mut candidate = self.clone();
            change(&mut candidate);
            candidate
        };
        changes.into_iter().map(changed).collect()
    }
}
