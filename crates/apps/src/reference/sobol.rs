/// The first `count` numbers of a dimension of Sobol's sequence, rounded to
/// single precision.
///
/// In the order of Gray's code each number differs from the one before by one
/// direction number (Antonov and Saleev, 1979); they are then put in place.
pub(crate) fn sobol(directions: &[u32], count: u32) -> Vec<f32> {
    let mut numbers = vec![0.0; count as usize];
    let mut bits = 0u32;
    // Gray codes of a whole block of 2^k are that block's numbers.
    for step in 0..count.next_power_of_two() {
        if step > 0 {
            bits ^= directions[step.trailing_zeros() as usize];
        }
        if let Some(number) = numbers.get_mut((step ^ (step >> 1)) as usize) {
            *number = (f64::from(bits) / 4_294_967_296.0) as f32;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_dimension_is_the_number_mirrored_at_the_point() {
        let directions: Vec<u32> = (0..32).map(|i| 1 << (31 - i)).collect();
        let numbers = sobol(&directions, 8);
        assert_eq!(numbers, [0.0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875]);
        for (n, number) in sobol(&directions, 777).into_iter().enumerate() {
            let mirrored = (n as u32).reverse_bits();
            assert_eq!(f64::from(number), f64::from(mirrored) / 2f64.powi(32), "{n}");
        }
    }
}
