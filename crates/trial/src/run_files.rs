//! Where a run leaves what it finds: beside its order.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::order::{Files, Order};

/// Files that a run and those that split from it share.
pub type SharedRunFiles = Arc<Mutex<RunFiles>>;

/// The files of a run.
#[derive(Debug)]
pub struct RunFiles {
    files: Files,
    outputs: Option<File>,
}

impl RunFiles {
    /// A run's files, with one for its copies to the host where those are wanted.
    pub fn new(files: Files, outputs: bool) -> io::Result<RunFiles> {
        let outputs = match outputs {
            true => Some(File::create(files.outputs())?),
            false => None,
        };
        Ok(RunFiles { files, outputs })
    }

    /// The files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The descriptor that is open here.
    pub fn descriptor(&self) -> Option<RawFd> {
        self.outputs.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Writes a copy to the host.
    pub fn copied(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(to) = &mut self.outputs else { return Ok(()) };
        to.write_all(&(bytes.len() as u64).to_le_bytes())?;
        to.write_all(bytes)
    }

    /// For a run that has split from this one: takes its own order, and goes on
    /// beside it with what was copied so far.
    pub fn move_to(&mut self, order: &Path) -> io::Result<Order> {
        let files = Files::of(order);
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no order for a run that split");
        let order = files.take()?.ok_or_else(missing)?;
        if self.outputs.is_some() {
            fs::copy(self.files.outputs(), files.outputs())?;
            self.outputs = Some(OpenOptions::new().append(true).open(files.outputs())?);
        }
        self.files = files;
        Ok(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_split_has_what_was_copied_before_and_leaves_the_other_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        let mut place = RunFiles::new(Files::of(&one), true).unwrap();
        place.copied(b"both").unwrap();
        let order = Order { limit: Some(3), ..Order::default() };
        Files::of(&two).give(&order).unwrap();
        assert_eq!(place.move_to(&two).unwrap(), order);
        place.copied(b"own").unwrap();
        assert_eq!(Files::of(&one).read_outputs().unwrap(), [b"both".to_vec()]);
        assert_eq!(Files::of(&two).read_outputs().unwrap(), [b"both".to_vec(), b"own".to_vec()]);
        assert!(place.move_to(&dir.path().join("none")).is_err());
    }
}
