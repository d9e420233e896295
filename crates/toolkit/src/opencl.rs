//! Finding LLVM's OpenCL compiler for AMD's chips, and calling it.

use crate::Outcome;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The release whose output is committed, as Debian packages it. Another
/// release makes other code.
pub const OPENCL_RELEASE: &str = "19.1.7";

/// Names a folder below which Debian's packages are unpacked.
const VARIABLE: &str = "UPSET_OPENCL";
/// Folders of Debian's packages.
const PROGRAMS: &str = "usr/lib/llvm-19/bin";
const LIBRARIES: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "usr/lib/llvm-19/lib"];
/// OpenCL's own functions for AMD's chips (libclc).
const FUNCTIONS: &str = "usr/lib/clc/amdgcn--amdhsa.bc";

/// clang, its linker, and libclc.
#[derive(Debug, Clone)]
pub struct OpenCl {
    clang: PathBuf,
    linker: PathBuf,
    functions: PathBuf,
    /// Where unpacked programs find their libraries; empty when installed.
    libraries: OsString,
}

impl OpenCl {
    /// The compiler that the committed code was made with: below `prefix`, or
    /// else below `$UPSET_OPENCL`, or installed. The error says where was
    /// looked and how to get one.
    pub fn of_repository(prefix: Option<&Path>) -> Outcome<OpenCl> {
        let named = env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
        let found = match prefix.map(Path::to_path_buf).or(named) {
            Some(prefix) => OpenCl::below(&prefix),
            None => OpenCl::installed(),
        };
        found.checked().map_err(|why| {
            format!(
                "no OpenCL compiler of release {OPENCL_RELEASE} ({why}); install Debian's \
                 clang-19, lld-19 and libclc-19, or unpack them in a folder and name that with \
                 --opencl PREFIX or ${VARIABLE}"
            )
        })
    }

    fn below(prefix: &Path) -> OpenCl {
        let programs = prefix.join(PROGRAMS);
        // What cannot be joined, a folder with a colon in its name, is left out:
        // the loader could not be told of it either.
        let libraries = env::join_paths(LIBRARIES.map(|folder| prefix.join(folder)));
        OpenCl {
            clang: programs.join("clang"),
            linker: programs.join("ld.lld"),
            functions: prefix.join(FUNCTIONS),
            libraries: libraries.unwrap_or_default(),
        }
    }

    fn installed() -> OpenCl {
        let path = env::var_os("PATH").unwrap_or_default();
        let find = |name: &str| {
            env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        };
        let program = |name: &str| {
            let numbered = format!("{name}-19");
            let found = find(&numbered).or_else(|| find(name));
            found.unwrap_or_else(|| Path::new("/").join(PROGRAMS).join(name))
        };
        OpenCl {
            clang: program("clang"),
            linker: program("ld.lld"),
            functions: Path::new("/").join(FUNCTIONS),
            libraries: OsString::new(),
        }
    }

    /// Itself, if all of it is there and of the right release.
    fn checked(self) -> Outcome<OpenCl> {
        for program in [&self.clang, &self.linker] {
            let told = self.command(program).arg("--version").output();
            let told = told.map_err(|e| format!("{}: {e}", program.display()))?;
            let text = String::from_utf8_lossy(&told.stdout).into_owned();
            match release_of(&text) {
                Some(OPENCL_RELEASE) => {}
                Some(other) => return Err(format!("{} is {other}", program.display())),
                None => return Err(format!("{} does not run", program.display())),
            }
        }
        if !self.functions.is_file() {
            return Err(format!("{} does not exist", self.functions.display()));
        }
        Ok(self)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if !self.libraries.is_empty() {
            command.env("LD_LIBRARY_PATH", &self.libraries);
        }
        command
    }

    /// Compiles `source`, a file name in `folder`, into the code object
    /// `output` there, for all chips of Southern Islands.
    pub fn compile(&self, folder: &Path, source: &str, output: &str) -> Outcome<()> {
        let object = format!("{output}.o");
        let mut clang = self.command(&self.clang);
        clang.args(["-x", "cl", "-cl-std=CL1.2", "-target", "amdgcn-amd-amdhsa"]);
        clang.args(["-mcpu=tahiti", "-nogpulib", "-O2", "-Wno-linker-warnings"]);
        clang.args(["-Xclang", "-finclude-default-header"]);
        clang.args(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"]).arg(&self.functions);
        clang.args(["-c", source, "-o", &object]);
        finish(clang.current_dir(folder), source)?;
        let mut linker = self.command(&self.linker);
        linker.args(["-shared", &object, "-o", output]);
        finish(linker.current_dir(folder), source)?;
        let object = folder.join(object);
        fs::remove_file(&object).map_err(|e| format!("{}: {e}", object.display()))
    }
}

fn finish(command: &mut Command, source: &str) -> Outcome<()> {
    let program = command.get_program().to_owned();
    let done = command.output();
    let done = done.map_err(|e| format!("cannot run {}: {e}", program.display()))?;
    if done.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&done.stderr);
    Err(format!("{source} does not compile for gfx600:\n{why}"))
}

/// "19.1.7" out of what clang and lld say of themselves: "clang version
/// 19.1.7 (…)", "LLD 19.1.7 (…)".
fn release_of(text: &str) -> Option<&str> {
    let first = text.lines().next()?;
    first.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_both_programs() {
        let clang = "Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu\n";
        assert_eq!(release_of(clang), Some("19.1.7"));
        let lld = "Debian LLD 19.1.7 (compatible with GNU linkers)\n";
        assert_eq!(release_of(lld), Some("19.1.7"));
        assert_eq!(release_of("nothing\n19"), None);
    }

    #[test]
    fn a_folder_without_a_compiler_is_told() {
        let dir = tempfile::tempdir().expect("a folder");
        let why = OpenCl::of_repository(Some(dir.path())).expect_err("nothing there");
        assert!(why.contains("llvm-19/bin/clang") && why.contains("UPSET_OPENCL"), "{why}");
    }
}
