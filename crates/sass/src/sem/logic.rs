//! Bitwise logic on registers: `LOP3`.

use upset_isa::int::logic;
use upset_isa::{Exec, Inst, PT};

use super::operands::{Operands, W, flag};
use crate::{Fields, LowerError};

/// `LOP3`.
pub fn lop3(f: &Fields) -> Result<Inst, LowerError> {
    lop3_on(&Operands::vector(f))
}

/// `ULOP3`.
pub fn ulop3(f: &Fields) -> Result<Inst, LowerError> {
    lop3_on(&Operands::uniform(f))
}

fn lop3_on(o: &Operands<'_>) -> Result<Inst, LowerError> {
    let lut = o.f.bits(72, 8) as u32;
    let pd = o.pd(81);
    let (exec, mods) = if pd.pred == PT {
        (logic::lop3_for(lut), lut)
    } else {
        let mods = lut | flag(o.f, 80, logic::PAND) | 1 << logic::WITH_PRED;
        (logic::lop3 as upset_isa::AluFn, mods)
    };
    let (b, c) = o.bc(W, W)?;
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, b, c];
    i.pdst[0] = pd;
    i.psrc[0] = o.ps(87, 90);
    Ok(i)
}
