//! How operands reach vector functions.

use upset_lanes::{Lanes, WARP};

use super::reg::Operands;
use super::value::scalar;
use crate::inst::{Detail, Inst, Modifiers};
use crate::operand::Operand;
use crate::row::{Number, Place};

static ZERO: Lanes = [0; WARP];

/// Broadcast and changed copies of operands.
pub type Scratch = [Lanes; 6];

/// An empty scratch.
pub const EMPTY: Scratch = [[0; WARP]; 6];

/// Modifiers of the long form; the short one has none.
#[inline]
pub fn modifiers(inst: &Inst) -> Modifiers {
    match inst.detail {
        Detail::Modifiers(m) => m,
        _ => Modifiers::default(),
    }
}

/// Whether a source is one bit for each lane rather than a value.
fn is_bits(inst: &Inst, n: usize) -> bool {
    inst.row.src[n].place == Place::Carry
}

/// Bits of lanes that an instruction has for a source.
#[inline]
pub fn lane_bits(ops: &impl Operands, inst: &Inst) -> u64 {
    use crate::row::Specials;
    match (0..3).find(|&n| is_bits(inst, n)) {
        Some(n) => scalar(ops, inst.src[n], inst.row.src[n].kind),
        None if inst.row.reads.has(Specials::VCC) => ops.vcc(),
        None => 0,
    }
}

/// Puts operands that are the same for all lanes into `scratch`.
#[inline]
pub fn broadcast(ops: &impl Operands, inst: &Inst, scratch: &mut Scratch) {
    for n in 0..3 {
        match inst.src[n] {
            Operand::None | Operand::Vgpr(_) => {}
            _ if is_bits(inst, n) => {}
            operand => {
                let kind = inst.row.src[n].kind;
                let value = scalar(ops, operand, kind);
                scratch[2 * n].fill(value as u32);
                if kind.dwords > 1 {
                    scratch[2 * n + 1].fill((value >> 32) as u32);
                }
            }
        }
    }
}

/// The six operand rows of one half; call [`broadcast`] first. `changed` is
/// room for those that modifiers change.
#[inline]
pub fn rows<'a>(
    ops: &'a impl Operands,
    inst: &Inst,
    half: usize,
    scratch: &'a Scratch,
    changed: &'a mut Scratch,
) -> [&'a Lanes; 6] {
    let mut rows = [&ZERO; 6];
    for n in 0..3 {
        let wide = inst.row.src[n].kind.dwords > 1;
        match inst.src[n] {
            Operand::None => {}
            _ if is_bits(inst, n) => {}
            Operand::Vgpr(r) => {
                rows[2 * n] = ops.vgpr(u32::from(r), half);
                if wide {
                    rows[2 * n + 1] = ops.vgpr(u32::from(r) + 1, half);
                }
            }
            _ => {
                rows[2 * n] = &scratch[2 * n];
                if wide {
                    rows[2 * n + 1] = &scratch[2 * n + 1];
                }
            }
        }
    }
    let modifiers = modifiers(inst);
    if modifiers.abs | modifiers.neg != 0 {
        change_signs(inst, modifiers, rows, changed);
        for (n, row) in rows.iter_mut().enumerate() {
            if has_sign_in(inst, n) {
                *row = &changed[n];
            }
        }
    }
    if inst.row.reversed {
        rows.swap(0, 2);
        rows.swap(1, 3);
    }
    if inst.row.reads_dst
        && let Operand::Vgpr(r) = inst.dst
    {
        rows[4] = ops.vgpr(u32::from(r), half);
        if inst.row.dst.kind.dwords > 1 {
            rows[5] = ops.vgpr(u32::from(r) + 1, half);
        }
    }
    rows
}

/// Whether row `n` holds the sign of a source that modifiers can change.
fn has_sign_in(inst: &Inst, n: usize) -> bool {
    let kind = inst.row.src[n / 2].kind;
    kind.number.is_float() && (n % 2 == 1) == (kind.dwords > 1)
}

fn change_signs(inst: &Inst, m: Modifiers, rows: [&Lanes; 6], changed: &mut Scratch) {
    for n in (0..6).filter(|&n| has_sign_in(inst, n)) {
        let half = inst.row.src[n / 2].kind.number == Number::Half;
        let sign: u32 = if half { 1 << 15 } else { 1 << 31 };
        let bit = |set: u8| set >> (n / 2) & 1 == 1;
        let keep = if bit(m.abs) { !sign } else { !0 };
        let flip = if bit(m.neg) { sign } else { 0 };
        for (to, from) in changed[n].iter_mut().zip(rows[n]) {
            *to = from & keep ^ flip;
        }
    }
}
