use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Vector addition.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VectorAdd {
    length: u32,
    block: u32,
}

impl VectorAdd {
    fn input(&self, seed: u64) -> [Vec<f32>; 2] {
        [0, 1].map(|stream| Generator::new(seed, stream).uniform(self.length as usize, 0.0, 1.0))
    }
}

impl Host for VectorAdd {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let [a, b] = self.input(seed);
        let a = session.place(&a)?;
        let b = session.place(&b)?;
        let c = session.room(self.length as usize * 4)?;
        let args = Args::new().ptr(a).ptr(b).ptr(c).i32(self.length as i32);
        let grid = [self.length.div_ceil(self.block), 1, 1];
        session.launch("vectorAdd", grid, [self.block, 1, 1], &args)?;
        let c: Vec<f32> = session.read(c, self.length as usize)?;
        Ok(vec![Output::new("c", c)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let [a, b] = self.input(seed);
        vec![Expected::floats("c", &reference::vector_sum(&a, &b))]
    }
}
