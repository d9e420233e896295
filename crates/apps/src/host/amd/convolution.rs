use crate::error::AppError;
use crate::host::Host;
use crate::output::Output;
use crate::random::Generator;
use crate::reference;
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Convolution of an image with a small bell-shaped mask.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Convolution {
    width: u32,
    height: u32,
    /// Side of the mask, odd.
    mask: u32,
    group: u32,
}

impl Convolution {
    fn input(&self, seed: u64) -> Vec<u32> {
        let mut generator = Generator::new(seed, 0);
        (0..self.width * self.height).map(|_| generator.below(256)).collect()
    }

    /// Products of binomial numbers, in units of 4^-(side - 1): bytes weighted
    /// with them have exact sums in single precision, in any order.
    fn weights(&self) -> Vec<u32> {
        let mut line = vec![1u32];
        for _ in 1..self.mask {
            let longer = line.iter().chain([&0]).zip([&0].into_iter().chain(&line));
            line = longer.map(|(a, b)| a + b).collect();
        }
        line.iter().flat_map(|a| line.iter().map(move |b| a * b)).collect()
    }

    fn unit(&self) -> u32 {
        1 << (2 * (self.mask - 1))
    }
}

impl Host for Convolution {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let image = self.input(seed);
        let unit = self.unit() as f32;
        let mask: Vec<f32> = self.weights().iter().map(|&weight| weight as f32 / unit).collect();
        let image_at = session.place(&image)?;
        let mask_at = session.place(&mask)?;
        let result = session.room(image.len() * 4)?;
        let args = Args::new()
            .ptr(result)
            .ptr(image_at)
            .ptr(mask_at)
            .u32(self.width)
            .u32(self.height)
            .u32(self.mask)
            .u32(self.mask);
        let grid = [self.width * self.height / self.group, 1, 1];
        session.launch("simpleConvolution", grid, [self.group, 1, 1], &args)?;
        let result: Vec<u32> = session.read(result, image.len())?;
        Ok(vec![Output::new("image", result)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let mask = reference::Mask { weights: &self.weights(), unit: self.unit() };
        let image = mask.applied(&self.input(seed), self.width as usize);
        vec![Expected::words("image", &image)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_of_three_is_the_known_one_and_sums_to_one() {
        let convolution = Convolution { width: 1, height: 1, mask: 3, group: 1 };
        assert_eq!(convolution.weights(), [1, 2, 1, 2, 4, 2, 1, 2, 1]);
        assert_eq!(convolution.unit(), 16);
        let five = Convolution { mask: 5, ..convolution };
        assert_eq!(five.weights().iter().sum::<u32>(), five.unit());
    }
}
