//! Surfaces: addresses by instructions of their own, and accesses there.

use upset_isa::texture::{Outside, SurfaceOp, TexHandle};
use upset_isa::{Exec, Inst, MemKind, MemOp, PredSrc, RZ, Space, Width};

use super::lanes::surface::{self, VOLUME, clamp};
use super::memory::size;
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// `SUCLAMP`.
pub fn suclamp(f: &Fields) -> Lowered {
    let mode = f.bits(52, 4) as u32;
    if mode == 15 {
        return Err(LowerError::IllegalEncoding);
    }
    let flag = |bit: u32, flag: u32| if f.bit(bit) { flag } else { 0 };
    let mut i = f.inst(Exec::Alu(surface::suclamp));
    i.mods = mode << clamp::MODE
        | flag(51, clamp::SIGNED)
        | flag(56, clamp::PLANE)
        | (f.bits(42, 6) as u32) << clamp::ADDED;
    i.dst = f.rd(W)?;
    i.pdst[0] = f.pd(48);
    i.src[0] = f.ra(W)?;
    i.src[1] = f.b(W)?;
    Ok(i)
}

/// `SUBFM`.
pub fn subfm(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Alu(surface::subfm));
    i.mods = if f.bit(50) { VOLUME } else { 0 };
    i.dst = f.rd(W)?;
    i.pdst[0] = f.pd(51);
    i.src = [f.ra(W)?, f.b(W)?, f.c(W)?];
    Ok(i)
}

/// `SUEAU`.
pub fn sueau(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Alu(surface::sueau));
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, f.c(W)?];
    Ok(i)
}

/// What happens outside.
fn outside(f: &Fields, lo: u32) -> Result<Outside, LowerError> {
    match f.bits(lo, 2) {
        0 => Ok(Outside::Ignored),
        1 => Ok(Outside::Trapped),
        3 => Ok(Outside::Clamped),
        _ => Err(LowerError::IllegalEncoding),
    }
}

/// An access of raw bytes at a pair of registers: the lowest byte of the address,
/// and what is above it. The format, in a constant or a register, is not looked at.
fn access(
    f: &Fields,
    kind: MemKind,
    sized: u32,
    outside: Outside,
    predicate: PredSrc,
) -> Result<(Inst, Width), LowerError> {
    let (bytes, signed, width) = size(f, sized)?;
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
        cached: false,
        hints: 0,
    };
    let low = f.bits(10, 8) as u8;
    let high = if low == RZ { RZ } else { low.saturating_add(1) };
    let handle = TexHandle::Address(predicate);
    let op = SurfaceOp { mem, handle, coords: [low, high, RZ], outside };
    let mut i = f.inst(Exec::Surface(op));
    i.src[0] = f.ra(Width::W2)?;
    // Inside, for those who wait for predicates.
    i.psrc[0] = PredSrc { negate: !predicate.negate, ..predicate };
    Ok((i, width))
}

/// A load; where sizes stand differs between its forms.
fn load(f: &Fields, sized: u32) -> Lowered {
    let (mut i, width) = access(f, MemKind::Load, sized, outside(f, 46)?, f.ps(42, 45))?;
    i.dst = f.rd(width)?;
    Ok(i)
}

/// `SULDGA.B` with the format in a constant.
pub fn suldga(f: &Fields) -> Lowered {
    load(f, 56)
}

/// `SULDGA.B` with the format in a register.
pub fn suldga_register(f: &Fields) -> Lowered {
    load(f, 33)
}

fn store(f: &Fields, sized: u32, outside: Outside) -> Lowered {
    let (mut i, width) = access(f, MemKind::Store, sized, outside, f.ps(50, 53))?;
    i.src[1] = f.rc(width)?;
    Ok(i)
}

/// `SUSTGA.B` with the format in a constant.
pub fn sustga(f: &Fields) -> Lowered {
    store(f, 56, outside(f, 2)?)
}

/// `SUSTGA.B` with the format in a register.
pub fn sustga_register(f: &Fields) -> Lowered {
    store(f, 33, outside(f, 23)?)
}
