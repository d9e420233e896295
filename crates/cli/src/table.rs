//! Aligned columns and numbers as people read them.

/// Rows as columns two spaces apart, the first column to the left, the others
/// to the right.
pub fn render(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            if i == 0 {
                line += &format!("{cell:<width$}");
            } else {
                line += &format!("  {cell:>width$}");
            }
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

/// A row from anything that prints.
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($cell.to_string()),*] };
}
pub(crate) use row;

/// `0.206` as `20.6 %`; a dash when there was nothing to take a share of.
pub fn percent(share: Option<f64>) -> String {
    share.map_or("-".into(), |s| format!("{:.1} %", 100.0 * s))
}

/// 65536 as 65 536.
pub fn grouped(n: u64) -> String {
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

/// Four significant digits with `k`, `M`, `G`; whole numbers below 100 000.
pub fn short(n: u64) -> String {
    let x = n as f64;
    match n {
        0..100_000 => n.to_string(),
        100_000..10_000_000 => format!("{:.0} k", x / 1e3),
        10_000_000..10_000_000_000 => format!("{:.0} M", x / 1e6),
        _ => format!("{:.0} G", x / 1e9),
    }
}

/// Bytes in the largest binary unit.
pub fn bytes(n: u64) -> String {
    for (unit, name) in [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if n >= unit {
            return format!("{:.2} {name}", n as f64 / unit as f64);
        }
    }
    format!("{n} B")
}

/// A name in at most `room` characters: what is left out shows as `…`.
pub fn fitted(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_string();
    }
    let kept: String = name.chars().take(room.saturating_sub(1)).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [row!["NAME", "N"], row!["a", 12345], row!["longer", ""]];
        assert_eq!(render(&rows), "NAME        N\na       12345\nlonger\n");
    }

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!(percent(Some(0.2056)), "20.6 %");
        assert_eq!(percent(None), "-");
        assert_eq!(grouped(1234567), "1 234 567");
        assert_eq!(short(99_999), "99999");
        assert_eq!(short(1_234_567), "1235 k");
        assert_eq!(bytes(1536), "1.50 KiB");
        assert_eq!(fitted("kernel", 6), "kernel");
        assert_eq!(fitted("kernels", 6), "kerne…");
    }
}
