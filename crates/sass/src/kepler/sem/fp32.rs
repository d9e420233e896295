//! Single-precision arithmetic.

use upset_isa::fp::mufu::Func;
use upset_isa::fp::warp::{fp32, mods, mufu};
use upset_isa::fp::{Format, Rounding};
use upset_isa::{AluFn, Dst, Exec, Inst, Src, Width};

use super::signs::{comparison, flag, flush, rounding, signs};
use super::{codes_unwritten, lanes};
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// An instruction with these sources.
fn alu(f: &Fields, m: u32, exec: AluFn, dst: Dst, src: [Src; 3]) -> Inst {
    Inst { mods: m, dst, src, ..f.inst(Exec::Alu(exec)) }
}

/// Signs of A (51, 49) and B (48, 52).
fn usual_signs(f: &Fields) -> u32 {
    signs(f, 0, 51, Some(49)) | signs(f, 1, 48, Some(52))
}

/// `FADD`.
pub fn fadd(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = usual_signs(f) | rounding(f, 42) | flag(f, 47, mods::FTZ) | flag(f, 53, mods::SAT);
    Ok(alu(f, m, fp32::fadd(m), f.rd(W)?, [f.ra(W)?, f.b_float(W)?, Src::Zero]))
}

/// `FMUL`: the scale's numbers are those of later chips in another order.
pub fn fmul(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let scale =
        *[4, 3, 2, 1, 7, 6, 5].get(f.bits(44, 3) as usize).ok_or(LowerError::IllegalEncoding)?;
    let m = signs(f, 0, 51, None) | rounding(f, 42) | flush(f, 47)? | flag(f, 53, mods::SAT);
    let m = m | fp32::mul_scale(scale);
    Ok(alu(f, m, fp32::fmul(m), f.rd(W)?, [f.ra(W)?, f.b_float(W)?, Src::Zero]))
}

/// `FFMA`.
pub fn ffma(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = signs(f, 0, 51, None) | signs(f, 2, 52, None) | rounding(f, 54);
    let m = m | flush(f, 56)? | flag(f, 53, mods::SAT);
    Ok(alu(f, m, fp32::ffma(m), f.rd(W)?, [f.ra(W)?, f.b_float(W)?, f.c(W)?]))
}

/// The codes of 32-bit immediates (bit 55) are left alone.
fn wide_codes_unwritten(f: &Fields) -> Result<(), LowerError> {
    if f.writes_cc(true) { Err(LowerError::Unimplemented("condition codes")) } else { Ok(()) }
}

/// `FADD32I`.
pub fn fadd32i(f: &Fields) -> Lowered {
    wide_codes_unwritten(f)?;
    let m = signs(f, 0, 59, Some(57)) | signs(f, 1, 56, Some(60)) | flag(f, 58, mods::FTZ);
    Ok(alu(f, m, fp32::fadd(m), f.rd(W)?, [f.ra(W)?, Src::Imm(f.imm32()), Src::Zero]))
}

/// `FMUL32I`.
pub fn fmul32i(f: &Fields) -> Lowered {
    wide_codes_unwritten(f)?;
    let m = flush(f, 56)? | flag(f, 58, mods::SAT) | fp32::mul_scale(4);
    Ok(alu(f, m, fp32::fmul(m), f.rd(W)?, [f.ra(W)?, Src::Imm(f.imm32()), Src::Zero]))
}

/// `FFMA32I`: the destination is added.
pub fn ffma32i(f: &Fields) -> Lowered {
    wide_codes_unwritten(f)?;
    let m = signs(f, 0, 59, None) | signs(f, 2, 60, None) | flush(f, 56)? | flag(f, 58, mods::SAT);
    let added = Src::Reg(f.bits(2, 8) as u8, W);
    Ok(alu(f, m, fp32::ffma(m), f.rd(W)?, [f.ra(W)?, Src::Imm(f.imm32()), added]))
}

