//! Operations across lanes: `VOTE`, `SHFL`, `MATCH`, `REDUX`, `ELECT`.

use upset_isa::int::warp;
use upset_isa::{Dst, Exec, Inst, PT, Src, Width};

use super::operands::{W, uniform_dst};
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// `VOTE`.
pub fn vote(f: &Fields) -> Lowered {
    vote_into(f, f.rd(W)?)
}

/// `VOTEU`: the ballot goes to a uniform register and predicate.
pub fn voteu(f: &Fields) -> Lowered {
    let mut i = vote_into(f, uniform_dst(f, W)?)?;
    i.pdst[0].uniform = true;
    Ok(i)
}

fn vote_into(f: &Fields, dst: Dst) -> Lowered {
    let mode = f.bits(72, 2) as u32;
    if mode == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = f.inst(Exec::Alu(warp::vote));
    i.mods = mode;
    i.dst = dst;
    i.pdst[0] = f.pd(81);
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}

/// `SHFL`: lane and clamp are registers or immediates, by form.
pub fn shfl(f: &Fields) -> Lowered {
    let clamp = Src::Imm(f.bits(40, 13) as u32);
    let step = Src::Imm(f.bits(53, 5) as u32);
    let (b, c) = match f.form {
        1 => (f.rb(W)?, f.rc(W)?),
        2 => (f.rb(W)?, clamp),
        4 => (step, f.rc(W)?),
        _ => (step, clamp),
    };
    let mut i = f.inst(Exec::Alu(warp::shfl));
    i.mods = f.bits(58, 2) as u32;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, b, c];
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `MATCH`.
pub fn match_(f: &Fields) -> Lowered {
    let any = f.bit(79);
    // Only .ALL has an answer for the predicate (trap seen on H200).
    if any && f.bits(81, 3) != u64::from(PT) {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = f.inst(Exec::Alu(if any { warp::match_any } else { warp::match_all }));
    i.dst = f.rd(W)?;
    i.src[0] = f.ra(if f.bit(73) { Width::W2 } else { W })?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `REDUX`.
pub fn redux(f: &Fields) -> Lowered {
    let op = f.bits(78, 3) as u32;
    if op > warp::redux_op::MAX {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = f.inst(Exec::Alu(warp::redux));
    i.mods = op | u32::from(f.bit(73)) << 3;
    i.dst = uniform_dst(f, W)?;
    i.src[0] = f.ra(W)?;
    Ok(i)
}

/// `ELECT`.
pub fn elect(f: &Fields) -> Lowered {
    if f.bit(91) {
        return Err(LowerError::Unimplemented("ELECT among the lanes of a uniform register"));
    }
    let mut i = f.inst(Exec::Alu(warp::elect));
    i.dst = uniform_dst(f, W)?;
    i.pdst[0] = f.pd(81);
    i.psrc[0] = f.ps(87, 90);
    Ok(i)
}
