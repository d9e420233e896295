//! Bit counts and permutations: `POPC`, `FLO`, `BREV`, `PRMT`.

use upset_isa::int::{bits, permute};
use upset_isa::{AluFn, Exec, Inst, Src};

use super::operands::{Operands, W, flag};
use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

fn unary(o: &Operands<'_>, exec: AluFn, mods: u32) -> Lowered {
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src[1] = o.b(W)?;
    Ok(i)
}

/// `POPC`.
pub fn popc(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    unary(&o, bits::popc, u32::from(o.neg_b()))
}

/// `UPOPC`.
pub fn upopc(f: &Fields) -> Lowered {
    let o = Operands::uniform(f);
    unary(&o, bits::popc, u32::from(o.neg_b()))
}

/// `BREV`.
pub fn brev(f: &Fields) -> Lowered {
    unary(&Operands::vector(f), bits::brev, 0)
}

/// `UBREV`.
pub fn ubrev(f: &Fields) -> Lowered {
    unary(&Operands::uniform(f), bits::brev, 0)
}

/// `FLO`.
pub fn flo(f: &Fields) -> Lowered {
    flo_on(&Operands::vector(f))
}

/// `UFLO`.
pub fn uflo(f: &Fields) -> Lowered {
    flo_on(&Operands::uniform(f))
}

fn flo_on(o: &Operands<'_>) -> Lowered {
    use bits::flo_mods as m;
    let mods =
        flag(o.f, 73, m::SIGNED) | flag(o.f, 74, m::SHIFT) | u32::from(o.neg_b()) << m::INVERT;
    let mut i = unary(o, bits::flo, mods)?;
    i.pdst[0] = o.pd(81);
    Ok(i)
}

/// `PRMT`.
pub fn prmt(f: &Fields) -> Lowered {
    prmt_on(&Operands::vector(f))
}

/// `UPRMT`.
pub fn uprmt(f: &Fields) -> Lowered {
    prmt_on(&Operands::uniform(f))
}

fn prmt_on(o: &Operands<'_>) -> Lowered {
    // From Ampere on the uniform datapath only picks by index (seen on H200).
    let indexed = o.uniform && o.f.arch >= Arch::Sm80;
    let mode = if indexed { permute::mode::INDEX } else { o.f.bits(72, 3) as u32 };
    if mode == 7 {
        return Err(LowerError::IllegalEncoding);
    }
    let (b, c) = o.bc(W, W)?;
    let (exec, mods, b): (AluFn, u32, Src) = match b {
        Src::Imm(selector) if mode == permute::mode::INDEX => {
            (permute::prmt_fixed, selector, Src::Zero)
        }
        _ => (permute::prmt, mode, b),
    };
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, b, c];
    Ok(i)
}
