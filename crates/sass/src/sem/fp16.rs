//! Packed half-precision arithmetic.

use upset_isa::fp::warp::half::{self, Swizzle};
use upset_isa::fp::warp::mods;
use upset_isa::{AluFn, Exec, Inst, Src, Width};

use super::fp_signs::{self as signs, Signs, flag};
use super::fp32::{comparison, flush};
use crate::{Arch, Fields, LowerError};

const W: Width = Width::W1;

/// Half selection of an operand. sm_90 gave up the FP32 selection except for
/// the multiplier of `HFMA2`.
fn swizzle(f: &Fields, bits: u64, slot: u32) -> Result<u32, LowerError> {
    let s = Swizzle::from_bits(bits).ok_or(LowerError::IllegalEncoding)?;
    if s == Swizzle::F32 && f.arch >= Arch::Sm90 && slot != 1 {
        return Err(LowerError::IllegalEncoding);
    }
    Ok(s.mods(slot))
}

/// Signs and selection of A (bits 72-75) and of the flexible operand as B.
fn two(f: &Fields) -> Result<u32, LowerError> {
    let b = if matches!(f.form, 2 | 4) { 0 } else { f.bits(60, 2) };
    Ok(signs::two(f) | swizzle(f, f.bits(74, 2), 0)? | swizzle(f, b, 1)?)
}

/// An instruction with sources A and B.
fn inst2(f: &Fields, m: u32, exec: AluFn) -> Result<Inst, LowerError> {
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = m;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    Ok(i)
}

/// A modifier bit that exists from `first` on.
fn since(f: &Fields, first: Arch, bit: u32, modifier: u32) -> u32 {
    if f.arch >= first { flag(f, bit, modifier) } else { 0 }
}

/// BF16 of sm_90 without flushing and saturation: an H200 traps on either.
fn bf16_alone(f: &Fields, flush: bool) -> Result<u32, LowerError> {
    let bf16 = since(f, Arch::Sm90, 85, half::BF16);
    if bf16 != 0 && (flush || f.bit(77)) {
        return Err(LowerError::IllegalEncoding);
    }
    Ok(bf16)
}

/// `HADD2`. From sm_90 on `.F32` only widens: an H200 traps unless A is RZ.
pub fn hadd2(f: &Fields) -> Result<Inst, LowerError> {
    if f.arch >= Arch::Sm90 && f.bit(78) && f.bits(24, 8) != u64::from(upset_isa::RZ) {
        return Err(LowerError::IllegalEncoding);
    }
    let m = two(f)?
        | flag(f, 80, mods::FTZ)
        | flag(f, 77, mods::SAT)
        | flag(f, 78, half::F32_OUT)
        | bf16_alone(f, f.bit(80))?;
    Ok(Inst { dst: f.rd(W)?, ..inst2(f, m, half::hadd2)? })
}

/// `HMUL2`.
pub fn hmul2(f: &Fields) -> Result<Inst, LowerError> {
    if f.arch >= Arch::Sm90 && f.bit(78) {
        return Err(LowerError::IllegalEncoding);
    }
    let m = two(f)?
        | flush(f)?
        | flag(f, 77, mods::SAT)
        | flag(f, 78, half::F32_OUT)
        | bf16_alone(f, f.bit(76) || f.bit(80))?;
    Ok(Inst { dst: f.rd(W)?, ..inst2(f, m, half::hmul2)? })
}

/// Signs of A, B, C: those of the register in bits 64-71 are in bits 83-84 here.
fn three_signs(f: &Fields) -> u32 {
    let upper = Signs { neg: f.bit(84), abs: f.bit(83) };
    let (b, c) = match f.form {
        2 | 3 | 7 => (upper, signs::flexible(f)),
        _ => (signs::flexible(f), upper),
    };
    signs::a(f).mods(0) | b.mods(1) | c.mods(2)
}

/// What `HFMA2` and `HFMA2.MMA` have in common.
fn fma(f: &Fields, m: u32) -> Result<Inst, LowerError> {
    // .SAT and .RELU exclude each other.
    if f.arch >= Arch::Sm80 && f.bit(77) && f.bit(79) {
        return Err(LowerError::IllegalEncoding);
    }
    bf16_alone(f, f.bit(76) || f.bit(80))?;
    let (b, c) = f.bc(W, W)?;
    let mut i = f.inst(Exec::Alu(half::hfma2));
    i.mods = m
        | three_signs(f)
        | flush(f)?
        | flag(f, 77, mods::SAT)
        | since(f, Arch::Sm80, 79, half::RELU);
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, b, c];
    if f.arch >= Arch::Sm80 {
        i.psrc[0] = f.ps(87, 90);
    }
    Ok(i)
}

