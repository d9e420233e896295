use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference::{self, HeatModel};
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a block; fixed in the kernel.
const TILE: u32 = 16;

/// Hotspot: a chip's temperatures after some time steps.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hotspot {
    size: u32,
    iterations: u32,
    /// Time steps per launch.
    pyramid: u32,
}

impl Hotspot {
    /// Temperatures in kelvin and power per cell.
    fn input(&self, seed: u64) -> [Vec<f32>; 2] {
        let cells = (self.size * self.size) as usize;
        [
            Generator::new(seed, 0).uniform(cells, 323.0, 343.0),
            Generator::new(seed, 1).uniform(cells, 0.0, 0.01),
        ]
    }
}

impl Host for Hotspot {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let [temperature, power] = self.input(seed);
        let model = HeatModel::of_grid(self.size);
        let cells = temperature.len();
        let power = session.place(&power)?;
        let mut from = session.place(&temperature)?;
        let mut to = session.room(cells * 4)?;
        let blocks = self.size.div_ceil(TILE - 2 * self.pyramid);
        let mut done = 0;
        while done < self.iterations {
            let steps = self.pyramid.min(self.iterations - done);
            let args = Args::new()
                .i32(steps as i32)
                .ptr(power)
                .ptr(from)
                .ptr(to)
                .i32(self.size as i32)
                .i32(self.size as i32)
                .i32(self.pyramid as i32)
                .i32(self.pyramid as i32)
                .f32(model.capacity)
                .f32(model.resistance_x)
                .f32(model.resistance_y)
                .f32(model.resistance_z)
                .f32(model.step);
            session.launch("calculate_temp", [blocks, blocks, 1], [TILE, TILE, 1], &args)?;
            (from, to) = (to, from);
            done += steps;
        }
        let result: Vec<f32> = session.read(from, cells)?;
        Ok(vec![Output::new("temperature", result)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let [temperature, power] = self.input(seed);
        let result = reference::heat(&temperature, &power, self.size as usize, self.iterations);
        vec![Expected::reals("temperature", result)]
    }
}
