//! Finding a CUDA compiler, and calling it.

use crate::{Form, Outcome, host};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The release that is fetched, and whose output is committed. Another release
/// makes other code.
pub const RELEASE: &str = "11.8";

/// Names a folder with a compiler.
const VARIABLE: &str = "UPSET_CUDA";

/// A CUDA compiler and what it must be told about the host compiler.
#[derive(Debug, Clone)]
pub struct Toolkit {
    nvcc: PathBuf,
    release: String,
    host_arguments: Vec<String>,
}

/// The folder that `$UPSET_CUDA` names. Who names one wants no other.
pub fn named() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// The user's own folder for a fetched compiler.
pub fn folder() -> Option<PathBuf> {
    folder_below(env::var_os("XDG_DATA_HOME"), env::home_dir())
}

fn folder_below(data: Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let data = data.map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(home.filter(|h| h.is_absolute())?.join(".local/share")))?;
    Some(data.join("upset/cuda"))
}

/// Folders in which a compiler may be: the one that `$UPSET_CUDA` names, or else the
/// fetched one and `.cuda` here or in a folder above.
pub fn prefixes() -> Vec<PathBuf> {
    if let Some(prefix) = named() {
        return vec![prefix];
    }
    let here = env::current_dir().unwrap_or_default();
    let project = here.ancestors().map(|folder| folder.join(".cuda"));
    folder().into_iter().chain(project).collect()
}

impl Toolkit {
    /// The compiler for whoever compiles a program: the one that `$UPSET_CUDA`
    /// names, or else the first of the fetched one, `.cuda` here or in a
    /// folder above, and what is on `PATH`.
    pub fn any() -> Outcome<Toolkit> {
        if let Some(prefix) = named() {
            return Toolkit::at(&prefix).map_err(|why| format!("${VARIABLE}: {why}"));
        }
        let mut candidates: Vec<PathBuf> = prefixes().iter().map(|p| p.join("bin/nvcc")).collect();
        candidates.extend(on_search_path());
        first_of(&candidates).ok_or_else(|| {
            format!(
                "there is no CUDA compiler (nvcc): `upset toolkit fetch` gets one without \
                 installing anything, or name the folder of yours with ${VARIABLE}"
            )
        })
    }

    /// The compiler in a folder.
    pub fn at(prefix: &Path) -> Outcome<Toolkit> {
        let nvcc = prefix.join("bin/nvcc");
        Toolkit::of(&nvcc).ok_or_else(|| {
            let why = if nvcc.exists() { "does not run" } else { "does not exist" };
            format!("{} {why}", nvcc.display())
        })
    }

    /// The compiler that the committed code was made with, in `prefix`, or else
    /// at `$UPSET_CUDA`, in `.cuda` of the repository, or on `PATH`; never the
    /// user's own, so that the repository builds alike everywhere. The error
    /// says where was looked and how to get one.
    pub fn of_repository(prefix: Option<&Path>, root: &Path) -> Outcome<Toolkit> {
        let candidates = match prefix.map(Path::to_path_buf).or_else(named) {
            Some(prefix) => vec![prefix.join("bin/nvcc")],
            None => [root.join(".cuda/bin/nvcc")].into_iter().chain(on_search_path()).collect(),
        };
        let mut refused = Vec::new();
        for nvcc in &candidates {
            match Toolkit::of(nvcc) {
                Some(toolkit) if toolkit.release == RELEASE => return Ok(toolkit),
                Some(other) => {
                    refused.push(format!("{} is release {}", nvcc.display(), other.release));
                }
                None => refused.push(format!("{} does not run", nvcc.display())),
            }
        }
        Err(format!(
            "no CUDA {RELEASE} compiler ({}); `cargo xtask cuda` fetches one, \
             or name one with --cuda PREFIX or ${VARIABLE}",
            refused.join("; ")
        ))
    }

    fn of(nvcc: &Path) -> Option<Toolkit> {
        let release = release_of(nvcc)?;
        let host_arguments = host::arguments(&release);
        Some(Toolkit { nvcc: nvcc.to_path_buf(), release, host_arguments })
    }

    /// The compiler itself.
    pub fn nvcc(&self) -> &Path {
        &self.nvcc
    }

