//! Files that are none of ours.

use super::bytes::u32_at;
use super::fatbin;

/// What a file that is none of ours looks like.
pub(super) fn describe(bytes: &[u8]) -> String {
    let text = |b: &[u8]| {
        b.iter()
            .take(256)
            .all(|&c| c == b'\n' || c == b'\t' || c == b'\r' || (32..127).contains(&c))
    };
    match bytes {
        [] => "an empty file".into(),
        b if u32_at(b, 0) == fatbin::WRAPPER_MAGIC => {
            "a fat binary wrapper, which only points to the container in memory".into()
        }
        b if b.starts_with(b"\x7fELF") => "an ELF file".into(),
        b if b.starts_with(b"!<arch>\n") => {
            "a library archive; extract an object first (ar x)".into()
        }
        b if b.starts_with(b"MZ") => {
            "a Windows program; extract its cubins first (cuobjdump -xelf all)".into()
        }
        b if text(b) && b.windows(8).any(|w| w == b".version") => {
            "PTX text; make a cubin of it first (ptxas -arch=sm_NN)".into()
        }
        b if text(b) => "a text file".into(),
        b => format!("a file that begins with {:02x?}", b.get(..8).unwrap_or(b)),
    }
}
