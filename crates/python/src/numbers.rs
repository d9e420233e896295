//! Intervals, words for numbers, colours.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use upset_cli::Failure;
use upset_metrics::{Estimate, Method};

use crate::failed::failed;

/// The interval of k of n.
#[pyfunction]
pub fn interval(
    py: Python<'_>,
    k: u64,
    n: u64,
    confidence: f64,
    method: &str,
) -> PyResult<(f64, f64)> {
    let bad = |message: String| failed(py, Failure { code: 2, message }, None);
    if k > n {
        return Err(bad(format!("{k} of {n}: there cannot be more than all")));
    }
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(bad(format!("a confidence of {confidence}: give a share, such as 0.95")));
    }
    let method = Method::parse(method)
        .ok_or_else(|| bad(format!("no method {method:?}: give clopper-pearson or wilson")))?;
    let limits = method.interval(k, n, confidence);
    Ok((limits.low, limits.high))
}

/// `1.23 % [0.98, 1.55]`, as reports write it.
#[pyfunction]
pub fn percent_with(value: Option<f64>, low: f64, high: f64) -> String {
    upset_report::percent_with(Estimate { value, low, high })
}

/// The colours of a report's page by name, on light and on dark ground.
#[pyfunction]
pub fn palette() -> BTreeMap<String, (String, String)> {
    upset_report::palette().into_iter().map(|(name, c)| (name, (c.light, c.dark))).collect()
}

/// The name of the colour in which the page shows a structure.
#[pyfunction]
pub fn colour_of(structure: &str) -> &'static str {
    upset_report::colour_of(structure)
}
