//! Texture fetches: `TEX`, `TLD`.

use upset_isa::mem::TexDim;
use upset_isa::{ConstAddr, Exec, Inst, TexOp};

use super::operands::W;
use crate::{Fields, LowerError};

/// Level-of-detail mode that means level zero, bits 87-89.
const LOD_ZERO: u64 = 1;

fn dim(f: &Fields) -> Result<TexDim, LowerError> {
    Ok(match f.bits(61, 3) {
        0 => TexDim::D1,
        1 => TexDim::D2,
        2 => TexDim::D3,
        3 => TexDim::Cube,
        4 => TexDim::Array1D,
        5 => TexDim::Array2D,
        7 => TexDim::ArrayCube,
        _ => return Err(LowerError::IllegalEncoding),
    })
}

fn texture(f: &Fields, fetch: bool, handle: Option<ConstAddr>) -> Result<Inst, LowerError> {
    let mut i = f.inst(Exec::Tex(TexOp {
        fetch,
        dim: dim(f)?,
        channels: f.bits(72, 4) as u8,
        handle,
        dst2: f.bits(64, 8) as u8,
        lod_zero: f.bits(87, 3) == LOD_ZERO,
        hints: f.bits(76, 15) as u32,
    }));
    i.dst = f.rd(W)?;
    i.src[0] = f.ra(W)?;
    i.src[1] = f.rb(W)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// The constant slot of a bound texture: word offset in bits 40-53, bank in 54-58.
fn slot(f: &Fields) -> ConstAddr {
    ConstAddr::Bank { bank: f.bits(54, 5) as u8, offset: 4 * f.bits(40, 14) as i32 }
}

/// A texture whose handle is in a constant bank.
fn bound(f: &Fields, fetch: bool) -> Result<Inst, LowerError> {
    if f.bit(59) {
        return Err(LowerError::Unimplemented("bindless texture through a constant"));
    }
    texture(f, fetch, Some(slot(f)))
}

/// A texture whose handle is in a uniform register (bits 40-45): the handle
/// takes the place of source B, whose coordinates move to C.
fn uniform(f: &Fields, fetch: bool) -> Result<Inst, LowerError> {
    if f.bits(46, 8) != 0 {
        return Err(LowerError::Unimplemented("texture handle with an offset"));
    }
    let mut i = texture(f, fetch, None)?;
    i.src[2] = i.src[1];
    i.src[1] = f.ureg(40, W)?;
    Ok(i)
}

/// `TEX` with its handle in a uniform register.
pub fn tex_uniform(f: &Fields) -> Result<Inst, LowerError> {
    uniform(f, false)
}

/// `TLD` with its handle in a uniform register.
pub fn tld_uniform(f: &Fields) -> Result<Inst, LowerError> {
    uniform(f, true)
}

/// `TEX` with its handle in a constant bank.
pub fn tex(f: &Fields) -> Result<Inst, LowerError> {
    bound(f, false)
}

/// `TEX.B`: the handle is in source B.
pub fn tex_bindless(f: &Fields) -> Result<Inst, LowerError> {
    texture(f, false, None)
}

/// `TLD` with its handle in a constant bank.
pub fn tld(f: &Fields) -> Result<Inst, LowerError> {
    bound(f, true)
}

/// `TLD.B`.
pub fn tld_bindless(f: &Fields) -> Result<Inst, LowerError> {
    texture(f, true, None)
}
