use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Threads per block; fixed in the kernel.
const STRIP: u32 = 256;

/// Cheapest paths through a grid of weights.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pathfinder {
    cols: u32,
    rows: u32,
    /// Rows per launch.
    pyramid: u32,
}

impl Pathfinder {
    fn input(&self, seed: u64) -> Vec<i32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.rows * self.cols).map(|_| generator.below(10) as i32).collect()
    }
}

impl Host for Pathfinder {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let weights = self.input(seed);
        let (first, rest) = weights.split_at(self.cols as usize);
        let wall = session.place(rest)?;
        let mut from = session.place(first)?;
        let mut to = session.room(first.len() * 4)?;
        let grid = [self.cols.div_ceil(STRIP - 2 * self.pyramid), 1, 1];
        let mut row = 0;
        while row < self.rows - 1 {
            let steps = self.pyramid.min(self.rows - 1 - row);
            let args = Args::new()
                .i32(steps as i32)
                .ptr(wall)
                .ptr(from)
                .ptr(to)
                .i32(self.cols as i32)
                .i32(self.rows as i32)
                .i32(row as i32)
                .i32(self.pyramid as i32);
            session.launch("dynproc_kernel", grid, [STRIP, 1, 1], &args)?;
            (from, to) = (to, from);
            row += steps;
        }
        let costs: Vec<i32> = session.read(from, first.len())?;
        Ok(vec![Output::new("costs", costs)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let costs = reference::cheapest_paths(&self.input(seed), self.cols as usize);
        vec![Expected::ints("costs", &costs)]
    }
}
