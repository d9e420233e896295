//! Double-precision arithmetic.

use upset_isa::fp::warp::fp64;
use upset_isa::{Exec, Inst, Src, Width};

use super::fp_signs as signs;
use super::fp32::{comparison, rounding};
use crate::{Fields, LowerError};

const W: Width = Width::W2;

/// `DADD`: the second operand is C in the register form.
pub fn dadd(f: &Fields) -> Result<Inst, LowerError> {
    let (second, sign) = match f.form {
        1 => (f.rc(W)?, signs::upper(f)),
        _ => (f.b(W)?, signs::flexible(f)),
    };
    let m = signs::a(f).mods(0) | sign.mods(1) | rounding(f);
    let mut i = f.inst(Exec::Alu(fp64::dadd(m)));
    i.mods = m;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, second, Src::Zero];
    Ok(i)
}

/// `DMUL`.
pub fn dmul(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::two(f) | rounding(f);
    let mut i = f.inst(Exec::Alu(fp64::dmul(m)));
    i.mods = m;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    Ok(i)
}

/// `DFMA`.
pub fn dfma(f: &Fields) -> Result<Inst, LowerError> {
    let m = signs::three(f) | rounding(f);
    let (b, c) = f.bc(W, W)?;
    let mut i = f.inst(Exec::Alu(fp64::dfma(m)));
    i.mods = m;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, b, c];
    Ok(i)
}

/// `DSETP`: conditions 0 and 15 mean `.MIN` and `.MAX` here.
pub fn dsetp(f: &Fields) -> Result<Inst, LowerError> {
    let special = match f.bits(76, 4) {
        0 => fp64::MIN_MAX,
        15 => fp64::MIN_MAX | fp64::MAX,
        _ => 0,
    };
    let mut i = f.inst(Exec::Alu(fp64::dsetp));
    i.mods = signs::two(f) | comparison(f, 74)? | special;
    i.pdst = [f.pd(81), f.pd(84)];
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arch, Word};
    use upset_isa::fp::warp::mods;
    use upset_isa::{LatencyClass, OpDef, Unit};

    static OP: OpDef = OpDef::new("D", Unit::Fp64, LatencyClass::Variable);

    fn fields(word: u128) -> Fields {
        Fields { word: Word(word), arch: Arch::Sm75, op: &OP, form: (word >> 9 & 7) as u8 }
    }

    #[test]
    fn second_operand_of_dadd_is_c_in_the_register_form() {
        let i = dadd(&fields(0x7229 | 4 << 16 | 6 << 24 | 9 << 32 | 8 << 64 | 1 << 75)).unwrap();
        assert_eq!(i.src[1], Src::Reg(8, W));
        assert_eq!(i.mods, mods::NEG_B);
    }

    #[test]
    fn odd_pairs_are_misaligned() {
        let e = dmul(&fields(0x7228 | 4 << 16 | 7 << 24 | 8 << 32)).unwrap_err();
        assert_eq!(e, LowerError::MisalignedRegister(7));
    }
}
