//! Small C programs for the tests: compiled when needed, linked against the
//! facades as a CUDA program is against the vendor's library.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{stdout, upset};

/// Declarations that the programs share.
const PRELUDE: &str = "
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemset(void *to, int value, size_t n);
const char *cudaGetErrorString(int e);
/* There, but never to be supported: it shares memory with OpenGL. */
int cudaGraphicsMapResources(int n, void *resources, void *stream);
";

/// A folder with programs.
pub struct Programs {
    pub dir: tempfile::TempDir,
}

impl Programs {
    /// A new folder; none, with a note, where there is no C compiler.
    pub fn new() -> Option<Programs> {
        if Command::new("cc").arg("--version").output().is_err() {
            eprintln!("skipped: there is no C compiler (cc)");
            return None;
        }
        Some(Programs { dir: tempfile::tempdir().expect("a folder") })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A CUDA program of this `main`.
    pub fn cuda(&self, name: &str, main: &str) -> String {
        let source = format!("{PRELUDE}\nint main(int argc, char **argv) {{\n{main}\n}}\n");
        let library = ["-L", &facades(), "-l:libcudart.so.11.0"];
        self.compile(name, &source, &library)
    }

    /// Any C file.
    pub fn compile(&self, name: &str, source: &str, args: &[&str]) -> String {
        self.compile_with("cc", &format!("{name}.c"), source, args)
    }

    /// Any C++ file; none, with a note, where there is no C++ compiler.
    pub fn cpp(&self, name: &str, source: &str, args: &[&str]) -> Option<String> {
        if Command::new("c++").arg("--version").output().is_err() {
            eprintln!("skipped: there is no C++ compiler (c++)");
            return None;
        }
        Some(self.compile_with("c++", &format!("{name}.cpp"), source, args))
    }

    fn compile_with(&self, compiler: &str, file: &str, source: &str, args: &[&str]) -> String {
        let source_file = self.path(file);
        let out = source_file.with_extension("");
        std::fs::write(&source_file, source).expect("written");
        let done = Command::new(compiler).arg(&source_file).arg("-o").arg(&out).args(args).output();
        let done = done.expect("the compiler starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        out.to_string_lossy().into_owned()
    }
}

/// Folder of the facades, as `upset env` says.
pub fn facades() -> String {
    let text = stdout(&upset(&["env", "--chip", "rtx2060"]));
    let line = text.lines().find_map(|l| l.strip_prefix("export LD_LIBRARY_PATH="));
    // Quoted where it has a blank.
    let folder = line.and_then(|l| l.split("${").next()).expect("a folder").replace('\'', "");
    assert!(Path::new(&folder).is_dir(), "{folder}");
    folder
}
