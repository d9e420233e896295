//! Instructions that only compute.

use super::operand::{NO_ROWS, Scratch, gather, load_scratch, pred, rows};
use super::{Env, Operands, special};
use crate::control::barriers::lanes;
use crate::trap::TrapKind;
use crate::{Codes, Exec, Inst, Lanes, Mask, PT, RZ, Results, Sources, Src, WARP};

/// What is left to do after [`evaluate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// [`write_back`](super::write_back) the results.
    Results,
    /// [`write_preds`](super::write_preds): P0 to P6 of the lanes in `select`.
    Predicates {
        /// New value of each predicate.
        value: [Mask; PT as usize],
        /// Lanes that each predicate is written for (the guard still applies).
        select: [Mask; PT as usize],
    },
    /// [`write_back`](super::write_back) the results and
    /// [`write_codes`](super::write_codes): flags of the lanes in `select`.
    Codes {
        /// New value of each flag.
        value: Codes,
        /// Lanes that each flag is written for (the guard still applies).
        select: Codes,
    },
    /// Nothing.
    Nothing,
}

/// The four registers of an operand of a matrix product: beyond its width they
/// are not looked at.
fn matrix_rows(ops: &impl Operands, src: Src) -> [&Lanes; 4] {
    let Src::Reg(first, width) = src else { return [ops.row(RZ); 4] };
    std::array::from_fn(|i| match (first, i) {
        (RZ, _) => ops.row(RZ),
        (_, i) if i < usize::from(width.words()) => ops.row(first.saturating_add(i as u8)),
        _ => ops.row(RZ),
    })
}

fn masked(row: &Lanes, mask: Mask) -> Lanes {
    std::array::from_fn(|l| if mask >> l & 1 == 1 { row[l] } else { 0 })
}

/// Carries out what needs neither memory nor control flow, for the lanes in
/// `mask`. Memory accesses, texture fetches and control flow have their own
/// functions; here they do nothing. `env` is asked for only when a special
/// register is read.
#[inline]
pub fn evaluate<'e>(
    ops: &impl Operands,
    inst: &Inst,
    mask: Mask,
    env: impl FnOnce() -> Env<'e>,
    scratch: &mut Scratch,
    results: &mut Results,
) -> Result<Effect, TrapKind> {
    match inst.exec {
        Exec::Alu(f) => {
            let p = inst.psrc.map(|p| pred(ops, p));
            let mut s = Sources { r: NO_ROWS, p, active: mask };
            gather(ops, inst, scratch, &mut s.r)?;
            f(inst.mods, &s, results);
            Ok(Effect::Results)
        }
        Exec::AluCodes { f, writes } => {
            load_scratch(ops, inst, scratch)?;
            let s = Sources {
                r: rows(ops, inst, scratch),
                p: inst.psrc.map(|p| pred(ops, p)),
                active: mask,
            };
            let mut value = ops.codes().copied().unwrap_or_default();
            f(inst.mods, &s, &mut value, results);
            Ok(match writes {
                true => Effect::Codes { value, select: [Mask::MAX; 4] },
                false => Effect::Results,
            })
        }
        Exec::Matrix(op) => {
            let operands = inst.src.map(|src| matrix_rows(ops, src));
            let [d, e, f, g] = if mask == Mask::MAX {
                op.multiply(&operands)
            } else {
                // Code that multiplies with part of a warp means nothing; here
                // lanes that do not execute hold zeroes.
                let kept = operands.map(|four| four.map(|row| masked(row, mask)));
                op.multiply(&kept.each_ref().map(|four| four.each_ref()))
            };
            (results.d, results.wide) = ([d, e], [f, g]);
            Ok(Effect::Results)
        }
        Exec::Special(sr) => {
            special::read(&env(), sr, results);
            Ok(Effect::Results)
        }
        Exec::ReadPreds { shift, cc } => {
            load_scratch(ops, inst, scratch)?;
            let rows = rows(ops, inst, scratch);
            let preds = if inst.uniform { ops.upreds() } else { ops.preds() };
            let codes = ops.codes().map_or(&[][..], |codes| codes);
            let read = if cc { codes } else { &preds[..usize::from(PT)] };
            for l in 0..WARP {
                let mut bits = 0;
                for (i, p) in read.iter().enumerate() {
                    bits |= (p >> l & 1) << i;
                }
                let select = rows[2][l] & 0xff;
                results.d[0][l] = rows[0][l] & !(select << shift) | (bits & select) << shift;
            }
            Ok(Effect::Results)
        }
        Exec::WritePreds { cc: true, .. } if ops.codes().is_none() => Ok(Effect::Nothing),
        Exec::WritePreds { shift, cc } => {
            load_scratch(ops, inst, scratch)?;
            let rows = rows(ops, inst, scratch);
            let (mut value, mut select) = ([0; PT as usize], [0; PT as usize]);
            for l in 0..WARP {
                for i in 0..usize::from(PT) {
                    value[i] |= (rows[0][l] >> shift >> i & 1) << l;
                    select[i] |= (rows[2][l] >> i & 1) << l;
                }
            }
            let four = |flags: [Mask; PT as usize]| std::array::from_fn(|i| flags[i]);
            Ok(match cc {
                true => Effect::Codes { value: four(value), select: four(select) },
                false => Effect::Predicates { value, select },
            })
        }
        Exec::ToUniform => {
            load_scratch(ops, inst, scratch)?;
            let rows = rows(ops, inst, scratch);
            results.d = [*rows[0], *rows[1]];
            // The compiler's loops over values that differ between lanes (texture
            // handles) leave the chosen lanes by this predicate.
            let chosen = rows[0][(mask.trailing_zeros() & 31) as usize];
            let differs = lanes(mask).filter(|&l| rows[0][l] != chosen);
            results.p[0] = differs.fold(pred(ops, inst.psrc[0]), |m, l| m | 1 << l);
            Ok(Effect::Results)
        }
        Exec::Fence(_) | Exec::CacheControl(_) | Exec::DepBar { .. } | Exec::Nop => {
            Ok(Effect::Nothing)
        }
        Exec::Mem(_) | Exec::Tex(_) | Exec::Surface(_) | Exec::Flow(_) => Ok(Effect::Nothing),
        Exec::Unimplemented => Err(TrapKind::Unimplemented(inst.op.name.to_string())),
    }
}
