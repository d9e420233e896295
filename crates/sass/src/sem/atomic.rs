//! Atomics and reductions.

use upset_isa::atomic::{AtomOp, AtomType};
use upset_isa::{Inst, MemKind, Space, Src, Width};

use super::memory::{
    Address, UniformPart, access, has_uniform, narrow_address, offset24, scaled, wide_address,
};
use super::operands::W;
use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// Integer operations, numbered as in the encoding.
pub(super) fn operation(n: u64) -> Result<AtomOp, LowerError> {
    Ok(match n {
        0 => AtomOp::Add,
        1 => AtomOp::Min,
        2 => AtomOp::Max,
        3 => AtomOp::Inc,
        4 => AtomOp::Dec,
        5 => AtomOp::And,
        6 => AtomOp::Or,
        7 => AtomOp::Xor,
        8 => AtomOp::Exch,
        9 => return Err(LowerError::Unimplemented("atomic SAFEADD")),
        _ => return Err(LowerError::IllegalEncoding),
    })
}

/// Types of atomics, bits 73-75; Hopper has separate opcodes for floats and
/// numbers the integers anew.
fn integer_type(f: &Fields) -> Result<AtomType, LowerError> {
    if f.arch == Arch::Sm90 {
        return Ok(match f.bits(73, 3) {
            0 => AtomType::U32,
            1 => AtomType::S32,
            2 => AtomType::U64,
            3 => AtomType::S64,
            4 => return Err(LowerError::Unimplemented("128-bit atomics")),
            _ => return Err(LowerError::IllegalEncoding),
        });
    }
    // Bit 76 is .PRIVATE up to Turing and the fourth bit of the type on Ampere.
    let bits = if f.arch == Arch::Sm80 { 4 } else { 3 };
    Ok(match f.bits(73, bits) {
        0 => AtomType::U32,
        1 => AtomType::S32,
        2 => AtomType::U64,
        3 => AtomType::F32Ftz,
        4 => AtomType::F16x2,
        5 => AtomType::S64,
        6 => AtomType::F64,
        _ => return Err(LowerError::Unimplemented("this type of atomic")),
    })
}

/// Types of shared-memory atomics, two bits up to Ampere.
fn shared_type(f: &Fields) -> Result<AtomType, LowerError> {
    let bits = if f.arch == Arch::Sm90 { 3 } else { 2 };
    Ok(match f.bits(73, bits) {
        0 => AtomType::U32,
        1 => AtomType::S32,
        2 => AtomType::U64,
        4 => return Err(LowerError::Unimplemented("128-bit atomics")),
        _ => return Err(LowerError::IllegalEncoding),
    })
}

/// Types of Hopper's floating-point atomics, bits 73-76.
fn float_type(f: &Fields) -> Result<AtomType, LowerError> {
    if f.bit(87) {
        return Err(LowerError::IllegalEncoding);
    }
    Ok(match f.bits(73, 4) {
        0 => AtomType::F16x2,
        3 => AtomType::Bf16x2,
        9 => AtomType::F32Ftz,
        12 => AtomType::F32,
        15 => AtomType::F64,
        8 => return Err(LowerError::IllegalEncoding),
        _ => return Err(LowerError::Unimplemented("vector atomics")),
    })
}

/// Operations of Hopper's floating-point atomics, bits 88-89.
fn float_operation(f: &Fields) -> Result<AtomOp, LowerError> {
    Ok(match f.bits(88, 2) {
        0 => AtomOp::Add,
        1 => AtomOp::Min,
        2 => AtomOp::Max,
        _ => return Err(LowerError::IllegalEncoding),
    })
}

fn width(ty: AtomType) -> Width {
    if ty.bytes() == 8 { Width::W2 } else { W }
}

/// The uniform part of atomics: bit 90 belongs to the operation, so the
/// flags are beside the register.
fn atomic_address(f: &Fields) -> Result<Address, LowerError> {
    let part = UniformPart { reg: 64, wide: 70, descriptor: Some(71) };
    wide_address(f, has_uniform(f).then_some(part), offset24(f))
}

fn atomic(f: &Fields, space: Space, at: &Address, op: AtomOp, ty: AtomType) -> Lowered {
    let mut i = access(f, space, MemKind::Atomic(op, ty), ty.bytes(), at);
    i.dst = f.rd(width(ty))?;
    i.src[1] = f.rb(width(ty))?;
    Ok(i)
}

