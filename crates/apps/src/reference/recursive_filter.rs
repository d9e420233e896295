use crate::exponential::exp;

/// Bytes of a pixel, each a channel of its own.
const CHANNELS: usize = 4;

/// A filter of second order, forwards and backwards over a line (Deriche, INRIA
/// report 1893, 1993).
pub(crate) struct RecursiveFilter {
    /// Weights of this and the last value on the way forwards, of the last two
    /// on the way back.
    inputs: [f32; 4],
    /// Weights of the last two results.
    outputs: [f32; 2],
    /// Answers to a constant: forwards, backwards.
    constants: [f32; 2],
}

impl RecursiveFilter {
    /// The one that comes near a Gaussian of that standard deviation.
    pub fn gaussian(sigma: f32) -> Self {
        // Deriche's parameter for this filter, 1.695 / sigma.
        let alpha = 1.695 / f64::from(sigma);
        let decay = exp(-alpha);
        let scale = (1.0 - decay) * (1.0 - decay) / (1.0 + 2.0 * alpha * decay - decay * decay);
        let inputs = [
            scale,
            scale * (alpha - 1.0) * decay,
            scale * (alpha + 1.0) * decay,
            -scale * decay * decay,
        ];
        let outputs = [-2.0 * decay, decay * decay];
        let feedback = 1.0 + outputs[0] + outputs[1];
        let constants = [(inputs[0] + inputs[1]) / feedback, (inputs[2] + inputs[3]) / feedback];
        Self {
            inputs: inputs.map(|v| v as f32),
            outputs: outputs.map(|v| v as f32),
            constants: constants.map(|v| v as f32),
        }
    }

    /// All of them in the order of the published kernel.
    pub fn coefficients(&self) -> [f32; 8] {
        let [a0, a1, a2, a3] = self.inputs;
        let ([b1, b2], [forwards, backwards]) = (self.outputs, self.constants);
        [a0, a1, a2, a3, b1, b2, forwards, backwards]
    }

    /// An image of four-byte pixels filtered down its columns, then along its
    /// rows.
    pub fn blurred(&self, image: &[u8], width: usize) -> Vec<u8> {
        let pitch = width * CHANNELS;
        let height = image.len() / pitch;
        let mut result = image.to_vec();
        for first in 0..pitch {
            self.filter_line(&mut result, first, pitch, height);
        }
        for row in 0..height {
            for channel in 0..CHANNELS {
                self.filter_line(&mut result, row * pitch + channel, CHANNELS, width);
            }
        }
        result
    }

    /// Filters `count` bytes, `stride` apart. The recursion fixes the order of
    /// operations, so this is in single precision and exact to the bit. What
    /// comes of the way forwards is a byte before the way back adds to it, as
    /// in the published program.
    fn filter_line(&self, bytes: &mut [u8], first: usize, stride: usize, count: usize) {
        let line: Vec<f32> = (0..count).map(|i| f32::from(bytes[first + i * stride])).collect();
        // `as` cuts to a whole number from 0 to 255.
        let forwards = self.forwards(&line).into_iter().map(|value| value as u8);
        let backwards = self.backwards(&line);
        for (i, (there, back)) in forwards.zip(backwards).enumerate() {
            bytes[first + i * stride] = (f32::from(there) + back) as u8;
        }
    }

    /// y(n) = a0 x(n) + a1 x(n - 1) - b1 y(n - 1) - b2 y(n - 2).
    fn forwards(&self, line: &[f32]) -> Vec<f32> {
        let edge = line[0];
        let before = |n: usize| if n == 0 { edge } else { line[n - 1] };
        let terms = |n: usize| line[n] * self.inputs[0] + before(n) * self.inputs[1];
        self.recurse((0..line.len()).map(terms), edge * self.constants[0])
    }

    /// y(n) = a2 x(n + 1) + a3 x(n + 2) - b1 y(n + 1) - b2 y(n + 2).
    fn backwards(&self, line: &[f32]) -> Vec<f32> {
        let edge = line[line.len() - 1];
        let after = |n: usize| line.get(n).copied().unwrap_or(edge);
        let terms = |n: usize| after(n + 1) * self.inputs[2] + after(n + 2) * self.inputs[3];
        let mut results = self.recurse((0..line.len()).rev().map(terms), edge * self.constants[1]);
        results.reverse();
        results
    }

    /// The part that both ways have in common.
    fn recurse(&self, terms: impl Iterator<Item = f32>, start: f32) -> Vec<f32> {
        let mut last = [start; 2];
        let result = |term: f32| {
            let value = term - last[0] * self.outputs[0] - last[1] * self.outputs[1];
            last = [value, last[0]];
            value
        };
        terms.map(result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_stays_and_the_weights_sum_to_one() {
        let filter = RecursiveFilter::gaussian(10.0);
        let sum: f32 = filter.constants.iter().sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        let image = vec![200; 32 * 24 * 4];
        // Two truncations a pass may each lose one step.
        assert!(filter.blurred(&image, 32).iter().all(|&byte| (196..=200).contains(&byte)));
    }

    #[test]
    fn an_impulse_becomes_deriches_function_and_nearly_a_gaussian() {
        let (sigma, centre) = (8.0, 100usize);
        let filter = RecursiveFilter::gaussian(sigma as f32);
        let mut line = vec![0.0; 2 * centre + 1];
        line[centre] = 1.0;
        let both = filter.forwards(&line).into_iter().zip(filter.backwards(&line));
        let found: Vec<f64> = both.map(|(a, b)| f64::from(a + b)).collect();
        let smooth = |n: f64| (1.0 + 1.695 / sigma * n) * (-1.695 / sigma * n).exp();
        let total: f64 = (1..1000).map(|n| 2.0 * smooth(f64::from(n))).sum::<f64>() + 1.0;
        let peak = 1.0 / (sigma * (2.0 * std::f64::consts::PI).sqrt());
        for (i, value) in found.iter().enumerate() {
            let distance = i.abs_diff(centre) as f64;
            let right = smooth(distance) / total;
            assert!((value - right).abs() < 1e-6, "{i}: {value} instead of {right}");
            let gaussian = peak * (-distance * distance / (2.0 * sigma * sigma)).exp();
            assert!((value - gaussian).abs() < 0.1 * peak, "{i}: {value} beside {gaussian}");
        }
    }
}
