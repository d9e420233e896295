//! A converter.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

use crate::PtxError;
use crate::cache::Kept;

/// A program that turns PTX into machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converter {
    path: PathBuf,
    release: String,
}

impl Converter {
    /// The one at a path, which is asked for its release; the answer is kept for as
    /// long as the file stays the same.
    pub fn at(path: &Path, kept: &Kept<'_>) -> Result<Converter, PtxError> {
        let bad = |why: String| PtxError::DoesNotRun { path: path.display().to_string(), why };
        let about = fs::metadata(path).map_err(|e| bad(e.to_string()))?;
        let changed = about.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        let state = format!("{} {changed:?}", about.len());
        let file = kept.file(&[path.as_os_str().as_bytes(), state.as_bytes()], "release");
        if let Ok(release) = fs::read_to_string(&file) {
            return Ok(Converter { path: path.to_path_buf(), release });
        }
        let ran = undisturbed(Command::new(path).arg("--version"))
            .output()
            .map_err(|e| bad(e.to_string()))?;
        let said = String::from_utf8_lossy(&ran.stdout);
        let release = release(&said).ok_or_else(|| bad("it does not say its release".into()))?;
        // If it cannot be kept, it is asked again.
        let write = |to: &Path| fs::write(to, release);
        let _ = kept.make(&file, |_, e| e, write);
        Ok(Converter { path: path.to_path_buf(), release: release.to_string() })
    }

    /// `ptxas 11.8.89`: what its code depends on.
    pub fn name(&self) -> String {
        format!("ptxas {}", self.release)
    }

    /// The command that converts one file into another.
    pub(crate) fn command(&self, sm: u32, from: &Path, to: &Path) -> Command {
        let mut command = Command::new(&self.path);
        undisturbed(&mut command).arg(format!("-arch=sm_{sm}")).arg(from).arg("-o").arg(to);
        command
    }
}

/// Without what is only for the program that has the PTX.
fn undisturbed(command: &mut Command) -> &mut Command {
    command.env_remove("LD_PRELOAD").env_remove("LD_LIBRARY_PATH").stdin(Stdio::null())
}

/// From `Cuda compilation tools, release 11.8, V11.8.89`.
fn release(said: &str) -> Option<&str> {
    let line = said.lines().find(|line| line.contains("release "))?;
    let (_, version) = line.rsplit_once(", V")?;
    Some(version.trim())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_release_is_in_the_second_half_of_its_line() {
        let said = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright\n\
                    Cuda compilation tools, release 11.8, V11.8.89\nBuild x\n";
        assert_eq!(super::release(said), Some("11.8.89"));
        assert_eq!(super::release("another program"), None);
    }
}
