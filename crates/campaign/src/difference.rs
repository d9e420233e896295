//! How results differ from those of the fault-free run.

use upset_metrics::Sdc;
use upset_trial::shape;

use crate::golden::Array;

/// Compares arrays one by one.
pub(crate) fn compare(right: &[Array], found: &[Array], tolerance: f64) -> Option<Sdc> {
    let pairs = right.iter().zip(found);
    let pairs = pairs.map(|(r, f)| (r.element, r.bytes.as_slice(), f.bytes.as_slice()));
    let sdc = shape(pairs, tolerance);
    match right.len() == found.len() {
        true => sdc,
        false => Some(Sdc { length_differs: true, ..sdc.unwrap_or_default() }),
    }
}
