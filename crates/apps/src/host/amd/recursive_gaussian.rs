use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference::RecursiveFilter;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::{Args, DevPtr};

/// Side of a work-group of the transposition; fixed in the kernel.
const SIDE: u32 = 16;

/// Gaussian blur of an image by a recursive filter, first down the columns,
/// then along the rows.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecursiveGaussian {
    width: u32,
    height: u32,
    /// Standard deviation of the blur in pixels.
    sigma: f32,
    /// Columns of a work-group of the filter.
    group: u32,
}

impl RecursiveGaussian {
    /// Pixels of four bytes.
    fn input(&self, seed: u64) -> Vec<u8> {
        let mut generator = Generator::new(seed, 0);
        (0..4 * self.width * self.height).map(|_| generator.below(256) as u8).collect()
    }

    fn filter(
        &self,
        session: &mut Session<'_>,
        [from, to]: [DevPtr; 2],
        [width, height]: [u32; 2],
    ) -> Result<(), AppError> {
        let filter = RecursiveFilter::gaussian(self.sigma);
        let args = Args::new().ptr(from).ptr(to).u32(width).u32(height);
        let args = filter.coefficients().into_iter().fold(args, Args::f32);
        let grid = [width.div_ceil(self.group), 1, 1];
        session.launch("RecursiveGaussian_kernel", grid, [self.group, 1, 1], &args)
    }

    fn transpose(
        &self,
        session: &mut Session<'_>,
        [from, to]: [DevPtr; 2],
        [width, height]: [u32; 2],
    ) -> Result<(), AppError> {
        let args = Args::new().ptr(to).ptr(from).u32(width).u32(height);
        let grid = [width / SIDE, height / SIDE, 1];
        session.launch("transpose_kernel", grid, [SIDE, SIDE, 1], &args)
    }
}

impl Host for RecursiveGaussian {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let image = self.input(seed);
        let image_at = session.place(&image)?;
        let between = session.room(image.len())?;
        let result = session.room(image.len())?;
        let (upright, lying) = ([self.width, self.height], [self.height, self.width]);
        self.filter(session, [image_at, between], upright)?;
        self.transpose(session, [between, result], upright)?;
        self.filter(session, [result, between], lying)?;
        self.transpose(session, [between, result], lying)?;
        let blurred: Vec<u8> = session.read(result, image.len())?;
        Ok(vec![Output::new("image", blurred)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let filter = RecursiveFilter::gaussian(self.sigma);
        let blurred = filter.blurred(&self.input(seed), self.width as usize);
        vec![Expected::bytes("image", &blurred)]
    }
}
