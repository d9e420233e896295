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

/// What a training step changes between the input and the hidden layer.
pub(crate) struct TrainingStep {
    /// Weighted sums per group of inputs and hidden unit.
    pub partial_sums: Vec<f64>,
    pub weights: Vec<f64>,
    pub changes: Vec<f64>,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Learning rate; there is no earlier change for a momentum to act on.
const RATE: f64 = 0.3;

/// One step of back-propagation (Rumelhart, Hinton, Williams, 1986).
pub(crate) fn train(network: &Network, group: usize) -> TrainingStep {
    let width = network.hidden + 1;
    let unit = |i: usize| f64::from(network.units[i]);
    let weight = |i: usize, j: usize| f64::from(network.weights[i * width + j]);
    let inputs = network.units.len() - 1;

    let mut partial_sums = Vec::new();
    for first in (1..=inputs).step_by(group) {
        for j in 1..width {
            partial_sums.push((first..first + group).map(|i| unit(i) * weight(i, j)).sum());
        }
    }

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
    let old = network.weights.iter();
    let weights = old.zip(&changes).map(|(&w, c)| f64::from(w) + c).collect();
    TrainingStep { partial_sums, weights, changes }
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
        let step = train(&network, 2);
        let weights: Vec<f64> = network.weights.iter().map(|&w| f64::from(w)).collect();
        let error = |w: &[f64]| (f64::from(network.target) - answer(&network, w)).powi(2) / 2.0;
        for index in [1, 2, 4, 5, 7, 8] {
            let mut bumped = weights.clone();
            bumped[index] += 1e-6;
            let slope = (error(&bumped) - error(&weights)) / 1e-6;
            assert!((step.changes[index] + RATE * slope).abs() < 1e-7, "{index}");
        }
        assert_eq!(step.partial_sums.len(), 2);
    }
}
