//! A texture fetch of a warp, from its operands to the channels.

use super::{Read, Textures};
use crate::convergence::lanes;
use crate::mem::TexDim;
use crate::trap::TrapKind;
use crate::warp::{Operands, constant_word, value};
use crate::{Dst, Inst, Lanes, Mask, RZ, Src, TexOp};

/// Coordinates, and is there a layer index before them?
fn shape(dim: TexDim) -> (u8, bool) {
    match dim {
        TexDim::D1 => (1, false),
        TexDim::D2 => (2, false),
        TexDim::D3 | TexDim::Cube => (3, false),
        TexDim::Array1D => (1, true),
        TexDim::Array2D => (2, true),
        TexDim::ArrayCube => (3, true),
    }
}

/// Registers that a fetch reads from source A on.
pub fn coordinate_words(t: &TexOp) -> u8 {
    let (count, layered) = shape(t.dim);
    count + u8::from(layered)
}

/// The register that each of the fetched channels goes to, in the order of
/// [`fetch`]'s rows; [`RZ`] = none.
pub fn texture_rows(inst: &Inst, t: &TexOp) -> [u8; 4] {
    let first = if let Dst::Reg(d, _) = inst.dst { d } else { RZ };
    let channels = (t.channels & 15).count_ones() as usize;
    std::array::from_fn(|i| {
        let base = if i < 2 { first } else { t.dst2 };
        if i < channels { base.saturating_add(i as u8 & 1) } else { RZ }
    })
}

/// Fetches for the lanes in `mask`; `out` receives one row per selected
/// channel. Which addresses are read depends on the operands alone, never on
/// what `read` returns.
pub fn fetch(
    ops: &impl Operands,
    inst: &Inst,
    t: &TexOp,
    mask: Mask,
    textures: &Textures,
    read: &mut Read<'_>,
    out: &mut [Lanes; 4],
) -> Result<(), TrapKind> {
    if matches!(t.dim, TexDim::Cube | TexDim::ArrayCube) {
        return Err(TrapKind::Unimplemented("cube texture".into()));
    }
    let (count, layered) = shape(t.dim);
    let Src::Reg(first, _) = inst.src[0] else {
        return Err(TrapKind::Unimplemented("texture coordinates outside registers".into()));
    };
    for l in lanes(mask) {
        let handle = match t.handle {
            Some(addr) => constant_word(ops, addr, 0)?,
            None => value(ops, inst.src[1], l)? as u32,
        };
        let texture = textures.get(handle)?;
        // A layer index comes first, the coordinates after it.
        let word = |i: u8| ops.row(if first == RZ { RZ } else { first.saturating_add(i) })[l];
        let mut words = [0; 3];
        for (i, c) in words.iter_mut().enumerate().take(usize::from(count)) {
            *c = word(i as u8 + u8::from(layered));
        }
        let layer = if layered { word(0) & 0xffff } else { 0 };
        let texel = if t.fetch {
            let mut at = words.map(|c| i64::from(c as i32));
            if layered {
                at[2] = i64::from(layer);
            }
            texture.texel(read, at)?
        } else {
            let mut coords = words.map(f32::from_bits);
            if layered {
                coords[2] = layer as f32;
            }
            texture.sample(read, coords, usize::from(count))?
        };
        let mut slot = 0;
        for (channel, &v) in texel.iter().enumerate() {
            if t.channels >> channel & 1 == 1 {
                out[slot][l] = v;
                slot += 1;
            }
        }
    }
    Ok(())
}
