use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Work-items of a group, numbers of a vector, vectors of a work-item; fixed in
/// the kernel.
const GROUP: u32 = 256;
const VECTOR: u32 = 4;
const PART: u32 = 2;

/// Sum of an array, modulo 2^32.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reduction {
    length: u32,
}

impl Reduction {
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.length).map(|_| generator.bits() as u32).collect()
    }
}

impl Host for Reduction {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let values = session.place(&self.input(seed))?;
        let groups = self.length / (GROUP * VECTOR * PART);
        let count = (groups * VECTOR) as usize;
        let parts = session.room(count * 4)?;
        let args = Args::new().ptr(values).ptr(parts);
        session.launch("reduce", [groups, 1, 1], [GROUP, 1, 1], &args)?;
        let parts: Vec<u32> = session.read(parts, count)?;
        let sum = parts.into_iter().fold(0, u32::wrapping_add);
        Ok(vec![Output::new("sum", vec![sum])])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::words("sum", &[reference::total(&self.input(seed))])]
    }
}
