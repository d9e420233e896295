use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a work-group, and of the part that a work-item moves; fixed in the
/// kernel.
const SIDE: u32 = 16;
const PART: u32 = 4;

/// Transpose of a square matrix.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatrixTranspose {
    size: u32,
}

impl MatrixTranspose {
    fn input(&self, seed: u64) -> Vec<f32> {
        Generator::new(seed, 0).uniform((self.size * self.size) as usize, 0.0, 255.0)
    }
}

impl Host for MatrixTranspose {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let matrix = self.input(seed);
        let from = session.place(&matrix)?;
        let to = session.room(matrix.len() * 4)?;
        let groups = self.size / (SIDE * PART);
        let args = Args::new().ptr(to).ptr(from);
        session.launch("matrixTranspose", [groups, groups, 1], [SIDE, SIDE, 1], &args)?;
        let transpose: Vec<f32> = session.read(to, matrix.len())?;
        Ok(vec![Output::new("transpose", transpose)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let transpose = reference::transpose(&self.input(seed), self.size as usize);
        vec![Expected::floats("transpose", &transpose)]
    }
}
