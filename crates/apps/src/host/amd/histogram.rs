use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Bins, work-items of a group and values of a work-item; fixed in the kernel.
const BINS: usize = 256;
const GROUP: u32 = 128;
const VALUES: u32 = 256;

/// Histogram of an image's values.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Histogram {
    width: u32,
    height: u32,
}

impl Histogram {
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.width * self.height).map(|_| generator.below(BINS as u32)).collect()
    }
}

impl Host for Histogram {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let values = session.place(&self.input(seed))?;
        let groups = self.width * self.height / (GROUP * VALUES);
        let parts = session.room(groups as usize * BINS * 4)?;
        let args = Args::new().ptr(values).ptr(parts);
        session.launch("histogram256", [groups, 1, 1], [GROUP, 1, 1], &args)?;
        let parts: Vec<u32> = session.read(parts, groups as usize * BINS)?;
        let mut bins = vec![0u32; BINS];
        for part in parts.chunks_exact(BINS) {
            for (bin, count) in bins.iter_mut().zip(part) {
                *bin = bin.wrapping_add(*count);
            }
        }
        Ok(vec![Output::new("bins", bins)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::words("bins", &reference::histogram(&self.input(seed), BINS))]
    }
}
