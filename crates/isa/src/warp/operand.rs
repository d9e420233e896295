//! How operands reach the semantics.

use super::Operands;
use crate::trap::TrapKind;
use crate::{ConstAddr, Guard, Inst, Lanes, Mask, PredSrc, Src, URZ, WARP, Width};

static ZERO: Lanes = [0; WARP];

/// Broadcast copies of operands that are no register rows.
pub type Scratch = [Lanes; 6];

/// Lanes of `active` whose guard holds.
#[inline]
pub fn guarded(ops: &impl Operands, g: Guard, active: Mask) -> Mask {
    if g.is_always() {
        return active;
    }
    active & pred(ops, PredSrc { pred: g.pred, negate: g.negate, uniform: g.uniform })
}

/// A predicate source.
#[inline]
pub fn pred(ops: &impl Operands, p: PredSrc) -> Mask {
    let set = if p.uniform { ops.upreds() } else { ops.preds() };
    let v = set[usize::from(p.pred & 7)];
    if p.negate { !v } else { v }
}

/// Puts the operands that are not register rows into `scratch`.
#[inline]
pub fn load_scratch(
    ops: &impl Operands,
    inst: &Inst,
    scratch: &mut Scratch,
) -> Result<(), TrapKind> {
    for (i, src) in inst.src.iter().enumerate() {
        match *src {
            Src::Zero | Src::Reg(..) => {}
            Src::Imm(v) => scratch[2 * i].fill(v),
            Src::ImmHigh(v) => scratch[2 * i + 1].fill(v),
            Src::UReg(r, w) => {
                scratch[2 * i].fill(ops.ureg(r));
                if w != Width::W1 {
                    scratch[2 * i + 1].fill(ureg_high(ops, r));
                }
            }
            Src::Const(addr, w) => {
                scratch[2 * i].fill(constant_word(ops, addr, 0)?);
                if w != Width::W1 {
                    scratch[2 * i + 1].fill(constant_word(ops, addr, 4)?);
                }
            }
        }
    }
    Ok(())
}

/// The six operand rows of an instruction; call [`load_scratch`] first.
#[inline]
pub fn rows<'a>(ops: &'a impl Operands, inst: &Inst, scratch: &'a Scratch) -> [&'a Lanes; 6] {
    let mut rows = [&ZERO; 6];
    for (i, src) in inst.src.iter().enumerate() {
        match *src {
            Src::Zero => {}
            Src::Reg(r, w) => {
                rows[2 * i] = ops.row(r);
                if w != Width::W1 {
                    rows[2 * i + 1] = ops.row(high(r));
                }
            }
            Src::Imm(_) => rows[2 * i] = &scratch[2 * i],
            Src::ImmHigh(_) => rows[2 * i + 1] = &scratch[2 * i + 1],
            Src::UReg(_, w) | Src::Const(_, w) => {
                rows[2 * i] = &scratch[2 * i];
                if w != Width::W1 {
                    rows[2 * i + 1] = &scratch[2 * i + 1];
                }
            }
        }
    }
    rows
}

/// No operands: what [`gather`] begins with.
pub const NO_ROWS: [&Lanes; 6] = [&ZERO; 6];

/// [`load_scratch`] and [`rows`] in one go. Rows that no operand names stay as they are.
#[inline]
pub fn gather<'a>(
    ops: &'a impl Operands,
    inst: &Inst,
    scratch: &'a mut Scratch,
    rows: &mut [&'a Lanes; 6],
) -> Result<(), TrapKind> {
    let pairs = rows.as_chunks_mut::<2>().0.iter_mut().zip(scratch.as_chunks_mut::<2>().0);
    for (src, ([row, upper], [copy, upper_copy])) in inst.src.iter().zip(pairs) {
        match *src {
            Src::Zero => {}
            Src::Reg(r, w) => {
                *row = ops.row(r);
                if w != Width::W1 {
                    *upper = ops.row(high(r));
                }
            }
            Src::Imm(v) => *row = all(copy, v),
            Src::ImmHigh(v) => *upper = all(upper_copy, v),
            Src::UReg(r, w) => {
                *row = all(copy, ops.ureg(r));
                if w != Width::W1 {
                    *upper = all(upper_copy, ureg_high(ops, r));
                }
            }
            Src::Const(addr, w) => {
                *row = all(copy, constant_word(ops, addr, 0)?);
                if w != Width::W1 {
                    *upper = all(upper_copy, constant_word(ops, addr, 4)?);
                }
            }
        }
    }
    Ok(())
}

/// A value for all lanes.
#[inline]
fn all(copy: &mut Lanes, v: u32) -> &Lanes {
    *copy = [v; WARP];
    copy
}

/// The 32-bit word `plus` bytes after a constant operand's address.
#[inline]
pub fn constant_word(ops: &impl Operands, addr: ConstAddr, plus: i64) -> Result<u32, TrapKind> {
    match addr {
        ConstAddr::Bank { bank, offset } => ops.constant(bank, i64::from(offset) + plus),
        ConstAddr::Bindless { ureg, offset } => ops.bindless(ureg, i64::from(offset) + plus),
    }
}

/// One lane of a 32- or 64-bit source that is a register, or a broadcast value.
#[inline]
pub fn value(ops: &impl Operands, src: Src, lane: usize) -> Result<u64, TrapKind> {
    Ok(match src {
        Src::Zero => 0,
        Src::Reg(r, Width::W1) => u64::from(ops.row(r)[lane]),
        Src::Reg(r, _) => u64::from(ops.row(r)[lane]) | u64::from(ops.row(high(r))[lane]) << 32,
        Src::UReg(r, w) => ureg_value(ops, r, w),
        Src::Imm(v) => u64::from(v),
        Src::ImmHigh(v) => u64::from(v) << 32,
        Src::Const(a, Width::W1) => u64::from(constant_word(ops, a, 0)?),
        Src::Const(a, _) => {
            u64::from(constant_word(ops, a, 0)?) | u64::from(constant_word(ops, a, 4)?) << 32
        }
    })
}

/// A uniform register or pair.
#[inline]
pub(super) fn ureg_value(ops: &impl Operands, r: u8, w: Width) -> u64 {
    match w {
        Width::W1 => u64::from(ops.ureg(r)),
        _ => u64::from(ops.ureg(r)) | u64::from(ureg_high(ops, r)) << 32,
    }
}

/// The high word of a uniform pair.
#[inline]
fn ureg_high(ops: &impl Operands, r: u8) -> u32 {
    if r >= URZ { 0 } else { ops.ureg(r + 1) }
}

/// Register of the high word of a pair; a pair of `RZ` is zero.
#[inline]
pub(super) fn high(r: u8) -> u8 {
    r.saturating_add(1)
}
