//! Comparisons and choices of integers.

use upset_isa::int::compare;
use upset_isa::{AluFn, Exec, Inst, PT, Src, Width};

use super::codes_unwritten;
use super::lanes::{self, pick};
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

/// `ISET` without `.X`: ones, or 1.0 with `.BF`.
pub fn iset(f: &Fields) -> Lowered {
    if f.bit(46) {
        return Err(LowerError::Unimplemented("ISET.X"));
    }
    let join = f.bits(48, 2) as u32;
    if join == 3 {
        return Err(LowerError::IllegalEncoding);
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

/// `IMNMX` of single words.
pub fn imnmx(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    if f.bits(46, 2) != 0 {
        return Err(LowerError::Unimplemented("IMNMX of wide numbers"));
    }
    let min = f.ps(42, 45);
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

/// `VMNMX` of signed words, or of a signed word and an immediate of 16 bits.
pub fn vmnmx(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let signed_words = f.bits(39, 3) == 6 && f.bit(51) && f.bit(52);
    let register = f.bit(53);
    let part_of_b = register && f.bits(31, 3) != 6;
    let plain = f.bit(57) && !f.bit(58);
    if !signed_words || part_of_b || !plain {
        return Err(LowerError::Unimplemented("VMNMX of parts"));
    }
    let second = match f.bits(54, 3) {
        4 => pick::ADD,
        5 => pick::MIN,
        6 => pick::MAX,
        7 => pick::NONE,
        _ => return Err(LowerError::Unimplemented("VMNMX that merges")),
    };
    let first = if f.bit(59) { pick::FIRST_MAX } else { 0 };
    let b = if register { f.rb(W)? } else { Src::Imm(f.word.signed(23, 16) as u32) };
    let mut i = f.inst(Exec::Alu(lanes::two_of_three));
    i.mods = first | second << pick::SECOND;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, b, f.rc(W)?];
    Ok(i)
}
