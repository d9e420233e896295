/// How often each number below `bins` is there.
pub(crate) fn histogram(values: &[u32], bins: usize) -> Vec<u32> {
    let mut counts = vec![0; bins];
    for &value in values {
        counts[value as usize] += 1;
    }
    counts
}

/// The sum modulo 2^32.
pub(crate) fn total(values: &[u32]) -> u32 {
    let sum: u64 = values.iter().map(|&value| u64::from(value)).sum();
    sum as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sums_of_a_few() {
        assert_eq!(histogram(&[1, 3, 1, 0], 4), [1, 2, 0, 1]);
        assert_eq!(total(&[u32::MAX, 1, 5]), 5);
    }
}
