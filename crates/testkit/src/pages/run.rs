//! Running a page's commands.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::parse::{Block, Page, Step};
use super::{Setting, compare};

/// What became of a page's commands.
pub struct Answers<'a> {
    /// Those that were run.
    pub answers: Vec<Answer<'a>>,
    /// How many need a compiler that is not there.
    pub skipped: usize,
}

/// What a command printed.
pub struct Answer<'a> {
    /// The command.
    pub step: &'a Step,
    /// Its lines.
    pub printed: Vec<String>,
    exit_code: Option<i32>,
}

impl Answer<'_> {
    /// Whether it ended as it should.
    pub fn ended_well(&self) -> bool {
        self.exit_code == Some(self.step.exit_code)
    }

    /// Whether the page shows it as it is; true of output that is not shown.
    pub fn is_as_shown(&self) -> bool {
        self.step.shown.is_empty() || compare::agree(&self.step.shown, &self.printed)
    }

    /// What is wrong with it.
    pub fn wrong(&self) -> Option<String> {
        let command = &self.step.command;
        if !self.ended_well() {
            let printed = self.printed.join("\n    ");
            return Some(format!("`{command}` ends with {:?}:\n    {printed}", self.exit_code));
        }
        if self.is_as_shown() {
            return None;
        }
        let difference = compare::first_difference(&self.step.shown, &self.printed);
        Some(format!("`{command}`: {difference}\n  (`cargo xtask docs` renews pages)"))
    }
}

/// Folders of the repository that pages speak of, as links.
const LINKED: [&str; 5] = ["chips", "kernels", "oracles", "programs", "studies"];
/// What a page sees as the user's home, whatever it is called here.
const HOME: &str = "/home/you";

/// Runs all commands of a page, in a folder of its own.
pub fn run<'a>(page: &'a Page, setting: &Setting) -> Result<Answers<'a>, String> {
    let mut answers = Answers { answers: Vec::new(), skipped: 0 };
    if page.consoles().all(|console| console.not_run) {
        return Ok(answers);
    }
    let folder = Folder::new(setting)?;
    for block in &page.blocks {
        match block {
            Block::File { name, text } => folder.write(name, text)?,
            Block::Console(console) if console.not_run => {}
            Block::Console(console) if console.needs_nvcc && setting.cuda.is_none() => {
                answers.skipped += console.steps.len();
            }
            Block::Console(console) => {
                for step in &console.steps {
                    answers.answers.push(folder.answer(step)?);
                }
            }
            Block::Other { .. } => {}
        }
    }
    Ok(answers)
}

/// A home with a working folder that looks like the repository's root.
struct Folder {
    home: tempfile::TempDir,
    work: PathBuf,
    path: std::ffi::OsString,
}

impl Folder {
    fn new(setting: &Setting) -> Result<Folder, String> {
        let home = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
        let trouble = |path: &Path, e: &std::io::Error| format!("{}: {e}", path.display());
        let make = |path: &Path| fs::create_dir_all(path).map_err(|e| trouble(path, &e));
        let link = |to: &Path, at: &Path| symlink(to, at).map_err(|e| trouble(at, &e));
        let (work, bin) = (home.path().join("upset"), home.path().join("bin"));
        let data = home.path().join(".local/share/upset");
        for folder in [&work, &bin, &data] {
            make(folder)?;
        }
        let absolute = |path: &Path| path.canonicalize().map_err(|e| trouble(path, &e));
        let root = absolute(&setting.root)?;
        for name in LINKED {
            link(&root.join(name), &work.join(name))?;
        }
        // Pages compile what is there: these are copies.
        let examples = Path::new("docs/examples");
        copy(&root.join(examples), &work.join(examples)).map_err(|e| trouble(examples, &e))?;
        link(&absolute(&setting.upset)?, &bin.join("upset"))?;
        if let Some(cuda) = &setting.cuda {
            link(cuda, &data.join("cuda"))?;
        }
        let mut path = vec![bin];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let path = std::env::join_paths(path).map_err(|e| format!("PATH: {e}"))?;
        Ok(Folder { home, work, path })
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let file = self.work.join(name);
        let parent = file.parent().unwrap_or(&self.work);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&file, text))
            .map_err(|e| format!("{name}: {e}"))
    }

    fn answer<'a>(&self, step: &'a Step) -> Result<Answer<'a>, String> {
        let mut shell = Command::new("bash");
        // What feeds a pipe must end well too.
        shell
            .args(["-o", "pipefail", "-c", &step.command])
            .current_dir(&self.work)
            .stdin(Stdio::null());
        let ours = |name: &str| name.starts_with("UPSET_") || name.starts_with("XDG_");
        for (name, _) in std::env::vars_os() {
            // A test runner's own library path is not a user's.
            if name.to_str().is_some_and(|n| ours(n) || n == "LD_LIBRARY_PATH") {
                shell.env_remove(&name);
            }
        }
        shell.env("HOME", self.home.path()).env("PATH", &self.path).env("LC_ALL", "C.UTF-8");
        let done = shell.output().map_err(|e| format!("cannot run bash: {e}"))?;
        let mut text = String::from_utf8_lossy(&done.stdout).into_owned();
        if tells_on_stderr(&step.command) || !done.status.success() {
            text.push_str(&String::from_utf8_lossy(&done.stderr));
        }
        let text = text.replace(&*self.home.path().to_string_lossy(), HOME);
        let mut printed: Vec<String> = text.lines().map(|l| l.trim_end().to_string()).collect();
        while printed.last().is_some_and(String::is_empty) {
            printed.pop();
        }
        Ok(Answer { step, printed, exit_code: done.status.code() })
    }
}

/// The tables of a program's run go to standard error, since standard output
/// is the program's own. Elsewhere only progress does.
fn tells_on_stderr(command: &str) -> bool {
    command.starts_with("upset run ") && command.contains(" -- ") && !command.contains('|')
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
