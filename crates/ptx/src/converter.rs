//! A converter.

use std::env;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use crate::cache::Kept;
use crate::piece::Kind;
use crate::variables::HELPER;
use crate::{PtxError, Request};

/// How the files of nvJitLink are called.
pub(crate) const LIBRARY: &str = "libnvJitLink.so";
/// How the driver's own compiler is called.
pub(crate) const DRIVERS: &str = "libnvidia-ptxjitcompiler.so";
/// What links machine code, beside `ptxas` in a toolkit.
const LINKER: &str = "nvlink";
/// The command of `upset` that opens such a file, hidden from people.
const COMMAND: &str = "jitlink";

/// Something that turns PTX into machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converter {
    path: PathBuf,
    sort: Sort,
    release: String,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A program that is started.
    Ptxas,
    /// A library, which a process of `upset` opens: none of it comes into this one.
    JitLink,
    /// The driver's library, likewise; it converts one text and links nothing.
    Driver,
}

impl Sort {
    fn of(path: &Path) -> Sort {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = [(LIBRARY, Sort::JitLink), (DRIVERS, Sort::Driver)];
        let sort = known.iter().find(|(begin, _)| name.starts_with(begin));
        sort.map_or(Sort::Ptxas, |(_, sort)| *sort)
    }
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
        let (path, sort) = (path.to_path_buf(), Sort::of(path));
        if let Ok(release) = fs::read_to_string(&file) {
            return Ok(Converter { path, sort, release });
        }
        let said = match sort {
            Sort::Ptxas => {
                let ran = undisturbed(Command::new(&path).arg("--version")).output();
                String::from_utf8_lossy(&ran.map_err(|e| bad(e.to_string()))?.stdout).into_owned()
            }
            Sort::JitLink | Sort::Driver => {
                within(&fs::read(&path).map_err(|e| bad(e.to_string()))?)
            }
        };
        let release = release(&said).ok_or_else(|| bad("it does not say its release".into()))?;
        // If it cannot be kept, it is asked again.
        let write = |to: &Path| fs::write(to, release);
        let _ = kept.make(&file, |_, e| e, write);
        Ok(Converter { path, sort, release: release.to_string() })
    }

    /// `ptxas 11.8.89`: what its code depends on.
    pub fn name(&self) -> String {
        let sort = match self.sort {
            Sort::Ptxas => "ptxas",
            Sort::JitLink => "nvJitLink",
            Sort::Driver => "nvPTXCompiler",
        };
        format!("{sort} {}", self.release)
    }

    /// The commands, one after the other, that make one file of others.
    pub(crate) fn commands(
        &self,
        wanted: &Request<'_>,
        from: &[PathBuf],
        to: &Path,
    ) -> Result<Vec<Command>, PtxError> {
        match (self.sort, from) {
            (Sort::Driver, [] | [_, _, ..]) => Err(PtxError::NoLinker { sm: wanted.sm }),
            (Sort::Driver, [one]) if !is_ptx(one) => Err(PtxError::NoLinker { sm: wanted.sm }),
            (Sort::JitLink | Sort::Driver, _) => {
                let helper = helper().ok_or_else(|| PtxError::DoesNotRun {
                    path: self.path.display().to_string(),
                    why: format!("{HELPER} does not name the program `upset`, which opens it"),
                })?;
                let mut command = Command::new(helper);
                command.arg(COMMAND).arg(&self.path);
                Ok(vec![with_files(command, wanted, from, to, wanted.options)])
            }
            (Sort::Ptxas, [one]) if is_ptx(one) => Ok(vec![self.assembled(wanted, one, to, &[])]),
            (Sort::Ptxas, _) => {
                let nvlink = self.path.with_file_name(LINKER);
                if !nvlink.is_file() {
                    return Err(PtxError::NoLinker { sm: wanted.sm });
                }
                // Each text becomes code of its own beside it.
                let code = |file: &PathBuf| match is_ptx(file) {
                    true => file.with_extension("ptx.cubin"),
                    false => file.clone(),
                };
                let texts = from.iter().filter(|file| is_ptx(file));
                let part = ["-c".to_string()];
                let mut all: Vec<Command> =
                    texts.map(|file| self.assembled(wanted, file, &code(file), &part)).collect();
                let codes: Vec<PathBuf> = from.iter().map(code).collect();
                all.push(with_files(Command::new(nvlink), wanted, &codes, to, &[]));
                Ok(all)
            }
        }
    }

    /// `ptxas` for one text.
    fn assembled(&self, wanted: &Request<'_>, from: &Path, to: &Path, more: &[String]) -> Command {
        let options = [more, wanted.options].concat();
        with_files(Command::new(&self.path), wanted, &[from.to_path_buf()], to, &options)
    }
}

fn is_ptx(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == Kind::Ptx.end())
}

fn with_files(
    mut command: Command,
    wanted: &Request<'_>,
    from: &[PathBuf],
    to: &Path,
    options: &[String],
) -> Command {
    undisturbed(&mut command).arg(format!("-arch=sm_{}", wanted.sm));
    command.args(from).arg("-o").arg(to).args(options);
    command
}

/// Whether this process is the program `upset`.
static OPENS: AtomicBool = AtomicBool::new(false);

/// Says that this process is the program `upset`, which opens converters, whatever
/// its file is called.
pub fn opens_converters() {
    OPENS.store(true, Ordering::Relaxed);
}

/// The program that opens converters which are libraries: the one that is named, or
/// this very process.
pub fn helper() -> Option<PathBuf> {
    let named = env::var_os(HELPER).filter(|v| !v.is_empty()).map(PathBuf::from);
    let own = || env::current_exe().ok().filter(|_| OPENS.load(Ordering::Relaxed));
    named.or_else(own)
}

/// Without what is only for the program that has the PTX.
fn undisturbed(command: &mut Command) -> &mut Command {
    command.env_remove("LD_PRELOAD").env_remove("LD_LIBRARY_PATH").stdin(Stdio::null())
}

/// The line of a library that says its release.
fn within(bytes: &[u8]) -> String {
    const BEGIN: &[u8] = b"Cuda compilation tools, release ";
    let at = bytes.windows(BEGIN.len()).position(|w| w == BEGIN);
    let rest = at.map_or(&[][..], |at| &bytes[at..]);
    let line = rest.split(|c| *c == b'\n' || *c == 0).next().unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
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
        let library = b"\x7fELF\0Cuda compilation tools, release 12.9, V12.9.86\nBuild\0";
        assert_eq!(super::release(&super::within(library)), Some("12.9.86"));
        assert_eq!(super::release(&super::within(b"another library")), None);
    }
}
