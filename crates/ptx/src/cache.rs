//! What was converted, kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use upset_sass::container;
use xxhash_rust::xxh3::Xxh3;

/// A folder with converted code.
#[derive(Clone, Debug)]
pub struct Kept<'a>(pub &'a Path);

impl Kept<'_> {
    /// The file for what is made from these parts.
    pub fn file(&self, parts: &[&[u8]], kind: &str) -> PathBuf {
        let mut hash = Xxh3::new();
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        self.0.join(format!("{:032x}.{kind}", hash.digest128()))
    }

    /// What is in a file, if it is whole.
    pub fn read(&self, file: &Path) -> Option<Vec<u8>> {
        fs::read(file).ok().filter(|bytes| container::open(bytes).is_ok())
    }

    /// Has a file made under another name and renames it: who looks meanwhile sees
    /// nothing or all of it. Of two who make it at once the last wins, with the same
    /// bytes.
    pub fn make<E>(
        &self,
        file: &Path,
        failed: impl Fn(&Path, io::Error) -> E,
        make: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        fs::create_dir_all(self.0).map_err(|e| failed(self.0, e))?;
        let new = file.with_extension(format!("new-{}", std::process::id()));
        let made = make(&new).and_then(|()| {
            let bytes = fs::read(&new).map_err(|e| failed(&new, e))?;
            fs::rename(&new, file).map_err(|e| failed(file, e))?;
            Ok(bytes)
        });
        if made.is_err() {
            let _ = fs::remove_file(&new);
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_by_their_ends() {
        let kept = Kept(Path::new("k"));
        assert_ne!(kept.file(&[b"ab", b"c"], "x"), kept.file(&[b"a", b"bc"], "x"));
        assert_eq!(kept.file(&[b"ab", b"c"], "x"), kept.file(&[b"ab", b"c"], "x"));
    }

    #[test]
    fn half_a_file_is_none() {
        let dir = tempfile::tempdir().expect("a folder");
        let kept = Kept(dir.path());
        let file = kept.file(&[b"x"], "cubin");
        fs::write(&file, b"\x7fELF").expect("written");
        assert_eq!(kept.read(&file), None);
    }
}
