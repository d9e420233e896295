//! Finding the CUDA compiler that our compiled kernels were made with.

use crate::{Outcome, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release whose output is committed. Another release makes other code,
/// so it is refused rather than used.
pub const RELEASE: &str = "11.8";

/// A CUDA compiler and the host compiler it needs.
#[derive(Debug, Clone)]
pub struct Toolkit {
    nvcc: PathBuf,
    host_arguments: Vec<String>,
}

impl Toolkit {
    /// The toolkit at `prefix`, or else at `$UPSET_CUDA`, in `.cuda`, or on
    /// `PATH`. The error says where was looked and how to get one.
    pub fn find(prefix: Option<&Path>) -> Outcome<Self> {
        let candidates = match prefix {
            Some(prefix) => vec![prefix.join("bin/nvcc")],
            None => Self::usual_places(),
        };
        let mut refused = Vec::new();
        for nvcc in &candidates {
            match release_of(nvcc) {
                Some(release) if release == RELEASE => {
                    return Ok(Self { nvcc: nvcc.clone(), host_arguments: host_arguments() });
                }
                Some(release) => refused.push(format!("{} is release {release}", nvcc.display())),
                None => refused.push(format!("{} does not run", nvcc.display())),
            }
        }
        Err(format!(
            "no CUDA {RELEASE} compiler ({}); `cargo xtask cuda` fetches one, \
             or name one with --cuda PREFIX or $UPSET_CUDA",
            refused.join("; ")
        ))
    }

    /// Another program of the same toolkit.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.nvcc.with_file_name(name)
    }

    /// What nvcc must be told about the host compiler.
    pub fn host_arguments(&self) -> &[String] {
        &self.host_arguments
    }

    /// Whether the headers of libcu++ are there, which cooperative groups
    /// need. A compiler on `PATH` is taken for a whole installation.
    pub fn has_libraries(&self) -> bool {
        let prefix = self.nvcc.parent().and_then(Path::parent);
        prefix.is_none_or(|prefix| prefix.join("include/nv/target").exists())
    }

    fn usual_places() -> Vec<PathBuf> {
        let named = std::env::var_os("UPSET_CUDA").map(PathBuf::from);
        named
            .into_iter()
            .chain([root().join(".cuda")])
            .map(|prefix| prefix.join("bin/nvcc"))
            .chain([PathBuf::from("nvcc")])
            .collect()
    }

    /// Compiles `source`, a file name in `folder`, into `output` there.
    pub fn compile(
        &self,
        folder: &Path,
        source: &str,
        target: Target,
        output: &str,
    ) -> Outcome<()> {
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.current_dir(folder);
        nvcc.args(&self.host_arguments);
        // 1215: texture references are deprecated; we use one because the
        // published k-means does.
        nvcc.args(["-diag-suppress", "1215"]);
        match target {
            Target::Cubin(sm) => nvcc.args([format!("-arch=sm_{sm}"), "-cubin".into()]),
            // Callers need as many registers as the compiler takes for granted
            // when it calls a function that it does not see.
            Target::Object(sm) => nvcc.args([
                format!("-arch=sm_{sm}"),
                "-rdc=true".into(),
                "-maxrregcount=24".into(),
                "-cubin".into(),
            ]),
            Target::Ptx(sm) => nvcc.args([format!("-arch=compute_{sm}"), "-ptx".into()]),
        };
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
pub enum Target {
    /// Machine code of sm_N.
    Cubin(u32),
    /// Machine code of sm_N for a device linker.
    Object(u32),
    /// Virtual code of compute_N.
    Ptx(u32),
}

/// "11.8" out of nvcc's own version text.
fn release_of(nvcc: &Path) -> Option<String> {
    let done = Command::new(nvcc).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let (_, after) = text.split_once("release ")?;
    Some(after.split([',', '\n']).next()?.trim().to_string())
}

/// CUDA 11.8 accepts g++ up to 11: where a g++-11 exists it is the safe choice,
/// and a newer one is used against nvcc's advice, since it mostly works.
fn host_arguments() -> Vec<String> {
    let compiler = host_compiler();
    let mut arguments = Vec::new();
    if major_version(&compiler).is_some_and(|major| major > 11) {
        arguments.push("-allow-unsupported-compiler".to_string());
    }
    // nvcc's own choice is g++.
    if compiler != "g++" {
        arguments.extend(["-ccbin".to_string(), compiler]);
    }
    arguments
}

fn host_compiler() -> String {
    let named = std::env::var("UPSET_CCBIN").ok();
    let usual = || if major_version("g++-11").is_some() { "g++-11" } else { "g++" }.to_string();
    named.unwrap_or_else(usual)
}

/// An error where nvcc would find no host compiler.
pub(crate) fn require_host_compiler() -> Outcome<()> {
    let compiler = host_compiler();
    major_version(&compiler).map(|_| ()).ok_or_else(|| {
        format!(
            "{compiler} does not run: nvcc needs a host compiler, best g++-11; \
             $UPSET_CCBIN names another"
        )
    })
}

/// 12 of a g++ 12.2.0; none if it does not run.
fn major_version(compiler: &str) -> Option<u32> {
    let done = Command::new(compiler).arg("-dumpversion").output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    text.split('.').next()?.trim().parse().ok()
}
