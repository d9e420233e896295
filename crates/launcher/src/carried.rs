//! The library inside the program: an `upset` that was installed alone has it
//! with it, and puts it down where the loader can find it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::LaunchError;

static CARRIED: OnceLock<&'static [u8]> = OnceLock::new();

/// Says what the library's bytes are. Empty ones are none.
pub fn carry(bytes: &'static [u8]) {
    if !bytes.is_empty() {
        let _ = CARRIED.set(bytes);
    }
}

/// The library's bytes, where this program carries them.
pub(crate) fn bytes() -> Option<&'static [u8]> {
    CARRIED.get().copied()
}

/// A library as a file below `base`, in a folder named after its contents:
/// another build has another folder, and programs that run keep theirs.
pub(crate) fn put_down(name: &str, bytes: &[u8], base: &Path) -> Result<PathBuf, LaunchError> {
    let folder = base.join(format!("library-{:016x}", digest(bytes)));
    let file = folder.join(name);
    if fs::read(&file).is_ok_and(|there| there == bytes) {
        return Ok(file);
    }
    // Renamed into place: nobody loads a half.
    let new = folder.join(format!(".new-{}", std::process::id()));
    let written = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&new, bytes))
        .and_then(|()| fs::rename(&new, &file));
    if let Err(e) = written {
        let _ = fs::remove_file(&new);
        return Err(LaunchError::write(&file, &e));
    }
    Ok(file)
}

/// FNV-1a over words of eight bytes: a name, not a proof; the bytes are compared.
fn digest(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_put_down_once_and_mended() {
        let base = tempfile::tempdir().expect("a folder");
        let put = |bytes: &[u8]| put_down("lib.so", bytes, base.path()).expect("written");
        let one = put(b"one library");
        let made = fs::metadata(&one).and_then(|m| m.modified()).expect("a time");
        assert_eq!(put(b"one library"), one);
        assert_eq!(fs::metadata(&one).and_then(|m| m.modified()).expect("a time"), made);
        fs::write(&one, b"damaged").expect("written");
        assert_eq!(fs::read(put(b"one library")).expect("bytes"), b"one library");
        let other = put(b"another library");
        assert_ne!(other, one);
        assert_eq!(fs::read(&one).expect("bytes"), b"one library");
        let left = fs::read_dir(one.parent().expect("a folder")).expect("a list").count();
        assert_eq!(left, 1, "nothing unfinished stays");
    }
}
