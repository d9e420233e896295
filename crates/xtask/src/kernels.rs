//! Rebuilding the compiled kernels, and telling whether they are up to date.
//!
//! A kernel folder holds `<name>.cu` and beside it what the compiler made of
//! it. `kernels/compiled.lock` remembers digests of both, so that an edited
//! source without a rebuild is noticed even where there is no compiler.

use crate::{Outcome, root};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, thread};
use upset_toolkit::{CompileTarget, Toolkit};

/// Folders whose subfolders are kernel folders.
const SHELVES: [&str; 4] =
    ["kernels", "kernels/micro", "docs/examples", "crates/device/tests/kernels"];
/// Code that is linked into other modules: machine code only, as objects for a
/// device linker.
const LIBRARIES: [&str; 1] = ["syscalls"];
const LOCK: &str = "kernels/compiled.lock";
const LOCK_HEADER: &str = "\
# FNV-1a digests: source, compiled form, file. Written by `cargo xtask kernels`.
";

/// What is made from every source, and the name it gets.
const FORMS: [(CompileTarget, &str); 5] = [
    (CompileTarget::Cubin(70), "sm_70.cubin"),
    (CompileTarget::Cubin(75), "sm_75.cubin"),
    (CompileTarget::Cubin(80), "sm_80.cubin"),
    (CompileTarget::Cubin(90), "sm_90.cubin"),
    (CompileTarget::Ptx(70), "ptx"),
];

const LIBRARY_FORMS: [(CompileTarget, &str); 4] = [
    (CompileTarget::Object(70), "sm_70.cubin"),
    (CompileTarget::Object(75), "sm_75.cubin"),
    (CompileTarget::Object(80), "sm_80.cubin"),
    (CompileTarget::Object(90), "sm_90.cubin"),
];

/// `cargo xtask kernels`.
pub fn command(words: &[String]) -> Outcome<()> {
    let mut prefix = None;
    let mut check = false;
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--check" => check = true,
            "--cuda" => prefix = Some(words.next().ok_or("--cuda needs a prefix")?),
            flag if flag.starts_with('-') => return Err(format!("no flag {flag:?}")),
            name => names.push(name.to_string()),
        }
    }
    let prefix = prefix.map(PathBuf::from);
    let chosen = chosen_sources(&names)?;
    if check {
        return check_all(&chosen, prefix.as_deref());
    }
    let toolkit = Toolkit::of_repository(prefix.as_deref(), &root())?;
    for built in build(&toolkit, &chosen)? {
        fs::write(&built.path, &built.bytes).map_err(|e| trouble(&built.path, &e))?;
    }
    let lock = lock_text(&all_sources()?)?;
    fs::write(root().join(LOCK), lock).map_err(|e| trouble(Path::new(LOCK), &e))?;
    println!("{} sources compiled", chosen.len());
    Ok(())
}

/// The lock always, the compiler's own answer where there is a compiler.
fn check_all(chosen: &[Source], prefix: Option<&Path>) -> Outcome<()> {
    check_lock()?;
    let toolkit = match Toolkit::of_repository(prefix, &root()) {
        Ok(toolkit) => toolkit,
        Err(why) if prefix.is_none() => {
            println!("digests match; not recompiled: {why}");
            return Ok(());
        }
        Err(why) => return Err(why),
    };
    let stale = stale_files(&toolkit, chosen)?;
    if stale.is_empty() {
        println!("{} sources recompiled, all forms match", chosen.len());
        return Ok(());
    }
    Err(format!(
        "not what the compiler makes of the source (run `cargo xtask kernels`):\n  {}",
        stale.join("\n  ")
    ))
}

fn check_lock() -> Outcome<()> {
    let path = root().join(LOCK);
    let kept = fs::read_to_string(&path).map_err(|e| trouble(&path, &e))?;
    if kept == lock_text(&all_sources()?)? {
        return Ok(());
    }
    Err(format!(
        "{LOCK} does not match the files: a source or a compiled form changed \
         without the other (run `cargo xtask kernels`)"
    ))
}

/// Files that a fresh compilation does not reproduce.
fn stale_files(toolkit: &Toolkit, chosen: &[Source]) -> Outcome<Vec<String>> {
    let built = build(toolkit, chosen)?;
    Ok(built
        .into_iter()
        .filter(|b| fs::read(&b.path).ok().as_deref() != Some(&b.bytes))
        .map(|b| relative(&b.path))
        .collect())
}

/// One `<name>.cu` in its folder.
#[derive(Debug, Clone)]
struct Source {
    folder: PathBuf,
    name: String,
}

impl Source {
    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.cu", self.name))
    }

    fn forms(&self) -> &'static [(CompileTarget, &'static str)] {
        if LIBRARIES.contains(&self.name.as_str()) { &LIBRARY_FORMS } else { &FORMS }
    }

    fn compiled(&self, suffix: &str) -> PathBuf {
        self.folder.join(format!("{}.{suffix}", self.name))
    }
}

