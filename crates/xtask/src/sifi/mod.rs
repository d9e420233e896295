//! `cargo xtask sifi REPORT.json…`: SIFI's study as tables beside its paper.
//!
//! `studies/sifi.sh` writes the report. From it come `studies/sifi.json`, small
//! enough for the repository, and from that the tables of `docs/sifi-study.md`
//! between two markers.

mod kept;
mod percent;
mod statements;
mod tables;

use serde_json::Value;

use crate::Outcome;
use crate::page::{read, with_tables, write};
use kept::Study;

const KEPT: &str = "studies/sifi.json";
const PAGE: &str = "docs/sifi-study.md";
const MARKERS: (&str, &str) =
    ("<!-- cargo xtask sifi: begin -->", "<!-- cargo xtask sifi: end -->");

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    if words.is_empty() {
        return Err("usage: cargo xtask sifi REPORT.json…".into());
    }
    let load = |path: &String| -> Outcome<Value> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))
    };
    let reports = words.iter().map(load).collect::<Outcome<Vec<Value>>>()?;
    let study = Study::read(&reports)?;
    let text = serde_json::to_string_pretty(&study).map_err(|e| e.to_string())?;
    write(KEPT, &(text + "\n"))?;
    let page = with_tables(&read(PAGE)?, MARKERS, &tables::all(&study))?;
    write(PAGE, &page)?;
    println!("{KEPT} and {PAGE}: {} rows", study.rows.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_what_the_file_says() {
        let kept: Study = serde_json::from_str(&read(KEPT).unwrap()).unwrap();
        let page = read(PAGE).unwrap();
        let again = with_tables(&page, MARKERS, &tables::all(&kept)).unwrap();
        assert!(again == page, "{PAGE} is stale: run `cargo xtask sifi REPORT.json`");
    }
}
