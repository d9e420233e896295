//! An access to vector memory, all at once.

use super::located::{Located, locate};
use super::operands::{lds_addresses, operands, words};
use super::operation::operation;
use crate::inst::{Detail, Inst};
use crate::operand::Operand;
use crate::sem::buffer::BufferOp;
use crate::sem::texel::Shape;
use crate::trap::TrapKind;
use crate::wave::each::each;
use crate::wave::memory::Memory;
use crate::wave::returned::Returned;
use crate::wave::{Destinations, Operands, Reg, WAVE};

/// Most bytes that a wave moves.
const WAVE_BYTES: usize = 16 * WAVE;

/// Carries out an access to memory; `lds` is the work-group's, for loads that
/// go there. Where an address is not there, lanes before it have stored.
#[inline]
pub fn execute<W: Operands + Destinations>(
    wave: &mut W,
    inst: &Inst,
    memory: &mut impl Memory,
    lds: &mut [u8],
) -> Result<(), TrapKind> {
    let op = operation(inst)?;
    if wave.exec() == 0 || matches!(op, BufferOp::Invalidate) {
        return Ok(());
    }
    let located = locate(wave, inst)?;
    match op {
        BufferOp::Load(_) => {
            let mut returned = Returned::default();
            load(&located, memory, &mut returned)?;
            if matches!(inst.detail, Detail::Buffer(b) if b.lds) {
                to_lds(wave, inst, &located, &returned, lds);
            } else {
                returned.write(wave, inst, located.lanes | located.dead);
            }
        }
        BufferOp::Store(_) => store(wave, inst, &located, memory)?,
        BufferOp::Atomic { f, bytes } => {
            let mut returned = Returned::default();
            for lane in each(located.lanes) {
                let (data, compare) = operands(wave, inst, bytes, lane);
                let old = memory
                    .atomic(located.addrs[lane], bytes, f, data, compare)
                    .map_err(TrapKind::MemoryViolation)?;
                returned.set64(0, lane, old);
            }
            returned.write(wave, inst, located.lanes | located.dead);
        }
        BufferOp::Invalidate => {}
    }
    Ok(())
}

/// The first lane and how many bytes all have, where lanes in a row access
/// bytes in a row.
fn run(located: &Located) -> Option<(usize, usize)> {
    let first = located.lanes.trailing_zeros() as usize;
    let count = located.lanes.count_ones() as usize;
    let in_a_row = count > 1 && (located.lanes >> first).trailing_ones() as usize == count;
    if !in_a_row || located.short != 0 {
        return None;
    }
    let size = u64::from(located.bytes);
    let mut at = located.addrs[first];
    // The last lane's bytes must not begin the address space again.
    at.checked_add(size * count as u64)?;
    let mut same = true;
    for addr in &located.addrs[first..first + count] {
        same &= *addr == at;
        at = at.wrapping_add(size);
    }
    same.then_some((first, count * usize::from(located.bytes)))
}

fn load(
    located: &Located,
    memory: &mut impl Memory,
    returned: &mut Returned,
) -> Result<(), TrapKind> {
    let shape = located.shape;
    let outside = shape.outside();
    if outside != [0; 4] {
        each(located.dead).for_each(|lane| set(returned, lane, outside));
    }
    let size = usize::from(located.bytes);
    if let Some((first, len)) = run(located) {
        let mut all = [0; WAVE_BYTES];
        let bytes = &mut all[..len];
        // What fails as a whole is done lane by lane, to find the first that does.
        if memory.load(located.addrs[first], bytes).is_ok() {
            if let Shape::Dwords(n) = shape {
                dwords(first, usize::from(n), bytes, returned);
                return Ok(());
            }
            for (n, bytes) in bytes.chunks_exact(size).enumerate() {
                set(returned, first + n, shape.load_lane(bytes));
            }
            return Ok(());
        }
    }
    if shape == Shape::Dwords(1) {
        for lane in each(located.lanes) {
            let mut word = [0; 4];
            memory.load(located.addrs[lane], &mut word).map_err(TrapKind::MemoryViolation)?;
            returned.set(0, lane, u32::from_le_bytes(word));
        }
        return Ok(());
    }
    for lane in each(located.lanes) {
        let mut all = [0; 16];
        let bytes = &mut all[..located.reach(lane)];
        memory.load(located.addrs[lane], bytes).map_err(TrapKind::MemoryViolation)?;
        set(returned, lane, shape.load_lane(bytes));
    }
    Ok(())
}

/// Dwords in a row, `n` for each lane.
#[inline]
fn dwords(first: usize, n: usize, bytes: &[u8], returned: &mut Returned) {
    let (words, _) = bytes.as_chunks::<4>();
    for (lane, words) in words.chunks_exact(n).enumerate() {
        for (register, word) in words.iter().enumerate() {
            returned.set(register, first + lane, u32::from_le_bytes(*word));
        }
    }
}

#[inline(always)]
fn set(returned: &mut Returned, lane: usize, words: [u32; 4]) {
    for (register, word) in words.into_iter().enumerate() {
        returned.set(register, lane, word);
    }
}

fn store(
    ops: &impl Operands,
    inst: &Inst,
    located: &Located,
    memory: &mut impl Memory,
) -> Result<(), TrapKind> {
    let shape = located.shape;
    if let (Some((first, len)), Shape::Dwords(n), Operand::Vgpr(data)) =
        (run(located), shape, inst.src[3])
    {
        let mut all = [0; WAVE_BYTES];
        let bytes = &mut all[..len];
        let n = usize::from(n);
        for register in 0..n {
            let rows = [0, 1].map(|half| ops.vgpr(u32::from(data) + register as u32, half));
            for (lane, words) in bytes.chunks_exact_mut(4 * n).enumerate() {
                let lane = first + lane;
                let word = rows[lane / 32][lane % 32];
                words[4 * register..][..4].copy_from_slice(&word.to_le_bytes());
            }
        }
        if memory.store(located.addrs[first], bytes).is_ok() {
            return Ok(());
        }
    }
    if let (Shape::Dwords(1), Operand::Vgpr(data)) = (shape, inst.src[3]) {
        let rows = [0, 1].map(|half| ops.vgpr(u32::from(data), half));
        for lane in each(located.lanes) {
            let word = rows[lane / 32][lane % 32].to_le_bytes();
            memory.store(located.addrs[lane], &word).map_err(TrapKind::MemoryViolation)?;
        }
        return Ok(());
    }
    for lane in each(located.lanes) {
        let (bytes, len) = shape.store_lane(words(ops, inst, lane));
        let len = len.min(located.reach(lane));
        memory.store(located.addrs[lane], &bytes[..len]).map_err(TrapKind::MemoryViolation)?;
    }
    Ok(())
}

/// Dwords go to LDS; what lies outside of it is dropped.
fn to_lds(
    ops: &impl Operands,
    inst: &Inst,
    located: &Located,
    returned: &Returned,
    lds: &mut [u8],
) {
    let addrs = lds_addresses(ops.scalar(Reg::M0), inst);
    for lane in each(located.lanes | located.dead) {
        let word = returned.words[0][lane / 32][lane % 32];
        let to = lds.get_mut(addrs[lane] as usize..).and_then(|at| at.first_chunk_mut::<4>());
        if let Some(to) = to {
            *to = word.to_le_bytes();
        }
    }
}
