//! Compiling sources.

use super::source::{Language, Source, Target, VARIANT, trouble};
use crate::{Outcome, root};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, thread};
use upset_toolkit::{OpenCl, Toolkit};

/// Where the user says that compilers are.
#[derive(Debug, Default)]
pub struct Prefixes {
    /// Of CUDA.
    pub cuda: Option<PathBuf>,
    /// Of clang, lld and libclc.
    pub opencl: Option<PathBuf>,
}

impl Prefixes {
    /// Whether that compiler was asked for.
    pub fn names(&self, language: Language) -> bool {
        match language {
            Language::Cuda => self.cuda.is_some(),
            Language::OpenCl => self.opencl.is_some(),
        }
    }
}

/// The compilers that the committed code was made with, or why there is none.
pub struct Compilers {
    cuda: Outcome<Toolkit>,
    opencl: Outcome<OpenCl>,
}

impl Compilers {
    /// Looks for them.
    pub fn find(prefixes: &Prefixes) -> Compilers {
        Compilers {
            cuda: Toolkit::of_repository(prefixes.cuda.as_deref(), &root()),
            opencl: OpenCl::of_repository(prefixes.opencl.as_deref()),
        }
    }

    /// Why there is none for a language.
    pub fn missing(&self, language: Language) -> Option<&String> {
        match language {
            Language::Cuda => self.cuda.as_ref().err(),
            Language::OpenCl => self.opencl.as_ref().err(),
        }
    }

    fn compile(&self, folder: &Path, file: &str, target: Target, output: &str) -> Outcome<()> {
        match target {
            Target::Cuda(target) => {
                self.cuda.as_ref().map_err(String::clone)?.compile(folder, file, target, output)
            }
            Target::Variant(target) => self.cuda.as_ref().map_err(String::clone)?.compile_with(
                folder,
                file,
                target,
                output,
                &[VARIANT],
            ),
            Target::Gfx600 => {
                self.opencl.as_ref().map_err(String::clone)?.compile(folder, file, output)
            }
        }
    }
}

/// A compiled form.
pub struct Built {
    /// Where it belongs.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Compiles every form of every source, a few at a time.
pub fn build(compilers: &Compilers, sources: &[Source]) -> Outcome<Vec<Built>> {
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
                    let built = build_one(compilers, source, *target, suffix);
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

/// Copies a source and what it includes.
fn copies(source: &Source, to: &Path) -> Outcome<()> {
    for path in std::iter::once(source.path()).chain(source.included()?) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, to.join(name)).map_err(|e| trouble(&path, &e))?;
    }
    Ok(())
}

/// Compiles a copy in an empty folder, so that neither the path nor
/// neighbouring files can find their way into the result.
fn build_one(
    compilers: &Compilers,
    source: &Source,
    target: Target,
    suffix: &str,
) -> Outcome<Built> {
    let tag = format!("upset-{}-{}-{suffix}", std::process::id(), source.name);
    let scratch = std::env::temp_dir().join(tag);
    fs::create_dir_all(&scratch).map_err(|e| trouble(&scratch, &e))?;
    let file = source.file();
    let made = scratch.join("out");
    let outcome = copies(source, &scratch)
        .and_then(|()| compilers.compile(&scratch, &file, target, "out"))
        .and_then(|()| fs::read(&made).map_err(|e| trouble(&made, &e)));
    // Only a leftover in the system's temporary folder if this fails.
    let _ = fs::remove_dir_all(&scratch);
    Ok(Built { path: source.compiled(suffix), bytes: outcome? })
}
