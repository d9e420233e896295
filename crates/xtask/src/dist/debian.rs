//! The package for Debian and its kin: two tar archives in one of `ar`.

use super::archive::{Entry, ar, gzipped, tar};
use super::build::{Built, VERSION};
use super::tree::Tree;
use crate::Outcome;

/// The package.
pub fn package(tree: &Tree, built: &Built, time: u64) -> Outcome<Vec<u8>> {
    let (major, minor) = built.glibc()?;
    let mut depends = format!("libc6 (>= {major}.{minor})");
    if built.libraries()?.contains("libgcc_s.so.1") {
        depends.push_str(", libgcc-s1");
    }
    let control = control(tree, &depends).into_bytes();
    let control = Entry { path: "control".into(), mode: 0o644, bytes: control };
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzipped(&tar([&control].into_iter(), ".", time)?)?),
        ("data.tar.gz", gzipped(&tree.tar("./usr", time)?)?),
    ];
    Ok(ar(&members, time))
}

fn control(tree: &Tree, depends: &str) -> String {
    format!(
        "Package: upset\n\
         Version: {VERSION}-1\n\
         Architecture: amd64\n\
         Maintainer: The Upset contributors <upset@localhost>\n\
         Installed-Size: {}\n\
         Depends: {depends}\n\
         Suggests: g++\n\
         Section: science\n\
         Priority: optional\n\
         Description: What a flipped bit does to a GPU program\n\
         \x20Upset runs CUDA and OpenCL programs on models of GPUs, breaks bits of their\n\
         \x20registers, memories, caches and logic, and measures what comes of it.\n",
        tree.size().div_ceil(1024)
    )
}
