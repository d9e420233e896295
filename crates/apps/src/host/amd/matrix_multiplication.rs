use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a work-group, and of the part that a work-item computes; fixed in
/// the kernel.
const SIDE: u32 = 8;
const PART: u32 = 4;

/// Product of two square matrices.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatrixMultiplication {
    size: u32,
}

impl MatrixMultiplication {
    fn input(&self, seed: u64) -> [Vec<f32>; 2] {
        let cells = (self.size * self.size) as usize;
        [0, 1].map(|stream| Generator::new(seed, stream).uniform(cells, 0.0, 10.0))
    }
}

impl Host for MatrixMultiplication {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let [left, right] = self.input(seed);
        let left_at = session.place(&left)?;
        let right_at = session.place(&right)?;
        let product = session.room(left.len() * 4)?;
        let args = Args::new().ptr(left_at).ptr(right_at).ptr(product).i32(self.size as i32);
        let groups = self.size / (SIDE * PART);
        session.launch("mmmKernel_local", [groups, groups, 1], [SIDE, SIDE, 1], &args)?;
        let product: Vec<f32> = session.read(product, left.len())?;
        Ok(vec![Output::new("product", product)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let [left, right] = self.input(seed);
        let product = reference::product(&left, &right, self.size as usize);
        vec![Expected::reals("product", product)]
    }
}
