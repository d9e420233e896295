//! Rows along one axis: bars, stacked bars, points with error bars.

use std::fmt::Write;

use upset_metrics::Estimate;

use super::about::{About, WIDTH, fitted, num};
use super::figure::figure;
use super::scale::{powers, ticks};
use crate::html::escape::esc;
use crate::number::{percent, significant};

/// Units of the axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Shares of one.
    Percent,
    /// Plain numbers.
    Plain,
    /// Numbers above zero that differ by powers of ten.
    Log,
}

impl Axis {
    fn label(self, x: f64) -> String {
        match self {
            // Round numbers need no digits of their own.
            Axis::Percent => format!("{}\u{a0}%", short(100.0 * x)),
            Axis::Plain | Axis::Log => short(x),
        }
    }

    /// How far along the axis a value is, from 0 to 1.
    fn at(self, x: f64, ticks: &[f64]) -> f64 {
        let (first, last) =
            (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(1.0));
        let share = match self {
            Axis::Percent | Axis::Plain => x / last,
            Axis::Log => (x / first).log10() / (last / first).log10(),
        };
        // What is not on the axis (zero, on one of powers) is at its start.
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// A value in a sentence.
    pub fn say(self, x: f64) -> String {
        match self {
            Axis::Percent => percent(x),
            Axis::Plain | Axis::Log => significant(x),
        }
    }
}

fn short(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e5).contains(&x) {
        return format!("{x:e}").replace("e", "e\u{2060}");
    }
    format!("{}", (x * 1e6).round() / 1e6)
}

/// Something on a row.
pub enum Mark {
    /// A piece of a bar: from, to, style class, what it is.
    Piece(f64, f64, String, String),
    /// A point with its interval, or the interval alone: value, style class, what it is.
    Point(Estimate, String, String),
}

/// One row.
pub struct BarRow {
    /// Stands above the row where it differs from the last one's.
    pub heading: String,
    /// What the row is.
    pub label: String,
    /// What it comes to, in words.
    pub value: String,
    /// Each list is drawn on a line of its own.
    pub lanes: Vec<Vec<Mark>>,
}

/// A chart.
pub struct Bars<'a> {
    /// Words around it.
    pub about: About<'a>,
    /// Units.
    pub axis: Axis,
    /// Rows, top to bottom.
    pub rows: Vec<BarRow>,
}

const LEFT: f64 = 1.0;
const RIGHT: f64 = WIDTH - 8.0;
const LANE: f64 = 13.0;
/// Rows of one drawing: half a sheet.
const ROWS: usize = 16;

impl Bars<'_> {
    /// The figure; several where one would be longer than a sheet of paper, and none
    /// where there would be nothing to see but zeros.
    pub fn render(self) -> String {
        if !self.says_something() {
            return String::new();
        }
        let ticks = match self.axis {
            Axis::Percent | Axis::Plain => ticks(self.max()),
            Axis::Log => powers(self.min(), self.max()),
        };
        let pieces = self.rows.chunks(ROWS);
        let mut out = String::new();
        for (i, rows) in pieces.enumerate() {
            let (id, title) = match i {
                0 => (self.about.id.clone(), self.about.title.to_string()),
                _ => (
                    format!("{}-{}", self.about.id, i + 1),
                    format!("{} (continued)", self.about.title),
                ),
            };
            let about = About {
                id,
                of: self.about.of.clone(),
                title: &title,
                note: self.about.note,
                legend: self.about.legend.clone(),
            };
            let (drawing, height) = self.drawing(rows, &ticks);
            out += &figure(&about, &describe(rows), height, &drawing);
        }
        out
    }

    fn says_something(&self) -> bool {
        self.rows.iter().flat_map(|r| r.lanes.iter().flatten()).any(|mark| match mark {
            // What is told in words alone is told.
            Mark::Piece(from, to, class, _) => to > from || class.is_empty(),
            Mark::Point(e, ..) => e.value.is_none_or(|v| v > 0.0),
        })
    }

    fn drawing(&self, list: &[BarRow], ticks: &[f64]) -> (String, f64) {
        let x = |v: f64| LEFT + (RIGHT - LEFT) * self.axis.at(v, ticks);
        let mut rows = String::new();
        let (mut y, mut heading) = (2.0, "");
        for row in list {
            if row.heading != heading {
                heading = &row.heading;
                y += 19.0;
                let text = esc(&fitted(heading, RIGHT));
                let _ = writeln!(
                    rows,
                    "<text class=\"head\" x=\"{LEFT}\" y=\"{}\">{text}</text>",
                    num(y)
                );
                y += 3.0;
            }
            y += 17.0;
            self.words(&mut rows, row, y);
            y += 6.0;
            let height = LANE * row.lanes.len() as f64;
            grid(&mut rows, ticks, y - 2.0, height + 2.0, x);
            for lane in &row.lanes {
                lane_svg(&mut rows, lane, y, x);
                y += LANE;
            }
            y += 5.0;
        }
        numbers(&mut rows, ticks, y, x, self.axis);
        (rows, y + 16.0)
    }

    fn words(&self, out: &mut String, row: &BarRow, y: f64) {
        let room = RIGHT - LEFT - 6.3 * row.value.chars().count() as f64 - 12.0;
        let _ = writeln!(
            out,
            "<text class=\"label\" x=\"{LEFT}\" y=\"{0}\">{1}</text>\
             <text class=\"value\" x=\"{RIGHT}\" y=\"{0}\">{2}</text>",
            num(y),
            esc(&fitted(&row.label, room)),
            esc(&row.value)
        );
    }

    /// Smallest value above zero.
    fn min(&self) -> f64 {
        let marks = self.rows.iter().flat_map(|r| r.lanes.iter().flatten());
        let values = marks.map(|mark| match mark {
            Mark::Piece(_, to, ..) => *to,
            Mark::Point(e, ..) => e.value.unwrap_or(e.low),
        });
        values.filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min)
    }

    fn max(&self) -> f64 {
        let marks = self.rows.iter().flat_map(|r| r.lanes.iter().flatten());
        marks.fold(0.0, |max, mark| match mark {
            Mark::Piece(_, to, ..) => max.max(*to),
            Mark::Point(e, ..) => max.max(e.high),
        })
    }
}

