//! A histogram.

use std::fmt::Write;

use super::about::{About, WIDTH, num};
use super::figure::figure;
use super::scale::ticks;
use crate::html::escape::esc;
use crate::number::grouped;
use crate::shape::Bin;

/// Columns side by side.
pub struct Columns<'a> {
    /// Words around it.
    pub about: About<'a>,
    /// The columns.
    pub bins: &'a [Bin],
    /// What the numbers below the columns are.
    pub below: &'a str,
    /// Style class.
    pub class: &'a str,
}

const LEFT: f64 = 44.0;
const TOP: f64 = 10.0;
const HEIGHT: f64 = 120.0;

impl Columns<'_> {
    /// The figure.
    pub fn render(&self) -> String {
        let max = self.bins.iter().map(|b| b.count).max().unwrap_or(0);
        if max == 0 {
            return String::new();
        }
        let ticks = ticks(max as f64);
        let end = ticks.last().copied().unwrap_or(1.0);
        let y = |v: f64| TOP + HEIGHT * (1.0 - v / end);
        let mut out = String::new();
        for (i, tick) in ticks.iter().enumerate().filter(|(_, t)| t.fract() == 0.0) {
            let class = if i == 0 { "zero" } else { "grid" };
            let _ = writeln!(
                out,
                "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{0}\" y1=\"{1}\" y2=\"{1}\"/>\
                 <text class=\"tick\" text-anchor=\"end\" x=\"{2}\" y=\"{3}\">{4}</text>",
                num(WIDTH - 4.0),
                num(y(*tick)),
                num(LEFT - 6.0),
                num(y(*tick) + 4.0),
                thousands(*tick)
            );
        }
        let pitch = (WIDTH - 4.0 - LEFT) / self.bins.len().max(1) as f64;
        for (i, bin) in self.bins.iter().enumerate() {
            self.column(&mut out, bin, i, pitch, y);
        }
        let bottom = TOP + HEIGHT;
        let _ = writeln!(
            out,
            "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
            num((LEFT + WIDTH) / 2.0),
            num(bottom + 32.0),
            esc(self.below)
        );
        figure(&self.about, &self.describe(), bottom + 38.0, &out)
    }

    fn column(&self, out: &mut String, bin: &Bin, i: usize, pitch: f64, y: impl Fn(f64) -> f64) {
        let x = LEFT + pitch * i as f64;
        let gap = (pitch * 0.15).min(4.0);
        let bottom = TOP + HEIGHT;
        // Something that happened is never invisible.
        let height = if bin.count > 0 { (bottom - y(bin.count as f64)).max(0.8) } else { 0.0 };
        let _ = writeln!(
            out,
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}: {}</title></rect>",
            self.class,
            num(x + gap),
            num(bottom - height),
            num(pitch - 2.0 * gap),
            num(height),
            esc(&bin.label),
            grouped(bin.count)
        );
        // As many labels as there is room for, about 30 units each.
        let every = (30.0 / pitch).ceil().max(1.0) as usize;
        let every = if every > 1 { every.next_power_of_two() } else { 1 };
        if i.is_multiple_of(every) {
            let _ = writeln!(
                out,
                "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
                num(x + pitch / 2.0),
                num(bottom + 15.0),
                esc(&bin.label)
            );
        }
    }

    fn describe(&self) -> String {
        let bins: Vec<String> = self
            .bins
            .iter()
            .filter(|b| b.count > 0)
            .map(|b| format!("{}: {}", b.label, b.count))
            .collect();
        format!("{}. {}", self.below, bins.join("; "))
    }
}

fn thousands(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{}M", x / 1e6),
        x if x >= 1e4 => format!("{}k", x / 1e3),
        x => format!("{x}"),
    }
}