/// `HFMA2`: selections of A in bits 74-75, of the flexible operand in 60-61,
/// of the register in bits 64-71 in 81-82.
pub fn hfma2(f: &Fields) -> Result<Inst, LowerError> {
    let flexible = if matches!(f.form, 2 | 4) { 0 } else { f.bits(60, 2) };
    let (b, c) = match f.form {
        2 | 3 | 7 => (f.bits(81, 2), flexible),
        _ => (flexible, f.bits(81, 2)),
    };
    // sm_90 widens the selection of the multiplier by bit 86.
    let wide = f.arch >= Arch::Sm90 && f.form != 4 && f.bit(86);
    let b = b | u64::from(wide) << 2;
    let m = swizzle(f, f.bits(74, 2), 0)? | swizzle(f, b, 1)? | swizzle(f, c, 2)?;
    fma(f, m | flag(f, 78, half::F32_OUT) | since(f, Arch::Sm80, 85, half::BF16))
}

/// `HFMA2.MMA`: no selections.
pub fn hfma2_mma(f: &Fields) -> Result<Inst, LowerError> {
    if f.arch >= Arch::Sm90 && f.bit(78) {
        return Err(LowerError::IllegalEncoding);
    }
    fma(f, since(f, Arch::Sm90, 85, half::BF16))
}

