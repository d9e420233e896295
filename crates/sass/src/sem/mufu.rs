//! The multi-function unit.

use upset_isa::fp::Format;
use upset_isa::fp::mufu::Func;
use upset_isa::fp::warp::mufu;
use upset_isa::{Exec, Inst, Src, Width};

use super::fp_signs as signs;
use crate::{Arch, Fields, LowerError};

/// `MUFU`: function in bits 74-77.
pub fn mufu(f: &Fields) -> Result<Inst, LowerError> {
    let func = Func::from_bits(f.bits(74, 4) as u32).ok_or(LowerError::IllegalEncoding)?;
    let format = match (f.arch, f.bits(72, 2)) {
        (Arch::Sm70, _) | (_, 0) => Format::F32,
        (Arch::Sm75 | Arch::Sm80, code) if code & 2 == 0 => Format::F32,
        (Arch::Sm75 | Arch::Sm80, _) | (Arch::Sm90, 1) => Format::F16,
        (Arch::Sm90, 2) => Format::BF16,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let halves = format != Format::F32;
    if (halves && matches!(func, Func::Rcp64H | Func::Rsq64H))
        || (func == Func::Tanh && f.arch == Arch::Sm70)
    {
        return Err(LowerError::IllegalEncoding);
    }
    let high = match f.bits(60, 2) {
        _ if !halves || matches!(f.form, 2 | 4) => 0,
        0 => 0,
        1 => mufu::HIGH,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let m = signs::flexible(f).mods(1) | mufu::function(func, format) | high;
    let mut i = f.inst(Exec::Alu(mufu::select(m)));
    i.mods = m;
    i.dst = f.rd(Width::W1)?;
    i.src = [Src::Zero, f.b(Width::W1)?, Src::Zero];
    Ok(i)
}
