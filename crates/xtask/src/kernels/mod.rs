//! Rebuilding the compiled kernels, and telling whether they are up to date.
//!
//! A kernel folder holds `<name>.cu` or `<name>.cl` and beside it what the
//! compiler made of it. `kernels/compiled.lock` remembers digests of both, so
//! that an edited source without a rebuild is noticed even where there is no
//! compiler.

mod build;
mod source;

use crate::{Outcome, root};
use build::{Compilers, Prefixes, build};
use source::{Language, Source, relative, trouble};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const LOCK: &str = "kernels/compiled.lock";
const LOCK_HEADER: &str = "\
# FNV-1a digests: source, compiled form, file. Written by `cargo xtask kernels`.
";

/// `cargo xtask kernels`.
pub fn command(words: &[String]) -> Outcome<()> {
    let mut prefixes = Prefixes::default();
    let mut check = false;
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut prefix = || {
            let prefix = words.next().ok_or_else(|| format!("{word} needs a prefix"))?;
            Ok::<_, String>(Some(PathBuf::from(prefix)))
        };
        match word.as_str() {
            "--check" => check = true,
            "--cuda" => prefixes.cuda = prefix()?,
            "--opencl" => prefixes.opencl = prefix()?,
            flag if flag.starts_with('-') => return Err(format!("no flag {flag:?}")),
            name => names.push(name.to_string()),
        }
    }
    let chosen = source::chosen(&names)?;
    if check {
        check_lock()?;
    }
    let compilers = Compilers::find(&prefixes);
    let mut done = 0;
    for language in Language::ALL {
        let sources: Vec<_> = chosen.iter().filter(|s| s.language == language).cloned().collect();
        if sources.is_empty() {
            continue;
        }
        // Who names a compiler or a source wants it compiled.
        let needed = prefixes.names(language) || !(names.is_empty() || check);
        match compilers.missing(language) {
            Some(why) if needed => return Err(why.clone()),
            Some(why) => println!("{} sources not compiled: {why}", sources.len()),
            None if check => compare(&compilers, &sources)?,
            None => rebuild(&compilers, &sources)?,
        }
        done += 1;
    }
    if !check && done > 0 {
        let lock = lock_text(&source::all()?)?;
        fs::write(root().join(LOCK), lock).map_err(|e| trouble(Path::new(LOCK), &e))?;
    }
    Ok(())
}

fn rebuild(compilers: &Compilers, sources: &[Source]) -> Outcome<()> {
    for built in build(compilers, sources)? {
        fs::write(&built.path, &built.bytes).map_err(|e| trouble(&built.path, &e))?;
    }
    println!("{} sources compiled", sources.len());
    Ok(())
}

fn compare(compilers: &Compilers, sources: &[Source]) -> Outcome<()> {
    let stale = stale_files(compilers, sources)?;
    if stale.is_empty() {
        println!("{} sources recompiled, all forms match", sources.len());
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
    if kept == lock_text(&source::all()?)? {
        return Ok(());
    }
    Err(format!(
        "{LOCK} does not match the files: a source or a compiled form changed \
         without the other (run `cargo xtask kernels`)"
    ))
}

/// Files that a fresh compilation does not reproduce.
fn stale_files(compilers: &Compilers, sources: &[Source]) -> Outcome<Vec<String>> {
    let built = build(compilers, sources)?;
    Ok(built
        .into_iter()
        .filter(|b| fs::read(&b.path).ok().as_deref() != Some(&b.bytes))
        .map(|b| relative(&b.path))
        .collect())
}

fn lock_text(sources: &[Source]) -> Outcome<String> {
    let mut text = LOCK_HEADER.to_string();
    for source in sources {
        let code = source.bytes()?;
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

    /// Recompiles a few sources; `cargo xtask kernels --check` does all of them.
    fn reproduced(language: Language, names: &[&str]) {
        let compilers = Compilers::find(&Prefixes::default());
        if let Some(why) = compilers.missing(language) {
            eprintln!("SKIPPED: {why}");
            return;
        }
        let names: Vec<_> = names.iter().map(|name| name.to_string()).collect();
        let sources = source::chosen(&names).unwrap();
        assert_eq!(stale_files(&compilers, &sources).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn compiler_reproduces_the_committed_files() {
        reproduced(Language::Cuda, &["va", "km"]);
    }

    #[test]
    fn opencl_compiler_reproduces_the_committed_files() {
        reproduced(Language::OpenCl, &OPENCL);
    }

    /// They compile quickly, so all of them.
    const OPENCL: [&str; 14] = [
        "bins", "bits", "dct", "dwt", "fwt", "fw", "his", "mm", "mt", "qrs", "rg", "red", "sc",
        "urng",
    ];
}
