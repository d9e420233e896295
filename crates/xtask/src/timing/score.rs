//! How well two columns of numbers agree.

use super::line::Line;

/// One line: count, mean absolute relative error, Spearman's rank correlation.
pub fn print(name: &str, lines: &[&Line]) {
    if lines.is_empty() {
        return;
    }
    let error = lines.iter().map(|l| l.error().abs()).sum::<f64>() / lines.len() as f64;
    let column = |f: fn(&Line) -> f64| lines.iter().map(|l| f(l)).collect::<Vec<f64>>();
    let ranks = spearman(&column(|l| l.hardware), &column(|l| l.model));
    println!(
        "{name:<18} {:>4} rows   mean absolute error {:>6.1} %   rank correlation {ranks:.3}",
        lines.len(),
        100.0 * error
    );
}

/// Spearman's rank correlation: Pearson's on the ranks, ties sharing theirs.
pub fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let dot = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = order[start..].iter().take_while(|&&i| values[i] == values[order[start]]);
        let end = start + same.count().max(1);
        let shared = (start + end - 1) as f64 / 2.0;
        order[start..end].iter().for_each(|&i| ranks[i] = shared);
        start = end;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlation_sees_order_alone() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 100.0, 1000.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
    }

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [1.5, 0.0, 1.5]);
    }
}
