//! Instructions that only compute.

use super::operand::{Scratch, load_scratch, pred, rows};
use super::{Env, Operands, special};
use crate::control::barriers::lanes;
use crate::trap::TrapKind;
use crate::{Exec, Inst, Mask, PT, Results, Sources, WARP};

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
    /// Nothing.
    Nothing,
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
            load_scratch(ops, inst, scratch)?;
            let s = Sources {
                r: rows(ops, inst, scratch),
                p: inst.psrc.map(|p| pred(ops, p)),
                active: mask,
            };
            f(inst.mods, &s, results);
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
            for l in 0..WARP {
                let mut bits = 0;
                for (i, p) in preds[..usize::from(PT)].iter().enumerate() {
                    bits |= (p >> l & 1) << i;
                }
                let bits = if cc { 0 } else { bits };
                let select = rows[2][l] & 0xff;
                results.d[0][l] = rows[0][l] & !(select << shift) | (bits & select) << shift;
            }
            Ok(Effect::Results)
        }
        Exec::WritePreds { cc: true, .. } => Ok(Effect::Nothing),
        Exec::WritePreds { shift, cc: false } => {
            load_scratch(ops, inst, scratch)?;
            let rows = rows(ops, inst, scratch);
            let (mut value, mut select) = ([0; PT as usize], [0; PT as usize]);
            for l in 0..WARP {
                for i in 0..usize::from(PT) {
                    value[i] |= (rows[0][l] >> shift >> i & 1) << l;
                    select[i] |= (rows[2][l] >> i & 1) << l;
                }
            }
            Ok(Effect::Predicates { value, select })
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
