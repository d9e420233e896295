//! Bars: what became of runs, and between which limits a rate lies.

use std::fmt::Write;

use upset_metrics::{Class, Counts};
use upset_report::number::{grouped, percent_range};

/// Length of a bar.
const LONG: f64 = 1000.0;

fn svg(class: &str, label: &str, body: &str) -> String {
    format!(
        "<svg class=\"{class}\" role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {LONG} 10\" \
         preserveAspectRatio=\"none\">{body}</svg>"
    )
}

fn rect(out: &mut String, class: &str, from: f64, to: f64) {
    let width = to - from;
    let _ =
        write!(out, "<rect class=\"{class}\" x=\"{from:.2}\" width=\"{width:.2}\" height=\"10\"/>");
}

/// Runs by class, as parts of all that are planned: the rest is empty.
pub fn outcomes(counts: &Counts, total: u64) -> String {
    let mut body = String::new();
    let mut label: Vec<String> = Vec::new();
    let (mut at, unit) = (0.0, LONG / total.max(counts.runs()).max(1) as f64);
    // Failures first: they begin where the eye does.
    let order = [
        Class::Sdc,
        Class::Crash,
        Class::Timeout,
        Class::ToolError,
        Class::Performance,
        Class::Masked,
    ];
    for class in order {
        let n = counts.of(class);
        if n > 0 {
            let to = at + n as f64 * unit;
            rect(&mut body, &format!("c-{}", class.name()), at, to);
            at = to;
            label.push(format!("{} {}", grouped(n), word(class)));
        }
    }
    let label = if label.is_empty() { "no run yet".into() } else { label.join(", ") };
    svg("outcomes", &label, &body)
}

/// Where an AVF lies, on a scale from 0 to 100 %.
pub fn limits(low: f64, high: f64, value: Option<f64>) -> String {
    let mut body = String::new();
    // As wide as can be seen.
    let width = (LONG * (high - low)).max(4.0);
    let from = (LONG * low).min(LONG - width);
    rect(&mut body, "between", from, from + width);
    if let Some(value) = value {
        let at = (LONG * value).clamp(3.0, LONG - 3.0);
        rect(&mut body, "value", at - 3.0, at + 3.0);
    }
    let range = percent_range(low, high);
    svg("limits", &format!("AVF between {range} percent"), &body)
}

/// What a class is called.
pub fn word(class: Class) -> &'static str {
    match class {
        Class::Masked => "masked",
        Class::Performance => "slower or faster",
        Class::Sdc => "silent corruption",
        Class::Crash => "crash",
        Class::Timeout => "timeout",
        Class::ToolError => "failed in the tool",
    }
}

/// The colours.
pub fn legend() -> String {
    let classes = [
        Class::Sdc,
        Class::Crash,
        Class::Timeout,
        Class::ToolError,
        Class::Performance,
        Class::Masked,
    ];
    let mut out = String::from("<ul class=\"legend\">");
    for class in classes {
        let _ = write!(out, "<li><i class=\"key k-{}\"></i>{}</li>", class.name(), word(class));
    }
    out + "<li><i class=\"key k-missing\"></i>to come</li></ul>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_what_is_known() {
        let counts = Counts { masked: 30, sdc: 20, ..Counts::default() };
        let bar = outcomes(&counts, 100);
        assert!(bar.contains("<rect class=\"c-sdc\" x=\"0.00\" width=\"200.00\""), "{bar}");
        assert!(bar.contains("<rect class=\"c-masked\" x=\"200.00\" width=\"300.00\""), "{bar}");
        assert!(bar.contains("aria-label=\"20 silent corruption, 30 masked\""), "{bar}");
        assert!(outcomes(&Counts::default(), 0).contains("no run yet"));
    }

    #[test]
    fn limits_stay_on_the_scale_and_can_be_seen() {
        assert!(limits(0.25, 0.5, None).contains("x=\"250.00\" width=\"250.00\""));
        assert!(limits(1.0, 1.0, Some(1.0)).contains("x=\"996.00\" width=\"4.00\""));
        assert!(limits(0.0, 0.0, Some(0.0)).contains("x=\"0.00\" width=\"6.00\""));
    }
}
