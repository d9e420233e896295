/// Product of two square matrices.
pub(crate) fn product(left: &[f32], right: &[f32], size: usize) -> Vec<f64> {
    let column = |column: usize| right.iter().skip(column).step_by(size);
    let element = |cell: usize| -> f64 {
        let row = &left[cell / size * size..][..size];
        let pairs = row.iter().zip(column(cell % size));
        pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
    };
    (0..size * size).map(element).collect()
}

/// Rows become columns.
pub(crate) fn transpose(matrix: &[f32], width: usize) -> Vec<f32> {
    let columns = (0..width).map(|column| matrix.iter().skip(column).step_by(width));
    columns.flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_by_two() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]);
        assert_eq!(product(&a, &b, 2), [19.0, 22.0, 43.0, 50.0]);
        assert_eq!(transpose(&a, 2), [1.0, 3.0, 2.0, 4.0]);
        assert_eq!(transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
