use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Bitonic sort, a launch per pass.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BitonicSort {
    /// A power of two.
    length: u32,
    group: u32,
}

/// The kernel's word for "smallest first".
const UPWARDS: u32 = 1;

impl BitonicSort {
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.length).map(|_| generator.bits() as u32).collect()
    }
}

impl Host for BitonicSort {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let at = session.place(&self.input(seed))?;
        let grid = [self.length / 2 / self.group, 1, 1];
        for stage in 0..self.length.ilog2() {
            for pass in 0..=stage {
                let args = Args::new().ptr(at).u32(stage).u32(pass).u32(UPWARDS);
                session.launch("bitonicSort", grid, [self.group, 1, 1], &args)?;
            }
        }
        let sorted: Vec<u32> = session.read(at, self.length as usize)?;
        Ok(vec![Output::new("sorted", sorted)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::words("sorted", &reference::sorted(&self.input(seed)))]
    }
}
