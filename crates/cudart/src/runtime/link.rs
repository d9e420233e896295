//! Pieces of code that the program has linked while it runs.

use upset_ptx::{Kind, Piece};

use super::loaded::Link;
use super::modules::{LACKING, error_of_ptx};
use super::state::Runtime;
use crate::abi::{Handle, Options};
use crate::error::{Error, Result};

/// What the program says a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// PTX.
    Text,
    /// A cubin or a fat binary.
    Code,
    /// An object file of the host.
    Object,
    /// An archive of those.
    Library,
}

impl Runtime {
    /// Begins a link.
    pub fn begin_link(&mut self, options: Options) -> Handle {
        let link = Link { pieces: Vec::new(), options, made: None, broken: None };
        self.modules.links.add(link)
    }

    /// Adds a piece, as on an H200: code that was linked before cannot be linked again.
    pub fn add_piece(&mut self, link: Handle, kind: PieceKind, bytes: &[u8]) -> Result<()> {
        let sm = self.device.arch_number();
        let link = self.modules.links.get_mut(link)?;
        if let Some(error) = link.broken {
            return Err(error);
        }
        if link.made.is_some() {
            return Err(Error::INVALID_VALUE);
        }
        let owned = |kind, bytes: &[u8]| Piece { kind, bytes: bytes.to_vec().into() };
        let piece = match kind {
            PieceKind::Object => owned(Kind::Object, bytes),
            PieceKind::Library => owned(Kind::Library, bytes),
            PieceKind::Text | PieceKind::Code => match Piece::of(bytes, sm) {
                Ok(piece) => piece.into_owned(),
                // What is wrong with a text the converter says.
                Err(_) if kind == PieceKind::Text => {
                    owned(Kind::Ptx, bytes.split(|c| *c == 0).next().unwrap_or_default())
                }
                Err(_) => return Err(Error::INVALID_KERNEL_IMAGE),
            },
        };
        if !piece.is_open() {
            link.broken = Some(Error::NO_KERNEL_IMAGE);
            return Err(Error::NO_KERNEL_IMAGE);
        }
        link.pieces.push(piece);
        Ok(())
    }

    /// Links all pieces: where the code lies, and how long it is. When it cannot be
    /// done, the program and its user are told why.
    pub fn complete_link(&mut self, handle: Handle) -> Result<(u64, usize)> {
        let link = self.modules.links.get(handle)?;
        if let Some(error) = link.broken {
            return Err(error);
        }
        if link.made.is_some() {
            return Err(Error::INVALID_RESOURCE_HANDLE);
        }
        let options = link.options.clone();
        let made = self
            .converted(&options.for_converter(), |wanted| upset_ptx::linked(&link.pieces, wanted));
        match made {
            Ok(code) => {
                options.tell("");
                let link = self.modules.links.get_mut(handle)?;
                let code = link.made.insert(code.image.into_owned());
                Ok((code.as_ptr() as u64, code.len()))
            }
            Err(e) => {
                let (error, why) = (error_of_ptx(&e), e.to_string());
                options.tell(&why);
                self.tell(format!("code cannot be linked: {why}"), LACKING.contains(&error));
                Err(error)
            }
        }
    }

    /// Ends a link; its code is gone.
    pub fn end_link(&mut self, link: Handle) -> Result<()> {
        self.modules.links.remove(link).map(drop)
    }
}
