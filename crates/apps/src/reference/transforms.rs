use std::f64::consts::PI;

/// Side of the blocks of the cosine transform.
const SIDE: usize = 8;

/// Orthonormal cosine transform (DCT-II) of every 8 x 8 block of an image.
pub(crate) fn cosine_blocks(image: &[f32], width: usize) -> Vec<f64> {
    let basis = |k: usize, n: usize| {
        let scale = if k == 0 { (1.0 / SIDE as f64).sqrt() } else { (2.0 / SIDE as f64).sqrt() };
        scale * (PI / SIDE as f64 * (n as f64 + 0.5) * k as f64).cos()
    };
    let table: Vec<f64> = (0..SIDE * SIDE).map(|cell| basis(cell / SIDE, cell % SIDE)).collect();
    let coefficient = |cell: usize| {
        let (row, column) = (cell / width, cell % width);
        let (vertical, horizontal) = (row % SIDE, column % SIDE);
        let corner = (row - vertical) * width + column - horizontal;
        let mut sum = 0.0;
        for y in 0..SIDE {
            for x in 0..SIDE {
                let weight = table[vertical * SIDE + y] * table[horizontal * SIDE + x];
                sum += weight * f64::from(image[corner + y * width + x]);
            }
        }
        sum
    };
    (0..image.len()).map(coefficient).collect()
}

/// Orthonormal Haar transform: scalar products with Haar's functions. First the
/// constant one, then those of the whole length, of its halves, its quarters.
pub(crate) fn haar(signal: &[f32]) -> Vec<f64> {
    let length = signal.len();
    let total = |part: &[f32]| part.iter().map(|&v| f64::from(v)).sum::<f64>();
    let mut coefficients = vec![total(signal) / (length as f64).sqrt()];
    let mut support = length;
    while support > 1 {
        for part in signal.chunks_exact(support) {
            let (left, right) = part.split_at(support / 2);
            coefficients.push((total(left) - total(right)) / (support as f64).sqrt());
        }
        support /= 2;
    }
    coefficients
}

/// Walsh-Hadamard transform in Hadamard's order: entry i is the sum of all
/// values, number j with the sign of (-1) to the number of ones in i and j.
pub(crate) fn walsh(signal: &[f32]) -> Vec<f64> {
    let entry = |i: usize| {
        let signed = signal.iter().enumerate().map(|(j, &value)| {
            let value = f64::from(value);
            if (i & j).count_ones().is_multiple_of(2) { value } else { -value }
        });
        signed.sum()
    };
    (0..signal.len()).map(entry).collect()
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
    fn a_constant_block_has_one_cosine_coefficient() {
        let mut image = vec![0.0; 16 * 8];
        for row in image.chunks_exact_mut(16) {
            row[8..].fill(3.0);
        }
        let mut right = vec![0.0; image.len()];
        right[8] = 24.0;
        close(&cosine_blocks(&image, 16), &right);
    }

    #[test]
    fn a_cosine_has_its_own_coefficient_alone() {
        let wave = |n: usize| ((2 * n + 1) as f64 * 3.0 * PI / 16.0).cos() as f32;
        let image: Vec<f32> = (0..64).map(|cell| wave(cell % 8)).collect();
        let found = cosine_blocks(&image, 8);
        for (cell, value) in found.iter().enumerate() {
            // Its norm: sqrt(4) along the row, sqrt(8) down the column.
            let right = if cell == 3 { 32f64.sqrt() } else { 0.0 };
            assert!((value - right).abs() < 1e-6, "{cell}: {value}");
        }
    }

    #[test]
    fn haar_of_a_step_and_of_four_values() {
        close(&haar(&[1.0, 1.0, 1.0, 1.0]), &[2.0, 0.0, 0.0, 0.0]);
        close(&haar(&[1.0, 1.0, -1.0, -1.0]), &[0.0, 2.0, 0.0, 0.0]);
        let root = 2f64.sqrt();
        close(&haar(&[4.0, 2.0, 5.0, 5.0]), &[8.0, -2.0, root, 0.0]);
    }

    #[test]
    fn haar_keeps_the_energy() {
        let signal: Vec<f32> = (0..64).map(|i| (i * i % 37) as f32).collect();
        let energy: f64 = signal.iter().map(|&v| f64::from(v).powi(2)).sum();
        let after: f64 = haar(&signal).iter().map(|v| v * v).sum();
        assert!((energy - after).abs() < 1e-9);
    }

    #[test]
    fn walsh_of_four_values_and_of_an_impulse() {
        close(&walsh(&[1.0, 2.0, 3.0, 4.0]), &[10.0, -2.0, -4.0, 0.0]);
        close(&walsh(&[1.0, 0.0, 0.0, 0.0]), &[1.0; 4]);
    }
}
