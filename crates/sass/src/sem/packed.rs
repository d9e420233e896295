//! Packed integers: `IDP`, `VABSDIFF`, `VABSDIFF4`, `I2I`, `I2IP`.

use upset_isa::int::dot;
use upset_isa::{AluFn, Exec, Inst};

use super::operands::{Operands, W, flag};
use crate::{Arch, Fields, LowerError};

type Lowered = Result<Inst, LowerError>;

fn three(f: &Fields, exec: AluFn, mods: u32) -> Lowered {
    let o = Operands::vector(f);
    let (b, c) = o.bc(W, W)?;
    let mut i = o.inst(Exec::Alu(exec), mods);
    i.dst = o.rd(W)?;
    i.src = [o.ra(W)?, b, c];
    Ok(i)
}

/// As [`three`], with the carry in the predicate of bits 81-83.
fn three_carry(f: &Fields, exec: AluFn, mods: u32) -> Lowered {
    let mut i = three(f, exec, mods)?;
    i.pdst[0] = f.pd(81);
    Ok(i)
}

/// `IDP`.
pub fn idp(f: &Fields) -> Lowered {
    use dot::mods as m;
    let o = Operands::vector(f);
    let mods = flag(f, 73, m::A_SIGNED)
        | flag(f, 74, m::B_SIGNED)
        | u32::from(o.neg_c()) << m::NEG_C
        | flag(f, 77, m::HI);
    match f.bits(76, 2) {
        0 => three(f, dot::idp4, mods),
        2 => Err(LowerError::IllegalEncoding),
        _ => three(f, dot::idp2, mods),
    }
}

/// `VABSDIFF`.
pub fn vabsdiff(f: &Fields) -> Lowered {
    three_carry(f, dot::vabsdiff, flag(f, 73, 0))
}

/// `VABSDIFF4`.
pub fn vabsdiff4(f: &Fields) -> Lowered {
    use dot::vabsdiff4_mods as m;
    three_carry(f, dot::vabsdiff4, flag(f, 73, m::SIGNED) | flag(f, 75, m::ACC))
}

/// `I2I`.
pub fn i2i(f: &Fields) -> Lowered {
    let o = Operands::vector(f);
    let mut i = o.inst(Exec::Alu(dot::i2i), f.bits(76, 2) as u32);
    i.dst = o.rd(W)?;
    i.src[1] = o.b(W)?;
    Ok(i)
}

/// `I2IP`.
pub fn i2ip(f: &Fields) -> Lowered {
    use dot::i2ip_mods as m;
    if f.bit(78) {
        return Err(LowerError::Unimplemented("I2IP to formats below a byte"));
    }
    // Turing always saturates; later the mode is in bits 74-75.
    let saturate = match (f.arch <= Arch::Sm75, f.bits(74, 2)) {
        (true, _) | (false, 1) => 1 << m::SAT,
        (false, 0) => 0,
        // Unsigned results have no negative values to cut off (trap seen on H200).
        (false, 2) if f.bit(76) => 1 << m::SAT | 1 << m::RELU,
        _ => return Err(LowerError::IllegalEncoding),
    };
    if f.bit(73) {
        return Err(LowerError::IllegalEncoding);
    }
    three(f, dot::i2ip, f.bits(76, 2) as u32 | saturate | flag(f, 72, m::C_HIGH))
}
