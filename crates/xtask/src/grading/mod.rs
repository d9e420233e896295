//! `cargo xtask grading OUT`: which faults the tests of `upset burn` detect, as
//! tables.
//!
//! `studies/grading.sh` fills OUT. From it come `studies/grading.json`, small
//! enough for the repository, and from that the tables of `docs/grading.md`
//! between two markers.

mod kept;
mod tables;

use std::path::Path;

use crate::Outcome;
use crate::page::{read, with_tables, write};
use kept::Study;

const KEPT: &str = "studies/grading.json";
const PAGE: &str = "docs/grading.md";
const MARKERS: (&str, &str) =
    ("<!-- cargo xtask grading: begin -->", "<!-- cargo xtask grading: end -->");

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let [out] = words else { return Err("usage: cargo xtask grading OUT".into()) };
    let study = Study::read(Path::new(out))?;
    let text = serde_json::to_string_pretty(&study).map_err(|e| e.to_string())?;
    write(KEPT, &(text + "\n"))?;
    let page = with_tables(&read(PAGE)?, MARKERS, &tables::all(&study))?;
    write(PAGE, &page)?;
    let faults: u64 = study.lists.iter().map(|list| list.faults).sum();
    println!("{KEPT} and {PAGE}: {faults} faults in {} lists", study.lists.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Study {
        serde_json::from_str(&read(KEPT).unwrap()).unwrap()
    }

    #[test]
    fn the_page_shows_what_the_file_says() {
        let page = read(PAGE).unwrap();
        let again = with_tables(&page, MARKERS, &tables::all(&kept())).unwrap();
        assert!(again == page, "{PAGE} is stale: run `cargo xtask grading OUT`");
    }

    /// What the tests of arithmetic units are to reach.
    #[test]
    fn the_targets_are_met() {
        let study = kept();
        let row = |chip: &str, title: &str, test: &str| {
            let list = study.lists.iter().find(|l| l.chip.starts_with(chip) && l.title == title);
            let list = list.unwrap_or_else(|| panic!("no list {chip} {title}"));
            list.rows.iter().find(|r| r.test == test).cloned().expect("a row")
        };
        for (chip, n) in [("rtx2060", 4096), ("h200", 8192)] {
            let fma = row(chip, &format!("stuck fma of SM 1: all {n}"), "fma");
            assert_eq!((fma.detected(), fma.exact), (n, n), "{chip}");
        }
        for (title, test) in [
            ("stuck alu of SM 1: all 4352", "alu"),
            ("stuck fp64 of SM 1: all 256", "fp64"),
            ("stuck mufu of SM 1: all 1024", "mufu"),
        ] {
            let row = row("rtx2060", title, test);
            let share = |k: u64| k as f64 / row.faults() as f64;
            assert!(share(row.detected()) >= 0.99 && share(row.exact) >= 0.99, "{title}: {row:?}");
        }
        let syndromes = || study.lists.iter().filter(|l| l.title.starts_with("syndrome:units "));
        let ours = |l: &kept::List| l.rows.iter().find(|r| r.ours).cloned().expect("a row");
        let faults: u64 = syndromes().map(|l| l.faults).sum();
        let detected: u64 = syndromes().map(|l| ours(l).detected()).sum();
        assert!(
            faults >= 10_000 && detected as f64 >= 0.999 * faults as f64,
            "{detected}/{faults}"
        );
        assert!(syndromes().all(|l| l.rows.iter().any(|r| !r.ours)), "the rival beside it");
    }
}
