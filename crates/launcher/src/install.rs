//! Putting the facades where the loader finds them.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use upset_cudart::driver_symbols::SONAME as DRIVER;
use upset_cudart::release::Release;

use crate::LaunchError;
use crate::facade::{HOST, LIBRARY, driver_facade, facade, host, random_bytes};
use crate::library::{VARIABLE, library};
use crate::paths::{caches, joined};

/// Folder of the facades, beside the library.
const FOLDER: &str = "upset-cudart";
/// What programs that load the runtime themselves ask for.
const UNVERSIONED: &str = "libcudart.so";
/// The same for the driver.
const DRIVER_UNVERSIONED: &str = "libcuda.so";
/// Bytes that stand for those of the system's random devices.
const RANDOM: &str = "random-bytes";
/// How files begin that are not finished.
const UNFINISHED: &str = ".new-";

/// Facades in place.
#[derive(Clone, Debug)]
pub struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// The folder that the loader must search first.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// For tests of programs that use no facade.
    #[cfg(test)]
    pub(crate) fn nothing() -> Installed {
        Installed { folder: PathBuf::from("/nonexistent") }
    }

    /// What the loader must load before all others for clocks and random bytes
    /// to be held. It takes blanks for separators there: then the name alone has
    /// to do, which it looks for in [`Installed::search_path`].
    pub fn host(&self) -> PathBuf {
        match self.folder.as_os_str().as_bytes().contains(&b' ') {
            true => PathBuf::from(HOST),
            false => self.folder.join(HOST),
        }
    }

    /// The file that stands for the system's random devices.
    pub fn random(&self) -> PathBuf {
        self.folder.join(RANDOM)
    }

    /// `LD_LIBRARY_PATH` with that folder in front.
    pub fn search_path(&self) -> OsString {
        joined(std::slice::from_ref(&self.folder), "LD_LIBRARY_PATH")
    }
}

/// Writes the facades, where they are missing or different, beside the
/// library, or into the user's cache when that folder is not ours to write.
pub fn install() -> Result<Installed, LaunchError> {
    if !cfg!(target_arch = "x86_64") {
        return Err(LaunchError::lacking(format!(
            "CUDA programs run on x86-64 only, not on {}",
            env::consts::ARCH
        )));
    }
    let library = library()?;
    let here = library.parent().unwrap_or(Path::new("/")).join(FOLDER);
    let beside = match is_searchable(&here) {
        true => fill(&here, &Path::new("..").join(library.file_name().unwrap_or_default())),
        false => Err((here.clone(), io::ErrorKind::PermissionDenied.into())),
    };
    match beside {
        Ok(()) => return Ok(Installed { folder: here }),
        Err((_, e)) if is_closed(&e) => {}
        Err((path, e)) => return Err(LaunchError::write(&path, &e)),
    }
    let there = cache(&library)?;
    if !is_searchable(&there) {
        return Err(LaunchError::input(format!(
            "the loader cannot search {}: it takes colons and semicolons for separators. Put \
             {LIBRARY} elsewhere and say where with {VARIABLE}",
            there.display()
        )));
    }
    fill(&there, &library).map_err(|(path, e)| LaunchError::write(&path, &e))?;
    Ok(Installed { folder: there })
}

/// Whether the loader can be told of this folder.
fn is_searchable(folder: &Path) -> bool {
    !folder.as_os_str().as_bytes().iter().any(|b| b":;".contains(b))
}

