//! Tables of the page, and means over their rows.

/// A table in Markdown.
pub struct Table {
    text: String,
    columns: usize,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[&str]) -> Table {
        let rule = "|---".repeat(columns.len());
        Table { text: format!("| {} |\n{rule}|\n", columns.join(" | ")), columns: columns.len() }
    }

    /// A row; what is missing at its end is empty.
    pub fn row(&mut self, mut cells: Vec<String>) {
        cells.resize(self.columns, String::new());
        self.text += &format!("| {} |\n", cells.join(" | "));
    }

    /// The whole of it.
    pub fn text(self) -> String {
        self.text
    }
}

/// The geometric mean; of nothing, none.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The middle value; of an even number the lower one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// A number with three digits, or all before the point.
pub fn short(x: f64) -> String {
    match x.abs() {
        a if !a.is_finite() => "–".into(),
        a if a >= 100.0 => format!("{x:.0}"),
        a if a >= 10.0 => format!("{x:.1}"),
        a if a >= 1.0 => format!("{x:.2}"),
        _ => format!("{x:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_a_pocket_calculator() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0]), 1.0);
        let texts = [0.0123, 1.234, 12.34, 123.4].map(short);
        assert_eq!(texts, ["0.012", "1.23", "12.3", "123"]);
    }

    #[test]
    fn rows_have_all_columns() {
        let mut table = Table::new(&["a", "b"]);
        table.row(vec!["x".into()]);
        assert_eq!(table.text(), "| a | b |\n|---|---|\n| x |  |\n");
    }
}
