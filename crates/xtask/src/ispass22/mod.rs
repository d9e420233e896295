//! `cargo xtask ispass22 OUT`: the gpuFI-4 paper's study on three chips.
//!
//! `studies/ispass22.sh` fills OUT. From it come `studies/ispass22.json`, small
//! enough for the repository, from that the tables of `docs/gpufi4-study.md`
//! between two markers, and `OUT/ispass22.html` with the paper's figures. Applications
//! that are not in OUT stay as they are kept.

mod figures;
mod kept;
mod matrix;
mod read;
mod share;
mod statements;
mod tables;

use std::path::Path;

use serde_json::Value;

use crate::Outcome;
use crate::page::{read, with_tables, write};
use read::SPEC;

const KEPT: &str = "studies/ispass22.json";
const PAGE: &str = "docs/gpufi4-study.md";
const MARKERS: (&str, &str) =
    ("<!-- cargo xtask ispass22: begin -->", "<!-- cargo xtask ispass22: end -->");

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let [out] = words else { return Err("usage: cargo xtask ispass22 OUT".into()) };
    let out = Path::new(out);
    let mut study = read::study(&json(&out.join("ispass22.json"))?, &read(SPEC)?)?;
    for app in study.apps.clone() {
        let doors = out.join(format!("{app}.doors"));
        if doors.exists() {
            read::loads(&mut study, &app, &json(&doors)?);
        }
    }
    // What was not run this time stays as it was.
    let before = read(KEPT).ok().and_then(|text| serde_json::from_str(&text).ok());
    let study = match before {
        Some(before) => study.completed(before),
        None => study,
    };
    write(KEPT, &study.text()?)?;
    write(PAGE, &with_tables(&read(PAGE)?, MARKERS, &tables::markdown(&study))?)?;
    let html = out.join("ispass22.html");
    std::fs::write(&html, figures::page(&study)).map_err(|e| format!("{}: {e}", html.display()))?;
    println!("{KEPT}, {PAGE} and {}: {} rows", html.display(), study.rows.len());
    Ok(())
}

fn json(path: &Path) -> Outcome<Value> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| told(&e))?;
    serde_json::from_str(&text).map_err(|e| told(&e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ispass22::kept::Study;

    fn kept() -> Study {
        serde_json::from_str(&read(KEPT).unwrap()).unwrap()
    }

    #[test]
    fn the_page_shows_what_the_file_says() {
        let page = read(PAGE).unwrap();
        let again = with_tables(&page, MARKERS, &tables::markdown(&kept())).unwrap();
        assert!(again == page, "{PAGE} is stale: run `cargo xtask ispass22 OUT`");
    }

    #[test]
    fn the_file_is_the_study_that_the_specification_asks_for() {
        let study = kept();
        assert_eq!(
            study.text().unwrap(),
            read(KEPT).unwrap(),
            "it is not as the command writes it"
        );
        let spec = read::Spec::parse(&read(SPEC).unwrap()).unwrap();
        assert_eq!((&study.apps, &study.structures), (&spec.apps, &spec.structures));
        for row in &study.rows {
            assert!(spec.apps.contains(&row.app) && spec.chips.contains(&row.chip));
            assert!(spec.bits.contains(&row.bits), "{} bits", row.bits);
            let n: u64 = row.structures.iter().map(|s| s.counts.runs()).sum();
            assert_eq!(row.runs, n, "{} on {}", row.app, row.chip);
        }
    }

    #[test]
    fn what_was_not_run_again_stays() {
        let (mut part, whole) = (kept(), kept());
        part.rows.retain(|row| row.app == "bfs" && row.chip != "gv100");
        part.chips.retain(|chip| chip.name == "titan");
        part.rows.iter_mut().for_each(|row| row.cycles += 1);
        let joined = part.completed(kept());
        assert_eq!(joined.rows.len(), whole.rows.len());
        for (new, old) in joined.rows.iter().zip(&whole.rows) {
            assert_eq!((&new.app, &new.chip, new.bits), (&old.app, &old.chip, old.bits));
            let again = new.app == "bfs" && new.chip != "gv100";
            assert_eq!(new.cycles, old.cycles + u64::from(again));
        }
    }

    #[test]
    fn the_html_page_has_every_figure() {
        let page = figures::page(&kept());
        for figure in 1..=7 {
            assert!(page.contains(&format!("Fig. {figure}")), "Fig. {figure} is not there");
        }
        assert!(page.starts_with("<!doctype html>") && !page.contains("NaN"));
    }
}
