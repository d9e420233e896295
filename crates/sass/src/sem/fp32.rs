//! Single-precision arithmetic.

use upset_isa::fp::warp::{BoolOp, fp32, mods};
use upset_isa::fp::{Cond, Rounding};
use upset_isa::{AluFn, Exec, Inst, Src, Width};

use super::fp_signs::{self as signs, flag};
use crate::{Arch, Fields, LowerError};

const W: Width = Width::W1;

/// Rounding field, bits 78-79.
pub(super) fn rounding(f: &Fields) -> u32 {
    mods::rounding(Rounding::from_bits(f.bits(78, 2) as u32))
}

/// Condition in bits 76-79 and boolean operation in the two bits at `op`.
pub(super) fn comparison(f: &Fields, op: u32) -> Result<u32, LowerError> {
    let op = BoolOp::from_bits(f.bits(op, 2)).ok_or(LowerError::IllegalEncoding)?;
    Ok(mods::comparison(Cond(f.bits(76, 4) as u8), op))
}

/// Flush field of multiplications: bit 80 `.FTZ`, bit 76 `.FMZ`, not both.
pub(super) fn flush(f: &Fields) -> Result<u32, LowerError> {
    if f.bit(76) && f.bit(80) {
        return Err(LowerError::IllegalEncoding);
    }
    Ok(flag(f, 80, mods::FTZ) | flag(f, 76, mods::FMZ))
}

/// An instruction with sources A and B.
fn two(f: &Fields, m: u32, exec: AluFn) -> Result<Inst, LowerError> {
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = m;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    Ok(i)
}

/// `FADD`.
pub fn fadd(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::two(f) | rounding(f) | flag(f, 80, mods::FTZ) | flag(f, 77, mods::SAT);
    Ok(Inst { dst: f.rd(W)?, ..two(f, m, fp32::fadd(m))? })
}

/// `FMUL`.
pub fn fmul(f: &Fields) -> Result<Inst, LowerError> {
    let scale = f.bits(84, 3) as u32;
    if scale == 0 {
        return Err(LowerError::IllegalEncoding);
    }
    let m = signs::two(f) | rounding(f) | flush(f)? | flag(f, 77, mods::SAT);
    let m = m | fp32::mul_scale(scale);
    Ok(Inst { dst: f.rd(W)?, ..two(f, m, fp32::fmul(m))? })
}

/// `FFMA`.
pub fn ffma(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::three(f) | rounding(f) | flush(f)? | flag(f, 77, mods::SAT);
    let (b, c) = f.bc(W, W)?;
    let mut i = f.inst(Exec::Alu(fp32::ffma(m)));
    i.mods = m;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, b, c];
    Ok(i)
}

/// `FMNMX`.
pub fn fmnmx(f: &Fields) -> Result<Inst, LowerError> {
    let mut m = signs::two(f) | flag(f, 80, mods::FTZ);
    if f.arch >= Arch::Sm80 {
        m |= flag(f, 81, mods::NAN);
    }
    if f.arch >= Arch::Sm90 {
        m |= flag(f, 82, fp32::XORSIGN);
    }
    let mut i = two(f, m, fp32::fmnmx(m))?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `FSEL`.
pub fn fsel(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::two(f) | flag(f, 80, mods::FTZ);
    let mut i = two(f, m, fp32::fsel(m))?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `FSET`.
pub fn fset(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::two(f) | comparison(f, 74)? | flag(f, 80, mods::FTZ);
    let mut i = two(f, m, fp32::fset)?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `FSETP`.
pub fn fsetp(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::two(f) | comparison(f, 74)? | flag(f, 80, mods::FTZ);
    let mut i = two(f, m, fp32::fsetp(m))?;
    i.pdst = [f.pd(81), f.pd(84)];
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `FCHK`.
pub fn fchk(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = two(f, signs::two(f), fp32::fchk)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `FSWZADD`: registers A and C, sign pattern in bits 32-39.
pub fn fswzadd(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = f.inst(Exec::Alu(fp32::fswzadd));
    i.mods = rounding(f) | flag(f, 80, mods::FTZ) | fp32::swizzle(f.bits(32, 8) as u32);
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.rc(W)?, Src::Zero];
    Ok(i)
}
