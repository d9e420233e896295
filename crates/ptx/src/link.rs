//! Linking.

use crate::convert::{converted, machine_code};
use crate::{Code, Piece, PtxError, Request};

/// The machine code of an image that was linked from parts: where it has none for the
/// chip, the parts are linked anew.
pub fn relinked<'a>(
    image: &'a [u8],
    parts: &[&[u8]],
    wanted: &Request<'_>,
) -> Result<Code<'a>, PtxError> {
    match machine_code(image, wanted) {
        Err(PtxError::Container(_)) if !parts.is_empty() => {
            let pieces = parts.iter().map(|part| Piece::of(part, wanted.sm));
            linked(&pieces.collect::<Result<Vec<_>, _>>()?, wanted)
        }
        other => other,
    }
}

/// The machine code of all pieces together.
pub fn linked(pieces: &[Piece<'_>], wanted: &Request<'_>) -> Result<Code<'static>, PtxError> {
    converted(pieces, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    const CODE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin");

    /// A program that notes what it is called with; what it makes is the fourth word, or
    /// the last.
    fn tool(folder: &Path, name: &str, result: &str) {
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'tools, release 1.2, V1.2.3'; exit; fi\n\
             echo {name} \"$@\" >> {}\nfor last; do :; done\ncp {CODE} \"{result}\"\n",
            folder.join("asked").display()
        );
        fs::write(folder.join(name), text).expect("written");
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.join(name), all).expect("set");
    }

    #[test]
    fn texts_are_assembled_apart_and_linked_with_code() {
        let dir = tempfile::tempdir().expect("a folder");
        let (ptxas, kept) = (dir.path().join("ptxas"), dir.path().join("kept"));
        tool(dir.path(), "ptxas", "$4");
        let wanted = Request { sm: 75, converter: Some(&ptxas), kept: &kept, options: &[] };
        let code = fs::read(CODE).expect("a cubin");
        let pieces = [
            Piece { kind: Kind::Ptx, bytes: b".version 7.0\n"[..].into() },
            Piece { kind: Kind::Cubin, bytes: code.as_slice().into() },
        ];
        // ptxas alone links nothing.
        let error = linked(&pieces, &wanted).expect_err("nobody links");
        assert!(matches!(error, PtxError::NoLinker { sm: 75 }) && error.is_lacking(), "{error}");
        tool(dir.path(), "nvlink", "$last");
        let made = linked(&pieces, &wanted).expect("linked");
        assert_eq!((&*made.image, made.made_by.is_some()), (&code[..], true));
        let asked = fs::read_to_string(dir.path().join("asked")).expect("a list");
        let asked: Vec<&str> = asked.lines().collect();
        assert_eq!(asked.len(), 2, "{asked:?}");
        assert!(asked[0].starts_with("ptxas -arch=sm_75 ") && asked[0].ends_with(" -c"));
        assert!(asked[0].contains("0.ptx -o ") && asked[0].contains("0.ptx.cubin"), "{asked:?}");
        assert!(asked[1].starts_with("nvlink ") && asked[1].contains("1.cubin -o "), "{asked:?}");
        // It is kept, and nothing else is left.
        linked(&pieces, &wanted).expect("kept");
        assert_eq!(fs::read_dir(&kept).expect("a folder").count(), 2, "code and release");
        // Parts do not matter where there is code.
        let whole = relinked(&code, &[b".version 7.0"], &wanted).expect("code");
        assert_eq!(whole.made_by, None);
        let made = relinked(b"\x50\xed\x55\xba\x01\0\x10\0\0\0\0\0\0\0\0\0", &[&code], &wanted);
        assert!(made.expect("linked").made_by.is_some());
    }

    /// Object files and archives of the host go to the linker as they are.
    #[test]
    fn objects_and_archives_are_linked_with_texts() {
        let dir = tempfile::tempdir().expect("a folder");
        let (ptxas, kept) = (dir.path().join("ptxas"), dir.path().join("kept"));
        tool(dir.path(), "ptxas", "$4");
        tool(dir.path(), "nvlink", "$last");
        let wanted = Request { sm: 75, converter: Some(&ptxas), kept: &kept, options: &[] };
        let piece = |kind, bytes: &'static [u8]| Piece { kind, bytes: bytes.into() };
        let pieces = [
            piece(Kind::Object, b"\x7fELF of the host"),
            piece(Kind::Library, b"!<arch>\n"),
            piece(Kind::Ptx, b".version 7.0\n.target sm_52\n"),
        ];
        let made = linked(&pieces, &wanted).expect("linked");
        assert!(made.made_by.is_some());
        assert_eq!(made.compiled_for, 52);
        let asked = fs::read_to_string(dir.path().join("asked")).expect("a list");
        let asked: Vec<&str> = asked.lines().collect();
        let [assembled, linked] = asked[..] else { panic!("{asked:?}") };
        assert!(assembled.starts_with("ptxas ") && assembled.contains("2.ptx -o "), "{asked:?}");
        for file in ["0.o ", "1.a ", "2.ptx.cubin "] {
            assert!(linked.starts_with("nvlink ") && linked.contains(file), "{asked:?}");
        }
    }
}
