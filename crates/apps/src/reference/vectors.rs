/// Element by element. A single rounded operation, hence the same in every bit.
pub(crate) fn vector_sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// Scalar products of consecutive vectors of `length`.
pub(crate) fn scalar_products(left: &[f32], right: &[f32], length: usize) -> Vec<f64> {
    let pairs = left.chunks_exact(length).zip(right.chunks_exact(length));
    pairs
        .map(|(a, b)| {
            let products = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
            products.sum()
        })
        .collect()
}

/// The sum of a vector.
pub(crate) fn sum(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_small_vectors() {
        let left = [1.0, 2.0, 3.0, 4.0];
        let right = [5.0, 6.0, 7.0, 8.0];
        assert_eq!(scalar_products(&left, &right, 2), [17.0, 53.0]);
        assert_eq!(vector_sum(&left, &right), [6.0, 8.0, 10.0, 12.0]);
        assert_eq!(sum(&left), 10.0);
    }
}
