//! Logic on predicates: `PLOP3`.

use upset_isa::int::logic;
use upset_isa::{Exec, Inst, PredSrc, Src};

use super::operands::{Operands, W};
use crate::{Arch, Fields, LowerError};

/// `PLOP3`: the third source may be a uniform predicate (bit 67, not on sm_70).
pub fn plop3(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = plop3_on(&Operands::vector(f));
    i.psrc[2].uniform = f.bit(67) && f.arch != Arch::Sm70;
    Ok(i)
}

/// `PLOP3` whose inputs are signs of registers, from input `first` on.
fn signs(f: &Fields, first: usize) -> Result<Inst, LowerError> {
    let o = Operands::vector(f);
    let tables = (f.bits(72, 8) | f.bits(16, 8) << 8) as u32;
    let inputs = if first == 2 { 2 } else { 7 << first & 7 };
    let mut i = o.inst(Exec::Alu(logic::plop3_signs), tables | inputs << logic::SIGNS);
    i.pdst = [o.pd(81), o.pd(84)];
    let (b, c) = o.bc(W, W)?;
    i.src = [o.ra(W)?, b, c];
    i.psrc = [o.ps(87, 90), PredSrc::TRUE, o.ps(68, 71)];
    Ok(i)
}

/// `PLOP3` of a predicate, a sign and a predicate.
pub fn plop3_one_sign(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = signs(f, 2)?;
    (i.src[0], i.src[2]) = (Src::Zero, Src::Zero);
    Ok(i)
}

/// `PLOP3` of a predicate and two signs.
pub fn plop3_two_signs(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = signs(f, 1)?;
    (i.src[0], i.psrc[2]) = (Src::Zero, PredSrc::TRUE);
    Ok(i)
}

/// `PLOP3` of three signs.
pub fn plop3_three_signs(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = signs(f, 0)?;
    (i.psrc[0], i.psrc[2]) = (PredSrc::TRUE, PredSrc::TRUE);
    Ok(i)
}

/// `UPLOP3`.
pub fn uplop3(f: &Fields) -> Result<Inst, LowerError> {
    Ok(plop3_on(&Operands::uniform(f)))
}

fn plop3_on(o: &Operands<'_>) -> Inst {
    let f = o.f;
    let first = f.bits(64, 3) | f.bits(72, 5) << 3;
    let second = f.bits(16, 8);
    let mut i = o.inst(Exec::Alu(logic::plop3), (first | second << 8) as u32);
    i.pdst = [o.pd(81), o.pd(84)];
    i.psrc = [o.ps(87, 90), o.ps(77, 80), o.ps(68, 71)];
    i
}
