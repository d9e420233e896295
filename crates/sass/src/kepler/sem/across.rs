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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Dst, Results, Sources, WARP};

    fn lowered(word: u64) -> Inst {
        decode(Word(word)).expect("legal").lower().expect("implemented")
    }

    /// Lane numbers in A, `b` and `c` in all lanes; predicate source 0 as given.
    fn run(i: &Inst, b: u32, c: u32, p: u32) -> Results {
        let a: [u32; WARP] = std::array::from_fn(|l| l as u32);
        let zero = [0; WARP];
        let given =
            |s: Src, otherwise: u32| [if let Src::Imm(v) = s { v } else { otherwise }; WARP];
        let (b, c) = (given(i.src[1], b), given(i.src[2], c));
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        let s = Sources { r: [&a, &zero, &b, &zero, &c, &zero], p: [p; 3], active: u32::MAX };
        f(i.mods, &s, &mut out);
        out
    }

    #[test]
    fn shuffles_of_compiled_code() {
        // SHFL.UP PT, R5, R3, 0x1, 0x0
        let i = lowered(0x78b8_0003_809c_0c16);
        assert_eq!((i.dst, i.src[0]), (Dst::Reg(5, W), Src::Reg(3, W)));
        let up = run(&i, 0, 0, 0);
        assert_eq!((up.d[0][0], up.d[0][7], up.p[0]), (0, 6, !1));
        // SHFL.DOWN PT, R4, R2, 0x1, 0x1f
        let down = run(&lowered(0x78b8_03e5_809c_0812), 0, 0, 0);
        assert_eq!((down.d[0][7], down.d[0][31], down.p[0]), (8, 31, u32::MAX >> 1));
        // SHFL.BFLY PT, R8, R3, 0x1, 0x1f
        let butterfly = run(&lowered(0x78b8_03e7_809c_0c22), 0, 0, 0);
        assert_eq!((butterfly.d[0][6], butterfly.d[0][7]), (7, 6));
        // SHFL.IDX PT, R6, R0, R6, 0x1f
        let i = lowered(0x78b8_03e1_031c_001a);
        assert_eq!(i.src[1], Src::Reg(6, W));
        assert_eq!(run(&i, 12, 0, 0).d[0], [12; WARP]);
    }

    #[test]
    fn votes() {
        // VOTE.ANY R0, PT, PT: a register receives the lanes.
        let any = 0x86cf_1c00_001c_0002;
        let i = lowered(any);
        assert_eq!(i.dst, Dst::Reg(0, W));
        assert_eq!(run(&i, 0, 0, 0xf0).d[0][3], 0xf0);
        let predicate =
            |mode: u64, p: u32| run(&lowered(any & !(3 << 51) | mode << 51), 0, 0, p).p[0];
        assert_eq!((predicate(0, u32::MAX), predicate(0, 1)), (u32::MAX, 0));
        assert_eq!((predicate(1, 1), predicate(1, 0)), (u32::MAX, 0));
        assert_eq!((predicate(2, 0), predicate(2, 1)), (u32::MAX, 0));
    }
}
