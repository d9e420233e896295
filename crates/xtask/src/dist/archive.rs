//! Archives whose bytes follow from the files alone: in the order of their paths,
//! of one time, owned by root.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::{Compression, GzBuilder};

use crate::Outcome;

/// A file.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where it lies, without a slash in front.
    pub path: String,
    /// Who may do what.
    pub mode: u32,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Files below a folder, and the folders that they lie in.
pub fn tar<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    below: &str,
    time: u64,
) -> Outcome<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut known = BTreeSet::new();
    let told = |e: std::io::Error| format!("tar: {e}");
    for entry in entries {
        let path = format!("{below}/{}", entry.path);
        for (at, _) in path.match_indices('/') {
            let folder = &path[..=at];
            if folder != "./" && known.insert(folder.to_string()) {
                let mut header = header(0o755, 0, time);
                header.set_entry_type(tar::EntryType::Directory);
                archive.append_data(&mut header, folder, &[][..]).map_err(told)?;
            }
        }
        let mut header = header(entry.mode, entry.bytes.len() as u64, time);
        archive.append_data(&mut header, &path, entry.bytes.as_slice()).map_err(told)?;
    }
    archive.into_inner().map_err(told)
}

fn header(mode: u32, size: u64, time: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(time);
    let _ = header.set_username("root");
    let _ = header.set_groupname("root");
    header
}

/// Compressed, without a name or a time.
pub fn gzipped(bytes: &[u8]) -> Outcome<Vec<u8>> {
    let mut out = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    out.write_all(bytes).and_then(|()| out.finish()).map_err(|e| format!("gzip: {e}"))
}

/// An archive of `ar`, as Debian's packages are.
pub fn ar(members: &[(&str, Vec<u8>)], time: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let header = format!("{name:<16}{time:<12}0     0     100644  {:<10}`\n", bytes.len());
        out.extend(header.bytes());
        out.extend(bytes);
        if !bytes.len().is_multiple_of(2) {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_ar_has_a_header_of_sixty_bytes_and_even_length() {
        let archive = ar(&[("debian-binary", b"2.0\n".to_vec()), ("odd", b"abc".to_vec())], 5);
        assert_eq!(&archive[8..24], b"debian-binary   ");
        assert_eq!(archive.len(), 8 + 60 + 4 + 60 + 3 + 1);
        assert_eq!(&archive[8 + 58..8 + 60], b"`\n");
    }

    #[test]
    fn folders_come_before_what_is_in_them_and_once() {
        let file = |path: &str| Entry { path: path.into(), mode: 0o644, bytes: vec![1] };
        let files = [file("a/b"), file("a/c/d")];
        let bytes = tar(files.iter(), "x", 7).expect("an archive");
        let mut archive = tar::Archive::new(bytes.as_slice());
        let paths: Vec<String> = archive
            .entries()
            .expect("entries")
            .map(|e| e.expect("an entry").path().expect("a path").display().to_string())
            .collect();
        assert_eq!(paths, ["x/", "x/a/", "x/a/b", "x/a/c/", "x/a/c/d"]);
    }
}
