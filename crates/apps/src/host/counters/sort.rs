use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Different keys, so few that some come twice in an array.
const KEYS: u32 = 1 << 12;

/// Arrays sorted, each by a block with a thread for each key.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sort {
    arrays: u32,
    /// Of an array: a power of two, at most 256.
    length: u32,
}

impl Sort {
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.arrays * self.length).map(|_| generator.below(KEYS)).collect()
    }
}

impl Host for Sort {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let input = self.input(seed);
        let keys = session.place(&input)?;
        let places = session.room(input.len() * 4)?;
        let args = Args::new().ptr(keys).ptr(places);
        session.launch("mergeSort", [self.arrays, 1, 1], [self.length, 1, 1], &args)?;
        let keys: Vec<u32> = session.read(keys, input.len())?;
        let places: Vec<u32> = session.read(places, input.len())?;
        Ok(vec![Output::new("keys", keys), Output::new("places", places)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let input = self.input(seed);
        let arrays = || input.chunks_exact(self.length as usize);
        let keys: Vec<u32> = arrays().flat_map(reference::sorted).collect();
        let places: Vec<u32> = arrays().flat_map(reference::sorting_order).collect();
        vec![Expected::words("keys", &keys), Expected::words("places", &places)]
    }
}
