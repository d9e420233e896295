use super::Host;
use super::sum::sum;
use crate::error::AppError;
use crate::exponential::exp;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::{Args, Carried};

/// Side of a block; fixed in the kernels.
const TILE: u32 = 16;
/// Elements in the alignment of a buffer; the image begins at a multiple.
const ALIGNMENT: u32 = 64;

/// Speckle reducing anisotropic diffusion, second version.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SradV2 {
    size: u32,
    iterations: u32,
    lambda: f32,
    /// Last row and column of the speckle region, which starts at 0.
    speckle_end: u32,
}

impl SradV2 {
    fn input(&self, seed: u64) -> Vec<f32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.size * self.size).map(|_| exp(f64::from(generator.unit())) as f32).collect()
    }
}

/// The square of the coefficient of variation in the speckle region, whose
/// elements are given row by row.
fn speckle_of(region: &[f32]) -> f32 {
    let count = region.len() as f64;
    let mean = sum(region.iter().copied()) / count;
    let squares: f64 = region.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
    ((squares / count - mean * mean) / (mean * mean)) as f32
}

impl Host for SradV2 {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let mut image = self.input(seed);
        // The kernels load from a row before and after the image and, of the
        // coefficients, after the last row, before they take the edge instead.
        let margin = self.size.next_multiple_of(ALIGNMENT) as usize * 4;
        let bytes = image.len() * 4;
        let image_at = session.room(margin + bytes + margin)?.offset(margin as u64);
        let coefficient = session.room(bytes + margin)?;
        let mut room = || session.room(bytes);
        let [east, west, south, north] = [room()?, room()?, room()?, room()?];
        let grid = [self.size / TILE, self.size / TILE, 1];
        let block = [TILE, TILE, 1];
        let (size, side) = (self.size as usize, self.speckle_end as usize + 1);
        let rows = (0..side).map(|row| row * size..row * size + side);
        let region: Vec<f32> = rows.clone().flat_map(|r| &image[r]).copied().collect();
        let mut speckle = speckle_of(&region);
        let mut carried: Option<Carried> = None;
        for _ in 0..self.iterations {
            match &carried {
                None => session.write(image_at, &image)?,
                Some(carried) => session.write_carried(image_at, carried)?,
            }
            let common = Args::new()
                .ptr(east)
                .ptr(west)
                .ptr(north)
                .ptr(south)
                .ptr(image_at)
                .ptr(coefficient)
                .i32(self.size as i32)
                .i32(self.size as i32);
            let args = common.clone().f32(speckle);
            session.launch("srad_cuda_1", grid, block, &args)?;
            let args = common.f32(self.lambda).f32(speckle);
            session.launch("srad_cuda_2", grid, block, &args)?;
            // The host uses the speckle region alone, of it one number, and gives the
            // rest back.
            let image = &*carried.insert(session.carry::<f32>(image_at, image.len())?);
            let region: Vec<_> = rows.clone().map(|row| (image, row)).collect();
            let worked_out =
                session.work_out(&region, |region: Vec<f32>| vec![speckle_of(&region)]);
            speckle = session.look_at::<f32>(&worked_out, 0..1)[0];
        }
        if let Some(carried) = carried {
            image = session.look_at(&carried, 0..image.len());
        }
        Ok(vec![Output::new("image", image)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let image = self.input(seed).iter().map(|&v| f64::from(v)).collect();
        let end = self.speckle_end as usize;
        let diffused = reference::diffuse(
            image,
            self.size as usize,
            self.iterations,
            f64::from(self.lambda),
            |row, col| row <= end && col <= end,
        );
        vec![Expected::reals("image", diffused)]
    }
}