    /// Its release, as in 11.8.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// Another program of the same toolkit.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.nvcc.with_file_name(name)
    }

    /// What nvcc must be told about the host compiler.
    pub fn host_arguments(&self) -> &[String] {
        &self.host_arguments
    }

    /// What nvcc must be told to make a program for chips of these compute
    /// capabilities whose CUDA calls can be taken over.
    pub fn program_arguments(&self, archs: &[u32]) -> Vec<String> {
        self.form_arguments(Form::Shared, archs)
    }

    /// The same in another form.
    pub fn form_arguments(&self, form: Form, archs: &[u32]) -> Vec<String> {
        let mut all = form.arguments(archs);
        all.extend_from_slice(&self.host_arguments);
        // nvcc 11.8 warns that code before sm_50 will go in a later release.
        if archs.iter().any(|sm| *sm < 50) {
            all.push("-Wno-deprecated-gpu-targets".into());
        }
        all
    }

    /// The release of the runtime whose headers it has, as in 12: that of the
    /// compiler, unless somebody put others there.
    pub fn headers(&self) -> Option<u32> {
        let prefix = self.nvcc.parent().and_then(Path::parent)?;
        let text = fs::read_to_string(prefix.join("include/cuda_runtime_api.h")).ok()?;
        let (_, after) = text.split_once("#define CUDART_VERSION")?;
        let version: u32 = after.split_whitespace().next()?.parse().ok()?;
        Some(version / 1000)
    }

    /// Whether the headers of libcu++ are there, which cooperative groups need.
    pub fn has_libraries(&self) -> bool {
        // What is on `PATH` may be a link into an installation.
        let nvcc = fs::canonicalize(&self.nvcc).unwrap_or_else(|_| self.nvcc.clone());
        let prefix = nvcc.parent().and_then(Path::parent);
        prefix.is_none_or(|prefix| {
            prefix.join("include/nv/target").exists() || !prefix.join("include/crt").exists()
        })
    }

    /// Compiles `source`, a file name in `folder`, into `output` there.
    pub fn compile(
        &self,
        folder: &Path,
        source: &str,
        target: CompileTarget,
        output: &str,
    ) -> Outcome<()> {
        self.compile_with(folder, source, target, output, &[])
    }

    /// The same with macros defined.
    pub fn compile_with(
        &self,
        folder: &Path,
        source: &str,
        target: CompileTarget,
        output: &str,
        macros: &[&str],
    ) -> Outcome<()> {
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.current_dir(folder);
        nvcc.args(&self.host_arguments);
        // 1215: texture references are deprecated; we use one because the
        // published k-means does.
        nvcc.args(["-diag-suppress", "1215"]);
        nvcc.args(macros.iter().map(|m| format!("-D{m}")));
        nvcc.args(target.arguments());
        nvcc.args(["-o", output, source]);
        let done = nvcc.output().map_err(|e| format!("cannot run {}: {e}", self.nvcc.display()))?;
        if done.status.success() {
            return Ok(());
        }
        Err(format!(
            "{source} does not compile for {target:?}:\n{}",
            String::from_utf8_lossy(&done.stderr)
        ))
    }
}

/// What to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompileTarget {
    /// Machine code of sm_N.
    Cubin(u32),
    /// Machine code of sm_N for a device linker.
    Object(u32),
    /// Virtual code of compute_N.
    Ptx(u32),
}

impl CompileTarget {
    fn arguments(self) -> Vec<String> {
        match self {
            CompileTarget::Cubin(sm) => vec![format!("-arch=sm_{sm}"), "-cubin".into()],
            // Callers need as many registers as the compiler takes for granted
            // when it calls a function that it does not see.
            CompileTarget::Object(sm) => vec![
                format!("-arch=sm_{sm}"),
                "-rdc=true".into(),
                "-maxrregcount=24".into(),
                "-cubin".into(),
            ],
            CompileTarget::Ptx(sm) => vec![format!("-arch=compute_{sm}"), "-ptx".into()],
        }
    }
}

/// The first that is there and runs.
fn first_of(candidates: &[PathBuf]) -> Option<Toolkit> {
    candidates.iter().filter(|nvcc| nvcc.is_file()).find_map(|nvcc| Toolkit::of(nvcc))
}

fn on_search_path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join("nvcc")).filter(|f| f.is_file()).collect()
}

