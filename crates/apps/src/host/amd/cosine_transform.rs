use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Side of a block; fixed in the kernel.
const SIDE: u32 = 8;

/// cos(k pi / 16) / 2 for k = 0 to 8, but 1 / sqrt(8) for k = 0: the constants
/// of an orthonormal transform of eight samples.
const COSINES: [f32; 9] = [
    0.353_553_39,
    0.490_392_64,
    0.461_939_77,
    0.415_734_8,
    0.353_553_39,
    0.277_785_12,
    0.191_341_72,
    0.097_545_16,
    0.0,
];

/// Discrete cosine transform of the 8 x 8 blocks of an image.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CosineTransform {
    width: u32,
    height: u32,
}

impl CosineTransform {
    fn input(&self, seed: u64) -> Vec<f32> {
        Generator::new(seed, 0).uniform((self.width * self.height) as usize, 0.0, 255.0)
    }

    /// One basis vector per row: cos((2n + 1) k pi / 16), scaled.
    fn basis() -> Vec<f32> {
        let element = |k: u32, n: u32| {
            if k == 0 {
                return COSINES[0];
            }
            // The angle in sixteenths of pi, brought into the first quarter.
            let angle = (2 * n + 1) * k % 32;
            let angle = angle.min(32 - angle);
            match angle {
                0..=8 => COSINES[angle as usize],
                _ => -COSINES[16 - angle as usize],
            }
        };
        (0..SIDE).flat_map(|k| (0..SIDE).map(move |n| element(k, n))).collect()
    }
}

impl Host for CosineTransform {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let input = self.input(seed);
        let input_at = session.place(&input)?;
        let basis = session.place(&Self::basis())?;
        let output = session.room(input.len() * 4)?;
        let args = Args::new().ptr(output).ptr(input_at).ptr(basis).u32(self.width).u32(0);
        let grid = [self.width / SIDE, self.height / SIDE, 1];
        session.launch("DCT", grid, [SIDE, SIDE, 1], &args)?;
        let output: Vec<f32> = session.read(output, input.len())?;
        Ok(vec![Output::new("coefficients", output)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let coefficients = reference::cosine_blocks(&self.input(seed), self.width as usize);
        vec![Expected::reals("coefficients", coefficients)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_made_of_cosines_and_orthonormal() {
        let basis = CosineTransform::basis();
        for k in 0..8 {
            for n in 0..8 {
                let angle = (2 * n + 1) as f64 * k as f64 * std::f64::consts::PI / 16.0;
                let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
                let found = f64::from(basis[8 * k + n]);
                assert!((found - scale * angle.cos()).abs() < 3e-8, "{k}, {n}: {found}");
            }
        }
    }
}