struct Built {
    path: PathBuf,
    bytes: Vec<u8>,
}

fn all_sources() -> Outcome<Vec<Source>> {
    let mut found = Vec::new();
    for shelf in SHELVES {
        let shelf = root().join(shelf);
        let Ok(entries) = fs::read_dir(&shelf) else {
            continue;
        };
        for entry in entries {
            let folder = entry.map_err(|e| trouble(&shelf, &e))?.path();
            let Some(name) = folder.file_name().and_then(|n| n.to_str()) else {
                continue;
            };
            let source = Source { name: name.to_string(), folder: folder.clone() };
            if source.path().is_file() {
                found.push(source);
            }
        }
    }
    found.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(found)
}

fn chosen_sources(names: &[String]) -> Outcome<Vec<Source>> {
    let all = all_sources()?;
    if let Some(unknown) = names.iter().find(|n| all.iter().all(|s| s.name != **n)) {
        let known: Vec<_> = all.iter().map(|s| s.name.as_str()).collect();
        return Err(format!("no kernel {unknown:?}; there are {}", known.join(" ")));
    }
    Ok(all.into_iter().filter(|s| names.is_empty() || names.contains(&s.name)).collect())
}

/// Compiles every form of every source, a few at a time.
fn build(toolkit: &Toolkit, sources: &[Source]) -> Outcome<Vec<Built>> {
    let jobs: Vec<_> =
        sources.iter().flat_map(|s| s.forms().iter().map(move |form| (s, form))).collect();
    let next = Mutex::new(0..jobs.len());
    let results = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(i) = next.lock().ok().and_then(|mut n| n.next()) {
                    let (source, (target, suffix)) = jobs[i];
                    let built = build_one(toolkit, source, *target, suffix);
                    if let Ok(mut results) = results.lock() {
                        results.push((i, built));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().map_err(|_| "a compilation panicked")?;
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, built)| built).collect()
}

/// Compiles a copy in an empty folder, so that neither the path nor
/// neighbouring files can find their way into the result.
fn build_one(
    toolkit: &Toolkit,
    source: &Source,
    target: CompileTarget,
    suffix: &str,
) -> Outcome<Built> {
    let tag = format!("upset-{}-{}-{suffix}", std::process::id(), source.name);
    let scratch = std::env::temp_dir().join(tag);
    fs::create_dir_all(&scratch).map_err(|e| trouble(&scratch, &e))?;
    let file = format!("{}.cu", source.name);
    let made = scratch.join("out");
    let outcome = fs::copy(source.path(), scratch.join(&file))
        .map_err(|e| trouble(&source.path(), &e))
        .and_then(|_| toolkit.compile(&scratch, &file, target, "out"))
        .and_then(|()| fs::read(&made).map_err(|e| trouble(&made, &e)));
    // Only a leftover in the system's temporary folder if this fails.
    let _ = fs::remove_dir_all(&scratch);
    Ok(Built { path: source.compiled(suffix), bytes: outcome? })
}

fn lock_text(sources: &[Source]) -> Outcome<String> {
    let mut text = LOCK_HEADER.to_string();
    for source in sources {
        let code = fs::read(source.path()).map_err(|e| trouble(&source.path(), &e))?;
        for (_, suffix) in source.forms() {
            let path = source.compiled(suffix);
            let bytes = fs::read(&path).map_err(|e| trouble(&path, &e))?;
            let line = (fnv(&code), fnv(&bytes), relative(&path));
            let _ = writeln!(text, "{:016x} {:016x} {}", line.0, line.1, line.2);
        }
    }
    Ok(text)
}

/// FNV-1a, 64 bits: notices accidents, which is all it is for.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn relative(path: &Path) -> String {
    let root = root();
    path.strip_prefix(&root).unwrap_or(path).display().to_string()
}

fn trouble(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", relative(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_fnv_1a() {
        // Test vectors published with the algorithm.
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn no_source_changed_without_its_compiled_forms() {
        check_lock().unwrap();
    }

    #[test]
    fn unknown_names_are_refused_with_the_known_ones() {
        let error = chosen_sources(&["nosuch".into()]).unwrap_err();
        assert!(error.contains("nosuch") && error.contains("va"), "{error}");
    }

    /// Recompiles one source; `cargo xtask kernels --check` does all of them.
    #[test]
    fn compiler_reproduces_the_committed_files() {
        let toolkit = match Toolkit::of_repository(None, &root()) {
            Ok(toolkit) => toolkit,
            Err(why) => {
                eprintln!("SKIPPED: {why}");
                return;
            }
        };
        let sources = chosen_sources(&["va".into(), "km".into()]).unwrap();
        assert_eq!(stale_files(&toolkit, &sources).unwrap(), Vec::<String>::new());
    }
}
