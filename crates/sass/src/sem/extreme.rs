//! Sums, minima and maxima of sm_90: `VIADD`, `VIADDMNMX`, `VIMNMX`, `VIMNMX3`.
//! Bit 72 says signed, 73 two halves, 76 not below 0.

use upset_isa::int::{add, compare, extreme};
use upset_isa::{AluFn, Exec, Inst, PT, PredSrc, Src};

use super::operands::{Operands, W, flag};
use crate::{Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

const HALVES: u32 = 73;
const RELU: u32 = 76;

/// Numbers that we know the meaning of; `of` has one function for each.
fn kind(f: &Fields, of: fn(u32) -> Option<AluFn>) -> Result<AluFn, LowerError> {
    let kind = f.bits(72, 2) as u32 | flag(f, RELU, 2);
    of(kind).ok_or(LowerError::Unimplemented("unsigned .RELU"))
}

/// `VIADD`: a sum of two.
pub fn viadd(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let (exec, mods): (AluFn, u32) = match (f.bit(HALVES), o.neg_b()) {
        (true, negate) => (extreme::viadd_halves, u32::from(negate) << extreme::NEG_B),
        (false, false) => (add::iadd3::<false, false, false>, 0),
        (false, true) => (add::iadd3::<false, true, false>, 0),
    };
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    Ok(i)
}

/// `IMNMX`: minimum or maximum of two words; signed by bit 73.
pub fn imnmx(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let min = o.ps(87, 90);
    two(&o, words(min, f.bit(73)), min)
}

/// `VIMNMX`: minimum or maximum of two. Compiled code has predicates for it
/// with halves only; what they would be for words is not known.
pub fn vimnmx(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let min = o.ps(87, 90);
    let told = [o.pd(81), o.pd(84)];
    let tells = told.iter().any(|p| p.pred != PT);
    if tells && (!f.bit(HALVES) || f.bit(RELU)) {
        return Err(LowerError::Unimplemented("VIMNMX of words with predicates"));
    }
    let plain = !f.bit(HALVES) && !f.bit(RELU);
    let exec = match plain {
        true => words(min, f.bit(72)),
        false => kind(f, extreme::vimnmx_for)?,
    };
    let mut i = two(&o, exec, min)?;
    i.pdst = told;
    Ok(i)
}

/// Of two words, the choice fixed where it can be.
fn words(min: PredSrc, signed: bool) -> AluFn {
    match (min.pred == PT, min.negate, signed) {
        (true, false, true) => compare::imnmx_fixed::<true, true>,
        (true, false, false) => compare::imnmx_fixed::<true, false>,
        (true, true, true) => compare::imnmx_fixed::<false, true>,
        (true, true, false) => compare::imnmx_fixed::<false, false>,
        (false, _, true) => compare::imnmx::<true>,
        (false, _, false) => compare::imnmx::<false>,
    }
}

fn two(o: &Operands<'_>, exec: AluFn, min: PredSrc) -> Lowered {
    let mut i = o.inst(Exec::Alu(exec), 0);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, o.b(W)?, Src::Zero];
    i.psrc[0] = min;
    Ok(i)
}

fn three(o: &Operands<'_>, exec: AluFn, mods: u32) -> Lowered {
    let mut i = o.inst(Exec::Alu(exec), mods);
    let (b, c) = o.bc(W, W)?;
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, b, c];
    i.psrc[0] = o.ps(87, 90);
    Ok(i)
}

/// `VIMNMX3`: minimum or maximum of three.
pub fn vimnmx3(f: &Fields) -> Lowered {
    three(&Operands::vector(f), kind(f, extreme::vimnmx3_for)?, 0)
}

/// `VIADDMNMX`: minimum or maximum of a sum and a third.
pub fn viaddmnmx(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let negate = u32::from(o.neg_b()) << extreme::NEG_B;
    three(&o, kind(f, extreme::viaddmnmx_for)?, negate)
}
