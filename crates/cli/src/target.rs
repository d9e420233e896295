//! Files that a command fills.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use crate::failure::Failure;

/// Where a result goes: a file, or standard output for `-`.
pub struct Target<'a> {
    path: &'a Path,
    file: Option<File>,
}

impl<'a> Target<'a> {
    /// Opens it, and empties the file.
    pub fn open(path: &'a Path) -> Result<Target<'a>, Failure> {
        let file = match path == Path::new("-") {
            true => None,
            false => Some(File::create(path).map_err(|e| Failure::write(path, &e))?),
        };
        Ok(Target { path, file })
    }

    /// Whether it goes to standard output.
    pub fn is_stdout(&self) -> bool {
        self.file.is_none()
    }

    /// Writes it all, in pieces as they come. A reader of standard output that
    /// has gone away is no error.
    pub fn fill(
        self,
        with: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let done = match self.file {
            Some(file) => {
                let mut out = BufWriter::with_capacity(1 << 16, file);
                with(&mut out).and_then(|()| out.flush())
            }
            None => match with(&mut std::io::stdout().lock()) {
                Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
                done => done,
            },
        };
        done.map_err(|e| Failure::write(self.path, &e))
    }
}