/// `FMNMX`.
pub fn fmnmx(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = usual_signs(f) | flag(f, 47, mods::FTZ);
    let mut i = alu(f, m, fp32::fmnmx(m), f.rd(W)?, [f.ra(W)?, f.b_float(W)?, Src::Zero]);
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `FSET`: ones, or 1.0 with `.BF`.
pub fn fset(f: &Fields) -> Lowered {
    let m = signs(f, 0, 46, Some(57)) | signs(f, 1, 56, Some(47));
    let m = m | comparison(f)? | flag(f, 58, mods::FTZ);
    let exec: AluFn = if f.bit(55) { fp32::fset } else { lanes::fset_mask };
    let mut i = alu(f, m, exec, f.rd(W)?, [f.ra(W)?, f.b_float(W)?, Src::Zero]);
    match f.bit(55) {
        true => codes_unwritten(f)?,
        false if f.writes_cc(false) => {
            i.exec = Exec::AluCodes { f: lanes::fset_codes, writes: true };
        }
        false => {}
    }
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `FSETP`.
pub fn fsetp(f: &Fields) -> Lowered {
    let m = signs(f, 0, 46, Some(9)) | signs(f, 1, 8, Some(47));
    let m = m | comparison(f)? | flag(f, 50, mods::FTZ);
    let mut i = alu(f, m, fp32::fsetp(m), Dst::None, [f.ra(W)?, f.b_float(W)?, Src::Zero]);
    i.pdst = [f.pd(5), f.pd(2)];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `FCMP`: A where C compares with zero, else B.
pub fn fcmp(f: &Fields) -> Lowered {
    let m = lanes::alone(f.bits(51, 4) as u8) | flag(f, 50, mods::FTZ);
    Ok(alu(f, m, lanes::fcmp, f.rd(W)?, [f.ra(W)?, f.b_float(W)?, f.c(W)?]))
}

/// `FCHK.DIVIDE`.
pub fn fchk(f: &Fields) -> Lowered {
    if f.bits(42, 6) != 0 {
        return Err(LowerError::IllegalEncoding);
    }
    let m = usual_signs(f);
    let mut i = alu(f, m, fp32::fchk, Dst::None, [f.ra(W)?, f.b_float(W)?, Src::Zero]);
    i.pdst[0] = f.pd(5);
    Ok(i)
}

/// `MUFU`.
pub fn mufu(f: &Fields) -> Lowered {
    let func = Func::from_bits(f.bits(23, 4) as u32)
        .filter(|_| f.bits(23, 4) < 8)
        .ok_or(LowerError::IllegalEncoding)?;
    let m = signs(f, 1, 51, Some(49)) | mufu::function(func, Format::F32);
    let exec = if f.bit(53) { lanes::float::mufu_saturated } else { mufu::select(m) };
    Ok(alu(f, m, exec, f.rd(W)?, [Src::Zero, f.ra(W)?, Src::Zero]))
}

/// `RRO`: only together with the MUFU that follows is it a function of numbers.
/// Here the pair does what MUFU of later chips does: of an exponential nothing
/// is left to do, an angle becomes a fraction of a full turn (docs/kepler.md).
pub fn rro(f: &Fields) -> Lowered {
    // Rounded towards zero, as code of later chips does it.
    let m = signs(f, 0, 48, Some(52)) | mods::rounding(Rounding::Zero) | fp32::mul_scale(4);
    let factor = if f.bit(42) { 1f32.to_bits() } else { lanes::TURN };
    Ok(alu(f, m, fp32::fmul(m), f.rd(W)?, [f.b_float(W)?, Src::Imm(factor), Src::Zero]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Results, Sources, WARP};

    /// The instruction of a word, on one value per source.
    fn run(word: u64, a: f32, b: f32, c: f32) -> Results {
        let i = decode(Word(word)).expect("legal").lower().expect("implemented");
        let words = [a, b, c].map(|x| [x.to_bits(); WARP]);
        let zero = [0; WARP];
        let imm: [[u32; WARP]; 3] = std::array::from_fn(|n| match i.src[n] {
            Src::Imm(v) => [v; WARP],
            Src::Zero => zero,
            _ => words[n],
        });
        let r = [&imm[0], &zero, &imm[1], &zero, &imm[2], &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        out
    }

    fn value(word: u64, a: f32, b: f32, c: f32) -> f32 {
        f32::from_bits(run(word, a, b, c).d[0][0])
    }

    #[test]
    fn sums_and_products() {
        // FADD R1, R2, R3; with -A; with |B|; with an immediate of 1.5.
        let fadd = 0xe2c0_0000_019c_0806;
        assert_eq!(value(fadd, 2.0, -3.0, 0.0), -1.0);
        assert_eq!(value(fadd | 1 << 51, 2.0, -3.0, 0.0), -5.0);
        assert_eq!(value(fadd | 1 << 52, 2.0, -3.0, 0.0), 5.0);
        let imm = u64::from(1.5f32.to_bits() >> 12) << 23;
        assert_eq!(value(0xc2c0_0000_001c_0805 | imm, 2.0, 0.0, 0.0), 3.5);
        // FMUL.D2 and .M8.
        let fmul = 0xe340_0000_019c_0806;
        assert_eq!(value(fmul | 1 << 44, 2.0, 3.0, 0.0), 3.0);
        assert_eq!(value(fmul | 4 << 44, 2.0, 3.0, 0.0), 48.0);
        // FFMA with the product and with C negated.
        let ffma = 0xcc00_1000_019c_0806;
        assert_eq!(value(ffma | 1 << 51, 2.0, 3.0, 1.0), -5.0);
        assert_eq!(value(ffma | 1 << 52, 2.0, 3.0, 1.0), 5.0);
    }

    #[test]
    fn comparisons() {
        // FSETP.GT.AND P1, P2, R2, R3, PT
        let gt = 0xdda0_1c00_019c_0802 | 1 << 5 | 2 << 2;
        assert_eq!(run(gt, 2.0, 1.0, 0.0).p, [u32::MAX, 0]);
        // FSET.LT.AND R1, R2, R3, PT
        let fset = 0xc008_1c00_019c_0806;
        assert_eq!(run(fset, 1.0, 2.0, 0.0).d[0][0], u32::MAX);
        assert_eq!(value(fset | 1 << 55, 1.0, 2.0, 0.0), 1.0);
    }

    /// MUFU.SIN of RRO.SINCOS is about the sine.
    #[test]
    fn range_reduction_and_function_make_a_pair() {
        let rro = 0xe480_0000_019c_0006;
        let i = decode(Word(rro)).expect("legal").lower().expect("implemented");
        assert_eq!(i.src[0], Src::Reg(3, W));
        let turned = value(rro, 1.25, 0.0, 0.0);
        let sine = value(0x8400_0000_009c_0806, 0.0, turned, 0.0);
        assert!((sine - 1.25f32.sin()).abs() < 1e-5, "{sine}");
        assert_eq!(value(rro | 1 << 42, 1.25, 0.0, 0.0), 1.25);
    }

    #[test]
    fn what_the_core_has_not_is_told() {
        let fadd = Word(0xe2c0_0000_019c_0806 | 1 << 50);
        let why = decode(fadd).expect("legal").lower().expect_err("it writes CC");
        assert_eq!(why, LowerError::Unimplemented("condition codes"));
    }

    #[test]
    fn a_join_is_kept() {
        let join = |bit: u64| decode(Word(0xe2c0_0000_019c_0806 | bit << 22)).expect("legal");
        assert!(join(1).lower().expect("implemented").joins);
        assert!(!join(0).lower().expect("implemented").joins);
    }
}