/// The chart in words, for those who do not see it.
fn describe(rows: &[BarRow]) -> String {
    let rows: Vec<String> = rows
        .iter()
        .map(|r| [&r.heading, &r.label, &r.value].map(String::as_str).join(" ").trim().to_string())
        .collect();
    rows.join("; ")
}

/// Lines behind the marks of one row; none behind words.
fn grid(out: &mut String, ticks: &[f64], top: f64, height: f64, x: impl Fn(f64) -> f64) {
    let mut lines = String::new();
    for tick in ticks.iter().skip(1) {
        let _ = write!(lines, "M{} {}v{}", num(x(*tick)), num(top), num(height));
    }
    let (left, top, height) = (num(x(0.0)), num(top), num(height));
    let _ = writeln!(
        out,
        "<path class=\"grid\" d=\"{lines}\"/><path class=\"zero\" d=\"M{left} {top}v{height}\"/>"
    );
}

fn numbers(out: &mut String, ticks: &[f64], y: f64, x: impl Fn(f64) -> f64, axis: Axis) {
    for (i, tick) in ticks.iter().enumerate() {
        let anchor = match i {
            0 => "start",
            i if i + 1 == ticks.len() => "end",
            _ => "middle",
        };
        let at = if i == 0 { LEFT } else { x(*tick) };
        let _ = writeln!(
            out,
            "<text class=\"tick\" text-anchor=\"{anchor}\" x=\"{}\" y=\"{}\">{}</text>",
            num(at),
            num(y + 10.0),
            esc(&axis.label(*tick))
        );
    }
}

fn lane_svg(out: &mut String, lane: &[Mark], y: f64, x: impl Fn(f64) -> f64) {
    let middle = y + LANE / 2.0 - 1.0;
    for mark in lane {
        match mark {
            Mark::Piece(from, to, class, what) => {
                let (a, b) = (x(*from), x(*to));
                // Something that happened is never invisible.
                let width = if to > from { (b - a).max(0.6) } else { 0.0 };
                let _ = writeln!(
                    out,
                    "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
                    num(a),
                    num(y),
                    num(width),
                    num(LANE - 3.0),
                    esc(what)
                );
            }
            Mark::Point(e, class, what) => {
                let (low, high) = (x(e.low), x(e.high));
                // Limits without a value have no point.
                let shape = e.value.map_or(String::new(), |v| point(class, x(v), middle));
                let _ = writeln!(
                    out,
                    "<g class=\"{class}\"><title>{}</title>\
                     <path class=\"whisker\" d=\"M{1} {2}v8M{1} {3}H{4}M{4} {2}v8\"/>{5}</g>",
                    esc(what),
                    num(low),
                    num(middle - 4.0),
                    num(middle),
                    num(high),
                    shape
                );
            }
        }
    }
}

/// Shapes differ as colours do: a circle for the first, then a diamond, then a square.
fn point(class: &str, x: f64, y: f64) -> String {
    let (x0, y0) = (num(x), num(y));
    match class.as_bytes().last() {
        Some(b'1' | b'4') => {
            format!("<path class=\"point\" d=\"M{x0} {}l5 5l-5 5l-5 -5z\"/>", num(y - 5.0))
        }
        Some(b'2' | b'5') => {
            format!(
                "<rect class=\"point\" x=\"{}\" y=\"{}\" width=\"8\" height=\"8\"/>",
                num(x - 4.0),
                num(y - 4.0)
            )
        }
        _ => format!("<circle class=\"point\" cx=\"{x0}\" cy=\"{y0}\" r=\"4.2\"/>"),
    }
}
