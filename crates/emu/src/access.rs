//! Loads, stores, atomics and texture fetches over the functional storage.

use upset_isa::arrival::is_past;
use upset_isa::atomic::{apply, returned};
use upset_isa::control::barriers::lanes;
use upset_isa::locks::Locks;
use upset_isa::texture::{fetch, surface_addresses, texture_rows};
use upset_isa::warp::{
    BulkPlaces, ConstWindow, addresses, arrive_together, atomic_exists, constant_offset, copied,
    in_space, load_lane, load_lanes, load_rows, locate, store_lane, store_rows, value,
    write_atomic, write_back, write_query, write_rows,
};
use upset_isa::{
    Arrival, ArrivalKind, AtomOp, BULK_UNIT, BulkTo, ConstAddr, CopyTo, Inst, Lanes, Mask, MemKind,
    MemOp, Space, SurfaceOp, TexOp, TrapKind, WARP,
};

use crate::cta::Cta;
use crate::exec::Engine;
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
        addresses(&w.regs.with(self.grid.banks, self.memory), inst, m, &mut addrs)?;
        match m.kind {
            MemKind::Load => self.load(cta, w, inst, m, mask, &addrs),
            MemKind::Store => self.store(cta, w, inst, m, mask, &addrs),
            MemKind::Atomic(AtomOp::Arrive(arrival), _)
            | MemKind::Reduce(AtomOp::Arrive(arrival), _) => {
                self.arrive(cta, w, inst, (m, arrival), mask, &addrs)
            }
            MemKind::Copy(to) => self.copy(cta, w, inst, (m, to), mask, addrs),
            MemKind::PhaseCheck => {
                let mut past = 0;
                for l in lanes(mask) {
                    let asked = value(&w.regs.with(self.grid.banks, self.memory), inst.src[1], l)?;
                    let barrier = read(self.target(cta, w, m, addrs[l], l)?);
                    past |= Mask::from(is_past(barrier, asked as u32)) << l;
                }
                write_query(&mut w.regs, inst, mask, past);
                Ok(())
            }
            MemKind::Bulk(to) => self.bulk(cta, w, inst, m, to),
            MemKind::CopiesEnd(_) => Ok(()),
            MemKind::Atomic(op, ty) => {
                let mut old = [[0; WARP]; 2];
                let mut done = 0;
                for l in lanes(mask) {
                    if !atomic_exists(m, op, ty, addrs[l], &self.grid.windows) {
                        continue;
                    }
                    done |= 1 << l;
                    let ops = w.regs.with(self.grid.banks, self.memory);
                    let b = value(&ops, inst.src[1], l)?;
                    let c = value(&ops, inst.src[2], l)?;
                    let bytes = self.target(cta, w, m, addrs[l], l)?;
                    let before = read(bytes);
                    write(bytes, apply(op, ty, before, b, c));
                    let back = returned(op, ty, before, b);
                    old[0][l] = back as u32;
                    old[1][l] = (back >> 32) as u32;
                }
                write_atomic(&mut w.regs, inst, mask, done, &old);
                Ok(())
            }
            MemKind::Reduce(op, ty) => {
                for l in lanes(mask) {
                    let b = value(&w.regs.with(self.grid.banks, self.memory), inst.src[1], l)?;
                    let bytes = self.target(cta, w, m, addrs[l], l)?;
                    let before = read(bytes);
                    write(bytes, apply(op, ty, before, b, 0));
                }
                Ok(())
            }
            MemKind::LoadLock => self.load_locked(cta, w, inst, m, mask, &addrs),
            MemKind::StoreUnlock => self.store_unlocked(cta, w, inst, m, mask, &addrs),
            MemKind::QuerySpace(space) => {
                let hit = in_space(&addrs, mask, space, &self.grid.windows);
                write_query(&mut w.regs, inst, mask, hit);
                Ok(())
            }
        }
    }

    /// The bytes one lane accesses, checked.
    #[inline]
    fn target<'b>(
        &'b mut self,
        cta: &'b mut Cta,
        w: &'b mut Warp,
        m: &MemOp,
        addr: u64,
        lane: usize,
    ) -> Result<&'b mut [u8], TrapKind> {
        let len = usize::from(m.bytes);
        match locate(m.space, addr, m.bytes, &self.grid.windows)? {
            (Space::Shared, at) => shared(&mut cta.shared, at, len),
            (Space::Local, at) => local(&mut w.local, self.grid.local_bytes, at, len, lane),
            (Space::Global | Space::Generic | Space::Const, at) => {
                let out = || TrapKind::outside(at, &self.grid.windows);
                self.memory.write(at, len).ok_or_else(out)
            }
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
        let registers = load_rows(inst, m)?;
        let mut out: [Lanes; 4] = [[0; WARP]; 4];
        for l in lanes(load_lanes(&w.regs.with(self.grid.banks, self.memory), inst, mask)) {
            load_lane(m, self.target(cta, w, m, addrs[l], l)?, l, &mut out);
        }
        write_rows(&mut w.regs, &registers, mask, &out);
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
        let mut data: [Lanes; 4] = [[0; WARP]; 4];
        store_rows(&w.regs.with(self.grid.banks, self.memory), inst, m, &mut data)?;
        for l in lanes(mask) {
            store_lane(&data, l, self.target(cta, w, m, addrs[l], l)?);
        }
        Ok(())
    }

    /// Copies from global to shared memory.
    fn copy(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        (m, to): (&MemOp, CopyTo),
        mask: Mask,
        mut addrs: [u64; WARP],
    ) -> Result<(), TrapKind> {
        let ops = w.regs.with(self.grid.banks, self.memory);
        let [at, read] = copied(&ops, inst, (m, to), mask, &mut addrs)?;
        let into = MemOp { space: Space::Shared, ..*m };
        for l in lanes(mask) {
            let mut piece = [0; 16];
            let (piece, len) = (&mut piece[..usize::from(m.bytes)], read[l] as usize);
            if len > 0 {
                piece[..len].copy_from_slice(&self.target(cta, w, m, addrs[l], l)?[..len]);
            }
            self.target(cta, w, &into, at[l].into(), l)?.copy_from_slice(piece);
        }
        Ok(())
    }

    /// Copies many bytes, and tells the barrier of them.
    fn bulk(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        to: BulkTo,
    ) -> Result<(), TrapKind> {
        let ops = w.regs.with(self.grid.banks, self.memory);
        let places = BulkPlaces::of(&ops, inst, to, &self.grid.windows)?;
        let local = MemOp { space: Space::Shared, ..*m };
        let step = u32::from(m.bytes);
        for n in (0..places.bytes).step_by(step as usize) {
            let mut piece = [0; BULK_UNIT as usize];
            let piece = &mut piece[..step as usize];
            let (global, shared) = (places.global + u64::from(n), u64::from(places.shared + n));
            if to == BulkTo::Shared {
                piece.copy_from_slice(self.target(cta, w, m, global, 0)?);
                self.target(cta, w, &local, shared, 0)?.copy_from_slice(piece);
                continue;
            }
            piece.copy_from_slice(self.target(cta, w, &local, shared, 0)?);
            let there = self.target(cta, w, m, global, 0)?;
            match to {
                BulkTo::Reduced(op, ty) => write(there, apply(op, ty, read(there), read(piece), 0)),
                _ => there.copy_from_slice(piece),
            }
        }
        if let Some(at) = places.barrier.filter(|_| places.bytes > 0) {
            let word = MemOp { bytes: 8, ..local };
            let barrier = self.target(cta, w, &word, at.into(), 0)?;
            let come = Arrival { kind: ArrivalKind::Complete, leaves: false };
            write(barrier, come.arrive(read(barrier), come.part(places.bytes)));
        }
        Ok(())
    }

    /// Lanes arrive at barriers; all at one get what it was before them.
    fn arrive(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        (m, arrival): (&MemOp, Arrival),
        mask: Mask,
        addrs: &[u64; WARP],
    ) -> Result<(), TrapKind> {
        let mut parts = [0; WARP];
        for l in lanes(mask) {
            let ops = w.regs.with(self.grid.banks, self.memory);
            parts[l] = arrival.part(value(&ops, inst.src[1], l)? as u32);
        }
        let mut old = [[0; WARP]; 2];
        for first in lanes(arrive_together(addrs, mask, &mut parts)) {
            let bytes = self.target(cta, w, m, addrs[first], first)?;
            let before = read(bytes);
            write(bytes, arrival.arrive(before, parts[first]));
            for l in lanes(mask).filter(|&l| addrs[l] == addrs[first]) {
                old[0][l] = (before >> 32) as u32;
            }
        }
        if let MemKind::Atomic(..) = m.kind {
            write_atomic(&mut w.regs, inst, mask, mask, &old);
        }
        Ok(())
    }

    /// Loads where the lock was free, lane after lane.
    fn load_locked(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
        addrs: &[u64; WARP],
    ) -> Result<(), TrapKind> {
        let taken = |locks: &mut Locks, l: usize| locks.take(addrs[l]);
        let got = self.lock(cta, w, m, mask, addrs, taken)?;
        self.load(cta, w, inst, m, got, addrs)?;
        write_query(&mut w.regs, inst, mask, got);
        Ok(())
    }

    /// Stores where the lock was held, lane after lane.
    fn store_unlocked(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
        addrs: &[u64; WARP],
    ) -> Result<(), TrapKind> {
        let undone = |locks: &mut Locks, l: usize| locks.undo(addrs[l]);
        let held = self.lock(cta, w, m, mask, addrs, undone)?;
        self.store(cta, w, inst, m, held, addrs)?;
        write_query(&mut w.regs, inst, mask, held);
        Ok(())
    }

    /// Lanes whose lock was as they need it, their addresses checked.
    fn lock(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        m: &MemOp,
        mask: Mask,
        addrs: &[u64; WARP],
        each: impl Fn(&mut Locks, usize) -> bool,
    ) -> Result<Mask, TrapKind> {
        let mut done = 0;
        for l in lanes(mask) {
            self.target(cta, w, m, addrs[l], l)?;
            done |= Mask::from(each(cta.locks.get_or_insert_default(), l)) << l;
        }
        Ok(done)
    }

    fn load_constant(
        &mut self,
        w: &mut Warp,
        inst: &Inst,
        m: &MemOp,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        let ops = w.regs.with(self.grid.banks, self.memory);
        let mut out: [Lanes; 4] = [[0; WARP]; 4];
        for l in lanes(mask) {
            let at = constant_offset(&ops, inst, m, l)?;
            let len = usize::from(m.bytes);
            let bytes = match m.bank {
                Some(ConstAddr::Bindless { ureg, .. }) => {
                    // Nothing is read beyond the end.
                    let window = ConstWindow::of(&ops, ureg);
                    let Some(addr) = window.address(at, len as u64) else { continue };
                    let space = Space::Const;
                    let missing = TrapKind::AddressOutOfRange { space, addr };
                    self.memory.read(addr, len).ok_or(missing)?
                }
                Some(ConstAddr::Bank { bank, .. }) => self.grid.banks.bytes(bank, at, len)?,
                None => self.grid.banks.bytes(0, at, len)?,
            };
            load_lane(m, bytes, l, &mut out);
        }
        self.results.d = [out[0], out[1]];
        write_back(&mut w.regs, inst, mask, &self.results);
        Ok(())
    }

    /// Carries out an access to a surface for the lanes in `mask`.
    pub(crate) fn surface(
        &mut self,
        cta: &mut Cta,
        w: &mut Warp,
        inst: &Inst,
        s: &SurfaceOp,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        let mut addrs = [0; WARP];
        let ops = w.regs.with(self.grid.banks, self.memory);
        let inside = surface_addresses(&ops, s, mask, self.grid.textures, &mut addrs)?;
        if s.mem.kind == MemKind::Store {
            return self.store(cta, w, inst, &s.mem, inside, &addrs);
        }
        let mut out: [Lanes; 4] = [[0; WARP]; 4];
        for l in lanes(inside) {
            load_lane(&s.mem, self.target(cta, w, &s.mem, addrs[l], l)?, l, &mut out);
        }
        write_rows(&mut w.regs, &load_rows(inst, &s.mem)?, mask, &out);
        Ok(())
    }

    /// Carries out a texture fetch for the lanes in `mask`.
    pub(crate) fn texture(
        &mut self,
        w: &mut Warp,
        inst: &Inst,
        t: &TexOp,
        mask: Mask,
    ) -> Result<(), TrapKind> {
        let mut out: [Lanes; 4] = [[0; WARP]; 4];
        let mut bytes = |addr, len| {
            self.memory.read(addr, len).map(|b| read(b) as u32).ok_or_else(|| unmapped(addr))
        };
        let ops = w.regs.with(self.grid.banks, self.memory);
        fetch(&ops, t, mask, self.grid.textures, &mut bytes, &mut out)?;
        write_rows(&mut w.regs, &texture_rows(inst, t), mask, &out);
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

fn unmapped(addr: u64) -> TrapKind {
    TrapKind::AddressOutOfRange { space: Space::Global, addr }
}
