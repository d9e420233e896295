//! Operations across lanes.

use upset_isa::int::warp;
use upset_isa::{Exec, Inst, Src, Width};

use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// `VOTE`.
pub fn vote(f: &Fields) -> Lowered {
    let mode = f.bits(51, 2) as u32;
    if mode == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = f.inst(Exec::Alu(warp::vote));
    i.mods = mode;
    i.dst = f.rd(W)?;
    i.pdst[0] = f.pd(48);
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `SHFL`: lane and clamp are registers or immediates.
pub fn shfl(f: &Fields) -> Lowered {
    let lane = if f.bit(31) { Src::Imm(f.bits(23, 5) as u32) } else { f.rb(W)? };
    let clamp = if f.bit(32) { Src::Imm(f.bits(37, 13) as u32) } else { f.rc(W)? };
    let mut i = f.inst(Exec::Alu(warp::shfl));
    i.mods = f.bits(33, 2) as u32;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, lane, clamp];
    i.pdst[0] = f.pd(51);
    Ok(i)
}
