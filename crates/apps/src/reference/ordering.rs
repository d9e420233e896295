/// Where each key is in `values`, or how many values there are where it is not.
pub(crate) fn places(values: &[u32], keys: &[u32]) -> Vec<u32> {
    let place = |key: &u32| values.iter().position(|value| value == key).unwrap_or(values.len());
    keys.iter().map(|key| place(key) as u32).collect()
}

/// The same values, smallest first.
pub(crate) fn sorted(values: &[u32]) -> Vec<u32> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Where the values, smallest first, come from; equal ones in the order in
/// which they are there.
pub(crate) fn sorting_order(values: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by_key(|&place| values[place as usize]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_where_they_are() {
        assert_eq!(places(&[2, 3, 5, 7], &[5, 4, 2, 8]), [2, 4, 0, 4]);
        assert_eq!(sorted(&[3, u32::MAX, 1, 3]), [1, 3, 3, u32::MAX]);
        assert_eq!(sorting_order(&[3, u32::MAX, 1, 3]), [2, 0, 3, 1]);
    }
}
