/// Doolittle's decomposition of a square matrix: U on and above the diagonal, L
/// (its unit diagonal left out) below.
pub(crate) fn lower_upper(matrix: &[f32], size: usize) -> Vec<f64> {
    let mut factors: Vec<f64> = matrix.iter().map(|&v| f64::from(v)).collect();
    for row in 0..size {
        for col in 0..size {
            let known = row.min(col);
            let product: f64 =
                (0..known).map(|k| factors[row * size + k] * factors[k * size + col]).sum();
            let rest = factors[row * size + col] - product;
            let pivot = if col < row { factors[col * size + col] } else { 1.0 };
            factors[row * size + col] = rest / pivot;
        }
    }
    factors
}

/// What Gaussian elimination leaves.
pub(crate) struct Eliminated {
    /// By what multiple of each pivot row a row was reduced.
    pub multipliers: Vec<f32>,
    /// The matrix; below the diagonal what rounding leaves of zero.
    pub matrix: Vec<f32>,
    pub right_side: Vec<f32>,
    /// What the unknowns are.
    pub solution: Vec<f32>,
}

/// Eliminates without pivoting, then solves from the last row up.
///
/// The method itself fixes the order of operations: every entry is reduced by
/// one pivot row after the other. So this is in single precision, a reduction
/// being one fused multiply-add, and the result exact to the bit.
pub(crate) fn eliminate(matrix: &[f32], right_side: &[f32]) -> Eliminated {
    let size = right_side.len();
    let mut a: Vec<Vec<f32>> = matrix.chunks_exact(size).map(<[f32]>::to_vec).collect();
    let mut b = right_side.to_vec();
    let mut multipliers = vec![0.0; size * size];
    for pivot in 0..size {
        let (above, below) = a.split_at_mut(pivot + 1);
        let pivot_row = &above[pivot];
        for (row, entries) in (pivot + 1..).zip(below) {
            let multiplier = entries[pivot] / pivot_row[pivot];
            multipliers[row * size + pivot] = multiplier;
            for col in pivot..size {
                entries[col] = (-multiplier).mul_add(pivot_row[col], entries[col]);
            }
            b[row] = (-multiplier).mul_add(b[pivot], b[row]);
        }
    }
    let mut solution = b.clone();
    for row in (0..size).rev() {
        let known = a[row].iter().zip(&solution).skip(row + 1);
        let rest = known.fold(b[row], |rest, (entry, unknown)| rest - entry * unknown);
        solution[row] = rest / a[row][row];
    }
    Eliminated { multipliers, matrix: a.concat(), right_side: b, solution }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A matrix with a dominant diagonal.
    fn dominant(size: usize, seeds: &[f32]) -> Vec<f32> {
        let mut matrix: Vec<f32> = (0..size * size).map(|i| seeds[i % seeds.len()]).collect();
        for i in 0..size {
            matrix[i * size + i] += 2.0 * size as f32;
        }
        matrix
    }

    proptest! {
        #[test]
        fn the_factors_multiply_to_the_matrix(
            size in 1usize..8,
            seeds in proptest::collection::vec(0.5f32..1.5, 11),
        ) {
            let matrix = dominant(size, &seeds);
            let f = lower_upper(&matrix, size);
            for row in 0..size {
                for col in 0..size {
                    let product: f64 = (0..=row.min(col))
                        .map(|k| (if k == row { 1.0 } else { f[row * size + k] }) * f[k * size + col])
                        .sum();
                    let want = f64::from(matrix[row * size + col]);
                    prop_assert!((product - want).abs() < 1e-12 * want.abs());
                }
            }
        }

        #[test]
        fn the_solution_solves_the_system(
            size in 1usize..8,
            seeds in proptest::collection::vec(0.5f32..1.5, 11),
        ) {
            let matrix = dominant(size, &seeds);
            let right_side: Vec<f32> = seeds.iter().copied().cycle().take(size).collect();
            let x = eliminate(&matrix, &right_side).solution;
            for row in 0..size {
                let left: f64 = (0..size)
                    .map(|col| f64::from(matrix[row * size + col]) * f64::from(x[col]))
                    .sum();
                prop_assert!((left - f64::from(right_side[row])).abs() < 1e-5);
            }
        }
    }
}
