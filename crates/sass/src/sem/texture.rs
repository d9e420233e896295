//! Texture fetches: `TEX`, `TLD`, `TLD4`, `TXD`.
//!
//! Where the operands lie was found by compiling one kernel per texture
//! function for sm_70 and sm_90 (nvcc 11.8): source A holds the layer number
//! and the coordinates, source B the handle, if it is in a register, and the
//! level of detail. With `.SCR` ("scattered") the same list is cut in the
//! middle, its first half in A, the rest in B. `TXD` has the handle before the
//! coordinates, the layer after them, and the gradients in B.

use upset_isa::texture::{Lod, TexDim, TexHandle, TexKind};
use upset_isa::{ConstAddr, Exec, Inst, RZ, Src, TexOp};

use super::operands::W;
use crate::{Fields, LowerError};

/// How the handle is given.
#[derive(Clone, Copy)]
enum Handle {
    Constant,
    Register,
    Uniform,
}

/// Levels of detail, bits 87-89.
mod lod {
    pub const NONE: u64 = 0;
    pub const ZERO: u64 = 1;
    pub const LEVEL: u64 = 3;
}

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

/// Registers from a field's on.
fn from(f: &Fields, lo: u32, i: usize) -> u8 {
    match f.bits(lo, 8) as u8 {
        RZ => RZ,
        r => r.saturating_add(i as u8),
    }
}

/// A list of operands in A and B.
struct List<'a> {
    f: &'a Fields,
    /// How many of them are in A.
    in_a: usize,
    next: usize,
}

impl List<'_> {
    fn take(&mut self) -> u8 {
        let i = self.next;
        self.next += 1;
        match i.checked_sub(self.in_a) {
            None => from(self.f, 24, i),
            Some(i) => from(self.f, 32, i),
        }
    }
}

/// The constant slot of a bound texture: word offset in bits 40-53, bank in 54-58.
fn slot(f: &Fields) -> ConstAddr {
    ConstAddr::Bank { bank: f.bits(54, 5) as u8, offset: 4 * f.bits(40, 14) as i32 }
}

