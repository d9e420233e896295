//! A small file system that can be filled up.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Large enough for a store and its successor.
const BYTES: usize = 4 << 20;

/// A file system in memory.
pub struct Disk {
    path: PathBuf,
}

impl Disk {
    /// Makes one, where that is allowed.
    pub fn mount(path: &Path) -> Option<Disk> {
        fs::create_dir_all(path).ok()?;
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={BYTES}"), "tmpfs"])
            .arg(path)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status();
        done.is_ok_and(|s| s.success()).then(|| Disk { path: path.into() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fills it up but for some bytes, as far as its pages allow.
    pub fn fill(&self, but: usize) -> Result<(), String> {
        let ballast = self.path.join("ballast");
        let fill = || {
            let mut file = File::create(&ballast)?;
            let page = [0; 4096];
            let mut written = 0;
            while file.write_all(&page).is_ok() {
                written += page.len() as u64;
            }
            file.set_len(written.saturating_sub(but as u64))
        };
        fill().map_err(|e: std::io::Error| format!("cannot fill {}: {e}", self.path.display()))
    }

    /// Makes room again.
    pub fn free(&self) {
        let _ = fs::remove_file(self.path.join("ballast"));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.path).stderr(Stdio::null()).status();
    }
}