fn wide_atomic(f: &Fields, space: Space, op: AtomOp, ty: AtomType) -> Lowered {
    let mut i = atomic(f, space, &atomic_address(f)?, op, ty)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `ATOMG`.
pub fn atomg(f: &Fields) -> Lowered {
    wide_atomic(f, Space::Global, operation(f.bits(87, 4))?, integer_type(f)?)
}

/// `ATOMG` on floats (Hopper).
pub fn atomg_float(f: &Fields) -> Lowered {
    wide_atomic(f, Space::Global, float_operation(f)?, float_type(f)?)
}

/// `ATOM`.
pub fn atom(f: &Fields) -> Lowered {
    wide_atomic(f, Space::Generic, operation(f.bits(87, 4))?, integer_type(f)?)
}

/// `ATOM` on floats (Hopper).
pub fn atom_float(f: &Fields) -> Lowered {
    wide_atomic(f, Space::Generic, float_operation(f)?, float_type(f)?)
}

/// `ATOMS`.
pub fn atoms(f: &Fields) -> Lowered {
    let (op, ty) = (operation(f.bits(87, 4))?, shared_type(f)?);
    Ok(scaled(f, atomic(f, Space::Shared, &narrow_address(f, 64)?, op, ty)?))
}

/// `ATOMS.POPC.INC`: counts the lanes that execute it, which is what adding
/// one for each of them does. (Its sibling `.ARRIVE` belongs to transaction
/// barriers.)
pub fn atoms_counted(f: &Fields) -> Lowered {
    let count = if f.arch == Arch::Sm80 { 10 } else { 11 };
    if f.bits(87, 4) != count {
        return Err(LowerError::Unimplemented("ATOMS.ARRIVE"));
    }
    let (op, ty) = (AtomOp::Add, AtomType::U32);
    let at = narrow_address(f, 64)?;
    let mut i = access(f, Space::Shared, MemKind::Atomic(op, ty), ty.bytes(), &at);
    i.dst = f.rd(W)?;
    i.src[1] = Src::Imm(1);
    Ok(scaled(f, i))
}

/// Compare-and-swap: compare in bits 32-39, swap in bits 64-71.
fn cas(f: &Fields, space: Space, at: &Address, op: AtomOp) -> Lowered {
    let ty = if space == Space::Shared { shared_type(f)? } else { integer_type(f)? };
    if !matches!(ty, AtomType::U32 | AtomType::S32 | AtomType::U64 | AtomType::S64) {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = atomic(f, space, at, op, ty)?;
    i.src[2] = f.rc(width(ty))?;
    Ok(i)
}

fn cas_or_test(f: &Fields) -> AtomOp {
    if f.bit(87) { AtomOp::CasTest } else { AtomOp::Cas }
}

/// `ATOMG.CAS`.
pub fn atomg_cas(f: &Fields) -> Lowered {
    let mut i = cas(f, Space::Global, &wide_address(f, None, offset24(f))?, AtomOp::Cas)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `ATOM.CAS`, `ATOM.CAST`.
pub fn atom_cas(f: &Fields) -> Lowered {
    let at = wide_address(f, None, offset24(f))?;
    let mut i = cas(f, Space::Generic, &at, cas_or_test(f))?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `ATOMS.CAS`, `ATOMS.CAST`: no uniform part.
pub fn atoms_cas(f: &Fields) -> Lowered {
    let at = Address { a: f.ra(W)?, addr64: false, ureg: None, offset: offset24(f) };
    Ok(scaled(f, cas(f, Space::Shared, &at, cas_or_test(f))?))
}

fn reduce(f: &Fields, op: AtomOp, ty: AtomType) -> Lowered {
    let part = UniformPart { reg: 64, wide: 90, descriptor: Some(71) };
    let at = wide_address(f, has_uniform(f).then_some(part), offset24(f))?;
    let mut i = access(f, Space::Global, MemKind::Reduce(op, ty), ty.bytes(), &at);
    i.src[1] = f.rb(width(ty))?;
    Ok(i)
}

/// `RED`, from Hopper on `REDG`.
pub fn red(f: &Fields) -> Lowered {
    reduce(f, operation(f.bits(87, 3))?, integer_type(f)?)
}

/// `REDG` on floats (Hopper).
pub fn redg_float(f: &Fields) -> Lowered {
    reduce(f, float_operation(f)?, float_type(f)?)
}
