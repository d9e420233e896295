use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Work-items of a group, along a row of the image; fixed in the kernel.
const GROUP: u32 = 64;

/// Uniform noise on an image.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UniformNoise {
    width: u32,
    height: u32,
    /// Range of the noise in steps of brightness.
    factor: i32,
}

impl UniformNoise {
    /// Pixels of four bytes.
    fn input(&self, seed: u64) -> Vec<u8> {
        let mut generator = Generator::new(seed, 0);
        (0..4 * self.width * self.height).map(|_| generator.below(256) as u8).collect()
    }
}

impl Host for UniformNoise {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let image = self.input(seed);
        let image_at = session.place(&image)?;
        let result = session.room(image.len())?;
        let args = Args::new().ptr(image_at).ptr(result).i32(self.factor);
        let grid = [self.width / GROUP, self.height, 1];
        session.launch("noise_uniform", grid, [GROUP, 1, 1], &args)?;
        let result: Vec<u8> = session.read(result, image.len())?;
        Ok(vec![Output::new("image", result)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let image = reference::with_noise(&self.input(seed), self.factor as f32);
        vec![Expected::bytes("image", &image)]
    }
}
