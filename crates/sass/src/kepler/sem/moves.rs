//! Copies, choices, predicates as words, special registers.

use upset_isa::int::{logic, select};
use upset_isa::{CodesFn, Exec, Inst, Src, Width};

use super::lanes::coded;
use crate::LowerError;
use crate::kepler::Fields;
use crate::sem::special::special_register;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// A copy of `src`; the mask names the lanes of each quad that are written.
fn copy(f: &Fields, src: Src, lanes: u32) -> Lowered {
    let mut i = f.inst(Exec::Alu(select::mov));
    i.dst = f.rd(W)?;
    i.src[1] = src;
    if lanes != 15 {
        i.exec = Exec::Alu(select::mov_quad_lanes);
        i.mods = lanes;
        i.src[2] = Src::Reg(f.bits(2, 8) as u8, W);
    }
    Ok(i)
}

/// `MOV`.
pub fn mov(f: &Fields) -> Lowered {
    copy(f, f.b(W)?, f.bits(42, 4) as u32)
}

/// `MOV32I`.
pub fn mov32i(f: &Fields) -> Lowered {
    copy(f, Src::Imm(f.imm32()), f.bits(14, 4) as u32)
}

/// `SEL`.
pub fn sel(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Alu(select::sel));
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// Where the condition codes stand above the predicates.
const CODES: u8 = 12;

/// What `P2R` and `R2P` move: predicates (bits 0-6) or condition codes (bits
/// 12-15) of the lower or the upper half (`.H1`, bit 42), and the mask of them.
fn moved(f: &Fields) -> Result<(u8, bool, Src), LowerError> {
    let half = if f.bit(42) { 16 } else { 0 };
    match f.b(W)? {
        Src::Imm(mask) if mask >> 7 == 0 => Ok((half, false, Src::Imm(mask))),
        Src::Imm(mask) if mask >> 16 == 0 && mask & 0xfff == 0 => {
            Ok((half + CODES, true, Src::Imm(mask >> CODES)))
        }
        Src::Imm(_) => Err(LowerError::Unimplemented("predicates together with condition codes")),
        _ => Err(LowerError::Unimplemented("a mask of predicates that is no number")),
    }
}

/// `P2R`.
pub fn p2r(f: &Fields) -> Lowered {
    let (shift, cc, mask) = moved(f)?;
    let mut i = f.inst(Exec::ReadPreds { shift, cc });
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, mask, Src::Zero];
    Ok(i)
}

/// `R2P`.
pub fn r2p(f: &Fields) -> Lowered {
    let (shift, cc, mask) = moved(f)?;
    let mut i = f.inst(Exec::WritePreds { shift, cc });
    i.src = [f.ra(W)?, mask, Src::Zero];
    Ok(i)
}

/// `S2R`: those that both have bear the numbers of later chips.
pub fn s2r(f: &Fields) -> Lowered {
    let register = match special_register(f.bits(23, 8) as u8) {
        upset_isa::SpecialReg::VirtCfg => upset_isa::SpecialReg::VirtLimits,
        other => other,
    };
    let mut i = f.inst(Exec::Special(register));
    i.dst = f.rd(W)?;
    Ok(i)
}

/// `NOP` without a test of the condition code.
pub fn nop(f: &Fields) -> Lowered {
    match f.bits(10, 5) {
        15 => Ok(f.inst(Exec::Nop)),
        _ => Err(LowerError::Unimplemented("condition codes")),
    }
}

/// Truth table of `(x op y) op z` over the eight combinations of three
/// predicates, `x` weighing most.
fn table(first: u64, second: u64, complement: bool) -> Result<u32, LowerError> {
    let op = |op: u64, x: bool, y: bool| match op {
        0 => Ok(x && y),
        1 => Ok(x || y),
        2 => Ok(x ^ y),
        _ => Err(LowerError::IllegalEncoding),
    };
    (0..8u32).try_fold(0, |table, n| {
        let (x, y, z) = (n & 4 != 0, n & 2 != 0, n & 1 != 0);
        // The second result is that of the complement, with the same Z.
        let value = op(second, op(first, x, y)? ^ complement, z)?;
        Ok(table | u32::from(value) << n)
    })
}

