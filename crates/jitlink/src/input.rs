//! What the library is given.

use std::ffi::{CString, c_int};
use std::path::Path;

/// The ends of names, and the library's numbers for what they stand for.
const KINDS: [(&str, c_int); 4] = [("cubin", 1), ("ptx", PTX), ("o", 5), ("a", 6)];
/// `NVJITLINK_INPUT_PTX`.
const PTX: c_int = 2;

/// One piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// `nvJitLinkInputType`.
    pub kind: c_int,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it is called in complaints.
    pub name: CString,
}

impl Input {
    /// Whether it is PTX.
    pub fn is_text(&self) -> bool {
        self.kind == PTX
    }

    /// What is in a file.
    pub fn of(file: &Path, mut bytes: Vec<u8>) -> Result<Input, String> {
        let end = file.extension().unwrap_or_default().to_string_lossy();
        let kind = KINDS.iter().find(|(known, _)| *known == end).map(|(_, kind)| *kind);
        let kind = kind.ok_or_else(|| format!("{}: no PTX and no code", file.display()))?;
        if kind == PTX {
            if bytes.contains(&0) {
                return Err("the text has a zero byte in it".into());
            }
            // The size counts the zero that ends the text.
            bytes.push(0);
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = CString::new(name.as_bytes()).map_err(|e| e.to_string())?;
        Ok(Input { kind, bytes, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_a_file_is() {
        let input = Input::of(Path::new("x/a.ptx"), b".version".to_vec()).expect("a text");
        assert_eq!((input.kind, &input.bytes[..]), (2, &b".version\0"[..]));
        assert!(input.is_text());
        let input = Input::of(Path::new("b.cubin"), b"\0".to_vec()).expect("code");
        assert_eq!((input.kind, &input.bytes[..]), (1, &b"\0"[..]));
        assert!(!input.is_text());
        assert!(Input::of(Path::new("c.ptx"), b"a\0b".to_vec()).is_err());
        assert!(Input::of(Path::new("d"), Vec::new()).is_err());
    }
}
