//! `cargo xtask burn OUT`: what `upset burn` did on a real GPU, as tables.
//!
//! `studies/burn-h200.sh` fills OUT on a machine with a GPU. From it come
//! `studies/burn-h200.json`, small enough for the repository, and from that the
//! tables of `docs/burn-gpu.md` between two markers.

mod kept;
mod tables;

use std::path::Path;

use crate::Outcome;
use crate::page::{read, with_tables, write};
use kept::Study;

const KEPT: &str = "studies/burn-h200.json";
const PAGE: &str = "docs/burn-gpu.md";
const MARKERS: (&str, &str) =
    ("<!-- cargo xtask burn: begin -->", "<!-- cargo xtask burn: end -->");

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let [out] = words else { return Err("usage: cargo xtask burn OUT".into()) };
    let study = Study::read(Path::new(out))?;
    let text = serde_json::to_string_pretty(&study).map_err(|e| e.to_string())?;
    write(KEPT, &(text + "\n"))?;
    let page = with_tables(&read(PAGE)?, MARKERS, &tables::all(&study))?;
    write(PAGE, &page)?;
    println!("{KEPT} and {PAGE}: {} tests, {} groups", study.tests.len(), study.groups.len());
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
        assert!(again == page, "{PAGE} is stale: run `cargo xtask burn OUT`");
    }

    /// What is to be shown on a real GPU.
    #[test]
    fn the_targets_are_met() {
        let study = kept();
        let lanes = study.sms * study.sub_cores * 32;
        let compute = study.tests.iter().filter(|t| t.group == "compute");
        assert!(compute.clone().count() >= 9);
        for test in compute {
            assert_eq!((test.lanes, test.errors), (lanes, 0), "{}", test.name);
        }
        let made = &study.injected;
        assert!(made.errors >= 1000);
        assert_eq!((made.found, made.elsewhere, made.missed), (made.errors, 0, 0));
        assert!(study.clean.iter().map(|c| c.runs).sum::<u64>() >= 500);
        assert!(study.clean.iter().all(|c| c.errors == 0));
        assert_eq!(study.groups.iter().map(|g| g.sms.len() as u64).sum::<u64>(), study.sms);
        for group in &study.groups {
            assert_eq!(group.outside, 0, "{:?}", group.sms);
            assert!(group.same && (group.slowdown - group.share).abs() <= 0.02, "{:?}", group.sms);
        }
        for unit in ["fma", "imad", "alu", "fp64", "mufu"] {
            let row = study.references.iter().find(|r| r.name == unit).expect(unit);
            assert!(row.results >= 1_000_000_000 && row.errors == 0, "{unit}");
        }
        assert!(study.memory.share >= 0.90, "{}", study.memory.share);
    }
}