/// What is common to all: destinations, channels, the operands as fields.
fn texture(f: &Fields, op: TexOp) -> Result<Inst, LowerError> {
    let mut i = f.inst(Exec::Tex(op));
    i.dst = f.rd(W)?;
    i.src[0] = f.ra(W)?;
    i.src[1] = f.rb(W)?;
    if let TexHandle::Uniform(_) = op.handle {
        i.src[2] = i.src[1];
        i.src[1] = f.ureg(40, W)?;
    }
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// The handle, where it is no register of the list.
fn outside(f: &Fields, handle: Handle) -> Result<Option<TexHandle>, LowerError> {
    match handle {
        Handle::Constant if f.bit(59) => {
            Err(LowerError::Unimplemented("bindless texture through a constant"))
        }
        Handle::Constant => Ok(Some(TexHandle::Constant(slot(f)))),
        Handle::Uniform if f.bits(46, 8) != 0 => {
            Err(LowerError::Unimplemented("texture handle with an offset"))
        }
        Handle::Uniform => match f.ureg(40, W)? {
            Src::UReg(r, _) => Ok(Some(TexHandle::Uniform(r))),
            _ => Err(LowerError::IllegalEncoding),
        },
        Handle::Register => Ok(None),
    }
}

/// Refuses what changes the result in ways we lack.
fn refuse(what: &[(bool, &'static str)]) -> Result<(), LowerError> {
    match what.iter().find(|(is, _)| *is) {
        Some((_, name)) => Err(LowerError::Unimplemented(name)),
        None => Ok(()),
    }
}

/// `TEX`, `TLD` and `TLD4`.
fn listed(f: &Fields, kind: TexKind, level: u64, handle: Handle) -> Result<Inst, LowerError> {
    refuse(&[
        (f.bits(79, 2) != 0, "texture result in half precision"),
        (f.bit(76), "texture with offsets"),
        (f.bit(78), "texture with depth comparison or samples"),
    ])?;
    let dim = dim(f)?;
    let outside = outside(f, handle)?;
    let coords = dim.coordinates() + usize::from(dim.is_layered());
    let total = coords + usize::from(outside.is_none()) + usize::from(level == lod::LEVEL);
    let in_a = if f.bit(60) { total.div_ceil(2) } else { coords };
    let mut list = List { f, in_a, next: 0 };
    let layer = if dim.is_layered() { list.take() } else { RZ };
    let mut op = TexOp {
        kind,
        dim,
        handle: TexHandle::Register(RZ),
        coords: [RZ; 3],
        layer,
        lod: Lod::Zero,
        channels: f.bits(72, 4) as u8,
        dst2: f.bits(64, 8) as u8,
    };
    op.coords[..dim.coordinates()].fill_with(|| list.take());
    op.handle = outside.unwrap_or_else(|| TexHandle::Register(list.take()));
    op.lod = match level {
        lod::NONE => Lod::Implicit,
        lod::ZERO => Lod::Zero,
        lod::LEVEL => Lod::Register(list.take()),
        _ => return Err(LowerError::Unimplemented("texture with a bias or limit of its level")),
    };
    texture(f, op)
}

fn sample(f: &Fields, handle: Handle) -> Result<Inst, LowerError> {
    listed(f, TexKind::Sample, f.bits(87, 3), handle)
}

fn load(f: &Fields, handle: Handle) -> Result<Inst, LowerError> {
    refuse(&[(f.bit(77), "texture load with clamped coordinates")])?;
    listed(f, TexKind::Fetch, f.bits(87, 3), handle)
}

fn gather(f: &Fields, handle: Handle) -> Result<Inst, LowerError> {
    refuse(&[(f.bit(77), "texture with offsets")])?;
    listed(f, TexKind::Gather(f.bits(87, 2) as u8), lod::ZERO, handle)
}

fn gradient(f: &Fields, handle: Handle) -> Result<Inst, LowerError> {
    refuse(&[
        (f.bits(79, 2) != 0, "texture result in half precision"),
        (f.bit(76), "texture with offsets"),
        (f.bit(87), "texture with a bias or limit of its level"),
    ])?;
    let dim = dim(f)?;
    let outside = outside(f, handle)?;
    let mut list = List { f, in_a: usize::MAX, next: 0 };
    let handle = outside.unwrap_or_else(|| TexHandle::Register(list.take()));
    let mut coords = [RZ; 3];
    coords[..dim.coordinates()].fill_with(|| list.take());
    let layer = if dim.is_layered() { list.take() } else { RZ };
    let mut gradients = [RZ; 4];
    for (i, r) in gradients.iter_mut().enumerate().take(2 * dim.coordinates()) {
        *r = from(f, 32, i);
    }
    let op = TexOp {
        kind: TexKind::Sample,
        dim,
        handle,
        coords,
        layer,
        lod: Lod::Gradients(gradients),
        channels: f.bits(72, 4) as u8,
        dst2: f.bits(64, 8) as u8,
    };
    texture(f, op)
}

/// The three ways to name a texture that have a meaning here.
macro_rules! ways {
    ($($how:ident: $bound:ident $bindless:ident $uniform:ident, $name:literal;)*) => {$(
        #[doc = concat!("`", $name, "` with its handle in a constant bank.")]
        pub fn $bound(f: &Fields) -> Result<Inst, LowerError> {
            $how(f, Handle::Constant)
        }

        #[doc = concat!("`", $name, ".B`: the handle is in a register.")]
        pub fn $bindless(f: &Fields) -> Result<Inst, LowerError> {
            $how(f, Handle::Register)
        }

        #[doc = concat!("`", $name, "` with its handle in a uniform register.")]
        pub fn $uniform(f: &Fields) -> Result<Inst, LowerError> {
            $how(f, Handle::Uniform)
        }
    )*};
}

ways! {
    sample: tex tex_bindless tex_uniform, "TEX";
    load: tld tld_bindless tld_uniform, "TLD";
    gather: tld4 tld4_bindless tld4_uniform, "TLD4";
    gradient: txd txd_bindless txd_uniform, "TXD";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arch, Word, decode};

    fn op(arch: Arch, low: u64, high: u64) -> TexOp {
        let word = Word(u128::from(high) << 64 | u128::from(low));
        match decode(word, arch).expect("an instruction").lower().expect("a meaning").exec {
            Exec::Tex(t) => t,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn operands_of_compiled_fetches() {
        // tex2Dgather(t, R4, R5, 0)
        let t = op(Arch::Sm70, 0x30005a0504047b63, 0x000f4200001e0f06);
        assert_eq!((t.kind, t.coords, t.channels), (TexKind::Gather(0), [4, 5, RZ], 15));
        let bank = ConstAddr::Bank { bank: 0, offset: 0x168 };
        assert_eq!(t.handle, TexHandle::Constant(bank));
        // tex2DLayeredLod: layer, x | y, level
        let t = op(Arch::Sm70, 0xb0005a0604047b60, 0x000f4200019e0f06);
        assert_eq!((t.layer, t.coords, t.lod), (4, [5, 6, RZ], Lod::Register(7)));
        // tex2DLayeredGrad: x, y, layer | gradients
        let t = op(Arch::Sm70, 0xa0005a0804047b6c, 0x000f4200001e0f06);
        assert_eq!((t.layer, t.coords), (6, [4, 5, RZ]));
        assert_eq!(t.lod, Lod::Gradients([8, 9, 10, 11]));
        // texCubemapLayeredLod: layer, x, y, z | level
        let t = op(Arch::Sm70, 0xe0005a0804047b60, 0x000f4200019e0f06);
        assert_eq!((t.layer, t.coords, t.lod), (4, [5, 6, 7], Lod::Register(8)));
    }

    #[test]
    fn operands_of_compiled_bindless_fetches() {
        // tex2D: x, y | handle, level
        let t = op(Arch::Sm70, 0x3800000608087361, 0x004f4200019e0f0a);
        assert_eq!((t.coords, t.handle), ([8, 9, RZ], TexHandle::Register(6)));
        assert_eq!(t.lod, Lod::Register(7));
        // tex1Dfetch: x | handle
        let t = op(Arch::Sm70, 0x1800000209087367, 0x004f4200009e0f0a);
        assert_eq!((t.coords, t.handle), ([9, RZ, RZ], TexHandle::Register(2)));
        assert_eq!((t.kind, t.lod), (TexKind::Fetch, Lod::Zero));
        // tex2DGrad: handle, x, y | gradients
        let t = op(Arch::Sm70, 0x2800000c0808736d, 0x004f4200001e0f0a);
        assert_eq!((t.coords, t.handle), ([9, 10, RZ], TexHandle::Register(8)));
        assert_eq!(t.lod, Lod::Gradients([12, 13, 14, 15]));
        // texCubemapLayeredLod on sm_90: layer, x, y, z | level, handle in UR6
        let t = op(Arch::Sm90, 0xe000060a040c9f60, 0x00136200099e0f0e);
        assert_eq!((t.layer, t.coords, t.lod), (4, [5, 6, 7], Lod::Register(10)));
        assert_eq!(t.handle, TexHandle::Uniform(6));
    }
}
