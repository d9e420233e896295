//! What a report is asked for.

use upset_metrics::Method;

use crate::ace::AceBounds;
use crate::ecc::Ecc;
use crate::raw_fit::RawFits;

/// Choices about a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How intervals are made.
    pub interval: Method,
    /// Confidence of the intervals; the stores' own when absent.
    pub confidence: Option<f64>,
    /// Raw FIT per bit; without it there is no FIT, MTBF or EPF.
    pub raw_fit: Option<RawFits>,
    /// Protection to re-read the results under.
    pub ecc: Vec<Ecc>,
    /// Bounds of the ACE analysis, to be shown beside injected rates.
    pub ace: Vec<AceBounds>,
}
