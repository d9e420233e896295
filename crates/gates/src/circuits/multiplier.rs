//! The product of two words as two rows: partial products, then a tree of full
//! and half adders after Dadda's schedule.

use crate::builder::{Builder, Net, ZERO};
use crate::words::full_adder;

/// Columns of bits of one weight, lowest first, to two rows whose sum is the
/// columns' sum. What would carry out of the top column is dropped: callers give
/// sums that fit, for which it is 0.
pub fn reduce(b: &mut Builder, mut columns: Vec<Vec<Net>>) -> [Vec<Net>; 2] {
    let highest = columns.iter().map(Vec::len).max().unwrap_or(0);
    // Dadda's heights: 2, 3, 4, 6, 9, 13, 19, 28, 42 …
    let mut heights = vec![2usize];
    while let Some(&last) = heights.last().filter(|&&h| h < highest) {
        heights.push(last * 3 / 2);
    }
    for &height in heights.iter().rev() {
        for i in 0..columns.len() {
            while columns[i].len() > height {
                let mut taken = std::mem::take(&mut columns[i]);
                let third = if taken.len() > height + 1 { 3 } else { 2 };
                let rest = taken.split_off(third);
                let z = taken.get(2).copied().unwrap_or(ZERO);
                let (sum, carry) = full_adder(b, taken[0], taken[1], z);
                columns[i] = rest;
                columns[i].push(sum);
                if let Some(above) = columns.get_mut(i + 1) {
                    above.push(carry);
                }
            }
        }
    }
    [0, 1].map(|row| columns.iter().map(|c| c.get(row).copied().unwrap_or(ZERO)).collect())
}

/// Columns of the partial products of `x * y`.
pub fn partial_products(b: &mut Builder, x: &[Net], y: &[Net]) -> Vec<Vec<Net>> {
    let mut columns = vec![Vec::new(); x.len() + y.len()];
    for (i, &xi) in x.iter().enumerate() {
        for (j, &yj) in y.iter().enumerate() {
            columns[i + j].push(b.and(xi, yj));
        }
    }
    columns
}
