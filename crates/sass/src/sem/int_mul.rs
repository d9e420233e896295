//! Integer multiply-add: `IMAD`, `IMAD.WIDE`, `IMAD.HI`.

use upset_isa::int::mul;
use upset_isa::{AluFn, Exec, Inst, PT, RZ, Src, URZ, Width};

use super::operands::{Operands, W, flag};
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// `IMAD`.
pub fn imad(f: &Fields) -> Lowered {
    imad_on(&Operands::vector(f))
}

/// `UIMAD`.
pub fn uimad(f: &Fields) -> Lowered {
    imad_on(&Operands::uniform(f))
}

fn is_zero(s: Src) -> bool {
    matches!(s, Src::Zero | Src::Imm(0) | Src::Reg(RZ, _) | Src::UReg(URZ, _))
}

fn imad_on(o: &Operands<'_>) -> Lowered {
    let f = o.f;
    let (b, c) = o.bc(W, W)?;
    let a = o.ra(W)?;
    let negate = o.neg_c();
    let mut src = [a, b, c];
    let (exec, mods): (AluFn, u32) = if f.bit(74) {
        (mul::imad_x, u32::from(negate) << mul::mods::NEG_C)
    } else if negate {
        (mul::imad_sub, 0)
    } else if is_zero(a) || is_zero(b) {
        (src[0], src[1]) = (Src::Zero, Src::Zero);
        (mul::copy_c, 0)
    } else if b == Src::Imm(1) {
        src[1] = Src::Zero;
        (mul::add_ac, 0)
    } else {
        match b {
            Src::Imm(n) if n.is_power_of_two() && is_zero(c) => {
                (src[1], src[2]) = (Src::Zero, Src::Zero);
                (mul::shl_a, n.trailing_zeros())
            }
            _ => (mul::imad, 0),
        }
    };
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = src;
    i.psrc[0] = o.ps(87, 90);
    Ok(i)
}

/// `IMAD.WIDE`.
pub fn imad_wide(f: &Fields) -> Lowered {
    wide_on(&Operands::vector(f), Width::W2)
}

/// `UIMAD.WIDE`.
pub fn uimad_wide(f: &Fields) -> Lowered {
    wide_on(&Operands::uniform(f), Width::W2)
}

/// `IMAD.HI`.
pub fn imad_hi(f: &Fields) -> Lowered {
    wide_on(&Operands::vector(f), W)
}

/// `UIMAD.HI`.
pub fn uimad_hi(f: &Fields) -> Lowered {
    wide_on(&Operands::uniform(f), W)
}

fn wide_on(o: &Operands<'_>, result: Width) -> Lowered {
    let f = o.f;
    let high = result == W;
    let mods = flag(f, 73, mul::mods::SIGNED)
        | flag(f, 74, mul::mods::X)
        | u32::from(o.neg_c()) << mul::mods::NEG_C
        | u32::from(high) << mul::mods::HI;
    let carry = o.pd(81);
    let plain = !f.bit(74) && !o.neg_c() && carry.pred == PT;
    let exec: AluFn = match (plain, high, f.bit(73)) {
        (true, false, true) => mul::wide_signed,
        (true, false, false) => mul::wide_unsigned,
        (true, true, true) => mul::high_signed,
        (true, true, false) => mul::high_unsigned,
        (false, ..) => mul::wide,
    };
    let (b, c) = o.bc(W, Width::W2)?;
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(result)?;
    i.src = [o.ra(W)?, b, c];
    i.pdst[0] = carry;
    i.psrc[0] = o.ps(87, 90);
    Ok(i)
}
