//! Which result goes where.

use crate::{Codes, Dst, Inst, Lanes, Mask, PT, PredDst, RZ, Results, URZ, WARP, Width};

/// Where results go. What an instruction must not write (`RZ`, `URZ`, `PT`)
/// never arrives here.
pub trait Destinations {
    /// Lanes `mask` of a register.
    fn write_row(&mut self, r: u8, mask: Mask, value: &Lanes);
    /// A uniform register.
    fn write_ureg(&mut self, r: u8, value: u32);
    /// Lanes `mask` of a predicate.
    fn write_pred(&mut self, p: u8, mask: Mask, value: Mask);
    /// Lanes `mask` of one flag of the condition codes.
    fn write_code(&mut self, flag: usize, mask: Mask, value: Mask);
    /// A uniform predicate: all ones or all zeroes.
    fn write_upred(&mut self, p: u8, value: Mask);
}

/// Writes results to an instruction's destinations, for the lanes in `mask`.
#[inline]
pub fn write_back(to: &mut impl Destinations, inst: &Inst, mask: Mask, r: &Results) {
    match inst.dst {
        Dst::None => {}
        Dst::Reg(d, w) => {
            if d != RZ {
                to.write_row(d, mask, &r.d[0]);
            }
            if w != Width::W1 && d < RZ - 1 {
                to.write_row(d + 1, mask, &r.d[1]);
            }
            for (i, row) in (2..w.words()).zip(&r.wide) {
                if d < RZ - i {
                    to.write_row(d + i, mask, row);
                }
            }
        }
        Dst::UReg(d, w) => {
            if d < URZ {
                to.write_ureg(d, uniform_value(&r.d[0], mask));
            }
            if w != Width::W1 && d < URZ - 1 {
                to.write_ureg(d + 1, uniform_value(&r.d[1], mask));
            }
        }
    }
    // The first destination wins when both name one predicate (an H200).
    for (dst, &value) in inst.pdst.iter().zip(&r.p).rev() {
        write_one(to, *dst, mask, value);
    }
}

/// Writes P0 to P6 as [`Effect::Predicates`](super::Effect::Predicates) says.
pub fn write_preds(
    to: &mut impl Destinations,
    inst: &Inst,
    mask: Mask,
    value: &[Mask; PT as usize],
    select: &[Mask; PT as usize],
) {
    for (i, (&value, &select)) in value.iter().zip(select).enumerate() {
        write_one(to, PredDst { pred: i as u8, uniform: inst.uniform }, mask & select, value);
    }
}

/// Writes condition codes as [`Effect::Codes`](super::Effect::Codes) says.
pub fn write_codes(to: &mut impl Destinations, mask: Mask, value: &Codes, select: &Codes) {
    for (flag, (&value, &select)) in value.iter().zip(select).enumerate() {
        if mask & select != 0 {
            to.write_code(flag, mask & select, value);
        }
    }
}

/// Writes what an atomic returned: `old` where it was `done`, and that in its
/// predicate.
pub fn write_atomic(
    to: &mut impl Destinations,
    inst: &Inst,
    mask: Mask,
    done: Mask,
    old: &[Lanes; 2],
) {
    write_old(to, (inst.dst, inst.pdst[0]), mask, done, old);
}

/// The same by its destinations.
pub fn write_old(
    to: &mut impl Destinations,
    (dst, pdst): (Dst, PredDst),
    mask: Mask,
    done: Mask,
    old: &[Lanes; 2],
) {
    if let Dst::Reg(d, w) = dst {
        let high = if w == Width::W1 { RZ } else { d.saturating_add(1) };
        write_rows(to, &[d, high], done, old);
    }
    write_one(to, pdst, mask, done);
}

/// Writes the lanes `hit` that a query of the address space found.
pub fn write_query(to: &mut impl Destinations, inst: &Inst, mask: Mask, hit: Mask) {
    write_one(to, inst.pdst[0], mask, hit);
}

/// Writes rows of data to the registers named ([`RZ`]: none).
#[inline]
pub fn write_rows(to: &mut impl Destinations, registers: &[u8], mask: Mask, data: &[Lanes]) {
    for (&r, row) in registers.iter().zip(data) {
        if r != RZ {
            to.write_row(r, mask, row);
        }
    }
}

/// Writes lanes `mask` of a predicate destination.
#[inline]
pub fn write_one(to: &mut impl Destinations, dst: PredDst, mask: Mask, value: Mask) {
    if dst.pred >= PT || mask == 0 {
        return;
    }
    if dst.uniform {
        to.write_upred(dst.pred, uniform_pred(value, mask));
    } else {
        to.write_pred(dst.pred, mask, value);
    }
}

/// What the warp as a whole gets of a row: the value of the first executing lane.
#[inline]
pub fn uniform_value(row: &Lanes, mask: Mask) -> u32 {
    row[mask.trailing_zeros() as usize % WARP]
}

/// What the warp as a whole gets of a predicate.
#[inline]
pub fn uniform_pred(value: Mask, mask: Mask) -> Mask {
    let lane = mask.trailing_zeros() % WARP as u32;
    if value >> lane & 1 == 1 { u32::MAX } else { 0 }
}

/// Overwrites the lanes in `mask`.
#[inline]
pub fn write_row(row: &mut Lanes, mask: Mask, value: &Lanes) {
    if mask == u32::MAX {
        *row = *value;
    } else {
        for l in 0..WARP {
            // A constant bit per lane keeps this loop vectorisable.
            row[l] = if mask & (1 << l) != 0 { value[l] } else { row[l] };
        }
    }
}

/// Overwrites the lanes in `mask`.
#[inline]
pub fn write_pred(slot: &mut Mask, mask: Mask, value: Mask) {
    *slot = *slot & !mask | value & mask;
}
