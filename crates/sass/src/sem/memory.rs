//! Loads and stores of every space, and constants.

use upset_isa::{ConstAddr, Exec, Inst, MemKind, MemOp, PredSrc, Space, Src, Width};

use super::operands::{Operands, W, uniform_dst};
use super::ordering::cached;
use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// Bytes, sign and register width of the size field, bits 73-75.
pub(super) fn size(f: &Fields) -> Result<(u8, bool, Width), LowerError> {
    Ok(match f.bits(73, 3) {
        0 => (1, false, W),
        1 => (1, true, W),
        2 => (2, false, W),
        3 => (2, true, W),
        4 => (4, false, W),
        5 => (8, false, Width::W2),
        6 => (16, false, Width::W4),
        // Up to Turing `.U.128`, whose alignment rule no compiler relies on.
        _ if f.arch <= Arch::Sm75 => (16, false, Width::W4),
        _ => return Err(LowerError::IllegalEncoding),
    })
}

/// How the address of a global or generic access is put together.
pub(super) struct Address {
    pub a: Src,
    pub addr64: bool,
    pub ureg: Option<(u8, Width)>,
    pub offset: i32,
}

/// Bit positions that differ between opcodes whose address has a uniform part.
pub(super) struct UniformPart {
    /// Uniform register, 6 bits.
    pub reg: u32,
    /// The vector register is a pair.
    pub wide: u32,
    /// From sm_80: the uniform register is a memory descriptor, not a base.
    pub descriptor: Option<u32>,
}

/// Is bit 91 set, and does it mean a uniform operand?
pub(super) fn has_uniform(f: &Fields) -> bool {
    f.bit(91) && f.arch != Arch::Sm70
}

/// Signed offset of bits 40-63.
pub(super) fn offset24(f: &Fields) -> i32 {
    f.word.signed(40, 24) as i32
}

/// Address of a global or generic access. Without a uniform part, bit 72
/// (`.E`) says whether the register is a pair; with one, it says so of the
/// uniform register.
pub(super) fn wide_address(
    f: &Fields,
    part: Option<UniformPart>,
    offset: i32,
) -> Result<Address, LowerError> {
    let pair = |wide: bool| if wide { Width::W2 } else { W };
    let Some(part) = part else {
        let addr64 = f.bit(72);
        return Ok(Address { a: f.ra(pair(addr64))?, addr64, ureg: None, offset });
    };
    let addr64 = f.bit(part.wide);
    let described = f.arch >= Arch::Sm80 && part.descriptor.is_some_and(|n| f.bit(n));
    if described && !addr64 {
        return Err(LowerError::IllegalEncoding);
    }
    let base = match f.ureg(part.reg, pair(f.bit(72)))? {
        Src::UReg(r, w) => Some((r, w)),
        _ => None,
    };
    let ureg = if described { None } else { base };
    Ok(Address { a: f.ra(pair(addr64))?, addr64, ureg, offset })
}

/// Address of a shared or local access: 32 bits, uniform base at `ureg`.
pub(super) fn narrow_address(f: &Fields, ureg: u32) -> Result<Address, LowerError> {
    let base = match f.ureg(ureg, W)? {
        Src::UReg(r, w) if has_uniform(f) => Some((r, w)),
        _ => None,
    };
    Ok(Address { a: f.ra(W)?, addr64: false, ureg: base, offset: offset24(f) })
}

/// A memory operation at `at`.
pub(super) fn access(f: &Fields, space: Space, kind: MemKind, bytes: u8, at: &Address) -> Inst {
    let mut i = f.inst(Exec::Mem(MemOp {
        space,
        kind,
        bytes,
        signed: false,
        addr64: at.addr64,
        ureg: at.ureg,
        offset: at.offset,
        shift: 0,
        bank: None,
        cached: false,
        hints: f.bits(76, 15) as u32,
    }));
    i.src[0] = at.a;
    i
}

fn with(mut i: Inst, change: impl FnOnce(&mut MemOp)) -> Inst {
    if let Exec::Mem(m) = &mut i.exec {
        change(m);
    }
    i
}

/// Shift of a shared-memory index, bits 78-79.
pub(super) fn scaled(f: &Fields, i: Inst) -> Inst {
    let shift = [0, 2, 3, 4][f.bits(78, 2) as usize];
    with(i, |m| m.shift = shift)
}

fn load(f: &Fields, space: Space, at: &Address) -> Lowered {
    let (bytes, signed, width) = size(f)?;
    let mut i = access(f, space, MemKind::Load, bytes, at);
    i.dst = f.rd(width)?;
    Ok(with(i, |m| {
        m.signed = signed;
        m.cached = match space {
            Space::Global | Space::Generic => cached(f),
            Space::Shared | Space::Local | Space::Const => true,
        };
    }))
}

fn store(f: &Fields, space: Space, at: &Address, data: u32) -> Lowered {
    let (bytes, _, width) = size(f)?;
    let mut i = access(f, space, MemKind::Store, bytes, at);
    i.src[1] = if data == 64 { f.rc(width)? } else { f.rb(width)? };
    Ok(i)
}

/// The uniform part of loads: register in bits 32-37.
const OF_LOAD: UniformPart = UniformPart { reg: 32, wide: 90, descriptor: Some(76) };
/// The uniform part of stores: register in bits 64-69.
const OF_STORE: UniformPart = UniformPart { reg: 64, wide: 90, descriptor: Some(76) };

