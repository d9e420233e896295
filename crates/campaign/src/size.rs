//! How many experiments a stratum gets, and what ends them.

use upset_metrics::sequential::failures_for_relative;
use upset_metrics::until::Looks;

/// How many experiments a stratum gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plan {
    /// That many.
    Runs(u64),
    /// Until the rate is known within the margin.
    Margin(f64),
    /// Until that relative precision.
    Relative(f64),
}

/// How many runs a stratum takes, and what may end it before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Size {
    /// Most runs.
    pub planned: u64,
    /// Failures that end it, or 0.
    pub stop_at_failures: u64,
    /// The margin that ends it.
    pub stop_at_margin: Option<f64>,
}

impl Size {
    /// Of a plan at a confidence, with at most so many runs where failures end it.
    pub(crate) fn of(plan: Plan, confidence: f64, max_runs: u64) -> Size {
        match plan {
            Plan::Runs(planned) => Size { planned, ..Size::default() },
            Plan::Margin(margin) => Size {
                // More than anybody can run: it is refused where it is planned.
                planned: Looks::for_margin(margin, confidence)
                    .map_or(i64::MAX as u64, |looks| looks.most()),
                stop_at_margin: Some(margin),
                ..Size::default()
            },
            Plan::Relative(relative) => Size {
                planned: max_runs,
                stop_at_failures: failures_for_relative(relative, confidence)
                    .unwrap_or(i64::MAX as u64),
                ..Size::default()
            },
        }
    }
}
