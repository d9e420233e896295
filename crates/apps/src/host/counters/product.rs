use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a tile; fixed in the kernel.
const TILE: u32 = 16;

/// Product of two square matrices, in tiles.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Product {
    /// A multiple of the tile's side.
    size: u32,
}

impl Product {
    fn input(&self, seed: u64) -> [Vec<f32>; 2] {
        let cells = (self.size * self.size) as usize;
        [0, 1].map(|stream| Generator::new(seed, stream).uniform(cells, 0.0, 1.0))
    }
}

impl Host for Product {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let [left, right] = self.input(seed);
        let left_at = session.place(&left)?;
        let right_at = session.place(&right)?;
        let product = session.room(left.len() * 4)?;
        let args = Args::new().ptr(product).ptr(left_at).ptr(right_at).i32(self.size as i32);
        let tiles = self.size / TILE;
        session.launch("matrixMul", [tiles, tiles, 1], [TILE, TILE, 1], &args)?;
        let product: Vec<f32> = session.read(product, left.len())?;
        Ok(vec![Output::new("product", product)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let [left, right] = self.input(seed);
        let product = reference::product(&left, &right, self.size as usize);
        vec![Expected::reals("product", product)]
    }
}
