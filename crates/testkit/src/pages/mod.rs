//! Pages of documentation whose commands are run: what a page shows is what
//! `upset` prints.
//!
//! In a block that begins with `$ `, every line `$ command` is run in the
//! page's own folder, in order, and the lines below it are its output; a
//! command without output shown only has to end well, and a line `…` stands
//! for any number of lines. Times and rates are not compared. Before a block an
//! HTML comment may say more:
//!
//! | comment | meaning |
//! |---|---|
//! | `<!-- not run: why -->` | its commands are only checked for their flags |
//! | `<!-- needs nvcc -->` | skipped where there is no CUDA compiler |
//! | `<!-- exit code 2 -->` | its last command ends so |
//! | `<!-- file: name -->` | the block is this file of the page's folder |
//!
//! Everything else that looks like a command line of `upset`, in the text as in
//! blocks, must name a command and flags that exist.

mod commands;
mod compare;
mod links;
mod parse;
mod renew;
mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use parse::{Block, Console, Page, Step};
pub use renew::renewed;

/// The release of CUDA that pages were made with.
const RELEASE: &str = "11.8";

/// What pages are checked with.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The program.
    pub upset: PathBuf,
    /// The repository's root.
    pub root: PathBuf,
    /// Folder of a CUDA compiler, where there is one.
    pub cuda: Option<PathBuf>,
}

impl Setting {
    /// The compiler that belongs to the repository: the one that `$UPSET_CUDA`
    /// names, or else the one in `.cuda`. Never one of the user's own, whose
    /// code may differ.
    pub fn of_repository(upset: &Path, root: &Path) -> Setting {
        let named = std::env::var_os("UPSET_CUDA").filter(|v| !v.is_empty()).map(PathBuf::from);
        let prefix = named.unwrap_or_else(|| root.join(".cuda"));
        let told = |program: &Path, flag: &str| {
            let done = Command::new(program).arg(flag).output().ok().filter(|d| d.status.success());
            done.map_or(String::new(), |done| String::from_utf8_lossy(&done.stdout).into_owned())
        };
        // Another release makes other code, which takes other cycles.
        let release = format!("release {RELEASE},");
        let fits = told(&prefix.join("bin/nvcc"), "--version").contains(&release);
        // Written last by the one that fetches it.
        let complete = prefix.join("bin/nvcc.profile").exists();
        let host = !told(Path::new("g++"), "-dumpversion").is_empty();
        let cuda = (fits && complete && host).then(|| prefix.canonicalize().ok()).flatten();
        Setting { upset: upset.to_path_buf(), root: root.to_path_buf(), cuda }
    }

    fn read(&self, page: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(page)).map_err(|e| format!("{page}: {e}"))
    }
}

/// What a check found.
#[derive(Debug, Default)]
pub struct Checked {
    /// Commands that were run.
    pub ran: usize,
    /// Commands that need a compiler, where there is none.
    pub skipped: usize,
    /// What is wrong, one entry for each place.
    pub wrong: Vec<String>,
}

/// Checks a page, given by its path below the root.
pub fn check(page: &str, setting: &Setting) -> Result<Checked, String> {
    let text = setting.read(page)?;
    let parsed = Page::parse(&text).map_err(|e| format!("{page}:{e}"))?;
    let mut checked = Checked::default();
    checked.wrong.extend(commands::wrong(&text, &parsed, setting)?);
    checked.wrong.extend(links::wrong(page, &text, &setting.root));
    let answers = run::run(&parsed, setting)?;
    checked.ran = answers.answers.len();
    checked.skipped = answers.skipped;
    for answer in answers.answers {
        if let Some(why) = answer.wrong() {
            checked.wrong.push(format!("{page}:{}: {why}", answer.step.line + 1));
        }
    }
    Ok(checked)
}

/// Paths of all pages below the root: those at the top that people read first,
/// and everything in `docs/`.
pub fn all(root: &Path) -> Result<BTreeSet<String>, String> {
    let docs = root.join("docs");
    let entries = std::fs::read_dir(&docs).map_err(|e| format!("{}: {e}", docs.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut pages: BTreeSet<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(String::from));
    Ok(pages)
}
