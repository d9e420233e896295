//! Rates side by side, each with its interval: over bits, over time.

use std::fmt::Write;

use super::about::{About, WIDTH, num};
use super::figure::figure;
use super::scale::ticks;
use crate::breakdown::Slot;
use crate::html::escape::esc;
use crate::number::{grouped, percent};

/// Silent and other failures on top of each other, the interval of both.
pub struct Series<'a> {
    /// Words around it.
    pub about: About<'a>,
    /// Left to right.
    pub slots: &'a [Slot],
    /// What the labels below are.
    pub below: &'a str,
}

const LEFT: f64 = 44.0;
const TOP: f64 = 10.0;
const HEIGHT: f64 = 120.0;

/// A label as people read it: cycles in groups of digits.
fn shown(s: &Slot) -> String {
    s.label.parse().map_or_else(|_| s.label.clone(), grouped)
}

/// All that is known of a part, in a sentence.
pub fn say(s: &Slot) -> String {
    let one = |e: upset_metrics::Estimate| {
        let range = format!("from {} to {}", percent(e.low), percent(e.high));
        e.value.map_or(range.clone(), |v| format!("{} ({range})", percent(v)))
    };
    match s.n {
        0 => format!("{}: no runs", shown(s)),
        n => format!(
            "{}: n = {}; failures {}; SDC {} {}; crash or timeout {} {}",
            shown(s),
            grouped(n),
            one(s.failures),
            s.sdc_runs,
            one(s.sdc),
            s.due_runs,
            one(s.due)
        ),
    }
}

impl Series<'_> {
    /// The figure.
    pub fn render(&self) -> String {
        let known = || self.slots.iter().filter(|s| s.n > 0);
        let most = known().filter_map(|s| s.failures.value).fold(0.0, f64::max);
        let highest = known().map(|s| s.failures.high).fold(0.0, f64::max);
        // Intervals of a few runs would press all else to the ground.
        let ticks = ticks(highest.min(3.0 * most));
        let end = ticks.last().copied().unwrap_or(1.0);
        let y = |v: f64| TOP + HEIGHT * (1.0 - (v / end).min(1.0));
        let mut out = String::new();
        for (i, tick) in ticks.iter().enumerate() {
            let class = if i == 0 { "zero" } else { "grid" };
            let _ = writeln!(
                out,
                "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{0}\" y1=\"{1}\" y2=\"{1}\"/>\
                 <text class=\"tick\" text-anchor=\"end\" x=\"{2}\" y=\"{3}\">{4}\u{a0}%</text>",
                num(WIDTH - 4.0),
                num(y(*tick)),
                num(LEFT - 6.0),
                num(y(*tick) + 4.0),
                crate::number::trimmed(100.0 * tick)
            );
        }
        let pitch = (WIDTH - 4.0 - LEFT) / self.slots.len().max(1) as f64;
        for (i, slot) in self.slots.iter().enumerate() {
            column(&mut out, slot, LEFT + pitch * i as f64, pitch, end, y);
        }
        self.labels(&mut out, pitch);
        let bottom = TOP + HEIGHT;
        let _ = writeln!(
            out,
            "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
            num((LEFT + WIDTH) / 2.0),
            num(bottom + 32.0),
            esc(self.below)
        );
        let told: Vec<String> = known().filter(|s| s.share > 0.0).map(say).collect();
        let desc = format!("{}. {}", self.below, told.join("; "));
        figure(&self.about, &desc, bottom + 38.0, &out)
    }

    /// As many as there is room for.
    fn labels(&self, out: &mut String, pitch: f64) {
        let letters = self.slots.iter().map(|s| shown(s).chars().count()).max().unwrap_or(1);
        let room = 6.2 * letters as f64 + 8.0;
        let every = ((room / pitch).ceil().max(1.0) as usize).next_power_of_two();
        for (i, slot) in self.slots.iter().enumerate().filter(|(i, _)| i.is_multiple_of(every)) {
            let middle = LEFT + pitch * (i as f64 + 0.5);
            let text = shown(slot);
            let half = 3.1 * text.chars().count() as f64;
            let _ = writeln!(
                out,
                "<text class=\"tick\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>",
                num(middle.min(WIDTH - half)),
                num(TOP + HEIGHT + 15.0),
                esc(&text)
            );
        }
    }
}

fn column(out: &mut String, s: &Slot, x: f64, pitch: f64, end: f64, y: impl Fn(f64) -> f64) {
    if s.n == 0 {
        return;
    }
    let gap = (pitch * 0.15).min(4.0);
    let (sdc, due) = (s.sdc.value.unwrap_or(0.0), s.due.value.unwrap_or(0.0));
    let _ = write!(out, "<g><title>{}</title>", esc(&say(s)));
    for (class, from, to) in [("c-sdc", 0.0, sdc), ("c-crash", sdc, sdc + due)] {
        if to > from {
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                num(x + gap),
                num(y(to)),
                num(pitch - 2.0 * gap),
                num((y(from) - y(to)).max(0.8))
            );
        }
    }
    let middle = num(x + pitch / 2.0);
    let (low, high) = (s.failures.low, s.failures.high);
    // What goes on above the top has no end there.
    let cap = if high > end {
        String::new()
    } else {
        format!("M{} {}h4", num(x + pitch / 2.0 - 2.0), num(y(high)))
    };
    let _ = writeln!(
        out,
        "<path class=\"over\" d=\"M{middle} {}V{}{cap}\"/></g>",
        num(y(low)),
        num(y(high))
    );
}
