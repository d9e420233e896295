//! Converting.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use crate::cache::Kept;
use crate::needed::{Taken, taken};
use crate::piece::{Kind, Piece};
use crate::{Converter, PtxError, Request};

/// What the complaint of a converter that is too old for a text contains.
const TOO_OLD: [&str; 5] = [
    "Unsupported .version",
    "is not defined for option",
    "unsupported for",
    "Create refuses",
    "newer than toolkit",
];
const NEWER: &str = ". Name another release's with UPSET_PTXAS: each knows PTX up to its own, and \
                     12 is the last for sm_70, 11 for sm_35";

/// Machine code, and who made it from PTX, if somebody did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code<'a> {
    /// The code.
    pub image: Cow<'a, [u8]>,
    /// Name and release of the converter, and the code's digest.
    pub made_by: Option<(String, String)>,
    /// The architecture that the program was compiled for: that of the PTX, where the
    /// code was made from it.
    pub compiled_for: u32,
}

impl<'a> Code<'a> {
    fn made(by: &Converter, image: Vec<u8>, compiled_for: u32) -> Code<'a> {
        let digest = format!("{:032x}", xxh3_128(&image));
        Code { image: Cow::Owned(image), made_by: Some((by.name(), digest)), compiled_for }
    }
}

/// The machine code of an image for a chip: the image itself, if it has any; else
/// what a converter makes of its PTX.
pub fn machine_code<'a>(image: &'a [u8], wanted: &Request<'_>) -> Result<Code<'a>, PtxError> {
    match taken(image, wanted.sm)? {
        Taken::Code(compiled_for) => {
            Ok(Code { image: Cow::Borrowed(image), made_by: None, compiled_for })
        }
        Taken::Text(text, _) => {
            converted(&[Piece { kind: Kind::Ptx, bytes: Cow::Owned(text) }], wanted)
        }
    }
}

/// The code that a converter makes of these pieces.
pub(crate) fn converted(
    pieces: &[Piece<'_>],
    wanted: &Request<'_>,
) -> Result<Code<'static>, PtxError> {
    let path = wanted.converter.ok_or(match pieces {
        [Piece { kind: Kind::Ptx, .. }] => PtxError::NoConverter { sm: wanted.sm },
        _ => PtxError::NoLinker { sm: wanted.sm },
    })?;
    let kept = Kept(wanted.kept);
    let converter = Converter::at(path, &kept)?;
    let how = format!("sm_{} {} {}", wanted.sm, converter.name(), wanted.options.join(" "));
    let kinds: Vec<&str> = pieces.iter().skip(1).map(|piece| piece.kind.end()).collect();
    let how = [how, kinds.join(" ")].join("").into_bytes();
    let parts = pieces.iter().map(|piece| &*piece.bytes).chain([&*how]);
    let file = kept.file(&parts.collect::<Vec<_>>(), "cubin");
    let oldest = pieces.iter().filter_map(|piece| match taken(&piece.bytes, wanted.sm) {
        Ok(Taken::Text(_, target)) => target,
        Ok(Taken::Code(sm)) => Some(sm),
        Err(_) => None,
    });
    let compiled_for = oldest.min().unwrap_or(wanted.sm);
    if let Some(code) = kept.read(&file) {
        return Ok(Code::made(&converter, code, compiled_for));
    }
    let code = kept.make(&file, failed, |to| {
        let folder = to.with_extension(format!("pieces-{}", std::process::id()));
        let made = make(&converter, pieces, &folder, to, wanted);
        let _ = std::fs::remove_dir_all(&folder);
        made?;
        match kept.read(to) {
            Some(_) => Ok(()),
            None => Err(refused(&converter, wanted.sm, "it made no machine code")),
        }
    })?;
    Ok(Code::made(&converter, code, compiled_for))
}

fn failed(path: &Path, e: io::Error) -> PtxError {
    PtxError::Files { path: path.display().to_string(), why: e.to_string() }
}

