use super::Host;
use super::sum::sum;
use crate::error::AppError;
use crate::exponential::sigmoid;
use crate::output::Output;
use crate::random::Generator;
use crate::reference::{self, Network};
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Units of the hidden layer, and side of a block; fixed in the kernels.
const SIDE: u32 = 16;
/// What the network is to answer.
const TARGET: f32 = 0.1;

/// One training step of a neural network.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Backpropagation {
    inputs: u32,
    /// The weights between input and hidden layer lie between 0 and this.
    weights: f32,
}

impl Backpropagation {
    /// Unit 0 of a layer is the bias; row 0 of the weights belongs to it,
    /// column 0 to nobody.
    fn input(&self, seed: u64) -> Network {
        let inputs = self.inputs as usize;
        let hidden = SIDE as usize;
        let mut units = Generator::new(seed, 0).uniform(inputs + 1, 0.0, 1.0);
        units[0] = 1.0;
        Network {
            units,
            hidden,
            weights: Generator::new(seed, 1).uniform(
                (inputs + 1) * (hidden + 1),
                0.0,
                self.weights,
            ),
            output_weights: Generator::new(seed, 2).uniform(hidden + 1, 0.0, 1.0),
            target: TARGET,
        }
    }
}

/// The error each hidden unit is blamed for, from its sums per block of inputs.
fn hidden_errors(network: &Network, partial: &[f32]) -> Vec<f32> {
    let width = network.hidden;
    let mut units = vec![1.0f32];
    for unit in 0..width {
        let from_inputs = sum(partial.chunks_exact(width).map(|block| block[unit]));
        let bias = f64::from(network.weights[unit + 1]);
        units.push(sigmoid(from_inputs + bias) as f32);
    }
    let weighted = units.iter().zip(&network.output_weights);
    let answer = sigmoid(sum(weighted.map(|(u, w)| u * w))) as f32;
    let answer_error = answer * (1.0 - answer) * (network.target - answer);
    let mut errors = vec![0.0];
    for unit in 1..=width {
        let blame = answer_error * network.output_weights[unit];
        errors.push(units[unit] * (1.0 - units[unit]) * blame);
    }
    errors
}

impl Host for Backpropagation {
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError> {
        let network = self.input(seed);
        let grid = [1, self.inputs / SIDE, 1];
        let block = [SIDE, SIDE, 1];
        let weight_count = network.weights.len();
        let partial_count = (self.inputs / SIDE * SIDE) as usize;

        // Buffers and copies in the published order. The device leaves the
        // hidden units alone.
        let units_at = session.room(network.units.len() * 4)?;
        let hidden_units = session.room((SIDE as usize + 1) * 4)?;
        let weights_at = session.room(weight_count * 4)?;
        let partial_at = session.room(partial_count * 4)?;
        session.write(units_at, &network.units)?;
        session.write(weights_at, &network.weights)?;
        let args = Args::new()
            .ptr(units_at)
            .ptr(hidden_units)
            .ptr(weights_at)
            .ptr(partial_at)
            .i32(self.inputs as i32)
            .i32(SIDE as i32);
        session.launch("bpnn_layerforward_CUDA", grid, block, &args)?;
        // The host's part of the step: what it makes of the sums goes to the device.
        let partial = session.carry::<f32>(partial_at, partial_count)?;
        let errors = session.work_out(&[(&partial, 0..partial_count)], |partial: Vec<f32>| {
            hidden_errors(&network, &partial)
        });
        let errors_at = session.room((SIDE as usize + 1) * 4)?;
        let previous_at = session.room(weight_count * 4)?;
        session.write_carried(errors_at, &errors)?;
        session.write(previous_at, &vec![0.0f32; weight_count])?;
        // The forward pass used the weights' buffer for its products.
        session.write(weights_at, &network.weights)?;
        let args = Args::new()
            .ptr(errors_at)
            .i32(SIDE as i32)
            .ptr(units_at)
            .i32(self.inputs as i32)
            .ptr(weights_at)
            .ptr(previous_at);
        session.launch("bpnn_adjust_weights_cuda", grid, block, &args)?;
        let units: Vec<f32> = session.read(units_at, network.units.len())?;
        let weights: Vec<f32> = session.read(weights_at, weight_count)?;
        Ok(vec![Output::new("input_units", units), Output::new("weights", weights)])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let network = self.input(seed);
        vec![
            Expected::floats("input_units", &network.units),
            Expected::reals("weights", reference::train(&network)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scale, find};
    use upset_chip::ChipSpec;
    use upset_device::Device;
    use upset_device::journal::Event;

    /// What the device copied to the host, in order.
    fn copies(chip: &str, scale: Scale) -> Vec<Vec<f32>> {
        let app = find("bp").unwrap();
        let mut device = Device::new(&ChipSpec::preset(chip).unwrap()).unwrap();
        device.start_journal();
        app.run(&mut device, scale, app.default_seed()).unwrap();
        let downloads = device.take_journal().into_iter().filter_map(|event| match event {
            Event::Download { bytes, .. } => Some(bytes),
            _ => None,
        });
        let float = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        downloads.map(|bytes| bytes.chunks_exact(4).map(float).collect()).collect()
    }

    /// The sums are no result of the program, so its own check does not see
    /// them: they are compared here.
    #[test]
    fn the_forward_pass_sums_the_weighted_inputs_of_each_block() {
        for (scale, inputs, weights) in [(Scale::Small, 256, 0.015_625), (Scale::Paper, 8192, 1.0)]
        {
            let network = Backpropagation { inputs, weights }.input(1);
            let expected = reference::partial_sums(&network, SIDE as usize);
            let found = &copies("rtx2060", scale)[0];
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                let off = (f64::from(*found) - expected).abs();
                assert!(off <= 4.0 * f64::from(f32::EPSILON) * expected, "{found} {expected}");
            }
        }
    }

    /// With the published weights every hidden unit is 1 in single precision:
    /// no unit is to blame, and no weight changes.
    #[test]
    fn the_published_weights_saturate_the_hidden_units() {
        let network = Backpropagation { inputs: 8192, weights: 1.0 }.input(1);
        let copies = copies("rtx2060", Scale::Paper);
        assert!(hidden_errors(&network, &copies[0]).iter().all(|&error| error == 0.0));
        assert_eq!(copies[2], network.weights);
    }

    #[test]
    fn the_small_network_learns() {
        let network = Backpropagation { inputs: 256, weights: 0.015_625 }.input(1);
        let copies = copies("rtx2060", Scale::Small);
        let width = SIDE as usize + 1;
        let mut weights = network.weights.iter().zip(&copies[2]).enumerate();
        // Column 0 belongs to nobody.
        assert!(weights.all(|(i, (old, new))| if i % width == 0 { old == new } else { new < old }));
    }
}
