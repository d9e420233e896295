use super::{Host, sum};
use crate::app::Output;
use crate::error::AppError;
use crate::exponential::sigmoid;
use crate::random::Generator;
use crate::reference::{self, Network};
use crate::session::Session;
use crate::verdict::Expected;
use upset_device::Args;

/// Units of the hidden layer, and side of a block; fixed in the kernels.
const SIDE: u32 = 16;
/// What the network is to answer.
const TARGET: f32 = 0.9;

/// One training step of a neural network.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Backpropagation {
    inputs: u32,
}

impl Backpropagation {
    /// Unit 0 of a layer is the bias; row 0 of the weights belongs to it,
    /// column 0 to nobody.
    fn input(&self, seed: u64) -> Network {
        let inputs = self.inputs as usize;
        let hidden = SIDE as usize;
        let mut units = Generator::new(seed, 0).uniform(inputs + 1, 0.0, 1.0);
        units[0] = 1.0;
        // Small positive weights keep the hidden units off saturation.
        let most = 4.0 / self.inputs as f32;
        Network {
            units,
            hidden,
            weights: Generator::new(seed, 1).uniform((inputs + 1) * (hidden + 1), 0.0, most),
            // And these keep the answer below the target, so that every weight
            // grows and none loses digits by cancellation.
            output_weights: Generator::new(seed, 2).uniform(hidden + 1, 0.0, 0.125),
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

        let units = session.place(&network.units)?;
        let hidden_units = session.zeros((SIDE as usize + 1) * 4)?;
        let weights = session.place(&network.weights)?;
        let partial_at = session.room(partial_count * 4)?;
        let args = Args::new()
            .ptr(units)
            .ptr(hidden_units)
            .ptr(weights)
            .ptr(partial_at)
            .i32(self.inputs as i32)
            .i32(SIDE as i32);
        session.launch("bpnn_layerforward_CUDA", grid, block, &args)?;
        let partial: Vec<f32> = session.read(partial_at, partial_count)?;

        let errors = session.place(&hidden_errors(&network, &partial))?;
        // The forward pass used the weights' buffer for its products.
        session.write(weights, &network.weights)?;
        let previous = session.zeros(weight_count * 4)?;
        let args = Args::new()
            .ptr(errors)
            .i32(SIDE as i32)
            .ptr(units)
            .i32(self.inputs as i32)
            .ptr(weights)
            .ptr(previous);
        session.launch("bpnn_adjust_weights_cuda", grid, block, &args)?;
        let weights: Vec<f32> = session.read(weights, weight_count)?;
        let previous: Vec<f32> = session.read(previous, weight_count)?;
        Ok(vec![
            Output::new("partial_sums", partial),
            Output::new("weights", weights),
            Output::new("changes", previous),
        ])
    }

    fn expected(&self, seed: u64) -> Vec<Expected> {
        let step = reference::train(&self.input(seed), SIDE as usize);
        vec![
            Expected::reals("partial_sums", step.partial_sums),
            Expected::reals("weights", step.weights),
            Expected::reals("changes", step.changes),
        ]
    }
}
