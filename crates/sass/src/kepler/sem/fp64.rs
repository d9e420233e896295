//! Double-precision arithmetic.

use upset_isa::fp::warp::fp64;
use upset_isa::{AluFn, Exec, Inst, Src, Width};

use super::signs::{comparison, rounding, signs};
use super::{codes_unwritten, lanes};
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W2;

fn alu(f: &Fields, m: u32, exec: AluFn) -> Lowered {
    let src = [f.ra(W)?, f.b_float(W)?, Src::Zero];
    Ok(Inst { mods: m, src, ..f.inst(Exec::Alu(exec)) })
}

/// `DADD`.
pub fn dadd(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = signs(f, 0, 51, Some(49)) | signs(f, 1, 48, Some(52)) | rounding(f, 42);
    Ok(Inst { dst: f.rd(W)?, ..alu(f, m, fp64::dadd(m))? })
}

/// `DMUL`.
pub fn dmul(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = signs(f, 0, 51, None) | rounding(f, 42);
    Ok(Inst { dst: f.rd(W)?, ..alu(f, m, fp64::dmul(m))? })
}

/// `DFMA`.
pub fn dfma(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = signs(f, 0, 51, None) | signs(f, 2, 52, None) | rounding(f, 53);
    let mut i = alu(f, m, fp64::dfma(m))?;
    i.dst = f.rd(W)?;
    i.src[2] = f.c(W)?;
    Ok(i)
}

/// `DMNMX`.
pub fn dmnmx(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let m = signs(f, 0, 51, Some(49)) | signs(f, 1, 48, Some(52));
    let mut i = alu(f, m, lanes::float::dmnmx)?;
    i.dst = f.rd(W)?;
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `DSETP`.
pub fn dsetp(f: &Fields) -> Lowered {
    let m = signs(f, 0, 46, Some(9)) | signs(f, 1, 8, Some(47)) | comparison(f)?;
    let mut i = alu(f, m, fp64::dsetp)?;
    i.pdst = [f.pd(5), f.pd(2)];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}

/// `DSET`: ones, or an FP32 of 1.0 with `.BF`.
pub fn dset(f: &Fields) -> Lowered {
    let m = signs(f, 0, 46, Some(57)) | signs(f, 1, 56, Some(47)) | comparison(f)?;
    let exec = if f.bit(55) { lanes::dset_float } else { lanes::dset_mask };
    let mut i = alu(f, m, exec)?;
    match f.bit(55) {
        true => codes_unwritten(f)?,
        false if f.writes_cc(false) => {
            i.exec = Exec::AluCodes { f: lanes::dset_codes, writes: true };
        }
        false => {}
    }
    i.dst = f.rd(Width::W1)?;
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}
