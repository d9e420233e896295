//! Aligned columns.

/// Rows of cells; the first columns to the left, the others to the right.
pub struct Table {
    left: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a head, its first `left` columns aligned to the left.
    pub fn new(left: usize, head: &[&str]) -> Table {
        Table { left, rows: vec![head.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The text, two spaces between columns.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if i > 0 {
                    line += "  ";
                }
                line += &if i < self.left {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                };
            }
            out += line.trim_end();
            out.push('\n');
        }
        out
    }
}

/// A name in at most `room` characters: what is left out shows as `…`.
pub fn fitted(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_string();
    }
    let kept: String = name.chars().take(room.saturating_sub(1)).collect();
    kept + "…"
}
