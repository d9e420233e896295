//! A copy of a run's folder as it is now, for a run that splits from it.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

/// Copies a folder with all that is in it: links as links, several names of one
/// file as such, times and rights of files kept. What is no file, folder or
/// link cannot be had twice and is an error.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    copy_folder(from, to, &mut BTreeMap::new())
}

fn copy_folder(
    from: &Path,
    to: &Path,
    names: &mut BTreeMap<(u64, u64), PathBuf>,
) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            symlink(fs::read_link(&old)?, new)?;
        } else if kind.is_dir() {
            copy_folder(&old, &new, names)?;
        } else if kind.is_file() {
            copy_file(&old, &new, &entry.metadata()?, names)?;
        } else {
            let text = format!("{} is no ordinary file", old.display());
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
    }
    // Last: a folder may be one that nothing can be put into.
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

fn copy_file(
    old: &Path,
    new: &Path,
    meta: &fs::Metadata,
    names: &mut BTreeMap<(u64, u64), PathBuf>,
) -> io::Result<()> {
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
        copy(&a, &b).unwrap();
        assert_eq!(fs::read_link(b.join("link")).unwrap(), Path::new("/nowhere"));
        assert!(b.join("sub/empty").is_dir());
        let meta = |p: PathBuf| fs::metadata(p).unwrap();
        let (old, new) = (meta(a.join("sub/file")), meta(b.join("sub/file")));
        assert_eq!(old.modified().unwrap(), new.modified().unwrap());
        assert_ne!(old.ino(), new.ino());
        assert_eq!(new.ino(), meta(b.join("other")).ino());
        fs::write(b.join("other"), "changed").unwrap();
        assert_eq!(fs::read_to_string(b.join("sub/file")).unwrap(), "changed");
        assert_eq!(fs::read_to_string(a.join("sub/file")).unwrap(), "text");
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
