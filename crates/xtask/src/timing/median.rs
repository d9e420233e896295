//! The middle of several measurements.

/// Of sorted values.
pub fn median(values: &[f64]) -> f64 {
    (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
}
