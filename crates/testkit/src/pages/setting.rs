//! What pages are checked with.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The release of CUDA that pages were made with.
const RELEASE: &str = "11.8";

/// The program, and what belongs to it.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The program.
    pub upset: PathBuf,
    /// The repository's root.
    pub root: PathBuf,
    /// Folder of a CUDA compiler, where there is one.
    pub cuda: Option<PathBuf>,
}

impl Setting {
    /// The compiler that belongs to the repository: the one that `$UPSET_CUDA`
    /// names, or else the one in `.cuda`. Never one of the user's own, whose
    /// code may differ.
    pub fn of_repository(upset: &Path, root: &Path) -> Setting {
        let named = std::env::var_os("UPSET_CUDA").filter(|v| !v.is_empty()).map(PathBuf::from);
        let prefix = named.unwrap_or_else(|| root.join(".cuda"));
        let told = |program: &Path, flag: &str| {
            let done = Command::new(program).arg(flag).output().ok().filter(|d| d.status.success());
            done.map_or(String::new(), |done| String::from_utf8_lossy(&done.stdout).into_owned())
        };
        // Another release makes other code, which takes other cycles.
        let release = format!("release {RELEASE},");
        let fits = told(&prefix.join("bin/nvcc"), "--version").contains(&release);
        // Written last by the one that fetches it.
        let complete = prefix.join("bin/nvcc.profile").exists();
        let host = !told(Path::new("g++"), "-dumpversion").is_empty();
        let cuda = (fits && complete && host).then(|| prefix.canonicalize().ok()).flatten();
        Setting { upset: upset.to_path_buf(), root: root.to_path_buf(), cuda }
    }

    pub(super) fn read(&self, page: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(page)).map_err(|e| format!("{page}: {e}"))
    }
}
