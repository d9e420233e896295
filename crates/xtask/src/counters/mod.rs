//! `cargo xtask counters OUT`: what counters notice of broken logic, as tables.
//!
//! `studies/counters.sh` fills OUT. From it come `studies/counters.json`, small
//! enough for the repository, and from that the tables of `docs/in-field.md`
//! between two markers.

mod csv;
mod faults;
mod kept;
mod tables;

use std::path::Path;

use crate::Outcome;
use crate::page::{read, with_tables, write};
use kept::Study;

const KEPT: &str = "studies/counters.json";
const PAGE: &str = "docs/in-field.md";
const MARKERS: (&str, &str) =
    ("<!-- cargo xtask counters: begin -->", "<!-- cargo xtask counters: end -->");

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let [out] = words else { return Err("usage: cargo xtask counters OUT".into()) };
    let study = Study::read(Path::new(out))?;
    let text = serde_json::to_string_pretty(&study).map_err(|e| e.to_string())?;
    write(KEPT, &(text + "\n"))?;
    let page = with_tables(&read(PAGE)?, MARKERS, &tables::all(&study))?;
    write(PAGE, &page)?;
    println!("{KEPT} and {PAGE}: {} experiments", study.experiments);
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
        assert!(again == page, "{PAGE} is stale: run `cargo xtask counters OUT`");
    }
}
