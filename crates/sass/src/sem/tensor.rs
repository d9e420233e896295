//! `HMMA`, `IMMA`.

use upset_isa::{Exec, Inst, MatrixOp, Width};

use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

/// Operands of so many words: D and C, A, B.
fn matrix(f: &Fields, op: MatrixOp, [d, a, b]: [Width; 3]) -> Lowered {
    let mut i = f.inst(Exec::Matrix(op));
    i.dst = f.rd(d)?;
    i.src = [f.ra(a)?, f.rb(b)?, f.rc(d)?];
    Ok(i)
}

/// `HMMA.884`, up to Turing: one of four steps.
pub fn hmma_884(f: &Fields) -> Lowered {
    let single = f.bit(76) && f.bit(78);
    let row_by_column = !f.bit(73) && f.bit(74);
    if !single || !row_by_column || f.bit(75) || f.bit(77) {
        return Err(LowerError::Unimplemented(
            "HMMA.884 but with single-precision accumulators, row by column, not saturated",
        ));
    }
    signs(f)?;
    let step = f.bits(79, 2) as u8;
    matrix(f, MatrixOp::Step884(step), [Width::W2; 3])
}

/// `HMMA.1688`, `HMMA.16816`.
pub fn hmma(f: &Fields) -> Lowered {
    let k = match (f.bit(75), f.bit(78)) {
        (false, false) => 8,
        (true, false) => 16,
        _ => return Err(LowerError::Unimplemented("HMMA of other shapes")),
    };
    let half = f.bits(82, 2) == 0;
    if !f.bit(76) || !half || f.bit(73) || f.bit(77) {
        return Err(LowerError::Unimplemented(
            "HMMA but of half precision, with single-precision accumulators, dense, not saturated",
        ));
    }
    signs(f)?;
    if k == 8 {
        return matrix(f, MatrixOp::Half { k }, [Width::W4, Width::W2, Width::W1]);
    }
    matrix(f, MatrixOp::Half { k }, [Width::W4, Width::W4, Width::W2])
}

/// `IMMA` of bytes.
pub fn imma(f: &Fields) -> Lowered {
    let (rows, k) = match (f.bit(75), f.bit(85), f.bit(86)) {
        (false, false, false) => (8, 16),
        (false, false, true) => (16, 16),
        (true, false, true) => (16, 32),
        _ => return Err(LowerError::Unimplemented("IMMA of other shapes")),
    };
    if rows == 16 && f.arch < Arch::Sm80 {
        return Err(LowerError::IllegalEncoding);
    }
    if f.bit(83) || f.bit(84) || f.bit(72) || f.bit(82) || f.bit(77) || f.bit(79) {
        return Err(LowerError::Unimplemented("IMMA but of bytes, dense, not saturated"));
    }
    if f.bit(73) || !f.bit(74) {
        return Err(LowerError::IllegalEncoding);
    }
    conditions(f)?;
    let op = MatrixOp::Bytes { rows, k, signed_a: f.bit(76), signed_b: f.bit(78) };
    match (rows, k) {
        (8, _) => matrix(f, op, [Width::W2, Width::W1, Width::W1]),
        (_, 16) => matrix(f, op, [Width::W4, Width::W2, Width::W1]),
        _ => matrix(f, op, [Width::W4, Width::W4, Width::W2]),
    }
}

/// Negated operands and uniform conditions are none that compilers write.
fn signs(f: &Fields) -> Result<(), LowerError> {
    if f.bit(72) || f.bit(63) {
        return Err(LowerError::Unimplemented("HMMA of negated matrices"));
    }
    conditions(f)
}

/// The uniform predicate of sm_90, stored inverted: always true.
fn conditions(f: &Fields) -> Result<(), LowerError> {
    if f.arch >= Arch::Sm90 && f.bits(87, 4) != 0 {
        return Err(LowerError::Unimplemented("matrix products under a uniform predicate"));
    }
    Ok(())
}
