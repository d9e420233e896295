//! Shares as the page has them.

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
