use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a block; fixed in the kernels.
const BLOCK: u32 = 16;

/// LU decomposition without pivoting.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LuDecomposition {
    size: u32,
}

impl LuDecomposition {
    /// A matrix with a dominant diagonal, which needs no pivoting.
    fn input(&self, seed: u64) -> Vec<f32> {
        let size = self.size as usize;
        let mut matrix = Generator::new(seed, 0).uniform(size * size, 0.5, 1.5);
        for diagonal in matrix.iter_mut().step_by(size + 1) {
            *diagonal += 2.0 * size as f32;
        }
        matrix
    }
}

impl Host for LuDecomposition {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let matrix = self.input(seed);
        let at = session.place(&matrix)?;
        for offset in (0..self.size).step_by(BLOCK as usize) {
            let args = Args::new().ptr(at).i32(self.size as i32).i32(offset as i32);
            session.launch("lud_diagonal", [1, 1, 1], [BLOCK, 1, 1], &args)?;
            let rest = (self.size - offset) / BLOCK - 1;
            if rest > 0 {
                session.launch("lud_perimeter", [rest, 1, 1], [2 * BLOCK, 1, 1], &args)?;
                session.launch("lud_internal", [rest, rest, 1], [BLOCK, BLOCK, 1], &args)?;
            }
        }
        let matrix: Vec<f32> = session.read(at, matrix.len())?;
        Ok(vec![Output::new("matrix", matrix)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let factors = reference::lower_upper(&self.input(seed), self.size as usize);
        vec![Expected::reals("matrix", factors)]
    }
}
