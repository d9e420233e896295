use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Scalar products of many pairs of vectors.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScalarProduct {
    pairs: u32,
    length: u32,
    grid: u32,
    block: u32,
}

impl ScalarProduct {
    /// Positive numbers, so that no result loses digits by cancellation.
    fn input(&self, seed: u64) -> [Vec<f32>; 2] {
        let count = self.pairs as usize * self.length as usize;
        [0, 1].map(|stream| Generator::new(seed, stream).uniform(count, 0.0, 1.0))
    }
}

impl Host for ScalarProduct {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let [left, right] = self.input(seed);
        let left = session.place(&left)?;
        let right = session.place(&right)?;
        let products = session.room(self.pairs as usize * 4)?;
        let args = Args::new()
            .ptr(products)
            .ptr(left)
            .ptr(right)
            .i32(self.pairs as i32)
            .i32(self.length as i32);
        session.launch("scalarProdGPU", [self.grid, 1, 1], [self.block, 1, 1], &args)?;
        let products: Vec<f32> = session.read(products, self.pairs as usize)?;
        Ok(vec![Output::new("products", products)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let [left, right] = self.input(seed);
        let products = reference::scalar_products(&left, &right, self.length as usize);
        vec![Expected::reals("products", products)]
    }
}
