//! Copies and choices: `MOV`, `SEL`, `P2R`, `R2P`, `R2UR`.

use upset_isa::int::select;
use upset_isa::{Exec, Inst, PT, PredSrc, Src};

use super::operands::{Operands, W, uniform_dst};
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// `MOV`: bits 72-75 name the lanes of each quad that are written.
pub fn mov(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let lanes = f.bits(72, 4) as u32;
    let mut i = o.inst(Exec::Alu(select::mov), 0);
    i.dst = o.rd(W)?;
    i.src[1] = o.b(W)?;
    if lanes != 15 {
        i.exec = Exec::Alu(select::mov_quad_lanes);
        i.mods = lanes;
        i.src[2] = Src::Reg(f.bits(16, 8) as u8, W);
    }
    Ok(i)
}

/// `UMOV`.
pub fn umov(f: &Fields) -> Lowered {
    let o = Operands::uniform(f);
    let mut i = o.inst(Exec::Alu(select::mov), 0);
    i.dst = o.rd(W)?;
    i.src[1] = o.b(W)?;
    Ok(i)
}

/// `SEL`.
pub fn sel(f: &Fields) -> Lowered {
    sel_on(&Operands::vector(f))
}

/// `USEL`.
pub fn usel(f: &Fields) -> Lowered {
    sel_on(&Operands::uniform(f))
}

fn sel_on(o: &Operands<'_>) -> Lowered {
    let mut i = o.inst(Exec::Alu(select::sel), 0);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    i.psrc[0] = o.ps(87, 90);
    Ok(i)
}

/// Byte of the register that holds predicates, as a bit position.
fn byte_position(f: &Fields) -> u8 {
    8 * f.bits(76, 2) as u8
}

/// `P2R`.
pub fn p2r(f: &Fields) -> Lowered {
    read_preds(&Operands::vector(f))
}

/// `UP2UR`.
pub fn up2ur(f: &Fields) -> Lowered {
    read_preds(&Operands::uniform(f))
}

fn read_preds(o: &Operands<'_>) -> Lowered {
    let mut i = o.inst(Exec::ReadPreds { shift: byte_position(o.f), cc: false }, 0);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    Ok(i)
}

/// `R2P`.
pub fn r2p(f: &Fields) -> Lowered {
    write_preds(&Operands::vector(f))
}

/// `UR2UP`.
pub fn ur2up(f: &Fields) -> Lowered {
    write_preds(&Operands::uniform(f))
}

fn write_preds(o: &Operands<'_>) -> Lowered {
    let mut i = o.inst(Exec::WritePreds { shift: byte_position(o.f), cc: false }, 0);
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    Ok(i)
}

/// `R2UR`: the value of the first executing lane; the predicate says which
/// lanes have another one, with `.OR` besides those that it said before.
pub fn r2ur(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::ToUniform);
    i.dst = uniform_dst(f, W)?;
    i.src[0] = f.ra(W)?;
    i.pdst[0] = f.pd(81);
    let or = f.bit(84);
    let pred = if or { i.pdst[0].pred } else { PT };
    i.psrc[0] = PredSrc { pred, negate: !or, uniform: false };
    Ok(i)
}