fn is_closed(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A folder of the user's for the facades of this library.
fn cache(library: &Path) -> Result<PathBuf, LaunchError> {
    // One folder for each library, named after its path.
    let name: Vec<u8> = library
        .as_os_str()
        .as_bytes()
        .iter()
        .map(|b| if b.is_ascii_alphanumeric() || b"._-".contains(b) { *b } else { b'-' })
        .collect();
    let name = OsString::from_vec(name);
    Ok(caches()?.join(Path::new(&name)))
}

type Filled = Result<(), (PathBuf, io::Error)>;

/// Brings a folder up to date.
fn fill(folder: &Path, library: &Path) -> Filled {
    let links = [
        (LIBRARY, library),
        (UNVERSIONED, Path::new(Release::V11.soname())),
        (DRIVER_UNVERSIONED, Path::new(DRIVER)),
    ];
    let mut files: Vec<(&str, Vec<u8>)> =
        Release::ALL.iter().map(|r| (r.soname(), facade(*r))).collect();
    files.extend([(DRIVER, driver_facade()), (HOST, host()), (RANDOM, random_bytes())]);
    let is_link = |name: &str, to: &Path| fs::read_link(folder.join(name)).is_ok_and(|l| l == to);
    let is_file = |name: &str, bytes: &[u8]| fs::read(folder.join(name)).is_ok_and(|b| b == bytes);
    let complete = links.iter().all(|(n, to)| is_link(n, to))
        && files.iter().all(|(n, bytes)| is_file(n, bytes))
        && unfinished(folder).is_empty();
    if complete {
        return Ok(());
    }
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |e| (path, e)
    };
    fs::create_dir_all(folder).map_err(at(folder))?;
    // Whoever holds the folder is the only writer: what is unfinished then is
    // left over from one that was killed. Where locks are not to be had, the
    // last of two writers wins, with the same bytes.
    let lock = File::open(folder).map_err(at(folder))?;
    let _ = lock.lock();
    for left in unfinished(folder) {
        let _ = fs::remove_file(left);
    }
    for (name, to) in links {
        if !is_link(name, to) {
            let path = folder.join(name);
            replace(folder, name, |new| symlink(to, new)).map_err(at(&path))?;
        }
    }
    for (name, bytes) in &files {
        if !is_file(name, bytes) {
            let path = folder.join(name);
            replace(folder, name, |new| fs::write(new, bytes)).map_err(at(&path))?;
        }
    }
    Ok(())
}

fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |p: &PathBuf| {
        p.file_name().is_some_and(|n| n.as_bytes().starts_with(UNFINISHED.as_bytes()))
    };
    entries.filter_map(|e| Some(e.ok()?.path())).filter(name).collect()
}

/// Makes something under another name and renames it: a program that starts
/// meanwhile sees the old or the new, never a half.
fn replace(
    folder: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let new = folder.join(format!("{UNFINISHED}{name}"));
    let done = make(&new).and_then(|()| fs::rename(&new, folder.join(name)));
    if done.is_err() {
        let _ = fs::remove_file(&new);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_once_and_mended_when_it_differs() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("a/b");
        let library = Path::new("../lib.so");
        fill(&folder, library).expect("filled");
        let first = folder.join(Release::V12.soname());
        let made = fs::metadata(&first).and_then(|m| m.modified()).expect("a time");
        assert_eq!(fs::read(&first).expect("bytes"), facade(Release::V12));
        assert_eq!(fs::read_link(folder.join(LIBRARY)).expect("a link"), library);
        fill(&folder, library).expect("filled");
        assert_eq!(fs::metadata(&first).and_then(|m| m.modified()).expect("a time"), made);
        fs::write(&first, b"something else").expect("written");
        fs::write(folder.join(".new-libcudart.so.13"), b"half").expect("written");
        fill(&folder, library).expect("filled");
        assert_eq!(fs::read(&first).expect("bytes"), facade(Release::V12));
        assert!(unfinished(&folder).is_empty());
        let mut names: Vec<String> = fs::read_dir(&folder)
            .expect("a list")
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        assert_eq!(
            names,
            [
                DRIVER_UNVERSIONED,
                DRIVER,
                UNVERSIONED,
                "libcudart.so.11.0",
                "libcudart.so.12",
                "libcudart.so.13",
                LIBRARY,
                HOST,
                RANDOM
            ]
        );
    }
}
