//! Operations of the multi-function unit.

use super::LANE_BIT;
use super::mods::{self, sign_masks};
use crate::fp::mufu::{Func, mufu};
use crate::fp::narrow::{narrow, widen};
use crate::fp::{Format, Rounding};
use crate::{AluFn, Results, Sources, WARP};

const FORMAT: u32 = mods::OWN + 4;

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
    let func = func(m);
    for i in 0..WARP {
        if s.active & LANE_BIT[i] != 0 {
            r.d[0][i] = mufu(func, s.b()[i] & and ^ xor);
        }
    }
}

/// Half formats: the low half in, the low half out.
fn narrowed(m: u32, s: &Sources<'_>, r: &mut Results) {
    let f = mods::get_format(m >> FORMAT);
    let func = func(m);
    for i in 0..WARP {
        let mut x = s.b()[i] & 0xffff;
        if m & mods::ABS_B != 0 {
            x &= 0x7fff;
        }
        if m & mods::NEG_B != 0 {
            x ^= 0x8000;
        }
        let wide = (widen(f, x) as f32).to_bits();
        let y = f64::from(f32::from_bits(mufu(func, wide)));
        r.d[0][i] = narrow(f, Rounding::Nearest, y);
    }
}
