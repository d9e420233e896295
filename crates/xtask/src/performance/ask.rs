//! What is asked for, and where the answer goes.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::overhead::release_build;
use crate::{Outcome, page};

const PAGE: &str = "docs/performance.md";
const USAGE: &str = "usage: cargo xtask bench|speedup|scaling [--page] [--against UPSET] [--chips A,B] \
                     [--apps A,B] [--runs N] [--programs] [--at-once N] \
                     [--workers N,M] [--quick]";

/// What to measure.
pub struct Ask {
    /// The release build of this tree.
    pub upset: PathBuf,
    /// Another build, which is measured in turn with it.
    pub against: Option<PathBuf>,
    /// Chips, if some were chosen.
    chips: Option<Vec<String>>,
    /// Applications, if some were chosen.
    apps: Option<Vec<String>>,
    /// Runs of each kind, if chosen.
    pub runs: Option<u64>,
    /// Applications as CUDA programs (`cargo xtask programs build`).
    pub programs: bool,
    /// Subjects that are measured at the same time, each in a process of its own.
    pub at_once: usize,
    /// Numbers of worker processes; all sensible ones otherwise.
    pub workers: Option<Vec<usize>>,
    /// One subject alone, told as a line of JSON to whoever measures several at once.
    pub line: bool,
    /// The table goes into the page.
    page: bool,
    /// Small scale, few runs, and nothing is written: for CI.
    pub quick: bool,
}

impl Ask {
    pub fn read(words: &[String]) -> Outcome<Ask> {
        let mut ask = Ask {
            upset: PathBuf::new(),
            against: None,
            chips: None,
            apps: None,
            runs: None,
            programs: false,
            at_once: 1,
            workers: None,
            line: false,
            page: false,
            quick: false,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
            let list = |text: &str| text.split(',').map(String::from).collect();
            match word.as_str() {
                "--page" => ask.page = true,
                "--programs" => ask.programs = true,
                "--quick" => ask.quick = true,
                "--line" => ask.line = true,
                "--against" => ask.against = Some(PathBuf::from(value()?)),
                "--chips" => ask.chips = Some(list(value()?)),
                "--apps" => ask.apps = Some(list(value()?)),
                "--runs" => ask.runs = Some(number(word, value()?)?),
                "--workers" => {
                    let each = |n: &String| Ok(number(word, n)? as usize);
                    ask.workers = Some(list(value()?).iter().map(each).collect::<Outcome<_>>()?);
                }
                "--at-once" => ask.at_once = number(word, value()?)? as usize,
                other => return Err(format!("no option {other}\n{USAGE}")),
            }
        }
        if ask.page && ask.programs {
            return Err("the page tells of applications: --programs without --page".into());
        }
        // What a report in CI tells is how things compare, and the tests' build is there already.
        ask.upset = match (ask.quick, std::env::var_os("UPSET_QUICK_BENCH")) {
            (true, Some(program)) => PathBuf::from(program),
            _ => release_build()?,
        };
        Ok(ask)
    }

    pub fn scale(&self) -> &'static str {
        if self.quick { "small" } else { "paper" }
    }

    pub fn chips(&self, otherwise: &[&str]) -> Vec<String> {
        let all = || otherwise.iter().map(|s| s.to_string()).collect();
        self.chips.clone().unwrap_or_else(all)
    }

    /// The applications of a chip's vendor: those of the papers.
    pub fn apps(&self, chip: &str) -> Vec<String> {
        let all: Vec<String> = match is_amd(chip) {
            true => AMD.iter().map(|s| s.to_string()).collect(),
            false => crate::options::PAPERS.iter().map(|s| s.to_string()).collect(),
        };
        match &self.apps {
            Some(chosen) => all.into_iter().filter(|app| chosen.contains(app)).collect(),
            None => all,
        }
    }

    /// Prints a table, and puts it into the page where that is asked for and it is no
    /// quick one.
    pub fn publish(&self, name: &str, text: &str) -> Outcome<()> {
        print!("{text}");
        if self.quick || !self.page {
            return Ok(());
        }
        let begin = format!("<!-- cargo xtask {name} --page: begin -->");
        let end = format!("<!-- cargo xtask {name} --page: end -->");
        let page = page::read(PAGE)?;
        let text = format!("{}\n\n{text}", self.on_what()?);
        page::write(PAGE, &page::with_tables(&page, (&begin, &end), &text)?)
    }

    /// Machine and builds.
    fn on_what(&self) -> Outcome<String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": "));
        let model = model.map_or("unknown processor", |(_, name)| name);
        let before = match &self.against {
            Some(other) => format!("; the build before is {}", version(other)?),
            None => String::new(),
        };
        Ok(format!("{cores} cores, {model}; {}{before}.", version(&self.upset)?))
    }
}

/// The value of an option.
fn number(option: &str, n: &str) -> Outcome<u64> {
    let bad = || format!("{option} {n}: a number from 1 on is needed");
    n.parse().ok().filter(|n| *n > 0).ok_or_else(bad)
}

/// The applications of the SIFI paper.
const AMD: [&str; 14] = [
    "bins", "bits", "dct", "dwt", "fwt", "fw", "his", "mm", "mt", "qrs", "rg", "red", "sc", "urng",
];

pub fn is_amd(chip: &str) -> bool {
    chip.starts_with("hd")
}

/// Name and revision of a build.
fn version(upset: &Path) -> Outcome<String> {
    let out = Command::new(upset).arg("--version").output();
    let out = out.map_err(|e| format!("cannot run {}: {e}", upset.display()))?;
    let text = String::from_utf8_lossy(&out.stdout);
    Ok(text.lines().next().unwrap_or("upset").trim().to_string())
}
