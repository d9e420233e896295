//! Logic on predicates: `PLOP3`.

use upset_isa::int::logic;
use upset_isa::{Exec, Inst};

use super::operands::Operands;
use crate::{Arch, Fields, LowerError};

/// `PLOP3`: the third source may be a uniform predicate (bit 67, not on sm_70).
pub fn plop3(f: &Fields) -> Result<Inst, LowerError> {
    let mut i = plop3_on(&Operands::vector(f));
    i.psrc[2].uniform = f.bit(67) && f.arch != Arch::Sm70;
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
