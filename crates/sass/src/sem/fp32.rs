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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;
    use upset_isa::{ConstAddr, LatencyClass, OpDef, Results, Sources, Unit, WARP};

    static OP: OpDef = OpDef::new("F", Unit::Fma, LatencyClass::Fixed);

    fn fields(word: u128) -> Fields {
        Fields { word: Word(word), arch: Arch::Sm90, op: &OP, form: (word >> 9 & 7) as u8 }
    }

    /// Executes on one value per source, all lanes alike.
    fn run(i: &Inst, a: f32, b: f32, c: f32) -> Results {
        let words = [a, b, c].map(|x| [x.to_bits(); WARP]);
        let zero = [0; WARP];
        let r = [&words[0], &zero, &words[1], &zero, &words[2], &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        out
    }

    fn value(r: &Results) -> f32 {
        f32::from_bits(r.d[0][0])
    }

    const REGS: u128 = 4 << 16 | 5 << 24 | 6 << 32 | 7 << 64;

    #[test]
    fn signs_follow_the_operands_of_a_form() {
        // R5 * R6 + R7 with -A, |B|, -C.
        let i = ffma(&fields(0x7223 | REGS | 1 << 72 | 1 << 62 | 1 << 75)).unwrap();
        assert_eq!(value(&run(&i, 2.0, -3.0, 10.0)), -16.0);
        // R5 * R7 + c[0][…]: bits 74-75 now belong to B, 62-63 to C.
        let word = 0x7623 | 4 << 16 | 5 << 24 | 7 << 64 | 8 << 38 | 1 << 63 | 1 << 74;
        let i = ffma(&fields(word)).unwrap();
        let constant = Src::Const(ConstAddr::Bank { bank: 0, offset: 8 }, W);
        assert_eq!(i.src, [Src::Reg(5, W), Src::Reg(7, W), constant]);
        assert_eq!(value(&run(&i, 2.0, -3.0, 10.0)), -4.0);
    }

    #[test]
    fn an_immediate_has_no_sign_modifiers() {
        let imm = u128::from((-1.5f32).to_bits()) << 32;
        let i = fadd(&fields(0x7421 | 4 << 16 | 5 << 24 | imm)).unwrap();
        assert_eq!(i.src[1], Src::Imm((-1.5f32).to_bits()));
        assert_eq!(i.mods, 0);
    }

    #[test]
    fn rounding_flush_and_saturation() {
        let tiny = f32::from_bits(1);
        let up = fadd(&fields(0x7221 | REGS | 2 << 78)).unwrap();
        assert_eq!(value(&run(&up, 1.0, tiny, 0.0)), 1.0 + f32::EPSILON);
        let flushed = fadd(&fields(0x7221 | REGS | 2 << 78 | 1 << 80)).unwrap();
        assert_eq!(value(&run(&flushed, 1.0, tiny, 0.0)), 1.0);
        let clamped = fadd(&fields(0x7221 | REGS | 1 << 77)).unwrap();
        assert_eq!(value(&run(&clamped, 1.0, 1.0, 0.0)), 1.0);
        let doubled = fmul(&fields(0x7220 | REGS | 5 << 84)).unwrap();
        assert_eq!(value(&run(&doubled, 3.0, 5.0, 0.0)), 30.0);
        assert_eq!(fmul(&fields(0x7220 | REGS)).unwrap_err(), LowerError::IllegalEncoding);
    }

    #[test]
    fn comparisons_write_both_predicates() {
        // FSETP.LT.OR P1, P2, R5, R6, !P3
        let word = 0x720b | REGS | 1 << 76 | 1 << 74 | 1 << 81 | 2 << 84 | 3 << 87 | 1 << 90;
        let i = fsetp(&fields(word)).unwrap();
        assert_eq!(i.pdst.map(|p| p.pred), [1, 2]);
        assert!(i.psrc[0].pred == 3 && i.psrc[0].negate);
        let and = fsetp(&fields(word & !(1 << 74))).unwrap();
        let r = run(&and, 1.0, 2.0, 0.0);
        assert_eq!(r.p, [u32::MAX, 0]);
    }
}