/// "11.8" out of nvcc's own version text.
fn release_of(nvcc: &Path) -> Option<String> {
    let done = Command::new(nvcc).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let (_, after) = text.split_once("release ")?;
    Some(after.split([',', '\n']).next()?.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Something that answers as nvcc does.
    fn compiler(prefix: &Path, release: &str) {
        let nvcc = prefix.join("bin/nvcc");
        fs::create_dir_all(prefix.join("bin")).expect("a folder");
        let text = format!("#!/bin/sh\necho 'tools, release {release}, V{release}.89'\n");
        // Renamed into place: a file that was just open for writing by any
        // process cannot be started.
        let new = prefix.join("bin/new");
        fs::write(&new, text).expect("written");
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).expect("permissions");
        fs::rename(&new, &nvcc).expect("renamed");
    }

    #[test]
    fn a_folder_without_a_compiler_is_told() {
        let dir = tempfile::tempdir().expect("a folder");
        let why = Toolkit::at(dir.path()).expect_err("nothing there");
        assert!(why.contains("bin/nvcc") && why.contains("does not exist"), "{why}");
    }

    #[test]
    fn the_repository_takes_its_own_release_only() {
        let dir = tempfile::tempdir().expect("a folder");
        compiler(dir.path(), "12.4");
        let toolkit = Toolkit::at(dir.path()).expect("it answers");
        assert_eq!(toolkit.release(), "12.4");
        let why = Toolkit::of_repository(Some(dir.path()), dir.path()).expect_err("another");
        assert!(why.contains("release 12.4") && why.contains("cargo xtask cuda"), "{why}");
        compiler(dir.path(), RELEASE);
        let found = Toolkit::of_repository(Some(dir.path()), dir.path()).expect("it fits");
        assert_eq!(found.nvcc(), dir.path().join("bin/nvcc"));
    }

    #[test]
    fn of_several_the_first_that_runs_is_taken() {
        let dir = tempfile::tempdir().expect("a folder");
        let [a, b, c] = ["a", "b", "c"].map(|n| dir.path().join(n));
        compiler(&b, "11.8");
        compiler(&c, "12.4");
        let candidates = [a, b.clone(), c].map(|p| p.join("bin/nvcc"));
        let found = first_of(&candidates).expect("two are there");
        assert_eq!(found.nvcc(), b.join("bin/nvcc"));
    }

    #[test]
    fn a_program_gets_the_shared_runtime_and_code_for_every_chip() {
        let dir = tempfile::tempdir().expect("a folder");
        compiler(dir.path(), RELEASE);
        let told = Toolkit::at(dir.path()).expect("it answers").program_arguments(&[70, 75]);
        let text = told.join(" ");
        assert!(text.starts_with("-cudart shared -cudadevrt none"), "{text}");
        assert!(text.contains("arch=compute_70,code=sm_70"), "{text}");
        assert!(text.contains("arch=compute_75,code=sm_75"), "{text}");
        assert!(!text.contains("deprecated"), "{text}");
        let told = Toolkit::at(dir.path()).expect("it answers").program_arguments(&[35]);
        assert!(told.iter().any(|word| word == "-Wno-deprecated-gpu-targets"), "{told:?}");
    }

    #[test]
    fn the_headers_tell_their_release() {
        let dir = tempfile::tempdir().expect("a folder");
        compiler(dir.path(), RELEASE);
        let toolkit = Toolkit::at(dir.path()).expect("it answers");
        assert_eq!(toolkit.headers(), None);
        let text = "#pragma once\n#define CUDART_VERSION 12090\n";
        fs::create_dir_all(dir.path().join("include")).expect("a folder");
        fs::write(dir.path().join("include/cuda_runtime_api.h"), text).expect("written");
        assert_eq!(toolkit.headers(), Some(12));
    }

    #[test]
    fn the_users_folder_follows_the_data_folder() {
        let home = || Some(PathBuf::from("/home/u"));
        let folder = |data: Option<&str>, home| folder_below(data.map(OsString::from), home);
        assert_eq!(folder(None, home()), Some("/home/u/.local/share/upset/cuda".into()));
        assert_eq!(folder(Some("/data"), home()), Some("/data/upset/cuda".into()));
        assert_eq!(folder(Some("relative"), home()), folder(None, home()));
        assert_eq!(folder(None, None), None);
    }
}
