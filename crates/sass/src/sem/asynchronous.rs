//! Copies between global and shared memory, and the barriers that wait for them.

use upset_isa::atomic::{AtomOp, AtomType};
use upset_isa::{
    Arrival, ArrivalKind, BULK_UNIT, BulkTo, Copies, CopyTo, Dst, Exec, Inst, MemKind, RZ, Space,
    Src, URZ, Width,
};

use super::atomic::operation;
use super::memory::{Address, access, narrow_address, offset24, size};
use super::operands::{Operands, W};
use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// `LDGSTS`: global address with a register in bits 24-31, shared address with one
/// in bits 16-23. The one uniform register, in bits 64-69, belongs to the global
/// address in form 7, where it may be a descriptor, and to the shared one in form 6.
pub fn ldgsts(f: &Fields) -> Lowered {
    let (bytes, _, _) = size(f)?;
    let pair = |wide: bool| if wide { Width::W2 } else { W };
    let addr64 = f.bit(70);
    let to_shared = f.form == 6;
    if !addr64 && (to_shared || f.bit(76)) {
        return Err(LowerError::IllegalEncoding);
    }
    let ureg = match f.ureg(64, pair(!to_shared))? {
        Src::UReg(r, w) if !to_shared && !f.bit(76) && r != URZ => Some((r, w)),
        _ => None,
    };
    let offset = f.word.signed(32, 12) as i32;
    let at = Address { a: f.ra(pair(addr64))?, addr64, ureg, offset };
    let to = CopyTo { offset: f.word.signed(44, 20) as i32, partial: f.bit(82) };
    let mut i = access(f, Space::Global, MemKind::Copy(to), bytes, &at);
    i.src[1] = Src::Reg(f.bits(16, 8) as u8, W);
    i.src[2] = if to_shared { f.ureg(64, W)? } else { Src::Zero };
    i.psrc[0] = f.ps(87, 90);
    if let Exec::Mem(m) = &mut i.exec {
        m.cached = f.bit(81);
    }
    Ok(i)
}

/// `LDGDEPBAR`: its counter falls when the copies before it have ended.
pub fn ldgdepbar(f: &Fields) -> Lowered {
    let nowhere = Address { a: Src::Zero, addr64: false, ureg: None, offset: 0 };
    Ok(access(f, Space::Shared, MemKind::CopiesEnd(Copies::Lanes), 4, &nowhere))
}

/// `UTMACMDFLUSH`: its counter, which is that of operands, falls when the bulk copies to
/// global memory before it have ended.
pub fn utmacmdflush(f: &Fields) -> Lowered {
    let nowhere = Address { a: Src::Zero, addr64: false, ureg: None, offset: 0 };
    let mut i = access(f, Space::Shared, MemKind::CopiesEnd(Copies::Bulk), 4, &nowhere);
    std::mem::swap(&mut i.ctl.read_sb, &mut i.ctl.write_sb);
    i.guard = Operands::uniform(f).inst(Exec::Nop, 0).guard;
    Ok(i)
}

/// A bulk copy: global memory at a uniform pair, shared memory at a uniform register,
/// with its barrier in the next one where it leads there.
fn bulk(f: &Fields, to: BulkTo, bytes: u8) -> Lowered {
    let (target, source) = (32, 24);
    let (global, shared) = match to {
        BulkTo::Shared => (f.ureg(source, Width::W2)?, f.ureg(target, Width::W2)?),
        BulkTo::Global | BulkTo::Reduced(..) => (f.ureg(target, Width::W2)?, f.ureg(source, W)?),
    };
    let at = Address { a: global, addr64: true, ureg: None, offset: 0 };
    let mut i = access(f, Space::Global, MemKind::Bulk(to), bytes, &at);
    i.src[1] = shared;
    i.src[2] = f.ureg(64, W)?;
    i.guard = Operands::uniform(f).inst(Exec::Nop, 0).guard;
    Ok(i)
}

/// `UBLKCP`: bit 73 says that it leads to shared memory, bit 74 that it comes from there.
pub fn ublkcp(f: &Fields) -> Lowered {
    if f.bit(75) {
        return Err(LowerError::Unimplemented("UBLKCP.MULTICAST"));
    }
    match (f.bit(73), f.bit(74)) {
        (true, false) => bulk(f, BulkTo::Shared, BULK_UNIT as u8),
        (false, true) => bulk(f, BulkTo::Global, BULK_UNIT as u8),
        (true, true) => Err(LowerError::Unimplemented("UBLKCP.S.S")),
        (false, false) => Err(LowerError::IllegalEncoding),
    }
}

