//! Loads, stores and atomics.

use upset_isa::atomic::{apply, returned, works_in_shared};
use upset_isa::convergence::lanes;
use upset_isa::{Dst, Inst, Lanes, Mask, MemKind, MemOp, RZ, Space, Src, WARP, Width};

use crate::cta::Cta;
use crate::exec::Engine;
use crate::program::WINDOW;
use crate::trap::TrapKind;
use crate::warp::Warp;

impl Engine<'_> {
    /// Carries out a memory access for the lanes in `mask`.
    pub(crate) fn access(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        if m.space == Space::Const {
            return self.load_constant(w, inst, m, mask);
        }
        let mut addrs = [0; WARP];
        self.addresses(w, inst, m, &mut addrs)?;
        match m.kind {
            MemKind::Load => self.load(cta, w, inst, m, mask, &addrs),
            MemKind::Store => self.store(cta, w, inst, m, mask, &addrs),
            MemKind::Atomic(op, ty) => {
                let mut old = [[0; WARP]; 2];
                let len = usize::from(m.bytes);
                let mut done = 0;
                for l in lanes(mask) {
                    let exists = m.space != Space::Generic
                        || match self.space_of(addrs[l]) {
                            Space::Shared => works_in_shared(op, ty),
                            Space::Local => false,
                            Space::Global | Space::Generic | Space::Const => true,
                        };
                    if !exists {
                        continue;
                    }
                    done |= 1 << l;
                    let b = w.value(inst.src[1], l, self.grid.banks)?;
                    let c = w.value(inst.src[2], l, self.grid.banks)?;
                    let bytes = self.target(cta, w, m.space, addrs[l], len, l)?;
                    let before = read(bytes);
                    write(bytes, apply(op, ty, before, b, c));
                    let back = returned(op, ty, before, b);
                    old[0][l] = back as u32;
                    old[1][l] = (back >> 32) as u32;
                }
                if let Dst::Reg(d, width) = inst.dst {
                    w.write_reg(d, done, &old[0]);
                    if width != Width::W1 {
                        w.write_reg(d.saturating_add(1), done, &old[1]);
                    }
                }
                w.write_pred(inst.pdst[0], mask, done);
                Ok(())
            }
            MemKind::Reduce(op, ty) => {
                for l in lanes(mask) {
                    let b = w.value(inst.src[1], l, self.grid.banks)?;
                    let bytes = self.target(cta, w, m.space, addrs[l], usize::from(m.bytes), l)?;
                    let before = read(bytes);
                    write(bytes, apply(op, ty, before, b, 0));
                }
                Ok(())
            }
            MemKind::QuerySpace(space) => {
                let hit = lanes(mask)
                    .filter(|&l| self.space_of(addrs[l]) == space)
                    .fold(0, |m, l| m | 1 << l);
                w.write_pred(inst.pdst[0], mask, hit);
                Ok(())
            }
        }
    }

    fn addresses(
        &self,
        w: &Warp,
        inst: &Inst,
        m: &MemOp,
        out: &mut [u64; WARP],
    ) -> Result<(), TrapKind> {
        let uniform = match m.ureg {
            Some((r, Width::W1)) => u64::from(w.ureg(r)),
            Some((r, _)) => u64::from(w.ureg(r)) | u64::from(w.ureg_high(r)) << 32,
            None => 0,
        };
        let plus = uniform.wrapping_add(i64::from(m.offset) as u64);
        let (low, high) = match inst.src[0] {
            Src::Reg(r, width) => {
                let high = (width != Width::W1).then(|| &w.regs[usize::from(r.saturating_add(1))]);
                (&w.regs[usize::from(r)], high)
            }
            other => {
                let v = w.value(other, 0, self.grid.banks)?.wrapping_add(plus);
                out.fill(if m.addr64 { v } else { u64::from(v as u32) });
                return Ok(());
            }
        };
        if let (true, Some(high)) = (m.addr64, high) {
            for l in 0..WARP {
                let a = u64::from(low[l]) | u64::from(high[l]) << 32;
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

    /// The space a generic address lies in.
    fn space_of(&self, addr: u64) -> Space {
        let windows = &self.grid.windows;
        if addr.wrapping_sub(windows.shared) < WINDOW {
            Space::Shared
        } else if addr.wrapping_sub(windows.local) < WINDOW {
            Space::Local
        } else {
            Space::Global
        }
    }

    /// The bytes one lane accesses, checked.
    #[inline]
    fn target<'b>(
        &'b mut self,
        cta: &'b mut Cta,
        w: &'b mut Warp,
        space: Space,
        addr: u64,
        len: usize,
        lane: usize,
    ) -> Result<&'b mut [u8], TrapKind> {
        if addr & (len as u64 - 1) != 0 {
            return Err(TrapKind::MisalignedAddress { space, addr });
        }
        match space {
            Space::Global => self.memory.write(addr, len),
            Space::Shared => shared(&mut cta.shared, addr, len),
            Space::Local => local(&mut w.local, self.grid.local_bytes, addr, len, lane),
            Space::Generic => match self.space_of(addr) {
                Space::Shared => {
                    shared(&mut cta.shared, addr.wrapping_sub(self.grid.windows.shared), len)
                }
                Space::Local => {
                    let at = addr.wrapping_sub(self.grid.windows.local);
                    local(&mut w.local, self.grid.local_bytes, at, len, lane)
                }
                Space::Global | Space::Generic | Space::Const => self.memory.write(addr, len),
            },
            Space::Const => Err(TrapKind::AddressOutOfRange { space, addr }),
        }
    }

    fn load(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
        addrs: &[u64; WARP],
    ) -> Result<(), TrapKind> {
        let Dst::Reg(d, _) = inst.dst else {
            return Err(TrapKind::Unimplemented(format!("{} to this destination", inst.op.name)));
        };
        let len = usize::from(m.bytes);
        let mut out: [Lanes; 4] = [[0; WARP]; 4];
        for l in lanes(mask & w.pred(inst.psrc[0])) {
            let bytes = self.target(cta, w, m.space, addrs[l], len, l)?;
            match *bytes {
                [a] if m.signed => out[0][l] = a as i8 as u32,
                [a] => out[0][l] = u32::from(a),
                [a, b] if m.signed => out[0][l] = i16::from_le_bytes([a, b]) as u32,
                [a, b] => out[0][l] = u32::from(u16::from_le_bytes([a, b])),
                [a, b, c, d] => out[0][l] = u32::from_le_bytes([a, b, c, d]),
                _ => {
                    for (o, c) in out.iter_mut().zip(bytes.chunks_exact(4)) {
                        o[l] = u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
                    }
                }
            }
        }
        if d != RZ {
            for (i, row) in out.iter().enumerate().take(len.div_ceil(4)) {
                w.write_reg(d.saturating_add(i as u8), mask, row);
            }
        }
        Ok(())
    }

    fn store(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
        addrs: &[u64; WARP],
    ) -> Result<(), TrapKind> {
        let len = usize::from(m.bytes);
        let words = len.div_ceil(4);
        let mut data: [Lanes; 4] = [[0; WARP]; 4];
        for (i, row) in data.iter_mut().enumerate().take(words) {
            *row = match inst.src[1] {
                Src::Reg(RZ, _) | Src::Zero => [0; WARP],
                Src::Reg(r, _) => w.regs[usize::from(r.saturating_add(i as u8))],
                Src::UReg(r, _) => [w.ureg(r + i as u8); WARP],
                other => [(w.value(other, 0, self.grid.banks)? >> (32 * i)) as u32; WARP],
            };
        }
        for l in lanes(mask) {
            let bytes = self.target(cta, w, m.space, addrs[l], len, l)?;
            match bytes {
                [a] => *a = data[0][l] as u8,
                [_, _] => bytes.copy_from_slice(&(data[0][l] as u16).to_le_bytes()),
                [_, _, _, _] => bytes.copy_from_slice(&data[0][l].to_le_bytes()),
                _ => {
                    for (row, c) in data.iter().zip(bytes.chunks_exact_mut(4)) {
                        c.copy_from_slice(&row[l].to_le_bytes());
                    }
                }
            }
        }
        Ok(())
    }

    fn load_constant(
        &mut self,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        let (bank, offset) = match m.bank {
            Some(upset_isa::ConstAddr::Bank { bank, offset }) => (bank, offset),
            _ => return Err(TrapKind::Unimplemented("bindless constant load".into())),
        };
        let len = usize::from(m.bytes);
        let mut out: [Lanes; 2] = [[0; WARP]; 2];
        for l in lanes(mask) {
            let index = w.value(inst.src[0], l, self.grid.banks)? as u32 as i32;
            let at = i64::from(index.wrapping_add(offset));
            if at & (len as i64 - 1) != 0 {
                return Err(TrapKind::MisalignedAddress { space: Space::Const, addr: at as u64 });
            }
            let bytes = self.grid.banks.bytes(bank, at, len)?;
            let v = read(bytes);
            let v = match (m.bytes, m.signed) {
                (1, true) => v as i8 as u64,
                (2, true) => v as i16 as u64,
                _ => v,
            };
            out[0][l] = v as u32;
            out[1][l] = (v >> 32) as u32;
        }
        let wide = m.bytes == 8;
        match inst.dst {
            Dst::Reg(d, _) => {
                w.write_reg(d, mask, &out[0]);
                if wide {
                    w.write_reg(d.saturating_add(1), mask, &out[1]);
                }
            }
            Dst::UReg(d, _) => {
                let l = mask.trailing_zeros() as usize % WARP;
                w.write_ureg(d, out[0][l]);
                if wide {
                    w.write_ureg(d.saturating_add(1), out[1][l]);
                }
            }
            Dst::None => {}
        }
        Ok(())
    }
}

fn shared(bytes: &mut [u8], addr: u64, len: usize) -> Result<&mut [u8], TrapKind> {
    usize::try_from(addr)
        .ok()
        .and_then(|a| bytes.get_mut(a..a.checked_add(len)?))
        .ok_or(TrapKind::AddressOutOfRange { space: Space::Shared, addr })
}

fn local(
    bytes: &mut [u8],
    per_thread: u32,
    addr: u64,
    len: usize,
    lane: usize,
) -> Result<&mut [u8], TrapKind> {
    let out = TrapKind::AddressOutOfRange { space: Space::Local, addr };
    if addr.checked_add(len as u64).is_none_or(|end| end > u64::from(per_thread)) {
        return Err(out);
    }
    let at = lane * per_thread as usize + addr as usize;
    bytes.get_mut(at..at + len).ok_or(out)
}

fn read(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))
}

fn write(bytes: &mut [u8], v: u64) {
    let n = bytes.len().min(8);
    bytes[..n].copy_from_slice(&v.to_le_bytes()[..n]);
}
