use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Sum of an array: one of each block, then the sum of those.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sum {
    length: u32,
    /// Blocks of the first launch and threads of the second: a power of two.
    blocks: u32,
    /// Threads of a block of the first: a power of two, at most 256.
    block: u32,
}

impl Sum {
    fn input(&self, seed: u64) -> Vec<f32> {
        Generator::new(seed, 0).uniform(self.length as usize, 0.0, 1.0)
    }
}

impl Host for Sum {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let values = session.place(&self.input(seed))?;
        let parts = session.room(self.blocks as usize * 4)?;
        let whole = session.room(4)?;
        let args = Args::new().ptr(values).ptr(parts).i32(self.length as i32);
        session.launch("sumReduce", [self.blocks, 1, 1], [self.block, 1, 1], &args)?;
        let args = Args::new().ptr(parts).ptr(whole).i32(self.blocks as i32);
        session.launch("sumReduce", [1, 1, 1], [self.blocks, 1, 1], &args)?;
        let sum: Vec<f32> = session.read(whole, 1)?;
        Ok(vec![Output::new("sum", sum)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::reals("sum", vec![reference::sum(&self.input(seed))])]
    }
}
