/// A network with one hidden layer and one output, before a training step.
pub(crate) struct Network {
    /// Input units; unit 0 is the bias.
    pub units: Vec<f32>,
    /// Hidden units without the bias.
    pub hidden: usize,
    /// A row of hidden + 1 per input unit.
    pub weights: Vec<f32>,
    /// One per hidden unit, the bias first.
    pub output_weights: Vec<f32>,
    pub target: f32,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Learning rate; there is no earlier change for a momentum to act on.
const RATE: f64 = 0.3;

/// The weights between input and hidden layer after one step of
/// back-propagation (Rumelhart, Hinton, Williams, 1986).
pub(crate) fn train(network: &Network) -> Vec<f64> {
    let old = network.weights.iter();
    old.zip(changes(network)).map(|(&w, c)| f64::from(w) + c).collect()
}

/// By how much each weight changes.
fn changes(network: &Network) -> Vec<f64> {
    let width = network.hidden + 1;
    let unit = |i: usize| f64::from(network.units[i]);
    let weight = |i: usize, j: usize| f64::from(network.weights[i * width + j]);
    let inputs = network.units.len() - 1;

    let mut hidden = vec![1.0];
    for j in 1..width {
        let total: f64 = (0..=inputs).map(|i| unit(i) * weight(i, j)).sum();
        hidden.push(sigmoid(total));
    }
    let pairs = hidden.iter().zip(&network.output_weights);
    let answer = sigmoid(pairs.map(|(h, &w)| h * f64::from(w)).sum());
    let answer_error = answer * (1.0 - answer) * (f64::from(network.target) - answer);

    let mut changes = vec![0.0; network.weights.len()];
    for i in 0..=inputs {
        for j in 1..width {
            let blame = answer_error * f64::from(network.output_weights[j]);
            let error = hidden[j] * (1.0 - hidden[j]) * blame;
            changes[i * width + j] = RATE * error * unit(i);
        }
    }
    changes
}

/// The weighted sums of each group of inputs, hidden unit by hidden unit.
#[cfg(test)]
pub(crate) fn partial_sums(network: &Network, group: usize) -> Vec<f64> {
    let width = network.hidden + 1;
    let product = |i: usize, j: usize| {
        f64::from(network.units[i]) * f64::from(network.weights[i * width + j])
    };
    let mut sums = Vec::new();
    for first in (1..network.units.len()).step_by(group) {
        sums.extend((1..width).map(|j| (first..first + group).map(|i| product(i, j)).sum::<f64>()));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(network: &Network, weights: &[f64]) -> f64 {
        let width = network.hidden + 1;
        let mut total = f64::from(network.output_weights[0]);
        for j in 1..width {
            let units = network.units.iter().enumerate();
            let sum: f64 = units.map(|(i, &u)| f64::from(u) * weights[i * width + j]).sum();
            total += f64::from(network.output_weights[j]) * sigmoid(sum);
        }
        sigmoid(total)
    }

    #[test]
    fn a_change_is_the_rate_times_the_slope_of_the_error() {
        let network = Network {
            units: vec![1.0, 0.3, 0.7],
            hidden: 2,
            weights: vec![0.0, 0.1, -0.2, 0.0, 0.4, 0.5, 0.0, -0.3, 0.2],
            output_weights: vec![0.1, 0.6, -0.4],
            target: 0.1,
        };
        let changes = changes(&network);
        let weights: Vec<f64> = network.weights.iter().map(|&w| f64::from(w)).collect();
        let error = |w: &[f64]| (f64::from(network.target) - answer(&network, w)).powi(2) / 2.0;
        for index in [1, 2, 4, 5, 7, 8] {
            let mut bumped = weights.clone();
            bumped[index] += 1e-6;
            let slope = (error(&bumped) - error(&weights)) / 1e-6;
            assert!((changes[index] + RATE * slope).abs() < 1e-7, "{index}");
        }
        assert_eq!(
            partial_sums(&network, 2),
            [
                f64::from(0.3f32) * f64::from(0.4f32) + f64::from(0.7f32) * f64::from(-0.3f32),
                f64::from(0.3f32) * f64::from(0.5f32) + f64::from(0.7f32) * f64::from(0.2f32),
            ]
        );
    }
}
