//! A set of bits as a few products over the axes of its array.

use std::collections::BTreeMap;

use upset_state::Axis;

/// Digits per axis; stands for every combination of them.
pub(crate) type Product = Vec<Vec<u64>>;

/// Products that together are exactly `bits` (ascending), none twice. One
/// product when the bits are one; what comes out depends on the set alone.
pub(crate) fn decompose(bits: &[u64], axes: &[Axis]) -> Vec<Product> {
    let [_, inner @ ..] = axes else { return Vec::new() };
    if inner.is_empty() {
        return vec![vec![bits.to_vec()]];
    }
    let stride: u64 = inner.iter().map(|a| a.size.max(1)).product();
    let mut by_digit: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for bit in bits {
        by_digit.entry(bit / stride).or_default().push(bit % stride);
    }
    // Digits that have the same bits beneath them share a product.
    let mut by_rest: BTreeMap<Vec<u64>, Vec<u64>> = BTreeMap::new();
    for (digit, rest) in by_digit {
        by_rest.entry(rest).or_default().push(digit);
    }
    let mut groups: Vec<(Vec<u64>, Vec<u64>)> =
        by_rest.into_iter().map(|(rest, digits)| (digits, rest)).collect();
    groups.sort_unstable();
    let mut products = Vec::new();
    for (digits, rest) in groups {
        for tail in decompose(&rest, inner) {
            let mut product = vec![digits.clone()];
            product.extend(tail);
            products.push(product);
        }
    }
    products
}

/// How many bits a product has.
pub(crate) fn size(product: &[Vec<u64>]) -> u128 {
    product.iter().map(|digits| digits.len() as u128).product()
}

/// The bits of a product, ascending.
pub(crate) fn expand(product: &[Vec<u64>], axes: &[Axis]) -> Vec<u64> {
    let mut bits = vec![0u64];
    for (digits, axis) in product.iter().zip(axes) {
        bits = bits.iter().flat_map(|b| digits.iter().map(move |d| b * axis.size + d)).collect();
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AXES: [Axis; 3] = [Axis::new("row", 3), Axis::new("lane", 4), Axis::new("bit", 5)];

    #[test]
    fn a_product_stays_one() {
        let product = vec![vec![0, 2], vec![1, 2, 3], vec![4]];
        assert_eq!(decompose(&expand(&product, &AXES), &AXES), [product]);
    }

    #[test]
    fn equal_rows_share_a_product() {
        let bits = [0, 1, 20, 21, 42];
        let row0 = vec![vec![0, 1], vec![0], vec![0, 1]];
        assert_eq!(decompose(&bits, &AXES), [row0, vec![vec![2], vec![0], vec![2]]]);
    }

    proptest! {
        #[test]
        fn products_are_the_set(bits in prop::collection::btree_set(0u64..60, 1..60)) {
            let bits: Vec<u64> = bits.into_iter().collect();
            let products = decompose(&bits, &AXES);
            let mut all: Vec<u64> = products.iter().flat_map(|p| expand(p, &AXES)).collect();
            prop_assert_eq!(products.iter().map(|p| size(p)).sum::<u128>(), all.len() as u128);
            all.sort_unstable();
            prop_assert_eq!(all, bits);
        }
    }
}
