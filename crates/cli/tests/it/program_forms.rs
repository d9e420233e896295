//! The programs of `programs/` in other forms and made by other releases: runtime
//! linked in, PTX alone, compilers of CUDA 12 and 13 (docs/programs.md).

use std::path::{Path, PathBuf};

use crate::cuda_programs::{Entry, check_run, entries, recorded};
use crate::{stdout, upset};

/// Names a folder of folders `RELEASE-FORM`, as in `13-static`.
const VARIABLE: &str = "UPSET_PROGRAM_FORMS";
const CHIPS: [&str; 3] = ["rtx2060", "gv100", "h200"];
/// The last release that makes code for gv100.
const LAST_FOR_SM_70: u32 = 12;

/// What a program prints on the first chip.
fn printed(program: &Path, entry: &Entry) -> String {
    let name = program.to_str().expect("a name");
    let mut words = vec!["run", "--chip", CHIPS[0], "--functional", "--quiet", "--", name];
    words.extend(entry.args.iter().map(String::as_str));
    stdout(&upset(&words))
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
    let mut ran = 0;
    for form in &forms {
        let Some((release, _)) = form.split_once('-') else { panic!("{form}: as in 13-static") };
        let release: u32 = release.parse().expect("a release as in 13");
        for entry in entries() {
            let program = folder.join(form).join(&entry.name);
            if !program.exists() {
                continue;
            }
            let mut expected = recorded(&entry.name);
            if entry.rounds_otherwise_from.is_some_and(|first| release >= first) {
                // All chips agree on what this compiler makes of it.
                expected = printed(&program, &entry);
            }
            for chip in CHIPS {
                if chip != "gv100" || release <= LAST_FOR_SM_70 {
                    check_run(&program, &entry, &expected, (chip, &["--functional"]));
                    ran += 1;
                }
            }
        }
    }
    assert!(ran > 0, "no program in {}", folder.display());
    eprintln!("{ran} runs of {}", forms.join(", "));
}
