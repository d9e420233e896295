use std::f64::consts::TAU;

/// Discrete Fourier transform from its definition: value k is the sum of all
/// values n, each times e^(-2 pi i k n / N). Real and imaginary parts by turns.
pub(crate) fn fourier(signal: &[f32]) -> Vec<f64> {
    let points = signal.len() / 2;
    let value = |k: usize| {
        let mut sum = [0.0; 2];
        for (n, parts) in signal.chunks_exact(2).enumerate() {
            // The whole turns are taken off where it is exact.
            let angle = -TAU * (k * n % points) as f64 / points as f64;
            let [real, imaginary] = [f64::from(parts[0]), f64::from(parts[1])];
            sum[0] += real * angle.cos() - imaginary * angle.sin();
            sum[1] += real * angle.sin() + imaginary * angle.cos();
        }
        sum
    };
    (0..points).flat_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], right: &[f64]) {
        assert_eq!(found.len(), right.len());
        for (found, right) in found.iter().zip(right) {
            assert!((found - right).abs() < 1e-12, "{found} instead of {right}");
        }
    }

    #[test]
    fn of_an_impulse_and_of_a_constant() {
        let mut impulse = [0.0; 16];
        impulse[0] = 1.0;
        close(&fourier(&impulse), &[1.0, 0.0].repeat(8));
        let mut right = [0.0; 16];
        right[0] = 8.0;
        close(&fourier(&[1.0, 0.0].repeat(8)), &right);
    }

    #[test]
    fn turning_one_way_is_one_line_of_the_spectrum() {
        // 1, i, -1, -i: a quarter turn a step, which is line 1 of four.
        let turning = [1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0];
        close(&fourier(&turning), &[0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn the_energy_is_kept() {
        let signal: Vec<f32> = (0..64).map(|i| (i * i % 37) as f32).collect();
        let energy: f64 = signal.iter().map(|&v| f64::from(v).powi(2)).sum();
        let after: f64 = fourier(&signal).iter().map(|v| v * v).sum();
        assert!((32.0 * energy - after).abs() < 1e-6);
    }
}
