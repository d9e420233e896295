//! Pieces that are linked into one: PTX and machine code that know each other's
//! functions and variables by name alone (`nvcc -rdc=true`).

use std::borrow::Cow;

use upset_sass::container::{self, Container, ContainerError, fatbin};

use crate::needed::{Taken, taken};

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PTX.
    Ptx,
    /// Machine code.
    Cubin,
    /// An object file of the host, with code for the device in it.
    Object,
    /// An archive of those.
    Library,
}

impl Kind {
    /// The end of a file's name, by which converters know what it is.
    pub(crate) fn end(self) -> &'static str {
        match self {
            Kind::Ptx => "ptx",
            Kind::Cubin => "cubin",
            Kind::Object => "o",
            Kind::Library => "a",
        }
    }
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its bytes; those of a text without a zero at the end.
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> Piece<'a> {
    /// What an image (PTX, a cubin, a fat binary) has for a compute capability.
    pub fn of(image: &'a [u8], sm: u32) -> Result<Piece<'a>, ContainerError> {
        if let Taken::Text(text, _) = taken(image, sm)? {
            return Ok(Piece { kind: Kind::Ptx, bytes: Cow::Owned(text) });
        }
        let bytes = match container::open(image)? {
            Container::Cubin(_) => Cow::Borrowed(image),
            Container::Fat(entries) => Cow::Owned(fatbin::choose(&entries, sm)?.image()?),
        };
        Ok(Piece { kind: Kind::Cubin, bytes })
    }

    /// Whether it can be linked with others: code that was linked already cannot.
    pub fn is_open(&self) -> bool {
        // The type of an ELF file, and the one for what is to be linked.
        const TYPE: std::ops::Range<usize> = 16..18;
        const RELOCATABLE: [u8; 2] = [1, 0];
        self.kind != Kind::Cubin || self.bytes.get(TYPE) == Some(&RELOCATABLE)
    }

    /// The same with bytes of its own.
    pub fn into_owned(self) -> Piece<'static> {
        Piece { kind: self.kind, bytes: Cow::Owned(self.bytes.into_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_known_by_its_bytes() {
        let text = Piece::of(b".version 7.8\n\0\0", 75).expect("a text");
        assert_eq!((text.kind, &*text.bytes), (Kind::Ptx, &b".version 7.8\n"[..]));
        let code = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/va/va.sm_75.cubin");
        let code = std::fs::read(code).expect("a cubin");
        let piece = Piece::of(&code, 75).expect("code");
        assert_eq!((piece.kind, &*piece.bytes), (Kind::Cubin, &code[..]));
        assert!(text.is_open() && !piece.is_open(), "it was linked already");
        assert!(Piece::of(b"neither", 75).is_err());
    }
}
