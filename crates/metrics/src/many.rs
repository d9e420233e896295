//! Many tests at once.

/// Holm's p-values (Scandinavian Journal of Statistics 6, 1979, 65), in the order
/// given: those below a level are, with that probability at most, not a single one
/// wrong among all of them, however the tests depend on each other.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        least = least.max(p[i] * (p.len() - rank) as f64).min(1.0);
        adjusted[i] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 4 x 0.01, 3 x 0.015 (not less than 0.04), 2 x 0.03, 0.2.
    #[test]
    fn four_by_hand() {
        let got = holm(&[0.2, 0.01, 0.03, 0.015]);
        for (got, want) in got.iter().zip([0.2, 0.04, 0.06, 0.045]) {
            assert!((got - want).abs() < 1e-15, "{got} {want}");
        }
        // Never less than the ones before it, never more than 1.
        assert_eq!(holm(&[0.5, 0.4]), [0.8, 0.8]);
        assert_eq!(holm(&[0.9, 0.9, 0.9]), [1.0; 3]);
        assert_eq!(holm(&[]), [] as [f64; 0]);
    }
}
