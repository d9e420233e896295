//! Atomics, locks of shared memory, fences, cache control.

use upset_isa::atomic::{AtomOp, AtomType};
use upset_isa::{CacheOp, Exec, FenceScope, Inst, MemKind, RZ, Space, Src, Width};

use super::memory::{access, size, with};
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// Operations, bits 55-58.
fn operation(f: &Fields) -> Result<AtomOp, LowerError> {
    Ok(match f.bits(55, 4) {
        0 => AtomOp::Add,
        1 => AtomOp::Min,
        2 => AtomOp::Max,
        3 => AtomOp::Inc,
        4 => AtomOp::Dec,
        5 => AtomOp::And,
        6 => AtomOp::Or,
        7 => AtomOp::Xor,
        8 => AtomOp::Exch,
        10 => return Err(LowerError::Unimplemented("atomic SAFEADD")),
        _ => return Err(LowerError::IllegalEncoding),
    })
}

/// Types, bits 52-54.
fn type_of(f: &Fields) -> Result<AtomType, LowerError> {
    Ok(match f.bits(52, 3) {
        0 => AtomType::U32,
        1 => AtomType::S32,
        2 => AtomType::U64,
        3 => AtomType::F32Ftz,
        4 => return Err(LowerError::Unimplemented("128-bit atomics")),
        5 => AtomType::S64,
        _ => return Err(LowerError::IllegalEncoding),
    })
}

fn width(ty: AtomType) -> Width {
    if ty.bytes() == 8 { Width::W2 } else { W }
}

/// An access at a generic address, 64 bits wide with `.E` (bit 51).
fn generic(f: &Fields, kind: MemKind, ty: AtomType) -> Lowered {
    let mut i = access(f, Space::Generic, kind, ty.bytes(), f.offset20())?;
    i.src[0] = f.ra(if f.bit(51) { Width::W2 } else { W })?;
    Ok(with(i, |m| m.addr64 = f.bit(51)))
}

/// `RED`.
pub fn red(f: &Fields) -> Lowered {
    let (op, ty) = (operation(f)?, type_of(f)?);
    let mut i = generic(f, MemKind::Reduce(op, ty), ty)?;
    i.src[1] = f.rb(width(ty))?;
    Ok(i)
}

/// `ATOM`.
pub fn atom(f: &Fields) -> Lowered {
    let (op, ty) = (operation(f)?, type_of(f)?);
    let mut i = generic(f, MemKind::Atomic(op, ty), ty)?;
    i.dst = f.rd(width(ty))?;
    i.src[1] = f.rb(width(ty))?;
    Ok(i)
}

/// `ATOM.CAS`: what is compared and what replaces it stand in registers one
/// after the other; bits 53-54 replace one of them by zero.
pub fn atom_cas(f: &Fields) -> Lowered {
    let ty = if f.bit(52) { AtomType::U64 } else { AtomType::U32 };
    let w = width(ty);
    let mut i = generic(f, MemKind::Atomic(AtomOp::Cas, ty), ty)?;
    let first = f.bits(23, 8) as u8;
    let register = |r: u8| match r != RZ && !r.is_multiple_of(w.words()) {
        true => Err(LowerError::MisalignedRegister(r)),
        false => Ok(Src::Reg(r, w)),
    };
    let second = if first == RZ { RZ } else { first.saturating_add(w.words()) };
    let (compare, swap) = match f.bits(53, 2) {
        0 => (first, second),
        1 => (first, RZ),
        2 => (RZ, first),
        _ => return Err(LowerError::IllegalEncoding),
    };
    i.dst = f.rd(w)?;
    (i.src[1], i.src[2]) = (register(compare)?, register(swap)?);
    Ok(i)
}

/// `LDSLK`: a load that takes a lock, where the predicate says it did.
pub fn ldslk(f: &Fields) -> Lowered {
    let (bytes, signed, width) = size(f, 51)?;
    let mut i = access(f, Space::Shared, MemKind::LoadLock, bytes, f.offset24())?;
    i.dst = f.rd(width)?;
    i.pdst[0] = f.pd(48);
    Ok(with(i, |m| m.signed = signed))
}

/// `STSCUL`: a store that gives the lock back.
pub fn stscul(f: &Fields) -> Lowered {
    let (bytes, _, width) = size(f, 51)?;
    let mut i = access(f, Space::Shared, MemKind::StoreUnlock, bytes, f.offset24())?;
    i.src[1] = f.data(width)?;
    i.pdst[0] = f.pd(48);
    Ok(i)
}

/// `MEMBAR`: `.CTA`, `.GL`, `.SYS`; others count as the widest.
pub fn membar(f: &Fields) -> Lowered {
    let scope = match f.bits(10, 2) {
        0 => FenceScope::Cta,
        1 => FenceScope::Gpu,
        _ => FenceScope::Sys,
    };
    Ok(f.inst(Exec::Fence(scope)))
}

/// `CCTL`, `CCTLL`: `.IV` and `.IVALL` in bits 2-5.
pub fn cctl(f: &Fields) -> Lowered {
    let op = match f.bits(2, 4) {
        5 | 6 => CacheOp::InvalidateL1,
        _ => CacheOp::Other,
    };
    Ok(f.inst(Exec::CacheControl(op)))
}
