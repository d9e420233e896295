/// A sum in double precision, so that the order of the terms hardly matters.
pub(super) fn sum(values: impl Iterator<Item = f32>) -> f64 {
    values.map(f64::from).sum()
}
