//! What the loader would do: it is asked, without running the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::inspect::{RUNTIME, other_release, stands_in};
use super::{Inspection, Installed, LaunchError};

/// NVIDIA's libraries that reach the GPU by ways other than the runtime.
const BEYOND: [&str; 20] = [
    "libcuda.so",
    "libcublas",
    "libcudnn",
    "libcufft",
    "libcupti",
    "libcurand",
    "libcusolver",
    "libcusparse",
    "libcutensor",
    "libnccl",
    "libnpp",
    "libnvidia-",
    "libnvJitLink",
    "libnvblas",
    "libnvgraph",
    "libnvjpeg",
    "libnvrtc",
    "libnvvm",
    "libOpenCL",
    "libcufile",
];

/// What a program's libraries mean for the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Libraries {
    /// Facades to load first: the program says by itself where its runtime is.
    pub preload: Vec<PathBuf>,
    /// Libraries that are there but that nothing stands in for.
    pub beyond: Vec<String>,
}

/// Asks the program's loader which libraries it would take. Programs that are
/// not dynamic need none.
pub fn libraries(program: &Inspection, installed: &Installed) -> Result<Libraries, LaunchError> {
    let Some(loader) = &program.loader else { return Ok(Libraries::default()) };
    let listed = Command::new(loader)
        .arg("--list")
        .arg(&program.file)
        .env("LD_LIBRARY_PATH", installed.search_path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    // A loader that cannot be asked answers when the program starts.
    let Ok(listed) = listed else { return Ok(Libraries::default()) };
    let text = String::from_utf8_lossy(&listed.stdout);
    judge(&program.file, &text, installed.folder())
}

/// Reads the list: `name => path (address)` or `name => not found`.
fn judge(program: &Path, list: &str, ours: &Path) -> Result<Libraries, LaunchError> {
    let mut found = Libraries::default();
    let mut absent = Vec::new();
    for (name, path) in list.lines().filter_map(|line| line.trim().split_once(" => ")) {
        let beyond = BEYOND.iter().any(|b| name.starts_with(b));
        let path = path.rsplit_once(" (").map_or(path, |(path, _)| path);
        let here = path != "not found";
        if name.starts_with(RUNTIME) {
            if !stands_in(name) {
                return Err(other_release(&program.display().to_string(), name));
            }
            if here && Path::new(path).parent() != Some(ours) {
                found.preload.push(ours.join(name));
            }
        } else if beyond && here {
            found.beyond.push(name.to_string());
        } else if beyond {
            absent.push(name);
        }
    }
    if absent.is_empty() {
        return Ok(found);
    }
    Err(LaunchError::lacking(format!(
        "{} needs {}, which is not installed here and which nothing stands in for: only the CUDA \
         runtime (libcudart) is",
        program.display(),
        absent.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::Class;

    fn judged(list: &str) -> Result<Libraries, LaunchError> {
        judge(Path::new("app"), list, Path::new("/ours"))
    }

    #[test]
    fn a_runtime_found_elsewhere_is_loaded_first() {
        let list = "\tlinux-vdso.so.1 (0x1)\n\tlibcudart.so.12 => /opt/x/libcudart.so.12 (0x2)\n\
                    \tlibcudart.so.11.0 => /ours/libcudart.so.11.0 (0x3)\n";
        let found = judged(list).expect("it can run");
        assert_eq!(found.preload, [PathBuf::from("/ours/libcudart.so.12")]);
    }

    #[test]
    fn libraries_beyond_the_runtime_are_named() {
        let found = judged("\tlibcublas.so.11 => /opt/libcublas.so.11 (0x2)\n");
        assert_eq!(found.expect("it can start").beyond, ["libcublas.so.11"]);
        let e = judged("\tlibcuda.so.1 => not found\n\tlibm.so.6 => not found\n");
        let e = e.expect_err("the loader would give up");
        assert_eq!(e.class, Class::Lacking);
        assert!(e.message.contains("libcuda.so.1") && !e.message.contains("libm"), "{e}");
        assert!(judged("\tlibcudart.so.10.2 => not found\n").is_err());
    }
}
