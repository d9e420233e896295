//! Meaning: lowering functions that turn encoded words into executable
//! instructions. Few operations write the condition codes so far; the others
//! refuse to.

pub mod across;
pub mod atomic;
pub mod bits;
pub mod compare;
pub mod convert;
pub mod flow;
pub mod fp32;
pub mod fp64;
mod lanes;
pub mod memory;
pub mod moves;
mod signs;
pub mod simd;
pub mod sums;
pub mod surface;
pub mod texture;
pub mod video;

use crate::LowerError;
use crate::kepler::Fields;

/// The destination's condition codes are left alone (bit 50).
fn codes_unwritten(f: &Fields) -> Result<(), LowerError> {
    if f.writes_cc(false) { Err(LowerError::Unimplemented("condition codes")) } else { Ok(()) }
}
