//! Addresses and data of memory accesses.

use super::operand::{high, ureg_value, value};
use super::{Operands, pred};
use crate::atomic::{AtomOp, AtomType, works_in_shared};
use crate::control::barriers::lanes;
use crate::trap::TrapKind;
use crate::windows::{Windows, space_of};
use crate::{
    Arrival, ConstAddr, CopyTo, Dst, Inst, Lanes, Mask, MemOp, RZ, Space, Src, WARP, Width,
};

/// The address of every lane.
#[inline]
pub fn addresses(
    ops: &impl Operands,
    inst: &Inst,
    m: &MemOp,
    out: &mut [u64; WARP],
) -> Result<(), TrapKind> {
    let plus = added(ops, m);
    let (low, upper) = match inst.src[0] {
        Src::Reg(r, width) => (ops.row(r), (width != Width::W1).then(|| ops.row(high(r)))),
        other => {
            let v = value(ops, other, 0)?.wrapping_add(plus);
            out.fill(if m.addr64 { v } else { u64::from(v as u32) });
            return Ok(());
        }
    };
    if let (true, Some(upper)) = (m.addr64, upper) {
        for l in 0..WARP {
            let a = u64::from(low[l]) | u64::from(upper[l]) << 32;
            out[l] = a.wrapping_add(plus);
        }
    } else if m.ureg.is_some_and(|(_, width)| width != Width::W1) {
        // A 32-bit register indexes a 64-bit uniform base.
        for l in 0..WARP {
            out[l] = u64::from(low[l]).wrapping_add(plus);
        }
    } else {
        for l in 0..WARP {
            out[l] = u64::from((low[l] << m.shift).wrapping_add(plus as u32));
        }
    }
    Ok(())
}

/// Addresses of lanes, wherever they come from.
pub trait Addresses {
    /// That of one lane.
    fn of(&self, lane: usize) -> u64;

    /// Whether those of so many lanes from `first` on are aligned to `len` bytes, a power of
    /// two, and follow each other by so many.
    fn follow<const COUNT: usize>(&self, first: usize, len: u32) -> bool;
}

impl Addresses for [u64; WARP] {
    #[inline]
    fn of(&self, lane: usize) -> u64 {
        self[lane]
    }

    #[inline]
    fn follow<const COUNT: usize>(&self, first: usize, len: u32) -> bool {
        let Some(row) = self[first..].first_chunk::<COUNT>() else { return false };
        let (start, step) = (row[0], u64::from(len));
        // Compared all together: it vectorises.
        let mut other = start & (step - 1);
        for (l, at) in row.iter().enumerate() {
            other |= at ^ start.wrapping_add(step * l as u64);
        }
        other == 0 && start.checked_add(step * COUNT as u64).is_some()
    }
}

/// Addresses of 64 bits: a register for each half, and what is added for all lanes.
pub struct Pairs<'a> {
    low: &'a Lanes,
    high: &'a Lanes,
    plus: u64,
}

impl<'a> Pairs<'a> {
    /// Those of an access, if its [`addresses`] are such.
    #[inline]
    pub fn of_access(ops: &'a impl Operands, inst: &Inst, m: &MemOp) -> Option<Pairs<'a>> {
        static ZERO: Lanes = [0; WARP];
        let Src::Reg(r, width) = inst.src[0] else { return None };
        let high = match m.ureg {
            _ if m.addr64 && width != Width::W1 => ops.row(high(r)),
            Some((_, width)) if width != Width::W1 => &ZERO,
            _ => return None,
        };
        Some(Pairs { low: ops.row(r), high, plus: added(ops, m) })
    }
}

impl Addresses for Pairs<'_> {
    #[inline]
    fn of(&self, lane: usize) -> u64 {
        let pair = u64::from(self.low[lane]) | u64::from(self.high[lane]) << 32;
        pair.wrapping_add(self.plus)
    }

    #[inline]
    fn follow<const COUNT: usize>(&self, first: usize, len: u32) -> bool {
        let (low, high) = (self.low[first..].first_chunk(), self.high[first..].first_chunk());
        let (Some(low), Some(high)): (Option<&[u32; COUNT]>, Option<&[u32; COUNT]>) = (low, high)
        else {
            return false;
        };
        let (start, upper) = (low[0], high[0]);
        // Most that do not follow each other can be told from the ends.
        if low[COUNT - 1].wrapping_sub(start) != len * (COUNT as u32 - 1) {
            return false;
        }
        let mut other = 0;
        for l in 0..COUNT {
            other |= low[l] ^ start.wrapping_add(len * l as u32) | high[l] ^ upper;
        }
        let at = self.of(first);
        let carries = start.checked_add(len * COUNT as u32).is_none();
        let wraps = at.checked_add(u64::from(len) * COUNT as u64).is_none();
        other == 0 && at & u64::from(len - 1) == 0 && !carries && !wraps
    }
}