/// The predicate of a load, stored inverted in bits 64-67 (not on sm_70).
fn load_predicate(f: &Fields) -> PredSrc {
    if f.arch == Arch::Sm70 {
        return PredSrc::TRUE;
    }
    PredSrc { pred: 7 - f.bits(64, 3) as u8, negate: f.bit(67), uniform: false }
}

/// `LDG`.
pub fn ldg(f: &Fields) -> Lowered {
    let part = has_uniform(f).then_some(OF_LOAD);
    let mut i = load(f, Space::Global, &wide_address(f, part, offset24(f))?)?;
    i.psrc[0] = load_predicate(f);
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `STG`.
pub fn stg(f: &Fields) -> Lowered {
    let part = has_uniform(f).then_some(OF_STORE);
    store(f, Space::Global, &wide_address(f, part, offset24(f))?, 32)
}

/// `LD`: without a uniform register the offset has 32 bits.
pub fn ld(f: &Fields) -> Lowered {
    let at = if has_uniform(f) {
        wide_address(f, Some(OF_LOAD), offset24(f))?
    } else {
        wide_address(f, None, f.word.signed(32, 32) as i32)?
    };
    let mut i = load(f, Space::Generic, &at)?;
    i.psrc[0] = load_predicate(f);
    Ok(i)
}

/// `ST`.
pub fn st(f: &Fields) -> Lowered {
    if has_uniform(f) {
        store(f, Space::Generic, &wide_address(f, Some(OF_STORE), offset24(f))?, 32)
    } else {
        store(f, Space::Generic, &wide_address(f, None, f.word.signed(32, 32) as i32)?, 64)
    }
}

/// `LDS`.
pub fn lds(f: &Fields) -> Lowered {
    Ok(scaled(f, load(f, Space::Shared, &narrow_address(f, 32)?)?))
}

/// `STS`.
pub fn sts(f: &Fields) -> Lowered {
    Ok(scaled(f, store(f, Space::Shared, &narrow_address(f, 64)?, 32)?))
}

/// `LDL`.
pub fn ldl(f: &Fields) -> Lowered {
    load(f, Space::Local, &narrow_address(f, 32)?)
}

/// `STL`.
pub fn stl(f: &Fields) -> Lowered {
    store(f, Space::Local, &narrow_address(f, 64)?, 32)
}

/// Signed constant offset of bits 38-53.
fn const_offset(f: &Fields) -> i32 {
    f.word.signed(38, 16) as i32
}

fn load_const(f: &Fields, mut i: Inst, bank: ConstAddr, index: Src) -> Lowered {
    let (bytes, signed, _) = size(f)?;
    if bytes == 16 {
        return Err(LowerError::IllegalEncoding);
    }
    i.exec = Exec::Mem(MemOp {
        space: Space::Const,
        kind: MemKind::Load,
        bytes,
        signed,
        addr64: false,
        ureg: None,
        offset: 0,
        shift: 0,
        bank: Some(bank),
        cached: true,
        hints: f.bits(78, 2) as u32,
    });
    i.src[0] = index;
    Ok(i)
}

/// Register width of a constant load.
fn const_width(f: &Fields) -> Width {
    if f.bits(73, 3) == 5 { Width::W2 } else { W }
}

/// `LDC`: `c[bank][R + offset]`, or bindless with the register in bits 64-71.
pub fn ldc(f: &Fields) -> Lowered {
    if f.bits(78, 2) != 0 {
        return Err(LowerError::Unimplemented("LDC.IL and LDC.IS"));
    }
    let mut i = f.inst(Exec::Nop);
    i.dst = f.rd(const_width(f))?;
    if f.form == 2 {
        let bank = f.bindless(24, const_offset(f))?;
        load_const(f, i, bank, f.rc(W)?)
    } else {
        let bank = ConstAddr::Bank { bank: f.bits(54, 5) as u8, offset: const_offset(f) };
        load_const(f, i, bank, f.ra(W)?)
    }
}

fn uniform_load(f: &Fields) -> Lowered {
    let mut i = Operands::uniform(f).inst(Exec::Nop, 0);
    i.dst = uniform_dst(f, const_width(f))?;
    Ok(i)
}

/// `ULDC`: `c[bank][offset]`, bindless with bit 91.
pub fn uldc(f: &Fields) -> Lowered {
    let bank = if f.bit(91) {
        f.bindless(24, f.bits(38, 16) as i32)?
    } else {
        ConstAddr::Bank { bank: f.bits(54, 5) as u8, offset: const_offset(f) }
    };
    load_const(f, uniform_load(f)?, bank, Src::Zero)
}

/// `ULDC` with a uniform register as index.
pub fn uldc_indexed(f: &Fields) -> Lowered {
    let bank = ConstAddr::Bank { bank: f.bits(54, 5) as u8, offset: const_offset(f) };
    load_const(f, uniform_load(f)?, bank, f.ureg(24, W)?)
}

/// `QSPC`: does the generic address lie in the space of bits 73-74?
pub fn qspc(f: &Fields) -> Lowered {
    let space = match f.bits(73, 2) {
        0 => Space::Global,
        1 => Space::Local,
        2 => Space::Shared,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let part = has_uniform(f).then_some(UniformPart { reg: 32, wide: 90, descriptor: None });
    let at = wide_address(f, part, offset24(f))?;
    let mut i = access(f, Space::Generic, MemKind::QuerySpace(space), 1, &at);
    i.pdst[0] = f.pd(81);
    Ok(i)
}
