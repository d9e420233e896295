//! The assembler, where there is one.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most processor time for a module.
const SECONDS: u32 = 60;

/// NVIDIA's assembler of CUDA 11.8: the last release line that knows sm_35.
#[derive(Clone, Debug)]
pub struct Assembler {
    program: PathBuf,
}

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// It could not be run.
    #[error("cannot run {0}: {1}")]
    NoProgram(PathBuf, std::io::Error),
    /// It came to no end: some random programs make it loop.
    #[error("the assembler used more than {SECONDS} s")]
    TooLong,
    /// It refused.
    #[error("{0}")]
    Refused(String),
    /// Files could not be written or read.
    #[error("{0}")]
    Files(#[from] std::io::Error),
}

impl Assembler {
    /// The program.
    pub fn new(program: PathBuf) -> Assembler {
        Assembler { program }
    }

    /// That of `CUDA_PATH`, or of the folder in the repository where
    /// `cargo xtask cuda` puts it, if it is there.
    pub fn find() -> Option<Assembler> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cuda");
        let folder = std::env::var_os("CUDA_PATH").map_or(here, PathBuf::from);
        let found = Assembler::new(folder.join("bin/ptxas"));
        found.program.exists().then_some(found)
    }

    /// Machine code of a module for an architecture.
    pub fn assemble(&self, ptx: &str, sm: u32) -> Result<Vec<u8>, CompileError> {
        let folder = tempfile::tempdir()?;
        let (source, output) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
        std::fs::write(&source, ptx)?;
        let arch = format!("-arch=sm_{sm}");
        // A limit of processor time, whatever else the machine does.
        let limited = format!("ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
        let done = Command::new("sh")
            .args(["-c", &limited])
            .arg(&self.program)
            .args(["-w", &arch, "-o"])
            .arg(&output)
            .arg(&source)
            .output()
            .map_err(|e| CompileError::NoProgram(self.program.clone(), e))?;
        if done.status.signal().is_some() {
            return Err(CompileError::TooLong);
        }
        if !done.status.success() {
            return Err(CompileError::Refused(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        Ok(std::fs::read(output)?)
    }
}
