use super::Host;
use crate::error::AppError;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Threads per block; fixed in the kernels.
const BLOCK: u32 = 512;

/// Speckle reducing anisotropic diffusion, first version.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SradV1 {
    rows: u32,
    cols: u32,
    iterations: u32,
    lambda: f32,
}

impl SradV1 {
    /// Grey levels, column after column.
    fn input(&self, seed: u64) -> Vec<f32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.rows * self.cols).map(|_| generator.below(256) as f32).collect()
    }
}

impl Host for SradV1 {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let pixels = self.rows * self.cols;
        let blocks = pixels.div_ceil(BLOCK);
        let count = pixels as usize;
        let image = session.place(&self.input(seed))?;
        let north_of = session.place(&before(self.rows))?;
        let south_of = session.place(&after(self.rows))?;
        let west_of = session.place(&before(self.cols))?;
        let east_of = session.place(&after(self.cols))?;
        let [north, south, west, east, coefficient, sums, squares] = {
            let mut buffers = [image; 7];
            for buffer in &mut buffers {
                *buffer = session.room(count * 4)?;
            }
            buffers
        };
        let per_pixel = |session: &mut Session<'_>, kernel: &str, args: &Args| {
            session.launch(kernel, [blocks, 1, 1], [BLOCK, 1, 1], args)
        };

        let whole = Args::new().u64(u64::from(pixels)).ptr(image);
        per_pixel(session, "extract", &whole)?;
        for _ in 0..self.iterations {
            let args = Args::new().u64(u64::from(pixels)).ptr(image).ptr(sums).ptr(squares);
            per_pixel(session, "prepare", &args)?;

            // Each launch leaves one sum per block; until one is left.
            let (mut items, mut stride) = (pixels, 1);
            loop {
                let groups = items.div_ceil(BLOCK);
                let args = Args::new()
                    .u64(u64::from(pixels))
                    .i32(items as i32)
                    .i32(stride as i32)
                    .ptr(sums)
                    .ptr(squares);
                session.launch("reduce", [groups, 1, 1], [BLOCK, 1, 1], &args)?;
                if groups == 1 {
                    break;
                }
                items = groups;
                stride *= BLOCK;
            }
            let totals = [session.carry::<f32>(sums, 1)?, session.carry::<f32>(squares, 1)?];
            let both = totals.each_ref().map(|total| (total, 0..1));
            let speckle = session.work_out(&both, |totals: Vec<f32>| {
                let [mean, squares] = [0, 1].map(|i| f64::from(totals[i]) / f64::from(pixels));
                vec![((squares - mean * mean) / (mean * mean)) as f32]
            });
            // Only what comes of both is looked at.
            let speckle = session.look_at::<f32>(&speckle, 0..1)[0];

            let geometry = Args::new()
                .f32(self.lambda)
                .i32(self.rows as i32)
                .i32(self.cols as i32)
                .u64(u64::from(pixels))
                .ptr(north_of)
                .ptr(south_of)
                .ptr(east_of)
                .ptr(west_of)
                .ptr(north)
                .ptr(south)
                .ptr(west)
                .ptr(east);
            let args = geometry.clone().f32(speckle).ptr(coefficient).ptr(image);
            per_pixel(session, "srad", &args)?;
            let args = geometry.ptr(coefficient).ptr(image);
            per_pixel(session, "srad2", &args)?;
        }
        per_pixel(session, "compress", &whole)?;
        let image: Vec<f32> = session.read(image, count)?;
        Ok(vec![Output::new("image", image)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let scaled: Vec<f64> =
            self.input(seed).iter().map(|&g| (f64::from(g) / 255.0).exp()).collect();
        // Column-major: the reference's rows are our columns, and diffusion
        // looks only at the south and east neighbour's coefficient, so the
        // transposed image swaps these two and nothing else.
        let diffused = reference::diffuse(
            scaled,
            self.rows as usize,
            self.iterations,
            f64::from(self.lambda),
            |_, _| true,
        );
        let image = diffused.iter().map(|v| v.ln() * 255.0).collect();
        vec![Expected::reals("image", image)]
    }
}

/// Index of the neighbour before each of `length` places; the edge's own.
fn before(length: u32) -> Vec<i32> {
    (0..length as i32).map(|i| (i - 1).max(0)).collect()
}

/// Index of the neighbour after each of `length` places; the edge's own.
fn after(length: u32) -> Vec<i32> {
    let last = length as i32 - 1;
    (0..=last).map(|i| (i + 1).min(last)).collect()
}
