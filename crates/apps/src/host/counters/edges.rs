use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Threads of a block across and down.
const BLOCK: [u32; 2] = [32, 8];

/// Sobel's filter on an image of bytes.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Edges {
    width: u32,
    height: u32,
}

impl Edges {
    fn pixels(&self) -> usize {
        (self.width * self.height) as usize
    }

    /// An eighth of the range, so that not every edge is as strong as can be.
    fn input(&self, seed: u64) -> Vec<u8> {
        let mut generator = Generator::new(seed, 0);
        (0..self.pixels()).map(|_| generator.below(32) as u8).collect()
    }
}

impl Host for Edges {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let image = session.place(&self.input(seed))?;
        let edges = session.zeros(self.pixels())?;
        let args = Args::new().ptr(image).ptr(edges).i32(self.width as i32).i32(self.height as i32);
        let [across, down] = BLOCK;
        let grid = [self.width.div_ceil(across), self.height.div_ceil(down), 1];
        session.launch("sobel", grid, [across, down, 1], &args)?;
        let edges: Vec<u8> = session.read(edges, self.pixels())?;
        Ok(vec![Output::new("edges", edges)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let edges = reference::edges(&self.input(seed), self.width as usize);
        vec![Expected::bytes("edges", &edges)]
    }
}