/// `HMNMX2`.
pub fn hmnmx2(f: &Fields) -> Result<Inst, LowerError> {
    if f.arch >= Arch::Sm90 && f.bit(65) {
        return Err(LowerError::Unimplemented("HMNMX2.IS_A"));
    }
    if f.bit(78) {
        return Err(LowerError::Unimplemented("HMNMX2.F32"));
    }
    let m = two(f)?
        | flag(f, 80, mods::FTZ)
        | flag(f, 81, mods::NAN)
        | flag(f, 85, half::BF16)
        | since(f, Arch::Sm90, 82, half::XORSIGN);
    let mut i = inst2(f, m, half::hmnmx2)?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `VHMNMX`: `HMNMX2` of three. The selection of C is in bits 76-77.
pub fn vhmnmx(f: &Fields) -> Result<Inst, LowerError> {
    if f.bit(78) {
        return Err(LowerError::IllegalEncoding);
    }
    if f.bit(82) {
        return Err(LowerError::Unimplemented("VHMNMX.XORSIGN"));
    }
    let third = Signs { neg: f.bit(84), abs: f.bit(83) };
    let m = two(f)?
        | third.mods(2)
        | swizzle(f, f.bits(76, 2), 2)?
        | flag(f, 80, mods::FTZ)
        | flag(f, 81, mods::NAN)
        | flag(f, 85, half::BF16);
    let mut i = inst2(f, m, half::vhmnmx)?;
    i.src[2] = f.rc(W)?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// Comparison modifiers shared by `HSET2` and `HSETP2`.
fn compared(f: &Fields) -> Result<u32, LowerError> {
    if f.arch >= Arch::Sm90 && f.bit(64) {
        return Err(LowerError::IllegalEncoding);
    }
    Ok(two(f)? | comparison(f, 69)? | flag(f, 80, mods::FTZ) | since(f, Arch::Sm90, 65, half::BF16))
}

/// `HSET2`.
pub fn hset2(f: &Fields) -> Result<Inst, LowerError> {
    let m = compared(f)? | flag(f, 71, half::BOOL_FLOAT);
    let mut i = inst2(f, m, half::hset2)?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `HSETP2`.
pub fn hsetp2(f: &Fields) -> Result<Inst, LowerError> {
    let m = compared(f)? | flag(f, 71, half::H_AND);
    let mut i = inst2(f, m, half::hsetp2)?;
    i.pdst = [f.pd(81), f.pd(84)];
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Word;
    use upset_isa::{LatencyClass, OpDef, Results, Sources, Unit, WARP};

    static OP: OpDef = OpDef::new("H", Unit::Half, LatencyClass::Fixed);

    fn fields(arch: Arch, word: u128) -> Fields {
        let word = word | 4 << 16 | 5 << 24 | 7 << 64;
        Fields { word: Word(word), arch, op: &OP, form: (word >> 9 & 7) as u8 }
    }

    fn run(i: &Inst, a: u32, b: u32, c: u32) -> u32 {
        let words = [a, b, c].map(|x| [x; WARP]);
        let zero = [0; WARP];
        let r = [&words[0], &zero, &words[1], &zero, &words[2], &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [u32::MAX; 3], active: u32::MAX }, &mut out);
        out.d[0][0]
    }

    #[test]
    fn widening_takes_one_half() {
        // HADD2.F32 R4, -R5, R6.H1_H1
        let i = hadd2(&fields(Arch::Sm75, 0x7230 | 6 << 32 | 1 << 72 | 1 << 78 | 3 << 60)).unwrap();
        assert_eq!(run(&i, 0, 0x4000_3c00, 0), 2f32.to_bits());
    }

    #[test]
    fn modifiers_of_the_upper_register_belong_to_b_when_c_is_flexible() {
        // HFMA2 R4, R5, -R7.H0_H0, c[…]
        let i = hfma2(&fields(Arch::Sm75, 0x7631 | 2 << 81 | 1 << 84)).unwrap();
        assert_eq!(i.src[1], Src::Reg(7, W));
        assert_eq!(run(&i, 0x4000_3c00, 0x3800_4000, 0), 0xc400_c000); // -4, -2
    }

    #[test]
    fn the_least_of_three() {
        // VHMNMX R4, -R5, R6.H0_H0, |R7|.H1_H1, PT
        let word = 0x7247 | 6 << 32 | 1 << 72 | 2 << 60 | 1 << 83 | 3 << 76;
        let i = vhmnmx(&fields(Arch::Sm90, word)).unwrap();
        assert_eq!(i.src, [Src::Reg(5, W), Src::Reg(6, W), Src::Reg(7, W)]);
        // -1 and -2, -0.5, 3
        assert_eq!(run(&i, 0x3c00_4000, 0x4400_b800, 0xc200_0000), 0xbc00_c000);
        // What is no number does not count, unless asked for.
        let plain = vhmnmx(&fields(Arch::Sm90, 0x7247 | 6 << 32)).unwrap();
        assert_eq!(run(&plain, 0x7e00_3c00, 0x4000_7e00, 0x4200_4200), 0x4000_3c00);
        let asked = vhmnmx(&fields(Arch::Sm90, 0x7247 | 6 << 32 | 1 << 81)).unwrap();
        assert_eq!(run(&asked, 0x7e00_3c00, 0x4000_4000, 0x4200_4200), 0x7fff_3c00);
        let sign = vhmnmx(&fields(Arch::Sm90, 0x7247 | 6 << 32 | 1 << 82));
        assert!(matches!(sign.unwrap_err(), LowerError::Unimplemented(_)));
    }

    #[test]
    fn formats_of_an_architecture() {
        let bf16 = 0x7230 | 6 << 32 | 1 << 85;
        let one = 0x3f80_3f80;
        let i = hadd2(&fields(Arch::Sm90, bf16)).unwrap();
        assert_eq!(run(&i, one, one, 0), 0x4000_4000);
        // sm_80 has no BF16 addition: the bit means nothing.
        assert_eq!(hadd2(&fields(Arch::Sm80, bf16)).unwrap().mods & half::BF16, 0);
        let single = hadd2(&fields(Arch::Sm90, 0x7230 | 6 << 32 | 1 << 74));
        assert_eq!(single.unwrap_err(), LowerError::IllegalEncoding);
    }

    /// An H200 trapped on `HADD2.F32` of R4, on `HADD2.BF16_V2` with `.FTZ` or
    /// `.SAT`, and on `HMUL2.BF16_V2.FMZ`; compilers emit `HADD2.F32` of -RZ.
    #[test]
    fn combinations_that_hopper_lacks() {
        let trap = |i: Result<Inst, LowerError>| i.unwrap_err() == LowerError::IllegalEncoding;
        let widen = 0x7230 | 6 << 32 | 1 << 78;
        assert!(trap(hadd2(&fields(Arch::Sm90, widen))));
        assert!(hadd2(&fields(Arch::Sm90, widen | 255 << 24)).is_ok());
        assert!(hadd2(&fields(Arch::Sm80, widen)).is_ok());
        let bf16 = 0x7230 | 6 << 32 | 1 << 85;
        assert!(trap(hadd2(&fields(Arch::Sm90, bf16 | 1 << 80))));
        assert!(trap(hadd2(&fields(Arch::Sm90, bf16 | 1 << 77))));
        assert!(trap(hmul2(&fields(Arch::Sm90, bf16 | 1 << 76))));
        assert!(hmul2(&fields(Arch::Sm90, bf16)).is_ok());
    }
}
