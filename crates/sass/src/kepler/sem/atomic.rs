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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Dst, MemOp};

    fn inst(word: u64) -> Inst {
        decode(Word(word)).expect("legal").lower().expect("implemented")
    }

    fn lowered(word: u64) -> (Inst, MemOp) {
        let i = inst(word);
        let Exec::Mem(m) = i.exec else { panic!("no access") };
        (i, m)
    }

    /// Words of compiled code.
    #[test]
    fn atomics_and_reductions() {
        // ATOM.E.ADD R9, [R12+0x4], R9
        let (i, m) = lowered(0x6808_0002_049c_3026);
        assert_eq!(m.kind, MemKind::Atomic(AtomOp::Add, AtomType::U32));
        assert_eq!((m.offset, m.bytes, m.addr64), (4, 4, true));
        assert_eq!((i.dst, i.src[1]), (Dst::Reg(9, W), Src::Reg(9, W)));
        assert_eq!(i.src[0], Src::Reg(12, Width::W2));
        // RED.E.ADD.U64 [R2+0x28], R12
        let (i, m) = lowered(0x6828_0014_061c_0bfe);
        assert_eq!(m.kind, MemKind::Reduce(AtomOp::Add, AtomType::U64));
        assert_eq!((m.offset, m.bytes, i.src[1]), (0x28, 8, Src::Reg(12, Width::W2)));
        // RED.E.MAX.S32 [R2+0x24], R7; RED.E.INC [R2+0x1c], R12
        assert_eq!(
            lowered(0x6918_0012_03a0_0bfe).1.kind,
            MemKind::Reduce(AtomOp::Max, AtomType::S32)
        );
        assert_eq!(
            lowered(0x6988_000e_061c_0bfe).1.kind,
            MemKind::Reduce(AtomOp::Inc, AtomType::U32)
        );
    }

    #[test]
    fn what_is_compared_stands_before_what_replaces_it() {
        // ATOM.E.CAS R15, [R2+0x30], R14, R15
        let cas = 0x7788_0018_071c_083e;
        let (i, m) = lowered(cas);
        assert_eq!(m.kind, MemKind::Atomic(AtomOp::Cas, AtomType::U32));
        assert_eq!((i.src[1], i.src[2]), (Src::Reg(14, W), Src::Reg(15, W)));
        // Either may be zero.
        let zero = Src::Reg(RZ, W);
        assert_eq!(lowered(cas | 1 << 53).0.src[1..], [Src::Reg(14, W), zero]);
        assert_eq!(lowered(cas | 2 << 53).0.src[1..], [zero, Src::Reg(14, W)]);
        // Of pairs both begin at an even register.
        let wide = cas & !(255 << 2) | 16 << 2 | 1 << 52;
        let (i, m) = lowered(wide);
        assert_eq!((m.bytes, i.dst), (8, Dst::Reg(16, Width::W2)));
        assert_eq!(i.src[1..], [Src::Reg(14, Width::W2), Src::Reg(16, Width::W2)]);
    }

    #[test]
    fn locks() {
        // LDSLK.64 P1, R8, [0x28]; @P1 STSCUL.64 P2, [0x28], R8
        let (i, m) = lowered(0x7769_0000_141f_fc22);
        assert_eq!((m.kind, m.space, m.offset, m.bytes), (MemKind::LoadLock, Space::Shared, 40, 8));
        assert_eq!((i.dst, i.pdst[0].pred), (Dst::Reg(8, Width::W2), 1));
        let (i, m) = lowered(0x786a_0000_1407_fc22);
        assert_eq!((m.kind, m.bytes, i.guard.pred), (MemKind::StoreUnlock, 8, 1));
        assert_eq!((i.src[1], i.pdst[0].pred), (Src::Reg(8, Width::W2), 2));
    }

    #[test]
    fn fences_and_caches() {
        let scope = |word| match inst(word).exec {
            Exec::Fence(scope) => scope,
            other => panic!("{other:?}"),
        };
        assert_eq!(scope(0x7cc0_0000_001c_0002), FenceScope::Cta);
        assert_eq!(scope(0x7cc0_0000_001c_0402), FenceScope::Gpu);
        assert_eq!(scope(0x7cc0_0000_001c_0802), FenceScope::Sys);
        // CCTL.E.IV [R2], and a prefetch.
        let op = |word| match inst(word).exec {
            Exec::CacheControl(op) => op,
            other => panic!("{other:?}"),
        };
        assert_eq!(op(0x7b80_0000_001c_0816), CacheOp::InvalidateL1);
        assert_eq!(op(0x7b80_0000_001c_0816 & !(15 << 2) | 1 << 2), CacheOp::Other);
    }
}