/// Addresses of 32 bits: a register, scaled, and what is added for all lanes.
pub struct Words<'a> {
    row: &'a Lanes,
    shift: u8,
    plus: u32,
}

impl<'a> Words<'a> {
    /// Those of an access, if its [`addresses`] are such.
    #[inline]
    pub fn of_access(ops: &'a impl Operands, inst: &Inst, m: &MemOp) -> Option<Words<'a>> {
        let Src::Reg(r, width) = inst.src[0] else { return None };
        let long =
            m.addr64 && width != Width::W1 || m.ureg.is_some_and(|(_, width)| width != Width::W1);
        (!long).then(|| Words { row: ops.row(r), shift: m.shift, plus: added(ops, m) as u32 })
    }

    /// Puts them behind `base`, for the lanes in `who` if they are aligned to `len` bytes, a
    /// power of two, and not beyond `last`, which is less than 2 GiB.
    #[inline]
    pub fn behind(&self, base: u32, who: Mask, len: u32, last: u32, to: &mut Lanes) -> bool {
        let (mut low, mut over) = (0, last);
        let shift = u32::from(self.shift) % 32;
        for l in 0..WARP {
            let at = (self.row[l] << shift).wrapping_add(self.plus);
            // A constant bit per lane keeps this loop vectorisable. Who is beyond the last
            // has a difference below zero.
            let counts = if who & (1 << l) != 0 { u32::MAX } else { 0 };
            low |= at & counts;
            over |= (at | last.wrapping_sub(at)) & counts;
            to[l] = base.wrapping_add(at);
        }
        low & (len - 1) == 0 && over >> 31 == 0
    }
}

/// What is added to the address of every lane.
#[inline]
fn added(ops: &impl Operands, m: &MemOp) -> u64 {
    let uniform = m.ureg.map_or(0, |(r, w)| ureg_value(ops, r, w));
    uniform.wrapping_add(i64::from(m.offset) as u64)
}

/// The space (global, shared or local) and the address within it that a lane
/// accesses, checked for alignment to `bytes`, not for existence.
#[inline]
pub fn locate(
    space: Space,
    addr: u64,
    bytes: u8,
    windows: &Windows,
) -> Result<(Space, u64), TrapKind> {
    if addr & (u64::from(bytes) - 1) != 0 {
        return Err(TrapKind::MisalignedAddress { space, addr });
    }
    Ok(match space {
        Space::Global | Space::Shared | Space::Local => (space, addr),
        Space::Generic => match space_of(addr, windows) {
            Space::Shared => (Space::Shared, addr.wrapping_sub(windows.shared)),
            Space::Local => (Space::Local, addr.wrapping_sub(windows.local)),
            Space::Global | Space::Generic | Space::Const => (Space::Global, addr),
        },
        Space::Const => return Err(TrapKind::AddressOutOfRange { space, addr }),
    })
}

/// Lanes of `mask` whose generic address lies in `space`.
pub fn in_space(addrs: &[u64; WARP], mask: Mask, space: Space, windows: &Windows) -> Mask {
    lanes(mask).filter(|&l| space_of(addrs[l], windows) == space).fold(0, |m, l| m | 1 << l)
}

/// Does the atomic exist where `addr` leads? Where it does not, the lane is
/// left out and the instruction says so in its predicate.
#[inline]
pub fn atomic_exists(m: &MemOp, op: AtomOp, ty: AtomType, addr: u64, windows: &Windows) -> bool {
    m.space != Space::Generic
        || match space_of(addr, windows) {
            Space::Shared => works_in_shared(op, ty),
            Space::Local => false,
            Space::Global | Space::Generic | Space::Const => true,
        }
}

/// Where a copy puts each lane's bytes in shared memory, and how many of them it
/// reads at `addrs`, which lose what says so: the others are zero.
pub fn copied(
    ops: &impl Operands,
    inst: &Inst,
    (m, to): (&MemOp, CopyTo),
    mask: Mask,
    addrs: &mut [u64; WARP],
) -> Result<[Lanes; 2], TrapKind> {
    let mut found = [[0; WARP]; 2];
    let reads = load_lanes(ops, inst, mask);
    let (bytes, left) = (u32::from(m.bytes), u64::from(m.bytes) - 1);
    for l in lanes(mask) {
        let at = value(ops, inst.src[1], l)?.wrapping_add(value(ops, inst.src[2], l)?);
        found[0][l] = (at as u32).wrapping_add(to.offset as u32);
        if reads >> l & 1 == 1 {
            let skipped = if to.partial { addrs[l] & left } else { 0 };
            addrs[l] -= skipped;
            found[1][l] = bytes - skipped as u32;
        }
    }
    Ok(found)
}

/// Lanes that arrive at one barrier do so together: the first of them has the parts
/// of all, in `parts`. Gives those first ones.
pub fn arrive_together(addrs: &[u64; WARP], mask: Mask, parts: &mut [u64; WARP]) -> Mask {
    let mut first = 0;
    for l in lanes(mask) {
        match lanes(first).find(|&f| addrs[f] == addrs[l]) {
            Some(f) => parts[f] = Arrival::together(parts[f], parts[l]),
            None => first |= 1 << l,
        }
    }
    first
}

/// Lanes of `mask` that a load reads memory for; the others receive zero.
#[inline]
pub fn load_lanes(ops: &impl Operands, inst: &Inst, mask: Mask) -> Mask {
    mask & pred(ops, inst.psrc[0])
}

/// The register that each word of a load goes to ([`RZ`]: none).
#[inline]
pub fn load_rows(inst: &Inst, m: &MemOp) -> Result<[u8; 4], TrapKind> {
    let Dst::Reg(d, _) = inst.dst else {
        return Err(TrapKind::Unimplemented(format!("{} to this destination", inst.op.name)));
    };
    let words = m.bytes.div_ceil(4);
    Ok(std::array::from_fn(|i| if (i as u8) < words { d.saturating_add(i as u8) } else { RZ }))
}

/// Puts the bytes that a load found into one lane of the result rows.
#[inline]
pub fn load_lane(m: &MemOp, bytes: &[u8], lane: usize, out: &mut [Lanes; 4]) {
    match *bytes {
        [a] if m.signed => out[0][lane] = a as i8 as u32,
        [a] => out[0][lane] = u32::from(a),
        [a, b] if m.signed => out[0][lane] = i16::from_le_bytes([a, b]) as u32,
        [a, b] => out[0][lane] = u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => out[0][lane] = u32::from_le_bytes([a, b, c, d]),
        _ => {
            for (o, c) in out.iter_mut().zip(bytes.chunks_exact(4)) {
                o[lane] = u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
            }
        }
    }
}

/// The data a store writes, one row per word.
#[inline]
pub fn store_rows(
    ops: &impl Operands,
    inst: &Inst,
    m: &MemOp,
    out: &mut [Lanes; 4],
) -> Result<(), TrapKind> {
    for (i, row) in out.iter_mut().enumerate().take(usize::from(m.bytes.div_ceil(4))) {
        *row = match inst.src[1] {
            Src::Reg(RZ, _) | Src::Zero => [0; WARP],
            Src::Reg(r, _) => *ops.row(r.saturating_add(i as u8)),
            Src::UReg(r, _) => [ops.ureg(r.saturating_add(i as u8)); WARP],
            other => [(value(ops, other, 0)? >> (32 * i)) as u32; WARP],
        };
    }
    Ok(())
}

/// Puts one lane of the data rows into the bytes that a store writes.
#[inline]
pub fn store_lane(data: &[Lanes; 4], lane: usize, bytes: &mut [u8]) {
    match bytes {
        [a] => *a = data[0][lane] as u8,
        [_, _] => bytes.copy_from_slice(&(data[0][lane] as u16).to_le_bytes()),
        [_, _, _, _] => bytes.copy_from_slice(&data[0][lane].to_le_bytes()),
        _ => {
            for (row, c) in data.iter().zip(bytes.chunks_exact_mut(4)) {
                c.copy_from_slice(&row[lane].to_le_bytes());
            }
        }
    }
}

/// Byte offset in its bank that one lane of a constant load reads, checked for
/// alignment. In a bank it is signed, in a bindless one it is not.
#[inline]
pub fn constant_offset(
    ops: &impl Operands,
    inst: &Inst,
    m: &MemOp,
    lane: usize,
) -> Result<i64, TrapKind> {
    let index = value(ops, inst.src[0], lane)? as u32;
    let at = match m.bank {
        Some(ConstAddr::Bank { offset, .. }) => i64::from((index as i32).wrapping_add(offset)),
        Some(ConstAddr::Bindless { offset, .. }) => i64::from(index.wrapping_add(offset as u32)),
        None => i64::from(index),
    };
    if at & (i64::from(m.bytes) - 1) != 0 {
        return Err(TrapKind::MisalignedAddress { space: Space::Const, addr: at as u64 });
    }
    Ok(at)
}
