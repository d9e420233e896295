//! A texture fetch of a warp, from its operands to the channels.

use super::op::{Lod, TexHandle, TexKind, TexOp};
use super::{Read, Textures};
use crate::control::barriers::lanes;
use crate::trap::TrapKind;
use crate::warp::{Operands, constant_word};
use crate::{Lanes, Mask};

/// Bits of a layer number; the rest of its register may hold more.
const LAYER: u32 = 0xffff;

/// Fetches for the lanes in `mask`; `out` receives one row per selected
/// channel. Which addresses are read depends on the operands alone, never on
/// what `read` returns.
pub fn fetch(
    ops: &impl Operands,
    t: &TexOp,
    mask: Mask,
    textures: &Textures,
    read: &mut Read<'_>,
    out: &mut [Lanes; 4],
) -> Result<(), TrapKind> {
    let plain =
        t.kind == TexKind::Fetch && !t.dim.is_layered() && !matches!(t.lod, Lod::Register(_));
    if let Some(handle) = common_handle(ops, t, mask)?.filter(|_| plain) {
        // Most fetches: what is the same for all lanes is asked for once.
        let texture = textures.get(handle)?;
        let (level, rows) = (texture.level(0), t.coords.map(|r| ops.row(r)));
        for l in lanes(mask) {
            let at = rows.map(|row| i64::from(row[l] as i32));
            let texel = texture.texel(read, &level, at)?.unwrap_or_default();
            put(out, l, t.channels, &texel);
        }
        return Ok(());
    }
    for l in lanes(mask) {
        let handle = match t.handle {
            TexHandle::Constant(addr) => constant_word(ops, addr, 0)?,
            TexHandle::Register(r) => ops.row(r)[l],
            TexHandle::Uniform(r) => ops.ureg(r),
            TexHandle::Address(_) => return Err(TrapKind::IllegalEncoding),
        };
        let texture = textures.get(handle)?;
        let words = t.coords.map(|r| ops.row(r)[l]);
        let layer = if t.dim.is_layered() { ops.row(t.layer)[l] & LAYER } else { 0 };
        let lod = match t.lod {
            Lod::Zero => Some(0),
            Lod::Register(r) => Some(ops.row(r)[l]),
            Lod::Implicit | Lod::Gradients(_) => None,
        };
        let coords = words.map(f32::from_bits);
        let texel = match t.kind {
            TexKind::Fetch => {
                let mut at = words.map(|c| i64::from(c as i32));
                if t.dim.is_layered() {
                    at[2] = i64::from(layer);
                }
                texture.load(read, at, lod.unwrap_or(0))?
            }
            TexKind::Sample => {
                texture.sample(read, t.dim, coords, layer, lod.map(f32::from_bits))?
            }
            TexKind::Gather(channel) => texture.gather(read, t.dim, coords, layer, channel)?,
        };
        put(out, l, t.channels, &texel);
    }
    Ok(())
}

/// The handle that all lanes of a fetch have, if they have one.
fn common_handle(ops: &impl Operands, t: &TexOp, mask: Mask) -> Result<Option<u32>, TrapKind> {
    if mask == 0 {
        return Ok(None);
    }
    Ok(match t.handle {
        TexHandle::Constant(addr) => Some(constant_word(ops, addr, 0)?),
        TexHandle::Uniform(r) => Some(ops.ureg(r)),
        TexHandle::Register(r) => {
            let row = ops.row(r);
            let first = row[mask.trailing_zeros() as usize];
            Some(first).filter(|_| lanes(mask).all(|l| row[l] == first))
        }
        TexHandle::Address(_) => None,
    })
}

/// The channels of a lane's texel that are wanted, one after the other.
#[inline]
fn put(out: &mut [Lanes; 4], lane: usize, channels: u8, texel: &[u32; 4]) {
    let wanted = (0..4).filter(|channel| channels >> channel & 1 == 1);
    for (row, channel) in out.iter_mut().zip(wanted) {
        row[lane] = texel[channel];
    }
}