/// `UBLKRED.G.S`.
pub fn ublkred(f: &Fields) -> Lowered {
    if f.bit(73) {
        return Err(LowerError::Unimplemented("UBLKRED.S.S"));
    }
    let ty = match f.bits(81, 4) {
        0 => AtomType::U32,
        1 => AtomType::S32,
        2 => AtomType::U64,
        3 => AtomType::S64,
        4 => AtomType::F16x2,
        5 => AtomType::F32,
        6 => AtomType::F32Ftz,
        7 => AtomType::F64,
        8 => AtomType::Bf16x2,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let integer = matches!(ty, AtomType::U32 | AtomType::S32 | AtomType::U64 | AtomType::S64);
    let op = operation(f.bits(87, 3))?;
    if !integer && op != AtomOp::Add {
        return Err(LowerError::Unimplemented("UBLKRED of floats but .ADD"));
    }
    bulk(f, BulkTo::Reduced(op, ty), ty.bytes())
}

fn arrival(f: &Fields, kind: ArrivalKind, leaves: bool, returns: bool) -> Lowered {
    let op = AtomOp::Arrive(Arrival { kind, leaves });
    let kind = match returns {
        true => MemKind::Atomic(op, AtomType::U64),
        false => MemKind::Reduce(op, AtomType::U64),
    };
    Ok(access(f, Space::Shared, kind, 8, &narrow_address(f, 64)?))
}

/// `ARRIVES.LDGSTSBAR`.
pub fn arrives(f: &Fields) -> Lowered {
    if f.bit(72) || f.bits(73, 3) != 5 {
        return Err(LowerError::IllegalEncoding);
    }
    // On sm_80 barriers are another word, which only its own instructions know.
    match (f.arch, f.bits(70, 2)) {
        (Arch::Sm90, 1) => arrival(f, ArrivalKind::OneAfterCopies, false, false),
        (Arch::Sm90, 2) => arrival(f, ArrivalKind::CompleteAfterCopies, false, false),
        _ => Err(LowerError::Unimplemented("ARRIVES.LDGSTSBAR of sm_80")),
    }
}

/// `SYNCS.ARRIVE.TRANS64`: gives the upper half of the barrier to the upper register
/// of a pair; the lower one stays as it is.
pub fn syncs_arrive(f: &Fields) -> Lowered {
    let kind = match f.bits(84, 3) {
        0 => ArrivalKind::OneAndExpect,
        1 => ArrivalKind::One,
        2 => ArrivalKind::ExpectOne,
        3 => ArrivalKind::Expect,
        4 => ArrivalKind::Complete,
        5 => ArrivalKind::Many,
        _ => return Err(LowerError::IllegalEncoding),
    };
    if f.bits(70, 2) != 0 || f.bits(73, 2) == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    if f.bits(73, 2) == 1 {
        return Err(LowerError::Unimplemented("SYNCS.ARRIVE.TRANS64.TMASK"));
    }
    let returns = f.bits(73, 2) != 2 && f.bits(16, 8) != u64::from(RZ);
    let mut i = arrival(f, kind, f.bit(75), returns)?;
    i.src[1] = f.rb(W)?;
    if returns {
        f.rd(Width::W2)?;
        i.dst = Dst::Reg(f.bits(16, 8) as u8 + 1, W);
    }
    Ok(i)
}

/// `SYNCS.PHASECHK.TRANS64`. One that waits (`.TRYWAIT`) may also answer at once.
pub fn syncs_phasechk(f: &Fields) -> Lowered {
    if f.bits(70, 2) != 1 {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = access(f, Space::Shared, MemKind::PhaseCheck, 8, &narrow_address(f, 64)?);
    i.src[1] = f.rb(W)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `SYNCS.LD.64`.
pub fn syncs_ld(f: &Fields) -> Lowered {
    if !f.bit(73) {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = access(f, Space::Shared, MemKind::Load, 8, &narrow_address(f, 64)?);
    i.dst = f.rd(Width::W2)?;
    if let Exec::Mem(m) = &mut i.exec {
        m.cached = true;
    }
    Ok(i)
}

/// `SYNCS.EXCH.64` with what was there dropped: a store of a uniform pair.
pub fn syncs_exch(f: &Fields) -> Lowered {
    if f.bits(72, 2) != 1 {
        return Err(LowerError::IllegalEncoding);
    }
    if f.bits(16, 6) != u64::from(URZ) {
        return Err(LowerError::Unimplemented("SYNCS.EXCH with a result"));
    }
    let ureg = match f.ureg(24, W)? {
        Src::UReg(r, w) if r != URZ => Some((r, w)),
        _ => None,
    };
    let at = Address { a: Src::Zero, addr64: false, ureg, offset: offset24(f) };
    let mut i = access(f, Space::Shared, MemKind::Store, 8, &at);
    // Every lane stores the same.
    i.guard = Operands::uniform(f).inst(Exec::Nop, 0).guard;
    i.src[1] = f.ureg(32, Width::W2)?;
    Ok(i)
}
