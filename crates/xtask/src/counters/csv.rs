//! What `upset export` writes: a line per experiment, quoted where it must be.

use std::collections::BTreeMap;

use crate::Outcome;

/// One line, by the names of the first.
pub type Row = BTreeMap<String, String>;

/// All lines.
pub fn rows(text: &str) -> Outcome<Vec<Row>> {
    let mut lines = records(text).into_iter();
    let header = lines.next().ok_or("an empty table")?;
    lines
        .map(|fields| match fields.len() == header.len() {
            true => Ok(header.iter().cloned().zip(fields).collect()),
            false => Err(format!("{} fields under {} names", fields.len(), header.len())),
        })
        .collect()
}

fn records(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                all.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    if !record.is_empty() || !field.is_empty() {
        record.push(field);
        all.push(record);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_lines_and_quotes() {
        let found = rows("a,b\n1,\"x,\"\"y\"\"\nz\"\r\n,2\n").unwrap();
        assert_eq!((found[0]["a"].as_str(), found[0]["b"].as_str()), ("1", "x,\"y\"\nz"));
        assert_eq!((found[1]["a"].as_str(), found[1]["b"].as_str()), ("", "2"));
        assert_eq!(rows("a,b\n1\n").unwrap_err(), "1 fields under 2 names");
        assert!(rows("").is_err());
    }
}
