//! Building the CUDA programs of `programs/`: ordinary executables for the
//! runtime stand-in, described in docs/programs.md.

use crate::{Outcome, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;
use std::{fs, thread};
use upset_toolkit::{Form, Toolkit, fetch, require_host_compiler};

const FOLDER: &str = "programs";
const LIST: &str = "programs/programs.toml";
/// Where executables go unless told otherwise, and what they hold code for.
pub const DEFAULT_OUT: &str = "target/programs";
const DEFAULT_ARCHS: [u32; 4] = [35, 70, 75, 90];
const USAGE: &str = "\
usage: cargo xtask programs list
       cargo xtask programs build [--cuda PREFIX] [--offline] [--out DIR] [--only NAME]
                                  [--arch 35,70,75,90] [--form shared|static|ptx]";

/// `cargo xtask programs`.
pub fn command(words: &[String]) -> Outcome<()> {
    match words.split_first() {
        Some((word, [])) if word == "list" => {
            for program in programs()? {
                println!("{:<24} {:<8} {}", program.name, program.end(), program.covers);
                if let Some(note) = program.on_sm_35() {
                    println!("{:<33} {note}", "");
                }
            }
            Ok(())
        }
        Some((word, rest)) if word == "build" => build(&Options::parse(rest)?),
        _ => Err(USAGE.to_string()),
    }
}

/// Contents of `programs.toml`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    program: Vec<Program>,
}

/// One program.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    covers: String,
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    library: Option<Library>,
    // How it is run concerns those who run it.
    #[serde(default, rename = "args")]
    _args: Vec<String>,
    #[serde(default)]
    exit: i32,
    signal: Option<String>,
    /// Why there is no code for sm_35 in it.
    not_sm_35: Option<String>,
    /// Why it prints something else there.
    differs_on_sm_35: Option<String>,
    /// The release from which on it prints something else.
    #[cfg_attr(not(test), expect(dead_code, reason = "concerns those who run it"))]
    rounds_otherwise_from: Option<u32>,
    /// Why CUDA 12 and later do not compile it.
    not_from_cuda_12: Option<String>,
}

/// A shared library that a program loads.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    name: String,
    sources: Vec<String>,
}

impl Program {
    fn sources(&self) -> Vec<String> {
        if self.sources.is_empty() {
            return vec![format!("{}.cu", self.name)];
        }
        self.sources.clone()
    }

    /// How it ends when all is well.
    fn end(&self) -> String {
        self.signal.clone().unwrap_or_else(|| format!("exit {}", self.exit))
    }

    /// Those of the architectures that it can be compiled for.
    fn archs(&self, all: &[u32]) -> Vec<u32> {
        let wanted = |sm: &&u32| **sm != 35 || self.not_sm_35.is_none();
        all.iter().filter(wanted).copied().collect()
    }

    /// Whether the headers of a release compile it.
    fn compiles_with(&self, headers: Option<u32>) -> bool {
        self.not_from_cuda_12.is_none() || headers.is_none_or(|major| major < 12)
    }

    /// What is particular about it on sm_35.
    fn on_sm_35(&self) -> Option<String> {
        let no = self.not_sm_35.as_ref().map(|why| format!("not for sm_35: {why}"));
        no.or(self.differs_on_sm_35.as_ref().map(|why| format!("other text on sm_35: {why}")))
    }
}

fn programs() -> Outcome<Vec<Program>> {
    let text = fs::read_to_string(root().join(LIST)).map_err(|e| format!("{LIST}: {e}"))?;
    let list: List = toml::from_str(&text).map_err(|e| format!("{LIST}: {e}"))?;
    Ok(list.program)
}

struct Options {
    cuda: Option<PathBuf>,
    /// Fetch no compiler when there is none.
    offline: bool,
    out: PathBuf,
    only: Vec<String>,
    archs: Vec<u32>,
    form: Form,
}

impl Options {
    fn parse(words: &[String]) -> Outcome<Self> {
        let mut options = Self {
            cuda: None,
            offline: false,
            out: root().join(DEFAULT_OUT),
            only: Vec::new(),
            archs: DEFAULT_ARCHS.to_vec(),
            form: Form::Shared,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value\n\n{USAGE}"));
            match word.as_str() {
                "--cuda" => options.cuda = Some(value()?.into()),
                "--offline" => options.offline = true,
                "--out" => {
                    let out = Path::new(value()?);
                    options.out =
                        std::path::absolute(out).map_err(|e| format!("{}: {e}", out.display()))?;
                }
                "--only" => options.only.push(value()?.clone()),
                "--arch" => {
                    let list = value()?;
                    let numbers = list.split(',').map(|n| n.trim_start_matches("sm_").parse());
                    options.archs = numbers
                        .collect::<Result<_, _>>()
                        .map_err(|_| format!("--arch {list}: numbers as in 70,75,90 are needed"))?;
                }
                "--form" => {
                    let name = value()?;
                    options.form = Form::named(name)
                        .ok_or_else(|| format!("--form {name}: shared, static or ptx is needed"))?;
                }
                other => return Err(format!("no option {other:?}\n\n{USAGE}")),
            }
        }
        Ok(options)
    }

