use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a block.
const BLOCK: u32 = 16;

/// Luma of an image in colours.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Luma {
    width: u32,
    height: u32,
}

impl Luma {
    fn pixels(&self) -> usize {
        (self.width * self.height) as usize
    }

    /// Red, green and blue of each pixel.
    fn input(&self, seed: u64) -> Vec<u8> {
        let mut generator = Generator::new(seed, 0);
        (0..3 * self.pixels()).map(|_| generator.below(256) as u8).collect()
    }
}

impl Host for Luma {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let colours = session.place(&self.input(seed))?;
        let luma = session.room(self.pixels())?;
        let args =
            Args::new().ptr(colours).ptr(luma).i32(self.width as i32).i32(self.height as i32);
        let grid = [self.width.div_ceil(BLOCK), self.height.div_ceil(BLOCK), 1];
        session.launch("rgbToGray", grid, [BLOCK, BLOCK, 1], &args)?;
        let luma: Vec<u8> = session.read(luma, self.pixels())?;
        Ok(vec![Output::new("luma", luma)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        vec![Expected::bytes("luma", &reference::luma(&self.input(seed)))]
    }
}
