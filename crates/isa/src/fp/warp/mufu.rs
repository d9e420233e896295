//! Operations of the multi-function unit.

use super::mods::{self, sign_masks};
use crate::fp::Format;
use crate::fp::mufu::{self, Func};
use crate::{AluFn, Results, Sources};

const FORMAT: u32 = mods::OWN + 4;

/// Half formats: the operand is the upper half of its register.
pub const HIGH: u32 = 1 << (FORMAT + 3);

/// Function and operand format.
pub fn function(func: Func, f: Format) -> u32 {
    (func as u32) << mods::OWN | mods::format(f) << FORMAT
}

/// `MUFU` (source is operand B).
pub fn select(m: u32) -> AluFn {
    if mods::get_format(m >> FORMAT) == Format::F32 { single } else { narrowed }
}

fn func(m: u32) -> Func {
    Func::from_bits(m >> mods::OWN & 15).unwrap_or(Func::Rcp)
}

fn single(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (and, xor) = sign_masks(m, 1);
    r.d[0] = mufu::eval(func(m), &s.b().map(|x| x & and ^ xor));
}

/// Half formats: one half in, the low half out.
fn narrowed(m: u32, s: &Sources<'_>, r: &mut Results) {
    let and = if m & mods::ABS_B != 0 { 0x7fff } else { 0xffff };
    let xor = if m & mods::NEG_B != 0 { 0x8000 } else { 0 };
    let shift = if m & HIGH != 0 { 16 } else { 0 };
    let x = s.b().map(|x| x >> shift & and ^ xor);
    r.d[0] = if mods::get_format(m >> FORMAT) == Format::BF16 {
        mufu::eval_bf16(func(m), &x)
    } else {
        mufu::eval_f16(func(m), &x)
    };
}
