//! From two estimates to a figure with its test.

use upset_metrics::Estimate;
use upset_metrics::difference::{difference_with, ratio_with};
use upset_metrics::equal::p_of_interval;
use upset_metrics::paired::Pairs;

use super::model::Figure;

/// AVF, SDC, DUE, FIT; `None` where there is no such figure.
pub type Figures = [Option<Estimate>; 4];

/// Their names. The last is about the same runs as the first, failures.
pub const NAMES: [&str; 4] = ["avf", "sdc", "due", "fit"];

/// A figure of both sides, which go together by a correlation `r`. It is tested
/// where both have a value and one of them can be something else than 0.
pub fn figure(
    index: usize,
    (a, b): (Estimate, Estimate),
    r: f64,
    pairs: Option<Pairs>,
    test: impl FnOnce() -> Option<(&'static str, f64)>,
) -> Figure {
    let open = a.value.is_some() && b.value.is_some() && (a, b) != (Estimate::ZERO, Estimate::ZERO);
    let tested = if open { test() } else { None };
    Figure {
        figure: NAMES[index],
        a,
        b,
        difference: difference_with(a, b, r),
        ratio: ratio_with(a, b, r),
        pairs,
        test: tested.map(|(name, _)| name),
        p: tested.map(|(_, p)| p),
        p_holm: None,
    }
}

/// The test that the interval of the difference makes; `at` has the figure of both
/// sides at a level of confidence.
pub fn by_interval(
    r: f64,
    mut at: impl FnMut(u32) -> Option<(Estimate, Estimate)>,
) -> (&'static str, f64) {
    // What has no interval rules nothing out.
    let nothing = Estimate { value: None, low: f64::NEG_INFINITY, high: f64::INFINITY };
    let p = p_of_interval(|level| {
        at(level).map_or(nothing, |(a, b)| difference_with(a, b, r)).interval()
    });
    ("interval", p)
}
