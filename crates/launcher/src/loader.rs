//! What the loader would do: it is asked, without running the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use upset_cudart::driver_symbols::SONAME as DRIVER;

use crate::facade::LIBRARY;
use crate::inspect::{RUNTIME, other_release, stands_in};
use crate::{Inspection, Installed, LaunchError};

/// NVIDIA's libraries that nothing stands in for.
const BEYOND: [&str; 19] = [
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

/// Folders of the system's libraries.
const SYSTEM: [&str; 4] = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"];

/// What a program's libraries mean for the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Libraries {
    /// Facades to load first: the program says by itself where its runtime is.
    pub preload: Vec<PathBuf>,
    /// Libraries that are there but that nothing stands in for.
    pub beyond: Vec<String>,
    /// The program's own: those outside the system's folders.
    pub own: Vec<PathBuf>,
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
        .output();
    // A loader that cannot be asked answers when the program starts.
    let Ok(listed) = listed else { return Ok(Libraries::default()) };
    if let Some(absent) = absent(&String::from_utf8_lossy(&listed.stderr)) {
        return Err(refusal(&program.file, absent));
    }
    let found = judge(&program.file, &String::from_utf8_lossy(&listed.stdout), installed.folder())?;
    // Here the loader takes spaces for separators too.
    if !found.preload.is_empty()
        && installed.folder().as_os_str().as_encoded_bytes().contains(&b' ')
    {
        return Err(LaunchError::input(format!(
            "{} says by itself where its runtime is, and the loader cannot be told to load {} \
             first, because of the space in its name",
            program.file.display(),
            installed.folder().display()
        )));
    }
    Ok(found)
}

/// The first library that is not there, if it is one of NVIDIA's; without the
/// others, the loader's own words will do.
fn absent(said: &str) -> Option<&str> {
    let (_, rest) = said.split_once("error while loading shared libraries: ")?;
    let (name, _) = rest.split_once(": cannot open shared object file")?;
    (name.starts_with(RUNTIME) || is_beyond(name)).then_some(name)
}

/// Whether a facade stands in for a library.
fn is_ours(library: &str) -> bool {
    library.starts_with(RUNTIME) || library == DRIVER
}

fn is_beyond(library: &str) -> bool {
    BEYOND.iter().any(|b| library.starts_with(b))
}

/// Whether a library is neither the runtime's nor the driver's, nor what stands in for
/// them, wherever that is installed, nor the system's.
fn is_own(name: &str, path: &str) -> bool {
    let of_system = SYSTEM.iter().any(|folder| path.starts_with(folder));
    path.starts_with('/') && !is_ours(name) && name != LIBRARY && !of_system
}

/// Reads the list: a line `name => path (address)` for each library.
fn judge(program: &Path, list: &str, ours: &Path) -> Result<Libraries, LaunchError> {
    let mut found = Libraries::default();
    for (name, path) in list.lines().filter_map(|line| line.trim().split_once(" => ")) {
        let path = path.rsplit_once(" (").map_or(path, |(path, _)| path);
        if name.starts_with(RUNTIME) && !stands_in(name) {
            return Err(refusal(program, name));
        } else if is_ours(name) && Path::new(path).parent() != Some(ours) {
            found.preload.push(ours.join(name));
        } else if is_beyond(name) {
            found.beyond.push(name.to_string());
        } else if is_own(name, path) {
            found.own.push(PathBuf::from(path));
        }
    }
    Ok(found)
}

fn refusal(program: &Path, library: &str) -> LaunchError {
    let program = program.display();
    match library.starts_with(RUNTIME) {
        true => other_release(&program.to_string(), library),
        false => LaunchError::lacking(format!(
            "{program} needs {library}, which is not installed here and which nothing stands in \
             for: only the CUDA runtime (libcudart) and the driver (libcuda) have a stand-in"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    fn judged(list: &str) -> Result<Libraries, LaunchError> {
        judge(Path::new("app"), list, Path::new("/ours"))
    }

    #[test]
    fn a_runtime_found_elsewhere_is_loaded_first() {
        let driver = "\tlibcuda.so.1 => /usr/lib/libcuda.so.1 (0x2)\n";
        let found = judged(driver).expect("it can run");
        assert_eq!(found.preload, [PathBuf::from("/ours/libcuda.so.1")]);
        let list = "\tlinux-vdso.so.1 (0x1)\n\tlibcudart.so.12 => /opt/x/libcudart.so.12 (0x2)\n\
                    \tlibcudart.so.11.0 => /ours/libcudart.so.11.0 (0x3)\n";
        let found = judged(list).expect("it can run");
        assert!(found.own.is_empty());
        assert_eq!(found.preload, [PathBuf::from("/ours/libcudart.so.12")]);
    }

    #[test]
    fn libraries_beyond_the_runtime_are_named() {
        let found = judged("\tlibcublas.so.11 => /opt/libcublas.so.11 (0x2)\n");
        assert_eq!(found.expect("it can start").beyond, ["libcublas.so.11"]);
        let own = judged(
            "\tlibown.so => ./libown.so (0x2)\n\tlibown.so => /a/libown.so (0x2)\n\tlibc.so.6 => /lib/x86_64/libc.so.6 (0x3)\n",
        );
        assert_eq!(own.expect("it can run").own, [PathBuf::from("/a/libown.so")]);
        let ours = judged("\tlibupset_cudart.so => /home/x/lib/upset/libupset_cudart.so (0x2)\n");
        assert!(ours.expect("it can run").own.is_empty(), "it is not the program's");
        let e = judged("\tlibcudart.so.10.2 => /opt/libcudart.so.10.2 (0x2)\n");
        assert_eq!(e.expect_err("another release").class, Class::Lacking);
    }

    #[test]
    fn of_what_is_absent_only_the_vendors_concern_us() {
        let said = |name: &str| {
            format!(
                "app: error while loading shared libraries: {name}: cannot open shared object \
                 file: No such file or directory\n"
            )
        };
        assert_eq!(absent(&said("libcublas.so.12")), Some("libcublas.so.12"));
        assert_eq!(absent(&said("libpng.so.16")), None);
        assert_eq!(absent(""), None);
    }
}
