//! An access to LDS, all at once.

use super::located::{Located, locate};
use super::operands::{compare, data, data_source};
use super::operation::operation;
use super::swizzle::swizzle;
use crate::inst::Inst;
use crate::operand::Operand;
use crate::sem::atomic::AtomicFn;
use crate::sem::share::{ShareAccess, ShareOp};
use crate::trap::TrapKind;
use crate::wave::each::each;
use crate::wave::returned::Returned;
use crate::wave::{Destinations, Operands};

/// Carries out an access to a work-group's LDS.
#[inline]
pub fn execute<W: Operands + Destinations>(
    wave: &mut W,
    inst: &Inst,
    lds: &mut [u8],
) -> Result<(), TrapKind> {
    let op = operation(inst)?;
    if wave.exec() == 0 {
        return Ok(());
    }
    let bytes = u32::try_from(lds.len()).unwrap_or(u32::MAX);
    let located = locate(wave, inst, bytes)?;
    if let ShareAccess::Write = op.access {
        write(wave, inst, &located, lds);
        return Ok(());
    }
    let mut returned = Returned::default();
    match op.access {
        ShareAccess::Write => {}
        ShareAccess::Read { .. } => match op.bytes {
            1 => read::<1>(op, &located, lds, &mut returned),
            2 => read::<2>(op, &located, lds, &mut returned),
            4 => read::<4>(op, &located, lds, &mut returned),
            _ => read::<8>(op, &located, lds, &mut returned),
        },
        ShareAccess::Atomic(f) => atomic(wave, inst, f, &located, lds, &mut returned),
        ShareAccess::FromLds(f) => from_lds(f, &located, lds),
        ShareAccess::Count(f) => {
            atomic(wave, inst, f, &located, lds, &mut returned);
            // All lanes get what the first one found.
            let first = located.active.trailing_zeros() as usize & 63;
            let found = returned.words[0][first / 32][first % 32];
            returned.words[0] = [[found; 32]; 2];
        }
        ShareAccess::Swizzle => returned.words[0] = swizzle(wave, inst),
    }
    returned.write(wave, inst, located.active);
    Ok(())
}

/// An element; what is not there is zero.
#[inline(always)]
fn get<const N: usize>(lds: &[u8], at: u32) -> u64 {
    let mut all = [0; 8];
    if let Some(bytes) = lds.get(at as usize..).and_then(|from| from.first_chunk::<N>()) {
        all[..N].copy_from_slice(bytes);
    }
    u64::from_le_bytes(all)
}

#[inline(always)]
fn put<const N: usize>(lds: &mut [u8], at: u32, value: u64) {
    if let Some(bytes) = lds.get_mut(at as usize..).and_then(|from| from.first_chunk_mut::<N>()) {
        bytes.copy_from_slice(&value.to_le_bytes()[..N]);
    }
}

/// An element of 4 or 8 bytes.
#[inline]
fn element(lds: &[u8], at: u32, bytes: u8) -> u64 {
    if bytes == 8 { get::<8>(lds, at) } else { get::<4>(lds, at) }
}

#[inline]
fn replace(lds: &mut [u8], at: u32, bytes: u8, value: u64) {
    if bytes == 8 { put::<8>(lds, at, value) } else { put::<4>(lds, at, value) }
}

#[inline]
fn read<const N: usize>(op: ShareOp, located: &Located, lds: &[u8], returned: &mut Returned) {
    for n in 0..located.elements {
        for lane in each(located.lanes[n]) {
            let value = op.extend(get::<N>(lds, located.addrs[n][lane]));
            if N == 8 {
                returned.set64(2 * n, lane, value);
            } else {
                returned.set(n, lane, value as u32);
            }
        }
    }
}

#[inline]
fn write(ops: &impl Operands, inst: &Inst, located: &Located, lds: &mut [u8]) {
    for n in 0..located.elements {
        let Operand::Vgpr(r) = inst.src[data_source(inst, n)] else { continue };
        let (r, addrs) = (u32::from(r), &located.addrs[n]);
        for half in 0..2 {
            let low = ops.vgpr(r, half);
            let lanes = located.lanes[n] >> (32 * half) & 0xffff_ffff;
            let addrs = &addrs[32 * half..][..32];
            match located.bytes {
                1 => each(lanes).for_each(|l| put::<1>(lds, addrs[l], u64::from(low[l]))),
                2 => each(lanes).for_each(|l| put::<2>(lds, addrs[l], u64::from(low[l]))),
                4 => each(lanes).for_each(|l| put::<4>(lds, addrs[l], u64::from(low[l]))),
                _ => {
                    let high = ops.vgpr(r + 1, half);
                    for l in each(lanes) {
                        let value = u64::from(low[l]) | u64::from(high[l]) << 32;
                        put::<8>(lds, addrs[l], value);
                    }
                }
            }
        }
    }
}

fn atomic(
    ops: &impl Operands,
    inst: &Inst,
    f: AtomicFn,
    located: &Located,
    lds: &mut [u8],
    returned: &mut Returned,
) {
    let bytes = located.bytes;
    for n in 0..located.elements {
        for lane in each(located.lanes[n]) {
            let at = located.addrs[n][lane];
            let old = element(lds, at, bytes);
            let new = f(old, data(ops, inst, n, lane), compare(ops, inst, lane));
            replace(lds, at, bytes, new);
            if bytes == 8 {
                returned.set64(2 * n, lane, old);
            } else {
                returned.set(n, lane, old as u32);
            }
        }
    }
}

fn from_lds(f: AtomicFn, located: &Located, lds: &mut [u8]) {
    let bytes = located.bytes;
    for lane in each(located.lanes[0]) {
        let (to, from) = (located.addrs[0][lane], located.addrs[1][lane]);
        let readable = located.lanes[1] >> lane & 1 == 1;
        let operand = if readable { element(lds, from, bytes) } else { 0 };
        replace(lds, to, bytes, f(element(lds, to, bytes), operand, 0));
    }
}
