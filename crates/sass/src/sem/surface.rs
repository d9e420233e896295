//! Surface accesses of raw bytes: `SULD.D.BA`, `SUST.D.BA`.
//!
//! The byte of the row, the row, and the slice or layer follow each other in
//! source A (nvcc 11.8, sm_70 and sm_90).

use upset_isa::texture::{Outside, SurfaceOp, TexHandle};
use upset_isa::{ConstAddr, Exec, Inst, MemKind, MemOp, RZ, Space, Src};

use super::memory::size;
use super::operands::W;
use super::ordering::cached;
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// Registers of byte, row and slice, as the shape in bits 61-63 says.
fn coords(f: &Fields) -> Result<[u8; 3], LowerError> {
    let at = |i: u8| match f.bits(24, 8) as u8 {
        RZ => RZ,
        r => r.saturating_add(i),
    };
    Ok(match f.bits(61, 3) {
        0 => [at(0), RZ, RZ],
        1 => return Err(LowerError::Unimplemented("surface buffer")),
        2 => [at(0), RZ, at(1)],
        3 => [at(0), at(1), RZ],
        4 | 5 => [at(0), at(1), at(2)],
        _ => return Err(LowerError::IllegalEncoding),
    })
}

fn outside(f: &Fields) -> Result<Outside, LowerError> {
    Ok(match f.bits(59, 2) {
        0 => Outside::Ignored,
        1 => Outside::Clamped,
        2 => Outside::Trapped,
        _ => return Err(LowerError::IllegalEncoding),
    })
}

fn access(f: &Fields, kind: MemKind, handle: TexHandle) -> Lowered {
    if !f.bit(72) {
        return Err(LowerError::Unimplemented("surface access by element"));
    }
    let (bytes, signed, width) = size(f)?;
    let mem = MemOp {
        space: Space::Global,
        kind,
        bytes,
        signed,
        addr64: false,
        ureg: None,
        offset: 0,
        shift: 0,
        bank: None,
        cached: kind == MemKind::Load && cached(f),
        hints: f.bits(76, 15) as u32,
    };
    let op = SurfaceOp { mem, handle, coords: coords(f)?, outside: outside(f)? };
    let mut i = f.inst(Exec::Surface(op));
    i.src[0] = f.ra(W)?;
    if kind == MemKind::Load {
        i.dst = f.rd(width)?;
    } else {
        i.src[1] = f.rb(width)?;
    }
    if let TexHandle::Uniform(r) = handle {
        i.src[2] = Src::UReg(r, W);
    }
    Ok(i)
}

/// A handle in a constant bank: word offset in bits 40-53, bank in 54-58.
fn constant(f: &Fields) -> Result<TexHandle, LowerError> {
    let (bank, offset) = (f.bits(54, 5) as u8, 4 * f.bits(40, 14) as i32);
    Ok(TexHandle::Constant(ConstAddr::Bank { bank, offset }))
}

fn register(f: &Fields) -> Result<TexHandle, LowerError> {
    Ok(TexHandle::Register(f.bits(64, 8) as u8))
}

fn uniform(f: &Fields) -> Result<TexHandle, LowerError> {
    if f.bits(46, 8) != 0 {
        return Err(LowerError::Unimplemented("surface handle with an offset"));
    }
    Ok(TexHandle::Uniform(f.bits(40, 6) as u8))
}

/// A load and a store for each way to name a surface.
macro_rules! ways {
    ($($handle:ident: $load:ident $store:ident, $how:literal;)*) => {$(
        #[doc = concat!("`SULD.D` with its handle in a ", $how, ".")]
        pub fn $load(f: &Fields) -> Lowered {
            access(f, MemKind::Load, $handle(f)?)
        }

        #[doc = concat!("`SUST.D` with its handle in a ", $how, ".")]
        pub fn $store(f: &Fields) -> Lowered {
            access(f, MemKind::Store, $handle(f)?)
        }
    )*};
}

ways! {
    constant: load store, "constant bank";
    register: load_bindless store_bindless, "register";
    uniform: load_uniform store_uniform, "uniform register";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arch, Word, decode};

    fn inst(arch: Arch, low: u64, high: u64) -> (Inst, SurfaceOp) {
        let word = Word(u128::from(high) << 64 | u128::from(low));
        let inst = decode(word, arch).expect("an instruction").lower().expect("a meaning");
        match inst.exec {
            Exec::Surface(s) => (inst, s),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn operands_of_compiled_accesses() {
        let bank = ConstAddr::Bank { bank: 0, offset: 0x168 };
        // surf2Dread<float2>, zero outside
        let (i, s) = inst(Arch::Sm70, 0x60005a0004047b99, 0x000f6200001f0b00);
        assert_eq!((s.coords, s.handle), ([4, 5, RZ], TexHandle::Constant(bank)));
        assert_eq!((s.outside, s.mem.bytes), (Outside::Ignored, 8));
        assert_eq!(i.dst, upset_isa::Dst::Reg(4, upset_isa::Width::W2));
        // surf1DLayeredread<float>
        let (_, s) = inst(Arch::Sm70, 0x50005a0004057b99, 0x000f6200001f0900);
        assert_eq!((s.coords, s.outside), ([4, RZ, 5], Outside::Trapped));
        // surf2Dwrite<float4>, clamped
        let (i, s) = inst(Arch::Sm70, 0x68005a0408007b9d, 0x004fe20000110d00);
        assert_eq!((s.coords, s.outside), ([8, 9, RZ], Outside::Clamped));
        assert_eq!(i.src[1], Src::Reg(4, upset_isa::Width::W4));
        // surf2Dwrite<float2> to an object in a register
        let (i, s) = inst(Arch::Sm70, 0x680000060800799e, 0x020fe20000110b02);
        assert_eq!((s.coords, s.handle), ([8, 9, RZ], TexHandle::Register(2)));
        assert_eq!(i.src[1], Src::Reg(6, upset_isa::Width::W2));
        // surf3Dwrite<ushort2> on sm_90
        let (i, s) = inst(Arch::Sm90, 0xb000040304007f9d, 0x000fe2000810a900);
        assert_eq!((s.coords, s.handle), ([4, 5, 6], TexHandle::Uniform(4)));
        assert_eq!((i.src[1], s.mem.bytes), (Src::Reg(3, W), 4));
    }
}
