use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Gaussian elimination of a system of linear equations.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Gaussian {
    size: u32,
    /// Threads per block of Fan1.
    line_block: u32,
    /// Threads per side of a block of Fan2.
    square_block: u32,
}

impl Gaussian {
    /// A matrix with a dominant diagonal, which needs no pivoting, and a right
    /// side.
    fn input(&self, seed: u64) -> (Vec<f32>, Vec<f32>) {
        let size = self.size as usize;
        let mut matrix = Generator::new(seed, 0).uniform(size * size, 0.5, 1.5);
        for diagonal in matrix.iter_mut().step_by(size + 1) {
            *diagonal += 2.0 * size as f32;
        }
        (matrix, Generator::new(seed, 1).uniform(size, 0.5, 1.5))
    }

    /// Solves the triangular system that elimination leaves.
    fn substitute(&self, matrix: &[f32], right_side: &[f32]) -> Vec<f32> {
        let size = self.size as usize;
        let mut solution = right_side.to_vec();
        for row in (0..size).rev() {
            let coefficients = &matrix[row * size..][..size];
            let mut rest = solution[row];
            for col in row + 1..size {
                rest -= coefficients[col] * solution[col];
            }
            solution[row] = rest / coefficients[row];
        }
        solution
    }
}

impl Host for Gaussian {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let (matrix, right_side) = self.input(seed);
        let multipliers_at = session.zeros(matrix.len() * 4)?;
        let matrix_at = session.place(&matrix)?;
        let right_at = session.place(&right_side)?;
        // The published program launches one block more than division asks for.
        let line = [self.size / self.line_block + 1, 1, 1];
        let side = self.size.div_ceil(self.square_block);
        let block = [self.square_block, self.square_block, 1];
        for column in 0..self.size - 1 {
            let args = Args::new()
                .ptr(multipliers_at)
                .ptr(matrix_at)
                .i32(self.size as i32)
                .i32(column as i32);
            session.launch("Fan1", line, [self.line_block, 1, 1], &args)?;
            let args = Args::new()
                .ptr(multipliers_at)
                .ptr(matrix_at)
                .ptr(right_at)
                .i32(self.size as i32)
                .i32((self.size - column) as i32)
                .i32(column as i32);
            session.launch("Fan2", [side, side, 1], block, &args)?;
        }
        let multipliers: Vec<f32> = session.read(multipliers_at, matrix.len())?;
        let matrix: Vec<f32> = session.read(matrix_at, matrix.len())?;
        let right_side: Vec<f32> = session.read(right_at, right_side.len())?;
        let solution = self.substitute(&matrix, &right_side);
        Ok(vec![
            Output::new("multipliers", multipliers),
            Output::new("matrix", matrix),
            Output::new("right_side", right_side),
            Output::new("solution", solution),
        ])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let (matrix, right_side) = self.input(seed);
        let eliminated = reference::eliminate(&matrix, &right_side);
        vec![
            Expected::floats("multipliers", &eliminated.multipliers),
            Expected::floats("matrix", &eliminated.matrix),
            Expected::floats("right_side", &eliminated.right_side),
            Expected::floats("solution", &eliminated.solution),
        ]
    }
}