    fn chosen(&self) -> Outcome<Vec<Program>> {
        let mut all = programs()?;
        if self.only.is_empty() {
            return Ok(all);
        }
        for name in &self.only {
            if !all.iter().any(|program| program.name == *name) {
                return Err(format!("no program {name:?} in {LIST}"));
            }
        }
        all.retain(|program| self.only.contains(&program.name));
        Ok(all)
    }
}

/// One call of the compiler.
struct Job {
    sources: Vec<PathBuf>,
    output: PathBuf,
    arguments: Vec<String>,
}

fn build(options: &Options) -> Outcome<()> {
    let programs = options.chosen()?;
    let toolkit = toolkit(options)?;
    require_host_compiler(toolkit.release())?;
    let nvcc = toolkit.tool("nvcc");
    let headers = toolkit.headers();
    let jobs: Vec<Job> = programs
        .iter()
        .filter(|program| program.compiles_with(headers))
        .flat_map(|program| jobs(program, options, &toolkit))
        .collect();
    for job in &jobs {
        let folder = job.output.parent().unwrap_or(&options.out);
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }

    let next = AtomicUsize::new(0);
    let built = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match job.run(&nvcc) {
                        Ok(true) => drop(built.fetch_add(1, Ordering::Relaxed)),
                        Ok(false) => {}
                        Err(why) => failures.lock().unwrap_or_else(|e| e.into_inner()).push(why),
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap_or_else(|e| e.into_inner());
    if failures.is_empty() {
        let built = built.into_inner();
        let kept = jobs.len() - built;
        println!("{built} built, {kept} up to date in {}", options.out.display());
        return Ok(());
    }
    failures.sort();
    Err(failures.join("\n"))
}

/// The compiler that was named, of whatever release, or the one that is there;
/// without one, or with one that has not all headers, one is fetched.
fn toolkit(options: &Options) -> Outcome<Toolkit> {
    if let Some(prefix) = &options.cuda {
        return Toolkit::at(prefix);
    }
    let lacking = match Toolkit::of_repository(None, &root()) {
        Ok(toolkit) if toolkit.has_libraries() => return Ok(toolkit),
        Ok(toolkit) => format!(
            "{} has no headers of libcu++; `cargo xtask cuda PREFIX` completes it",
            toolkit.tool("nvcc").display()
        ),
        Err(why) => why,
    };
    let prefix = root().join(".cuda");
    let there = Toolkit::of_repository(Some(&prefix), &root());
    if let Some(toolkit) = there.ok().filter(Toolkit::has_libraries) {
        return Ok(toolkit);
    }
    if options.offline {
        return Err(lacking);
    }
    println!("fetching a CUDA compiler into {}", prefix.display());
    fetch(&prefix).map_err(|why| format!("{lacking}\nfetching one failed: {why}"))?;
    Toolkit::of_repository(Some(&prefix), &root())
}

/// The program's library, if it has one, and the program itself.
fn jobs(program: &Program, options: &Options, toolkit: &Toolkit) -> Vec<Job> {
    let common = toolkit.form_arguments(options.form, &program.archs(&options.archs));
    let job = |name: &str, sources: &[String], more: &[&str]| {
        let mut arguments = common.clone();
        arguments.extend(more.iter().map(|word| (*word).to_string()));
        Job {
            sources: sources.iter().map(PathBuf::from).collect(),
            output: options.out.join(name),
            arguments,
        }
    };
    let library = program
        .library
        .as_ref()
        .map(|l| job(&l.name, &l.sources, &["-shared", "-Xcompiler", "-fPIC"]));
    let flags: Vec<&str> = program.flags.iter().map(String::as_str).collect();
    let executable = job(&program.name, &program.sources(), &flags);
    library.into_iter().chain([executable]).collect()
}

impl Job {
    /// Compiles unless the output is newer than everything it was made from
    /// and was made by the same command. Says whether it had to.
    fn run(&self, nvcc: &Path) -> Outcome<bool> {
        let folder = root().join(FOLDER);
        let stamp = self.stamp();
        let command = format!("{} {:?} {:?}", nvcc.display(), self.arguments, self.sources);
        if fs::read_to_string(&stamp).is_ok_and(|known| known == command) && self.is_newest() {
            return Ok(false);
        }
        // Neither an old program nor what a broken-off compiler leaves may be
        // taken for the result. It is no trouble when there are none.
        let _ = fs::remove_file(&stamp);
        let _ = fs::remove_file(&self.output);
        // From the folder itself, so that the names in messages and asserts do
        // not depend on where the repository lies.
        let done = Command::new(nvcc)
            .current_dir(&folder)
            .args(&self.arguments)
            .arg("-o")
            .arg(&self.output)
            .args(&self.sources)
            .output()
            .map_err(|e| format!("cannot run {}: {e}", nvcc.display()))?;
        if !done.status.success() {
            let why = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{} does not build:\n{why}", self.output.display()));
        }
        fs::write(&stamp, command).map_err(|e| format!("{}: {e}", stamp.display()))?;
        Ok(true)
    }

    /// Where the command that made the output is kept.
    fn stamp(&self) -> PathBuf {
        let name = self.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.output.with_file_name(format!(".{name}.command"))
    }

    fn is_newest(&self) -> bool {
        let Some(made) = changed(&self.output) else { return false };
        let mut files = BTreeSet::new();
        for source in &self.sources {
            with_includes(&root().join(FOLDER).join(source), &mut files);
        }
        files.iter().all(|file| changed(file).is_some_and(|at| at <= made))
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}

/// Adds a file and what it includes by `#include "…"`, all the way down.
fn with_includes(path: &Path, files: &mut BTreeSet<PathBuf>) {
    if !files.insert(path.to_path_buf()) {
        return;
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    for line in text.lines() {
        let name = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
        if let (Some(name), Some(folder)) = (name, path.parent()) {
            with_includes(&folder.join(name), files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files below `folder`, relative to the programs' folder.
    fn files(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                files(&path, found);
            } else {
                let name = path.strip_prefix(root().join(FOLDER)).unwrap();
                found.insert(name.to_string_lossy().into_owned());
            }
        }
    }

    #[test]
    fn every_source_belongs_to_a_program_and_every_program_to_its_files() {
        let mut present = BTreeSet::new();
        files(&root().join(FOLDER), &mut present);
        let programs = programs().unwrap();
        let mut used = BTreeSet::new();
        let mut names = BTreeSet::new();
        for program in &programs {
            assert!(names.insert(&program.name), "{} is there twice", program.name);
            assert!(!program.covers.is_empty(), "{}", program.name);
            used.extend(program.sources());
            used.extend(program.library.iter().flat_map(|l| l.sources.clone()));
            used.insert(format!("{}.out", program.name));
            if program.differs_on_sm_35.is_some() {
                assert!(program.not_sm_35.is_none(), "{}", program.name);
                used.insert(format!("{}.sm_35.out", program.name));
            }
            let other =
                program.rounds_otherwise_from.map(|n| format!("{}.cuda_{n}.out", program.name));
            used.extend(other);
            assert!(program.exit == 0 || program.signal.is_none(), "{}", program.name);
        }
        // Those over the driver API, in C, are compiled where they are tested.
        for file in present.iter().filter(|f| f.starts_with("driver/")) {
            if let Some(name) = file.strip_suffix(".c") {
                assert!(present.contains(&format!("{name}.out")), "{file} has no output");
            }
            if let Some(name) = file.strip_suffix(".out") {
                assert!(present.contains(&format!("{name}.c")), "{file} has no program");
            }
        }
        present.retain(|file| !file.starts_with("driver/"));
        let is_source = |f: &&String| [".cu", ".cpp", ".out"].iter().any(|end| f.ends_with(end));
        for file in present.iter().filter(is_source) {
            assert!(used.contains(file), "{file} belongs to no program of {LIST}");
        }
        for file in &used {
            assert!(present.contains(file), "{file} of {LIST} is missing");
        }
    }

    #[test]
    fn a_change_of_an_included_file_is_noticed() {
        let mut found = BTreeSet::new();
        with_includes(&root().join(FOLDER).join("vector_add.cu"), &mut found);
        assert!(found.iter().any(|f| f.ends_with("check.h")), "{found:?}");
    }

    #[test]
    fn a_program_is_compiled_for_what_it_can_be_compiled_for() {
        let all = programs().unwrap();
        let archs = |name: &str| all.iter().find(|p| p.name == name).unwrap().archs(&[35, 70]);
        assert_eq!(archs("vector_add"), [35, 70]);
        assert_eq!(archs("half_math"), [70]);
    }

    #[test]
    fn bad_words_are_explained() {
        let parse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| (*w).to_string()).collect();
            Options::parse(&words).err()
        };
        assert!(parse(&["--arch", "70,x"]).unwrap().contains("70,75,90"));
        assert!(parse(&["--out"]).unwrap().contains("needs a value"));
        assert!(parse(&["--form", "stripped"]).unwrap().contains("shared, static or ptx"));
        assert!(parse(&["--never"]).unwrap().contains("--never"));
        assert_eq!(parse(&["--arch", "sm_70", "--only", "vector_add", "--offline"]), None);
    }
}
