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
mod setting;

use std::collections::BTreeSet;
use std::path::Path;

pub use parse::{Block, Console, Page, Step};
pub use renew::renewed;
pub use setting::Setting;

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
