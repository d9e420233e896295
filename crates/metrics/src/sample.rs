//! How many experiments a margin needs.

use crate::dist::two_sided_z;

/// Experiments for an error of at most `margin` with `confidence`, when the
/// share to be found is about `p` (0.5: unknown, the worst case).
///
/// `population` is the number of different faults there are; `None` for more
/// than anyone could run. n = N / (1 + e² (N-1) / (z² p (1-p))): Leveugle et
/// al., DATE 2009. `None` where the question makes no sense.
pub fn sample_size(margin: f64, confidence: f64, p: f64, population: Option<u64>) -> Option<u64> {
    let sensible = |x: f64| x > 0.0 && x < 1.0;
    if !sensible(margin) || !sensible(confidence) || !sensible(p) {
        return None;
    }
    let z = two_sided_z(confidence);
    let endless = z * z * p * (1.0 - p) / (margin * margin);
    let n = match population {
        None => endless,
        Some(0) => 0.0,
        Some(all) => all as f64 / (1.0 + (all as f64 - 1.0) / endless),
    };
    // A hair above a whole number is rounding, not one more experiment.
    Some((n - 1e-9 * n).ceil() as u64)
}

/// The margin that `n` experiments give; the inverse of [`sample_size`].
pub fn margin(n: u64, confidence: f64, p: f64, population: Option<u64>) -> f64 {
    let z = two_sided_z(confidence);
    let finite = match population {
        Some(all) if all > 1 => (all.saturating_sub(n)) as f64 / (all - 1) as f64,
        Some(_) => 0.0,
        None => 1.0,
    };
    z * (p * (1.0 - p) / n.max(1) as f64 * finite).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_sizes() {
        assert_eq!(sample_size(0.01, 0.95, 0.5, None), Some(9604));
        assert_eq!(sample_size(0.02, 0.99, 0.5, None), Some(4147));
        assert_eq!(sample_size(0.01, 0.99, 0.5, None), Some(16588));
        // gpuFI-4's 3000 injections at 99 %: 2.35 %, not "less than 2 %".
        assert!((margin(3000, 0.99, 0.5, None) - 0.0235).abs() < 5e-5);
        assert!(margin(3000, 0.99, 0.24, None) > 0.02 && margin(3000, 0.99, 0.23, None) < 0.02);
    }

    #[test]
    fn a_small_population_is_counted_out() {
        assert_eq!(sample_size(0.01, 0.95, 0.5, Some(1)), Some(1));
        assert_eq!(sample_size(0.01, 0.95, 0.5, Some(0)), Some(0));
        assert_eq!(sample_size(0.01, 0.95, 0.5, Some(9604)), Some(4803));
        assert_eq!(sample_size(0.01, 0.95, 0.5, Some(u64::MAX)), Some(9604));
        assert_eq!(margin(100, 0.95, 0.5, Some(100)), 0.0);
    }

    #[test]
    fn nonsense_is_refused() {
        for (e, c, p) in
            [(0.0, 0.95, 0.5), (0.01, 1.0, 0.5), (0.01, 0.95, 0.0), (f64::NAN, 0.9, 0.5)]
        {
            assert_eq!(sample_size(e, c, p, None), None);
        }
    }
}
