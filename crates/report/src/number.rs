//! Numbers as people read them.

use upset_metrics::Estimate;

/// 65536 as 65 536, with the space that does not break lines.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{a0}');
        }
        out.push(c);
    }
    out
}

/// Three significant digits: 0.0123, 4.56, 789, 1.23e-7.
pub fn significant(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let exponent = x.abs().log10().floor() as i32;
    match exponent {
        -4..=2 => format!("{x:.*}", (2 - exponent) as usize),
        3..=5 => format!("{x:.0}"),
        _ => format!("{x:.2e}"),
    }
}

/// A share in percent, with as many digits as a small one needs.
pub fn percent(share: f64) -> String {
    let p = 100.0 * share;
    match p.abs() {
        0.0 => "0 %".to_string(),
        a if a >= 99.95 => format!("{p:.0} %"),
        a if a >= 10.0 => format!("{p:.1} %"),
        a if a >= 1.0 => format!("{p:.2} %"),
        a if a >= 0.001 => format!("{p:.3} %"),
        _ => format!("{p:.1e} %"),
    }
    .replace(' ', "\u{a0}")
}

/// A share with its interval: `1.23 % [0.98, 1.55]`; without a value `[0.98, 1.55] %`.
pub fn percent_with(e: Estimate) -> String {
    let range = percent_range(e.low, e.high);
    match e.value {
        Some(value) => format!("{} {range}", percent(value)),
        None => format!("{range}\u{a0}%"),
    }
}

/// `[0.98, 1.55]`, in percent.
pub fn percent_range(low: f64, high: f64) -> String {
    let bare = |x: f64| percent(x).trim_end_matches(['%', '\u{a0}']).to_string();
    format!("[{},\u{a0}{}]", bare(low), bare(high))
}

/// A value with its interval, three digits each.
pub fn value_with(e: Estimate) -> String {
    let range = range(e.low, e.high);
    e.value.map_or(range.clone(), |value| format!("{} {range}", significant(value)))
}

/// `[0.98, 1.55]`, three digits each.
pub fn range(low: f64, high: f64) -> String {
    format!("[{},\u{a0}{}]", significant(low), significant(high))
}

/// Hours as hours, or as years where that is easier to grasp.
pub fn hours(h: f64) -> String {
    let years = h / 8766.0;
    if years >= 1.0 {
        format!("{}\u{a0}h ({}\u{a0}years)", significant(h), significant(years))
    } else {
        format!("{}\u{a0}h", significant(h))
    }
}

/// A number without the last bits of rounding.
pub fn trimmed(x: f64) -> String {
    // 99.9 % is 0.999, which is not 99.9 / 100 to the last bit.
    format!("{}", (x * 1e6).round() / 1e6)
}

/// `3 runs`, `1 run`.
pub fn count(n: u64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{}\u{a0}{what}{plural}", grouped(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: String) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn numbers() {
        assert_eq!(plain(grouped(1234567)), "1 234 567");
        for (x, text) in [
            (0.0, "0"),
            (1.234e-7, "1.23e-7"),
            (0.000123, "0.000123"),
            (0.01234, "0.0123"),
            (4.5678, "4.57"),
            (456.78, "457"),
            (45678.0, "45678"),
            (3.6e12, "3.60e12"),
        ] {
            assert_eq!(significant(x), text);
        }
        for (x, text) in [
            (0.0, "0 %"),
            (1.0, "100 %"),
            (0.5, "50.0 %"),
            (0.0123, "1.23 %"),
            (0.000123, "0.012 %"),
            (1.2e-7, "1.2e-5 %"),
        ] {
            assert_eq!(plain(percent(x)), text);
        }
        assert_eq!(plain(percent_range(0.01, 0.125)), "[1.00, 12.5]");
        let limits = |value| Estimate { value, low: 0.01, high: 0.125 };
        assert_eq!(plain(percent_with(limits(Some(0.1)))), "10.0 % [1.00, 12.5]");
        assert_eq!(plain(percent_with(limits(None))), "[1.00, 12.5] %");
        assert_eq!(plain(value_with(limits(None))), "[0.0100, 0.125]");
        assert_eq!(plain(hours(20.0)), "20.0 h");
        assert_eq!(plain(hours(87660.0)), "87660 h (10.0 years)");
        assert_eq!(plain(count(1, "run")), "1 run");
    }
}