/// `PSETP`.
pub fn psetp(f: &Fields) -> Lowered {
    let (first, second) = (f.bits(27, 2), f.bits(48, 2));
    let tables = table(first, second, false)? | table(first, second, true)? << 8;
    let mut i = f.inst(Exec::Alu(logic::plop3));
    i.mods = tables;
    i.pdst = [f.pd(5), f.pd(2)];
    i.psrc = [f.ps(14, 17), f.ps(32, 35), f.ps(42, 45)];
    Ok(i)
}

/// `PSET`: ones, or 1.0 with `.BF`.
pub fn pset(f: &Fields) -> Lowered {
    let writes = f.writes_cc(false);
    let mut i = f.inst(Exec::AluCodes { f: coded::pset, writes });
    i.mods = table(f.bits(27, 2), f.bits(48, 2), false)?;
    i.mods |= if f.bit(47) { coded::FLOAT } else { 0 };
    i.dst = f.rd(W)?;
    i.psrc = [f.ps(14, 17), f.ps(32, 35), f.ps(42, 45)];
    Ok(i)
}

/// A test of the condition codes, joined with a predicate.
fn tested(f: &Fields, op: CodesFn, writes: bool) -> Lowered {
    let join = f.bits(48, 2) as u32;
    if join == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    let mut i = f.inst(Exec::AluCodes { f: op, writes });
    i.mods = coded::tested(f.bits(10, 5) as u32, join);
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `CSET`: ones, or 1.0 with `.BF`.
pub fn cset(f: &Fields) -> Lowered {
    let mut i = tested(f, coded::cset, f.writes_cc(false))?;
    i.mods |= if f.bit(47) { coded::FLOAT } else { 0 };
    i.dst = f.rd(W)?;
    Ok(i)
}

/// `CSETP`.
pub fn csetp(f: &Fields) -> Lowered {
    let mut i = tested(f, coded::csetp, false)?;
    i.pdst = [f.pd(5), f.pd(2)];
    Ok(i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Results, Sources, WARP};

    #[test]
    fn codes_stand_above_predicates() {
        // P2R R0, PR, RZ, 0x1, and with 0xf000; R2P PR, R0, 0xf000
        let p2r = 0xc640_0000_009f_fc01;
        let lowered = |word: u64| decode(Word(word)).expect("legal").lower();
        let i = lowered(p2r).expect("implemented");
        assert!(matches!(i.exec, Exec::ReadPreds { shift: 0, cc: false }));
        let codes = p2r & !(0x7_ffff << 23) | 0xf000 << 23;
        let i = lowered(codes).expect("implemented");
        assert!(matches!(i.exec, Exec::ReadPreds { shift: 12, cc: true }));
        assert_eq!(i.src[1], Src::Imm(15));
        let i = lowered(codes + (4 << 52)).expect("implemented");
        assert!(matches!(i.exec, Exec::WritePreds { shift: 12, cc: true }));
        assert!(lowered(codes | 1 << 23).is_err(), "both at once");
    }

    #[test]
    fn predicates_are_combined_twice() {
        // PSETP.OR.AND P0, P1, P2, P3, P4
        let word = 0x8480_1003_081c_8006 & !0xfc | 1 << 2;
        let i = decode(Word(word)).expect("legal").lower().expect("implemented");
        assert_eq!(i.psrc.map(|p| p.pred), [2, 3, 4]);
        let zero = [0; WARP];
        let run = |x: bool, y: bool, z: bool| {
            let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
            let p = [x, y, z].map(|b| if b { u32::MAX } else { 0 });
            let mut out = Results::default();
            f(i.mods, &Sources { r: [&zero; 6], p, active: u32::MAX }, &mut out);
            out.p.map(|m| m == u32::MAX)
        };
        for n in 0..8 {
            let (x, y, z) = (n & 4 != 0, n & 2 != 0, n & 1 != 0);
            assert_eq!(run(x, y, z), [(x || y) && z, !(x || y) && z], "{x} {y} {z}");
        }
    }
}
