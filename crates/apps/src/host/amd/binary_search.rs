use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// N-ary search: every pass divides the range that is left among the
/// work-items.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BinarySearch {
    /// Elements of the array, a power of two.
    length: u32,
    /// Values that are looked for, one after the other.
    keys: u32,
    /// Segments of a pass and work-items of a launch.
    subdivisions: u32,
    group: u32,
}

/// What a pass tells, as the kernel lays it out.
const BOUNDS: usize = 4;

impl BinarySearch {
    /// A strictly rising array, and values within its range; every other one is
    /// in it.
    fn input(&self, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let mut steps = Generator::new(seed, 0);
        let rising = |last: &mut u32, _| {
            *last += 1 + steps.below(20);
            Some(*last)
        };
        let sorted: Vec<u32> = (0..self.length).scan(0, rising).collect();
        let mut choice = Generator::new(seed, 1);
        let range = sorted[sorted.len() - 1] - sorted[0] + 1;
        let keys = (0..self.keys).map(|key| match key % 2 {
            0 => sorted[choice.below(self.length) as usize],
            _ => sorted[0] + choice.below(range),
        });
        let keys = keys.collect();
        (sorted, keys)
    }

    /// Where `key` is, or the array's length where it is not.
    fn search(
        &self,
        session: &mut Session<'_>,
        sorted: &[u32],
        buffers: [upset_device::DevPtr; 2],
        key: u32,
    ) -> Result<u32, AppError> {
        let [bounds_at, sorted_at] = buffers;
        let (mut first, mut last) = (0, self.length - 1);
        loop {
            let segment = (last - first + 1) / self.subdivisions;
            if segment <= 1 {
                break;
            }
            session.write(bounds_at, &[0u32; BOUNDS])?;
            let args = Args::new()
                .ptr(bounds_at)
                .ptr(sorted_at)
                .u32(key)
                .u32(first)
                .u32(last)
                .u32(segment);
            let grid = [self.subdivisions / self.group, 1, 1];
            session.launch("binarySearch", grid, [self.group, 1, 1], &args)?;
            let found: Vec<u32> = session.read(bounds_at, BOUNDS)?;
            let [from, to, _, somewhere] = [found[0], found[1], found[2], found[3]];
            if somewhere == 0 {
                return Ok(self.length);
            }
            if from > to || to >= self.length || to - from >= last - first {
                return Err(AppError::Host(format!("elements {from} to {to} are no smaller part")));
            }
            (first, last) = (from, to);
        }
        let left = first as usize..=last as usize;
        let place = sorted[left].iter().position(|&value| value == key);
        Ok(place.map_or(self.length, |place| first + place as u32))
    }
}

impl Host for BinarySearch {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let (sorted, keys) = self.input(seed);
        let sorted_at = session.place(&sorted)?;
        let bounds_at = session.room(BOUNDS * 4)?;
        let mut places = Vec::new();
        for key in keys {
            places.push(self.search(session, &sorted, [bounds_at, sorted_at], key)?);
        }
        Ok(vec![Output::new("place", places)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let (sorted, keys) = self.input(seed);
        vec![Expected::words("place", &reference::places(&sorted, &keys))]
    }
}
