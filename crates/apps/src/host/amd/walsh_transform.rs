use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Walsh-Hadamard transform of a signal.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WalshTransform {
    /// A power of two.
    length: u32,
    group: u32,
}

impl WalshTransform {
    fn input(&self, seed: u64) -> Vec<f32> {
        Generator::new(seed, 0).uniform(self.length as usize, 0.0, 255.0)
    }
}

impl Host for WalshTransform {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let at = session.place(&self.input(seed))?;
        let grid = [self.length / 2 / self.group, 1, 1];
        for level in 0..self.length.ilog2() {
            let args = Args::new().ptr(at).u32(1 << level);
            session.launch("fastWalshTransform", grid, [self.group, 1, 1], &args)?;
        }
        let transform: Vec<f32> = session.read(at, self.length as usize)?;
        Ok(vec![Output::new("transform", transform)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::reals("transform", reference::walsh(&self.input(seed)))]
    }
}
