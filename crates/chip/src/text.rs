//! Words, numbers and tables as people read them.

use std::fmt::Write as _;

use serde::Serialize;

pub(crate) fn line(out: &mut String, label: &str, text: String) {
    let _ = writeln!(out, "  {label:<14} {text}");
}

/// Columns padded to their widest cell; from column `right` on, to the right.
pub(crate) fn table<const N: usize>(indent: &str, rows: &[[String; N]], right: usize) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|r| r.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(i, (cell, w))| {
                    if i >= right { format!("{cell:>w$}") } else { format!("{cell:<w$}") }
                },
            )
            .collect();
        let _ = writeln!(out, "{indent}{}", cells.join("  ").trim_end());
    }
    out
}

pub(crate) fn plural(n: u32) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The word a chip file uses for a choice.
pub(crate) fn word<T: Serialize>(choice: &T) -> String {
    match toml::Value::try_from(choice) {
        Ok(toml::Value::String(text)) => text,
        _ => "?".to_owned(),
    }
}

/// 65536 as 65 536.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// Bytes in the largest binary unit that keeps at most three decimals.
pub(crate) fn bytes_text(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (unit, name) in units {
        if bytes >= unit {
            let text = format!("{:.3}", bytes as f64 / unit as f64);
            let text = text.trim_end_matches('0').trim_end_matches('.');
            return format!("{text} {name}");
        }
    }
    format!("{bytes} B")
}
