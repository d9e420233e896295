//! Files that a command fills.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use crate::failure::{self, Failure};

/// Where a result goes: a file, or standard output for `-`.
pub struct Destination<'a> {
    path: &'a Path,
    file: Option<File>,
    /// It was not there before, and has nothing in it yet.
    is_new: bool,
}

impl<'a> Destination<'a> {
    /// Opens it. What is in the file stays there until there is something
    /// better: the command may still fail.
    pub fn open(path: &'a Path) -> Result<Destination<'a>, Failure> {
        if path == Path::new("-") {
            return Ok(Destination { path, file: None, is_new: false });
        }
        let is_new = !path.exists();
        // Truncated when it is filled.
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|e| Failure::write(path, &e))?;
        Ok(Destination { path, file: Some(file), is_new })
    }

    /// Opens it, unless it is one of the files that the command reads.
    pub fn open_beside(
        path: &'a Path,
        read: &[impl AsRef<Path>],
    ) -> Result<Destination<'a>, Failure> {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let here = real(path);
        match here.is_some() && read.iter().any(|r| real(r.as_ref()) == here) {
            true => Err(Failure::new(
                failure::BAD_INPUT,
                format!("{} is what this command works on: write to another file", path.display()),
            )),
            false => Destination::open(path),
        }
    }

    /// Whether it goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    /// Writes it all, in pieces as they come. A reader of standard output that
    /// has gone away is no error.
    pub fn fill(
        mut self,
        with: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        self.is_new = false;
        let done = match self.file.take() {
            Some(file) => empty(&file).and_then(|()| {
                let mut out = BufWriter::with_capacity(1 << 16, file);
                with(&mut out).and_then(|()| out.flush())
            }),
            None => match with(&mut std::io::stdout().lock()) {
                Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
                done => done,
            },
        };
        done.map_err(|e| Failure::write(self.path, &e))
    }
}

/// Devices and pipes have no length.
fn empty(file: &File) -> std::io::Result<()> {
    match file.metadata()?.is_file() {
        true => file.set_len(0),
        false => Ok(()),
    }
}

impl Drop for Destination<'_> {
    /// A command that failed leaves no empty file behind.
    fn drop(&mut self) {
        if self.is_new {
            let _ = fs::remove_file(self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_what_it_has_until_it_is_filled() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        fs::write(&old, "a long text").unwrap();
        drop(Destination::open(&old).unwrap());
        assert_eq!(fs::read_to_string(&old).unwrap(), "a long text");
        Destination::open(&old).unwrap().fill(|out| out.write_all(b"short")).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "short");
        drop(Destination::open(&new).unwrap());
        assert!(!new.exists());
        Destination::open(&new).unwrap().fill(|_| Ok(())).unwrap();
        assert!(new.exists());
    }

    #[test]
    fn what_is_read_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("a.db");
        fs::write(&store, "results").unwrap();
        let same = dir.path().join("./a.db");
        assert!(Destination::open_beside(&same, &[&store]).is_err());
        assert!(Destination::open_beside(&dir.path().join("b"), &[&store]).is_ok());
        assert_eq!(fs::read_to_string(&store).unwrap(), "results");
    }
}
