//! Comparisons and choices of integers.

use upset_isa::int::compare;
use upset_isa::{AluFn, Exec, Inst, PT, PredDst, Src, Width};

use super::codes_unwritten;
use super::lanes::coded::{self, extreme};
use super::lanes::{self, integer};
use super::sums;
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// `ISETP`.
pub fn isetp(f: &Fields) -> Lowered {
    let join = f.bits(48, 2) as u32;
    if join == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    if f.bit(46) {
        return sums::isetp_wide(f, join);
    }
    let exec = compare::isetp_for(f.bits(52, 3) as u32, f.bit(51));
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = join;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    i.pdst = [f.pd(5), f.pd(2)];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `ISET`: ones, or 1.0 with `.BF`.
pub fn iset(f: &Fields) -> Lowered {
    let join = f.bits(48, 2) as u32;
    if join == 3 {
        return Err(LowerError::IllegalEncoding);
    }
    if f.bit(46) {
        let mut i = sums::isetp_wide(f, join)?;
        i.exec = Exec::AluCodes { f: coded::iset_wide, writes: f.writes_cc(false) };
        i.mods |= if f.bit(47) { coded::FLOAT } else { 0 };
        (i.dst, i.pdst) = (f.rd(W)?, [PredDst::NONE; 2]);
        return Ok(i);
    }
    let exec = match (f.bit(47), f.writes_cc(false)) {
        (false, true) => Exec::AluCodes { f: lanes::iset_codes, writes: true },
        (false, false) => Exec::Alu(lanes::iset_mask),
        (true, _) => {
            codes_unwritten(f)?;
            Exec::Alu(lanes::iset_float)
        }
    };
    let mut i = f.inst(exec);
    i.mods = lanes::iset_mods(join, f.bits(52, 3) as u32, f.bit(51));
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `IMNMX` of words, and of words of wide numbers.
pub fn imnmx(f: &Fields) -> Lowered {
    let min = f.ps(42, 45);
    if f.bits(46, 2) != 0 {
        let signed = if f.bit(51) { extreme::SIGNED } else { 0 };
        // `.XLO`, `.XMED`, `.XHI`.
        let lower = if f.bits(46, 2) != 3 { extreme::LOWER } else { 0 };
        let writes = f.writes_cc(false);
        let mut i = f.inst(Exec::AluCodes { f: coded::imnmx_wide, writes });
        i.mods = signed | lower;
        i.dst = f.rd(W)?;
        i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
        i.psrc[0] = min;
        return Ok(i);
    }
    codes_unwritten(f)?;
    let exec: AluFn = match (min.pred == PT, min.negate, f.bit(51)) {
        (true, false, true) => compare::imnmx_fixed::<true, true>,
        (true, false, false) => compare::imnmx_fixed::<true, false>,
        (true, true, true) => compare::imnmx_fixed::<false, true>,
        (true, true, false) => compare::imnmx_fixed::<false, false>,
        (false, _, true) => compare::imnmx::<true>,
        (false, _, false) => compare::imnmx::<false>,
    };
    let mut i = f.inst(Exec::Alu(exec));
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    i.psrc[0] = min;
    Ok(i)
}

/// `ICMP`: A where C compares with zero, else B.
pub fn icmp(f: &Fields) -> Lowered {
    let mut i = f.inst(Exec::Alu(lanes::icmp));
    i.mods = lanes::icmp_mods(f.bits(52, 3) as u32, f.bit(51));
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, f.c(W)?];
    Ok(i)
}

/// `ISAD`.
pub fn isad(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let mut i = f.inst(Exec::Alu(integer::isad));
    i.mods = if f.bit(51) { integer::SIGNED } else { 0 };
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, f.c(W)?];
    Ok(i)
}
