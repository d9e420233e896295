use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a tile, fixed in the kernel, and rows of threads for it.
const TILE: u32 = 32;
const ROWS: u32 = 8;

/// Transpose of a matrix, in tiles.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transpose {
    /// Both are multiples of the tile's side.
    width: u32,
    height: u32,
}

impl Transpose {
    fn input(&self, seed: u64) -> Vec<f32> {
        Generator::new(seed, 0).uniform((self.width * self.height) as usize, 0.0, 1.0)
    }
}

impl Host for Transpose {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let matrix = self.input(seed);
        let from = session.place(&matrix)?;
        let to = session.room(matrix.len() * 4)?;
        let args = Args::new().ptr(from).ptr(to).i32(self.width as i32).i32(self.height as i32);
        let grid = [self.width / TILE, self.height / TILE, 1];
        session.launch("transpose", grid, [TILE, ROWS, 1], &args)?;
        let transpose: Vec<f32> = session.read(to, matrix.len())?;
        Ok(vec![Output::new("transpose", transpose)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let transpose = reference::transpose(&self.input(seed), self.width as usize);
        vec![Expected::floats("transpose", &transpose)]
    }
}