/// Writes the pieces into a folder and starts what makes one file of them.
fn make(
    converter: &Converter,
    pieces: &[Piece<'_>],
    folder: &Path,
    to: &Path,
    wanted: &Request<'_>,
) -> Result<(), PtxError> {
    let name = |(n, piece): (usize, &Piece<'_>)| folder.join(format!("{n}.{}", piece.kind.end()));
    let inputs: Vec<PathBuf> = pieces.iter().enumerate().map(name).collect();
    let commands = converter.commands(wanted, &inputs, to)?;
    std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    for (piece, input) in pieces.iter().zip(&inputs) {
        std::fs::write(input, &piece.bytes).map_err(|e| failed(input, e))?;
    }
    for mut command in commands {
        let ran = command.output().map_err(|e| PtxError::DoesNotRun {
            path: Path::new(command.get_program()).display().to_string(),
            why: e.to_string(),
        })?;
        if !ran.status.success() {
            return Err(refused(converter, wanted.sm, &String::from_utf8_lossy(&ran.stderr)));
        }
    }
    Ok(())
}

fn refused(converter: &Converter, sm: u32, complaint: &str) -> PtxError {
    let lines: Vec<&str> = complaint.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let said = lines.iter().take(3).copied().collect::<Vec<_>>().join("; ");
    let advice = if TOO_OLD.iter().any(|t| complaint.contains(t)) { NEWER } else { "" };
    PtxError::Refused { converter: converter.name(), sm, said, advice }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    const TEXT: &[u8] = b".version 7.8\n.target sm_52\n";

    /// A folder with a converter that keeps count of how often it is asked.
    struct Place(tempfile::TempDir);

    impl Place {
        fn new(convert: &str) -> Place {
            let place = Place(tempfile::tempdir().expect("a folder"));
            let code = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin");
            let script = format!(
                "#!/bin/sh\necho \"$@\" >> {}\nif [ \"$1\" = --version ]; then\n\
                 echo 'Cuda compilation tools, release 1.2, V1.2.3'; exit 0; fi\n{}\n",
                place.path("asked").display(),
                convert.replace("CODE", code)
            );
            fs::write(place.path("ptxas"), script).expect("written");
            let all = fs::Permissions::from_mode(0o755);
            fs::set_permissions(place.path("ptxas"), all).expect("set");
            place
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn convert(&self, image: &[u8], options: &[String]) -> Result<Vec<u8>, PtxError> {
            let (converter, kept) = (self.path("ptxas"), self.path("kept"));
            let wanted = Request { sm: 75, converter: Some(&converter), kept: &kept, options };
            machine_code(image, &wanted).map(|code| code.image.into_owned())
        }

        fn asked(&self) -> Vec<String> {
            let asked = fs::read_to_string(self.path("asked")).unwrap_or_default();
            asked.lines().map(String::from).collect()
        }
    }

    #[test]
    fn what_was_converted_is_kept() {
        let place = Place::new("cp CODE \"$4\"");
        let first = place.convert(TEXT, &[]).expect("code");
        assert!(first.starts_with(b"\x7fELF"));
        let asked = place.asked();
        assert_eq!(asked.len(), 2, "{asked:?}");
        assert!(asked[1].starts_with("-arch=sm_75 ") && asked[1].contains(" -o "), "{asked:?}");
        assert_eq!(place.convert(TEXT, &[]).expect("code"), first);
        assert_eq!(place.asked().len(), 2, "neither asked nor converted again");
        // Other options, another text: other code.
        place.convert(TEXT, &["--maxrregcount=32".into()]).expect("code");
        place.convert(b".version 7.7\n", &[]).expect("code");
        let asked = place.asked();
        assert_eq!(asked.len(), 4, "{asked:?}");
        assert!(asked[2].ends_with(" --maxrregcount=32"), "{asked:?}");
        let left: Vec<_> = fs::read_dir(place.path("kept")).expect("a list").collect();
        assert_eq!(left.len(), 4, "three pieces of code and a release: {left:?}");
    }

    #[test]
    fn machine_code_needs_no_converter() {
        let place = Place::new("exit 1");
        let code =
            fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin"));
        let code = code.expect("a file");
        assert_eq!(place.convert(&code, &[]).expect("code"), code);
        assert!(place.asked().is_empty());
    }

    #[test]
    fn complaints_are_handed_on() {
        let place = Place::new("echo 'ptxas fatal   : Unsupported .version 9.1' >&2; exit 255");
        let error = place.convert(TEXT, &[]).expect_err("refused");
        assert!(error.is_lacking(), "{error}");
        let told = error.to_string();
        assert!(told.contains("ptxas 1.2.3") && told.contains("UPSET_PTXAS"), "{told}");
        let place = Place::new("echo 'line 3; error: x' >&2; exit 255");
        let error = place.convert(TEXT, &[]).expect_err("refused");
        assert!(!error.is_lacking(), "{error}");
        assert!(error.to_string().ends_with("for sm_75: line 3; error: x"), "{error}");
        // Half a file is no code.
        let place = Place::new("echo > \"$4\"");
        assert!(matches!(place.convert(TEXT, &[]), Err(PtxError::Refused { .. })));
        let nobody = Request { sm: 75, converter: None, kept: Path::new("x"), options: &[] };
        let error = machine_code(TEXT, &nobody).expect_err("nobody");
        assert!(error.is_lacking() && error.to_string().contains("upset toolkit fetch"), "{error}");
    }
}
