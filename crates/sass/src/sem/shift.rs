//! Shifts and bit fields: `SHF`, `BMSK`, `SGXT`.

use upset_isa::int::shift;
use upset_isa::{AluFn, Exec, Inst, Src};

use super::operands::{Operands, W, flag};
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// `SHF`.
pub fn shf(f: &Fields) -> Lowered {
    shf_on(&Operands::vector(f))
}

/// `USHF`.
pub fn ushf(f: &Fields) -> Lowered {
    shf_on(&Operands::uniform(f))
}

fn shf_on(o: &Operands<'_>) -> Lowered {
    use shift::mods as m;
    let f = o.f;
    // S64, U64, S32, U32.
    let kind = f.bits(73, 2);
    let (right, hi, wide, signed) = (f.bit(76), f.bit(80), kind < 2, kind & 1 == 0);
    let general = flag(f, 76, m::RIGHT)
        | flag(f, 75, m::WRAP)
        | u32::from(wide) << m::WIDE
        | u32::from(signed) << m::SIGNED
        | flag(f, 80, m::HI);
    let (b, c) = o.bc(W, W)?;
    let mut src = [o.ra(W)?, b, c];
    // A small immediate count needs neither wrapping nor clamping.
    let fixed = match b {
        Src::Imm(n) if n < 32 => Some(n),
        _ => None,
    };
    let (exec, mods): (AluFn, u32) = match (fixed, right, hi) {
        (Some(n), true, true) => {
            (src[0], src[1]) = (Src::Zero, Src::Zero);
            (if signed { shift::sar_fixed } else { shift::shr_fixed }, n)
        }
        (Some(n), false, false) => {
            (src[1], src[2]) = (Src::Zero, Src::Zero);
            (shift::shl_fixed, n)
        }
        _ => match b {
            Src::Imm(n) => {
                src[1] = Src::Zero;
                (shift::shf_fixed, shift::fixed_count(general, n))
            }
            _ => (shift::shf, general),
        },
    };
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = src;
    Ok(i)
}

/// `BMSK`.
pub fn bmsk(f: &Fields) -> Lowered {
    two(&Operands::vector(f), shift::bmsk, flag(f, 75, 0))
}

/// `UBMSK`.
pub fn ubmsk(f: &Fields) -> Lowered {
    two(&Operands::uniform(f), shift::bmsk, flag(f, 75, 0))
}

/// `SGXT`.
pub fn sgxt(f: &Fields) -> Lowered {
    two(&Operands::vector(f), shift::sgxt, sgxt_mods(f))
}

/// `USGXT`.
pub fn usgxt(f: &Fields) -> Lowered {
    two(&Operands::uniform(f), shift::sgxt, sgxt_mods(f))
}

fn sgxt_mods(f: &Fields) -> u32 {
    flag(f, 73, shift::sgxt_mods::SIGNED) | flag(f, 75, shift::sgxt_mods::WRAP)
}

fn two(o: &Operands<'_>, exec: AluFn, mods: u32) -> Lowered {
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    Ok(i)
}
