//! The files of a release, as they lie below a prefix such as `/usr`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::archive::{Entry, gzipped, tar};
use super::build::Built;
use crate::{Outcome, root};

/// Files by path, in order.
pub struct Tree {
    entries: Vec<Entry>,
}

impl Tree {
    /// Collects them.
    pub fn new(built: &Built, libc: (u32, u32)) -> Outcome<Tree> {
        let mut tree = Tree { entries: Vec::new() };
        tree.add("bin/upset", 0o755, read(&built.program)?);
        // `upset` looks for them in `../lib/upset`.
        for library in [&built.cudart, &built.preload] {
            let name = library.file_name().unwrap_or_default().to_string_lossy();
            tree.add(&format!("lib/upset/{name}"), 0o644, read(library)?);
        }
        for (shell, path) in [
            ("bash", "share/bash-completion/completions/upset"),
            ("zsh", "share/zsh/vendor-completions/_upset"),
            ("fish", "share/fish/vendor_completions.d/upset.fish"),
        ] {
            tree.add(path, 0o644, said(&built.program, &["completions", shell])?);
        }
        tree.manual_pages(&built.program)?;
        for (folder, file) in chips()? {
            tree.add(&format!("share/upset/chips/{file}"), 0o644, read(&folder.join(&file))?);
        }
        for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            tree.add(&format!("share/doc/upset/{name}"), 0o644, read(&root().join(name))?);
        }
        tree.add("share/doc/upset/copyright", 0o644, copyright().into_bytes());
        let note = format!(
            "Unpack anywhere and run bin/upset, or put the folders below /usr/local.\n\
             Linux on x86-64 with glibc {}.{} or newer; nothing else is needed.\n",
            libc.0, libc.1
        );
        tree.add("share/doc/upset/INSTALL", 0o644, note.into_bytes());
        tree.entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn add(&mut self, path: &str, mode: u32, bytes: Vec<u8>) {
        self.entries.push(Entry { path: path.into(), mode, bytes });
    }

    fn manual_pages(&mut self, program: &Path) -> Outcome<()> {
        let told = |e: std::io::Error| format!("manual pages: {e}");
        let folder = std::env::temp_dir().join(format!("upset-man-{}", std::process::id()));
        said(program, &["man", "--out", &folder.to_string_lossy()])?;
        let listed = fs::read_dir(&folder).map_err(told)?;
        for entry in listed {
            let path = entry.map_err(told)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let packed = gzipped(&read(&path)?)?;
            self.add(&format!("share/man/man1/{name}.gz"), 0o644, packed);
        }
        fs::remove_dir_all(&folder).map_err(told)
    }

    /// The files below a folder as a tar archive, all of one time.
    pub fn tar(&self, below: &str, time: u64) -> Outcome<Vec<u8>> {
        tar(self.entries.iter(), below, time)
    }

    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.entries.iter().map(|e| e.bytes.len() as u64).sum()
    }
}

/// In the form that Debian's tools read.
fn copyright() -> String {
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
     Upstream-Name: upset\n\
     \n\
     Files: *\n\
     Copyright: 2026 The Upset contributors\n\
     License: MIT or Apache-2.0\n \
     The texts are in LICENSE-MIT and LICENSE-APACHE beside this file.\n"
        .to_string()
}

fn chips() -> Outcome<Vec<(std::path::PathBuf, String)>> {
    let folder = root().join("chips");
    let listed = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let files = names.filter(|name| name.ends_with(".toml"));
    Ok(files.map(|name| (folder.clone(), name)).collect())
}

fn said(program: &Path, words: &[&str]) -> Outcome<Vec<u8>> {
    let ran = Command::new(program).args(words).output();
    let ran = ran.map_err(|e| format!("cannot run {}: {e}", program.display()))?;
    match ran.status.success() {
        true => Ok(ran.stdout),
        false => Err(format!("upset {}: {}", words.join(" "), ran.status)),
    }
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}
