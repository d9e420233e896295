//! Textures: what a handle names, and how a fetch samples it.

mod fetch;
mod format;
mod handles;
mod image;
mod op;
mod rows;
mod sample;
mod surface;
mod surface_op;
#[cfg(test)]
mod tests;
mod texels;

pub use fetch::fetch;
pub use format::{TexFormat, TexelKind};
pub use handles::Textures;
pub use image::{AddressMode, Level, Read, Texture};
pub use op::{Lod, TexDim, TexHandle, TexKind, TexOp};
pub use rows::texture_rows;
pub use surface::surface_addresses;
pub use surface_op::{Outside, SurfaceOp};
pub use texels::{BLOCK, BLOCK_ROWS, BLOCK_RUN, Texels};
