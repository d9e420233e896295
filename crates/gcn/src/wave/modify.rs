//! What the long form does to results: multiplication by a power of two, and
//! the limit to 0 to 1.

use upset_lanes::Mask;
use upset_lanes::fp::{Format, Rounding, exact};

use crate::inst::{Inst, Modifiers};
use crate::row::Number;
use crate::sem::Mode;
use crate::sem::vector::Results;

/// Changes the results of one half as the modifiers say.
pub fn modify(inst: &Inst, m: Modifiers, mode: Mode, active: Mask, r: &mut Results) {
    let kind = inst.row.dst.kind;
    let format = match kind.number {
        _ if m.omod == 0 && !m.clamp => return,
        Number::Bits => return,
        Number::Half => Format::F16,
        Number::Float if kind.dwords > 1 => Format::F64,
        Number::Float => Format::F32,
    };
    for lane in (0..32).filter(|l| active >> l & 1 == 1) {
        if kind.dwords > 1 {
            let value = u64::from(r.d[0][lane]) | u64::from(r.d[1][lane]) << 32;
            r.set64(lane, change(format, m, mode, value));
        } else {
            r.d[0][lane] = change(format, m, mode, u64::from(r.d[0][lane])) as u32;
        }
    }
}

/// One result.
fn change(f: Format, m: Modifiers, mode: Mode, value: u64) -> u64 {
    // Ignored where denormal results are kept (CLRX, "GCN instruction set").
    let flushes = if f == Format::F32 { mode.flush_out32() } else { mode.flush_out64() };
    let scaled = match m.omod {
        0 => value,
        _ if !flushes => value,
        1 => scale(f, value, 1),
        2 => scale(f, value, 2),
        _ => scale(f, value, -1),
    };
    if m.clamp { clamp(f, mode, scaled) } else { scaled }
}

fn scale(f: Format, value: u64, by: i32) -> u64 {
    if f.is_nan(value) {
        return value;
    }
    let scaled = exact::Number::unpack(f, value).scale(by).pack(f, Rounding::Nearest);
    let is_denormal = scaled >> f.frac_bits & f.exp_max() == 0;
    if is_denormal { scaled & f.sign_bit() } else { scaled }
}

fn clamp(f: Format, mode: Mode, value: u64) -> u64 {
    let one = (f.bias() as u64) << f.frac_bits;
    if f.is_nan(value) {
        return if mode.dx10_clamp() { 0 } else { value };
    }
    if value & f.sign_bit() != 0 { 0 } else { value.min(one) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(omod: u8, clamp: bool, mode: u32, x: f32) -> f32 {
        let m = Modifiers { omod, clamp, ..Modifiers::default() };
        f32::from_bits(change(Format::F32, m, Mode(mode), u64::from(x.to_bits())) as u32)
    }

    #[test]
    fn results_are_multiplied_and_then_limited() {
        assert_eq!(single(1, false, 0, 1.5), 3.0);
        assert_eq!(single(2, false, 0, -1.5), -6.0);
        assert_eq!(single(3, false, 0, 1.5), 0.75);
        assert_eq!(single(3, true, 0, 1.5), 0.75);
        assert_eq!(single(1, true, 0, 1.5), 1.0);
        assert_eq!(single(1, true, 0, -1.5), 0.0);
        assert_eq!(single(2, false, 0, f32::MAX), f32::INFINITY);
    }

    #[test]
    fn denormal_results_stop_the_multiplication() {
        assert_eq!(single(1, false, 0x20, 1.5), 1.5);
        assert_eq!(single(3, false, 0, f32::MIN_POSITIVE).to_bits(), 0);
    }

    #[test]
    fn a_nan_is_limited_to_zero_where_the_mode_says_so() {
        assert_eq!(single(0, true, 1 << 8, f32::NAN).to_bits(), 0);
        assert!(single(0, true, 0, f32::NAN).is_nan());
    }
}
