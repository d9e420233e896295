//! The package for Debian and its kin: two tar archives in one of `ar`.

use super::archive::{Entry, ar, gzipped, tar};
use super::build::VERSION;
use super::tree::Tree;
use crate::Outcome;

/// The package.
pub fn package(tree: &Tree, libc: (u32, u32), time: u64) -> Outcome<Vec<u8>> {
    let control =
        Entry { path: "control".into(), mode: 0o644, bytes: control(tree, libc).into_bytes() };
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzipped(&tar([&control].into_iter(), ".", time)?)?),
        ("data.tar.gz", gzipped(&tree.tar("./usr", time)?)?),
    ];
    Ok(ar(&members, time))
}

fn control(tree: &Tree, (major, minor): (u32, u32)) -> String {
    format!(
        "Package: upset\n\
         Version: {VERSION}-1\n\
         Architecture: amd64\n\
         Maintainer: The Upset authors <upset@localhost>\n\
         Installed-Size: {}\n\
         Depends: libc6 (>= {major}.{minor}), libgcc-s1\n\
         Suggests: g++\n\
         Section: science\n\
         Priority: optional\n\
         Description: What a flipped bit does to a GPU program\n\
         \x20Upset runs CUDA and OpenCL programs on models of GPUs, breaks bits of their\n\
         \x20registers, memories, caches and logic, and measures what comes of it.\n",
        tree.size().div_ceil(1024)
    )
}
