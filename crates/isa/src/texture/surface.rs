//! Surfaces: loads and stores at coordinates of an image.

use super::{Outside, SurfaceOp, TexHandle, Textures};
use crate::control::barriers::lanes;
use crate::trap::TrapKind;
use crate::warp::{Operands, constant_word, pred};
use crate::{Mask, Space, WARP};

fn outside_of(addr: u64) -> TrapKind {
    TrapKind::AddressOutOfRange { space: Space::Global, addr }
}

/// The address of each lane in `mask`; which of them access memory.
pub fn surface_addresses(
    ops: &impl Operands,
    s: &SurfaceOp,
    mask: Mask,
    textures: &Textures,
    out: &mut [u64; WARP],
) -> Result<Mask, TrapKind> {
    let mut inside = 0;
    for l in lanes(mask) {
        if let TexHandle::Address(outside) = s.handle {
            let [low, high, _] = s.coords.map(|r| u64::from(ops.row(r)[l]));
            out[l] = high << 8 | low & 0xff;
            match (pred(ops, outside) >> l & 1 == 1, s.outside) {
                (true, Outside::Trapped) => return Err(outside_of(out[l])),
                (true, Outside::Ignored) => {}
                // What code computed is clamped already.
                (true, Outside::Clamped) | (false, _) => inside |= 1 << l,
            }
            continue;
        }
        let handle = match s.handle {
            TexHandle::Constant(addr) => constant_word(ops, addr, 0)?,
            TexHandle::Register(r) => ops.row(r)[l],
            TexHandle::Uniform(r) => ops.ureg(r),
            TexHandle::Address(_) => continue,
        };
        let surface = textures.get(handle)?;
        let bytes = i64::from(s.mem.bytes);
        let row = i64::from(surface.size[0]) * surface.format.bytes() as i64;
        // The last place where an access fits.
        let last = [row - bytes, i64::from(surface.size[1]) - 1, i64::from(surface.size[2]) - 1];
        let mut at = s.coords.map(|r| i64::from(ops.row(r)[l] as i32));
        if at.iter().zip(last).any(|(&c, last)| c < 0 || c > last) {
            let addr = at[0] as u64;
            match s.outside {
                Outside::Ignored => continue,
                Outside::Trapped => return Err(outside_of(addr)),
                Outside::Clamped if last.iter().any(|&last| last < 0) => continue,
                Outside::Clamped => {
                    for (c, last) in at.iter_mut().zip(last) {
                        *c = (*c).clamp(0, last);
                    }
                }
            }
        }
        let [x, y, z] = at.map(|c| c as u64);
        out[l] = surface.level(0).address(x, y, z);
        inside |= 1 << l;
    }
    Ok(inside)
}
