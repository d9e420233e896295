//! The programs of `programs/` in other forms and made by other releases: runtime
//! linked in, PTX alone, compilers of CUDA 12 and 13 (docs/programs.md).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::cuda_programs::{check_run, entries, recorded};

/// Names a folder of folders `RELEASE-FORM`, as in `13-static`.
const VARIABLE: &str = "UPSET_PROGRAM_FORMS";
/// Names those of them that are run, separated by commas; all if it is not set.
const ONLY: &str = "UPSET_PROGRAM_FORM";
const CHIPS: [&str; 3] = ["rtx2060", "gv100", "h200"];
/// The last release that makes code for gv100.
const LAST_FOR_SM_70: u32 = 12;

/// How the programs of one form did on one chip.
struct Row {
    form: String,
    chip: &'static str,
    passed: usize,
    failed: Vec<String>,
}

impl Row {
    fn line(&self) -> String {
        let all = self.passed + self.failed.len();
        format!(
            "| {} | {} | {} of {all} | {} |",
            self.form,
            self.chip,
            self.passed,
            self.failed.join(" ")
        )
    }
}

/// Runs what a folder has of the programs on one chip.
fn row(folder: &Path, release: u32, chip: &'static str) -> Row {
    let form = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut row = Row { form, chip, passed: 0, failed: Vec::new() };
    for entry in entries() {
        let program = folder.join(&entry.name);
        if !program.exists() {
            continue;
        }
        let expected = match entry.rounds_otherwise_from {
            Some(first) if release >= first => recorded(&format!("{}.cuda_{first}", entry.name)),
            _ => recorded(&entry.name),
        };
        // The one that fails has told why; the others are run all the same.
        let run = || check_run(&program, &entry, &expected, (chip, &["--functional"]));
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(_) => row.passed += 1,
            Err(_) => row.failed.push(entry.name),
        }
    }
    row
}

#[test]
#[ignore = "needs programs in several forms, and about a quarter of an hour"]
fn each_form_of_each_release_prints_the_same() {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else {
        panic!("{VARIABLE} names no folder; docs/programs.md says how to make one");
    };
    let forms = std::fs::read_dir(&folder).expect("the folder of forms");
    let mut forms: Vec<String> =
        forms.flatten().filter_map(|form| form.file_name().into_string().ok()).collect();
    forms.sort();
    if let Ok(only) = std::env::var(ONLY) {
        let wanted: Vec<&str> = only.split(',').collect();
        for form in &wanted {
            assert!(forms.iter().any(|f| f == form), "{ONLY}: no {form} among {forms:?}");
        }
        forms.retain(|form| wanted.contains(&form.as_str()));
    }
    let mut rows = Vec::new();
    for form in &forms {
        let Some((release, _)) = form.split_once('-') else { panic!("{form}: as in 13-static") };
        let release: u32 = release.parse().expect("a release as in 13");
        for chip in CHIPS {
            if chip != "gv100" || release <= LAST_FOR_SM_70 {
                rows.push(row(&folder.join(form), release, chip));
                eprintln!("{}", rows.last().map(Row::line).unwrap_or_default());
            }
        }
    }
    assert!(rows.iter().any(|row| row.passed > 0), "no program in {}", folder.display());
    let lines: Vec<String> = rows.iter().map(Row::line).collect();
    eprintln!("| form | chip | passed | failed |\n|---|---|---|---|\n{}", lines.join("\n"));
    assert!(rows.iter().all(|row| row.failed.is_empty()), "some programs failed");
}
