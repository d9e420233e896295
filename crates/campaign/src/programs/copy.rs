//! A copy of a run's folder as it is now, for a run that splits from it.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Makes a folder a copy of another, with all that is in it: links as links,
/// several names of one file as such, times and rights of files kept. What is
/// no file, folder or link cannot be had twice and is an error.
///
/// The copy may be there already, as an earlier run left it: its folders and
/// links are used again, since making hundreds of links takes longer than the
/// rest. Its files are not: a run may have changed them.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    copy_folder(from, to, &mut BTreeMap::new())
}

fn copy_folder(
    from: &Path,
    to: &Path,
    names: &mut BTreeMap<(u64, u64), PathBuf>,
) -> io::Result<()> {
    clear_for_folder(to)?;
    let mut left: BTreeMap<_, _> = list(to)?;
    for (name, kind) in list(from)? {
        let (old, new) = (from.join(&name), to.join(&name));
        let there = left.remove(&name);
        if kind.is_symlink() {
            let target = fs::read_link(&old)?;
            if !there.is_some_and(|k| k.is_symlink()) || fs::read_link(&new)? != target {
                remove(&new, there)?;
                symlink(target, new)?;
            }
        } else if kind.is_dir() {
            copy_folder(&old, &new, names)?;
        } else if kind.is_file() {
            remove(&new, there)?;
            copy_file(&old, &new, names)?;
        } else {
            let text = format!("{} is no ordinary file", old.display());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
    }
    for (name, kind) in left {
        remove(&to.join(name), Some(kind))?;
    }
    // Last: a folder may be one that nothing can be put into.
    let rights = fs::metadata(from)?.permissions();
    if fs::metadata(to)?.permissions() != rights {
        fs::set_permissions(to, rights)?;
    }
    Ok(())
}

/// What is in a folder, by name.
fn list(folder: &Path) -> io::Result<BTreeMap<std::ffi::OsString, fs::FileType>> {
    let entries = fs::read_dir(folder)?;
    entries.map(|e| e.and_then(|e| Ok((e.file_name(), e.file_type()?)))).collect()
}

/// Makes sure that there is a folder of ours, into which things can be put.
fn clear_for_folder(at: &Path) -> io::Result<()> {
    match fs::symlink_metadata(at) {
        Ok(meta) if meta.is_dir() => {
            let usable = meta.mode() & 0o700 == 0o700;
            if usable { Ok(()) } else { fs::set_permissions(at, PermissionsExt::from_mode(0o700)) }
        }
        Ok(_) => fs::remove_file(at).and_then(|()| fs::create_dir(at)),
        Err(_) => fs::create_dir(at),
    }
}

fn remove(at: &Path, kind: Option<fs::FileType>) -> io::Result<()> {
    match kind {
        None => Ok(()),
        Some(kind) if kind.is_dir() => fs::remove_dir_all(at),
        Some(_) => fs::remove_file(at),
    }
}

fn copy_file(old: &Path, new: &Path, names: &mut BTreeMap<(u64, u64), PathBuf>) -> io::Result<()> {
    let meta = fs::symlink_metadata(old)?;
    let id = (meta.dev(), meta.ino());
    if let Some(first) = names.get(&id) {
        return fs::hard_link(first, new);
    }
    fs::copy(old, new)?;
    let times = FileTimes::new().set_accessed(meta.accessed()?).set_modified(meta.modified()?);
    File::open(new)?.set_times(times)?;
    if meta.nlink() > 1 {
        names.insert(id, new.to_path_buf());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_alike_and_apart() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        fs::create_dir_all(a.join("sub/empty")).unwrap();
        fs::write(a.join("sub/file"), "text").unwrap();
        fs::hard_link(a.join("sub/file"), a.join("other")).unwrap();
        symlink("/nowhere", a.join("link")).unwrap();
        // Also over what a run made of an earlier copy.
        for _ in 0..2 {
            copy(&a, &b).unwrap();
            assert_eq!(fs::read_link(b.join("link")).unwrap(), Path::new("/nowhere"));
            assert!(b.join("sub/empty").is_dir() && !b.join("new").exists());
            let meta = |p: PathBuf| fs::symlink_metadata(p).unwrap();
            let (old, new) = (meta(a.join("sub/file")), meta(b.join("sub/file")));
            assert_eq!(old.modified().unwrap(), new.modified().unwrap());
            assert_ne!(old.ino(), new.ino());
            assert_eq!(new.ino(), meta(b.join("other")).ino());
            fs::write(b.join("other"), "changed").unwrap();
            assert_eq!(fs::read_to_string(b.join("sub/file")).unwrap(), "changed");
            assert_eq!(fs::read_to_string(a.join("sub/file")).unwrap(), "text");
            fs::remove_dir(b.join("sub/empty")).unwrap();
            fs::write(b.join("sub/empty"), "a file now").unwrap();
            fs::remove_file(b.join("link")).unwrap();
            fs::create_dir_all(b.join("link/with/more")).unwrap();
            fs::write(b.join("new"), "").unwrap();
            fs::set_permissions(b.join("sub"), PermissionsExt::from_mode(0o500)).unwrap();
        }
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a");
        fs::create_dir(&a).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(a.join("socket")).unwrap();
        let refused = copy(&a, &dir.path().join("b")).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::Unsupported);
    }
}
