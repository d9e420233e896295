//! The compiler whose runs are counted, and LLVM's program that adds counts up.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// The compiler that cargo calls.
pub struct Compiler {
    release: String,
    llvm: String,
    sysroot: PathBuf,
    host: String,
}

impl Compiler {
    /// What it says of itself.
    pub fn asked() -> Outcome<Compiler> {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        let version = said(Command::new(&rustc).arg("-vV"))?;
        let sysroot = said(Command::new(&rustc).args(["--print", "sysroot"]))?;
        Compiler::read(&version, sysroot.trim())
    }

    fn read(version: &str, sysroot: &str) -> Outcome<Compiler> {
        let of = |name: &str| {
            let line = version.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::to_string).ok_or(format!("rustc -vV has no line {name:?}"))
        };
        Ok(Compiler {
            release: of("release: ")?,
            llvm: of("LLVM version: ")?,
            sysroot: sysroot.into(),
            host: of("host: ")?,
        })
    }

    /// What `.cargo/rustc` looks for with this compiler.
    pub fn profile(&self) -> String {
        format!("{}-llvm-{}.profdata", self.release, self.llvm)
    }

    /// Counts are written in a form that changes with LLVM's first number.
    fn generation(&self) -> &str {
        self.llvm.split('.').next().unwrap_or_default()
    }
}

/// `llvm-profdata`.
pub struct Merger(PathBuf);

impl Merger {
    /// The one that is named, or one that fits the compiler.
    pub fn found(named: Option<&str>, compiler: &Compiler) -> Outcome<Merger> {
        if let Some(named) = named {
            said(Command::new(named).arg("--version"))?;
            return Ok(Merger(named.into()));
        }
        let generation = compiler.generation();
        let of_rustup = compiler.sysroot.join("lib/rustlib").join(&compiler.host);
        let places = [
            of_rustup.join("bin/llvm-profdata"),
            PathBuf::from(format!("llvm-profdata-{generation}")),
            PathBuf::from("llvm-profdata"),
        ];
        let fits = |program: &PathBuf| {
            let version = said(Command::new(program).arg("--version"));
            version.is_ok_and(|version| is_of(&version, generation))
        };
        places.into_iter().find(fits).map(Merger).ok_or(format!(
            "there is no llvm-profdata of LLVM {generation}, which reads what rustc {} counts: \
             `rustup component add llvm-tools` or Debian's package llvm-{generation} has it, \
             or name one with --llvm-profdata",
            compiler.release
        ))
    }

    /// Adds counts up into one file. Functions that no run came by are left out:
    /// nothing is known of them, and they shall not be made small and slow for it.
    pub fn merge(&self, counts: &[PathBuf], into: &Path) -> Outcome<()> {
        let mut merge = Command::new(&self.0);
        merge.args(["merge", "--sparse", "--output"]).arg(into).args(counts);
        said(&mut merge).map(drop)
    }
}

/// Whether a program says that it is of this generation of LLVM.
fn is_of(version: &str, generation: &str) -> bool {
    let words = version.split("LLVM version ").nth(1);
    words.and_then(|rest| rest.split('.').next()) == Some(generation)
}

fn said(command: &mut Command) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ran = command.output().map_err(|e| format!("cannot run {name}: {e}"))?;
    match ran.status.success() {
        true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&ran.stderr).trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\n\
        host: x86_64-unknown-linux-gnu\nrelease: 1.95.0\nLLVM version: 22.1.2\n";

    #[test]
    fn a_profile_is_named_after_the_compiler() {
        let compiler = Compiler::read(VERSION, "/there").unwrap();
        assert_eq!(compiler.profile(), "1.95.0-llvm-22.1.2.profdata");
        assert_eq!(compiler.generation(), "22");
        let error = Compiler::read("release: 1.95.0\n", "/there").err().unwrap();
        assert!(error.contains("LLVM version"), "{error}");
    }

    #[test]
    fn programs_of_other_generations_do_not_fit() {
        assert!(is_of("Debian LLVM version 22.1.8\n  Optimized build.\n", "22"));
        assert!(is_of("LLVM (http://llvm.org/):\n  LLVM version 22.1.2-rust-1.95.0-stable", "22"));
        assert!(!is_of("Debian LLVM version 14.0.6\n", "22"));
        assert!(!is_of("something else", "22"));
    }

    #[test]
    fn a_program_that_is_not_there_is_told() {
        let compiler = Compiler::read(VERSION, "/there").unwrap();
        assert!(Merger::found(Some("/there/llvm-profdata"), &compiler).is_err());
    }
}
