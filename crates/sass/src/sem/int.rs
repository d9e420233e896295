//! Integer sums and comparisons: `IADD3`, `LEA`, `ISETP`, `IABS`.

use upset_isa::int::{add, compare};
use upset_isa::{AluFn, Exec, Inst, PT, RZ, Src, URZ, Width};

use super::operands::{Operands, W, flag};
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// `IADD3`.
pub fn iadd3(f: &Fields) -> Lowered {
    iadd3_on(&Operands::vector(f))
}

/// `UIADD3`.
pub fn uiadd3(f: &Fields) -> Lowered {
    iadd3_on(&Operands::uniform(f))
}

fn iadd3_on(o: &Operands<'_>) -> Lowered {
    let negate = [o.f.bit(72), o.neg_b(), o.neg_c()];
    // Hardware has no way to negate both (trap seen on H200).
    if negate[0] && negate[1] {
        return Err(LowerError::IllegalEncoding);
    }
    let x = o.f.bit(74);
    let carries = [o.pd(81), o.pd(84)];
    let mods = negate.iter().enumerate().fold(0, |m, (i, &n)| m | u32::from(n) << i)
        | u32::from(x) << add::X;
    let plain = !x && carries.iter().all(|p| p.pred == PT);
    let exec: AluFn = if plain {
        match mods {
            0 => add::iadd3::<false, false, false>,
            1 => add::iadd3::<true, false, false>,
            2 => add::iadd3::<false, true, false>,
            4 => add::iadd3::<false, false, true>,
            5 => add::iadd3::<true, false, true>,
            _ => add::iadd3::<false, true, true>,
        }
    } else {
        add::iadd3_carry
    };
    let mut i = o.inst(Exec::Alu(exec), mods);
    let (b, c) = o.bc(W, W)?;
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, b, c];
    i.pdst = carries;
    i.psrc[0] = o.ps(87, 90);
    i.psrc[1] = o.ps(77, 80);
    Ok(i)
}

/// `UIADD3.64`.
pub fn uiadd3_64(f: &Fields) -> Lowered {
    let o = Operands::uniform(f);
    let mods = flag(f, 72, 0)
        | u32::from(o.neg_b()) << 1
        | u32::from(o.neg_c()) << 2
        | flag(f, 74, add::X);
    let mut i = o.inst(Exec::Alu(add::iadd3_64), mods);
    let (b, c) = o.bc(Width::W2, Width::W2)?;
    i.dst = o.rd(Width::W2)?;
    i.src = [o.ra(Width::W2)?, b, c];
    i.pdst = [o.pd(81), o.pd(84)];
    i.psrc[0] = o.ps(87, 90);
    i.psrc[1] = o.ps(77, 80);
    Ok(i)
}

/// `LEA`.
pub fn lea(f: &Fields) -> Lowered {
    lea_on(&Operands::vector(f))
}

/// `ULEA`.
pub fn ulea(f: &Fields) -> Lowered {
    lea_on(&Operands::uniform(f))
}

fn lea_on(o: &Operands<'_>) -> Lowered {
    use add::lea_mods as m;
    let f = o.f;
    // Bits 75-79 are the shift, so that only bit 63 can negate B.
    let neg_b = matches!(f.form, 1 | 5 | 6) && f.bit(63);
    let shift = f.bits(75, 5) as u32;
    let mods = shift
        | flag(f, 80, m::HI)
        | flag(f, 73, m::SX32)
        | flag(f, 74, m::X)
        | flag(f, 72, m::NEG_A)
        | u32::from(neg_b) << m::NEG_B;
    let carry = o.pd(81);
    let plain = mods == shift && carry.pred == PT;
    let exec: AluFn = if plain { add::lea_plain } else { add::lea };
    let mut i = o.inst(Exec::Alu(exec), mods);
    let (b, c) = o.bc(W, W)?;
    // Traps seen on H200: both terms negated, .SX32 beside an immediate C, a
    // register at C that the form does not use.
    let uses_c = f.bit(80) && !f.bit(73);
    let idle_c = match f.form {
        2 => !f.bit(73),
        _ => matches!(c, Src::Reg(RZ, _) | Src::UReg(URZ, _)),
    };
    if f.bit(72) && neg_b || !uses_c && !idle_c {
        return Err(LowerError::IllegalEncoding);
    }
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, b, if uses_c { c } else { Src::Zero }];
    i.pdst[0] = carry;
    i.psrc[0] = o.ps(87, 90);
    Ok(i)
}

/// `ISETP`.
pub fn isetp(f: &Fields) -> Lowered {
    isetp_on(&Operands::vector(f))
}

/// `UISETP`.
pub fn uisetp(f: &Fields) -> Lowered {
    isetp_on(&Operands::uniform(f))
}

fn isetp_on(o: &Operands<'_>) -> Lowered {
    let f = o.f;
    let join = f.bits(74, 2) as u32;
    if join == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    let exec = compare::isetp_for(f.bits(76, 3) as u32, f.bit(73));
    let mut i = o.inst(Exec::Alu(exec), join | flag(f, 72, compare::EX));
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    i.pdst = [o.pd(81), o.pd(84)];
    i.psrc[0] = o.ps(87, 90);
    i.psrc[1] = o.ps(68, 71);
    Ok(i)
}

/// `IABS`.
pub fn iabs(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let mut i = o.inst(Exec::Alu(compare::iabs), 0);
    i.dst = o.rd(W)?;
    i.src[1] = o.b(W)?;
    Ok(i)
}
