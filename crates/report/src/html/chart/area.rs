//! Curves over time, one below the other.

use std::fmt::Write;

use super::about::{About, WIDTH, fitted, num};
use super::figure::figure;
use crate::html::escape::esc;

/// One curve.
pub struct Curve {
    /// What it is.
    pub label: String,
    /// What it comes to.
    pub value: String,
    /// Style class.
    pub class: String,
    /// Equal steps of time.
    pub points: Vec<f64>,
}

const HEIGHT: f64 = 40.0;
const RIGHT: f64 = WIDTH - 8.0;

/// The figure; each curve has its own scale, from nothing to its largest value.
pub fn areas(about: &About<'_>, curves: &[Curve], below: &str) -> String {
    let mut out = String::new();
    let mut y = 2.0;
    for curve in curves {
        y += 17.0;
        let room = RIGHT - 6.3 * curve.value.chars().count() as f64 - 12.0;
        let _ = writeln!(
            out,
            "<text class=\"label\" x=\"1\" y=\"{0}\">{1}</text><text class=\"value\" x=\"{RIGHT}\" y=\"{0}\">{2}</text>",
            num(y),
            esc(&fitted(&curve.label, room)),
            esc(&curve.value)
        );
        y += 6.0 + HEIGHT;
        let most = curve.points.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let pitch = (RIGHT - 1.0) / curve.points.len().max(1) as f64;
        let mut path = format!("M1 {}", num(y));
        for (i, v) in curve.points.iter().enumerate() {
            let _ = write!(
                path,
                "V{}H{}",
                num(y - HEIGHT * v / most),
                num(1.0 + pitch * (i + 1) as f64)
            );
        }
        let _ = writeln!(
            out,
            "<path class=\"area {}\" d=\"{path}V{1}z\"/><path class=\"zero\" d=\"M1 {1}H{RIGHT}\"/>",
            curve.class,
            num(y)
        );
        y += 4.0;
    }
    let _ = writeln!(
        out,
        "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
        num(WIDTH / 2.0),
        num(y + 12.0),
        esc(below)
    );
    let told: Vec<String> = curves.iter().map(|c| format!("{}: {}", c.label, c.value)).collect();
    figure(about, &told.join("; "), y + 18.0, &out)
}
