//! PTX turned into machine code. The converter is NVIDIA's, of whatever release
//! is installed: nothing of it is part of Upset. What it made is kept, by the
//! text, the architecture, the converter and its options, since the code decides
//! what every fault hits: the same code must come again.

mod cache;
mod convert;
mod converter;
mod error;
mod find;
mod link;
mod needed;
mod piece;
mod request;
mod variables;

pub use convert::{Code, machine_code};
pub use converter::{Converter, helper, opens_converters};
pub use error::PtxError;
pub use find::find;
pub use link::{linked, relinked};
pub use piece::{Kind, Piece};
pub use request::Request;
pub use variables::{CONVERTER, HELPER, KEPT};
