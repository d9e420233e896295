//! Pages with tables that a command makes: what stands between two markers is
//! replaced.

use crate::{Outcome, root};

/// A file of the repository.
pub fn read(name: &str) -> Outcome<String> {
    std::fs::read_to_string(root().join(name)).map_err(|e| format!("{name}: {e}"))
}

/// Writes a file of the repository.
pub fn write(name: &str, text: &str) -> Outcome<()> {
    std::fs::write(root().join(name), text).map_err(|e| format!("{name}: {e}"))
}

/// A page's text with what stands between its markers replaced.
pub fn with_tables(page: &str, markers: (&str, &str), tables: &str) -> Outcome<String> {
    let (begin, end) = markers;
    let missing = || format!("the page lacks the lines {begin} and {end}");
    let (before, rest) = page.split_once(begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}\n{tables}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_needed() {
        let marks = ("<!-- begin -->", "<!-- end -->");
        assert!(with_tables("no markers", marks, "").unwrap_err().contains("lacks"));
        let page = "a\n<!-- begin -->\nold\n<!-- end -->\nb\n";
        let new = "a\n<!-- begin -->\nnew\n<!-- end -->\nb\n";
        assert_eq!(with_tables(page, marks, "new\n").unwrap(), new);
    }
}
