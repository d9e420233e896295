//! What a memory instruction touches.

use upset_isa::control::barriers::lanes;
use upset_isa::texture::{surface_addresses, texture_rows};
use upset_isa::trap::TrapKind;
use upset_isa::warp::{
    Addresses, BulkPlaces, Operands, Pairs, Words, addresses, arrive_together, atomic_exists,
    constant_offset, copied, load_lanes, load_rows, locate, store_rows, value,
};
use upset_isa::windows::{Windows, space_of};
use upset_isa::{AtomOp, BULK_UNIT, ConstAddr, Exec, Inst, Mask, MemKind, MemOp, Space, WARP};
use upset_mem::LINE;
use upset_state::{GlobalMemory, Probe};

use super::LINES;
use super::access::{Access, Level, local_address};
use super::engine::Bulk;
use crate::fetch::constants::{constant_address, described_address};
use crate::kernel::Kernel;
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View};

impl Sm {
    /// Works out what an access touches.
    pub(super) fn describe<P: Probe>(
        &mut self,
        index: u32,
        slot: u32,
        inst: &Inst,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        match inst.exec {
            Exec::Mem(m) if mask != 0 && is_plain(inst, &m) => {
                self.describe_plain(index, slot, (inst, &m), mask, constants, cx)?;
            }
            _ => self.describe_other(index, slot, inst, mask, constants, cx)?,
        }
        if self.accesses[index].lines.len() > LINES {
            return Err(TrapKind::Unimplemented("an access to more than 256 lines".into()));
        }
        Ok(())
    }

    /// The same for a load, store or atomic of the data cache or shared memory.
    fn describe_plain<P: Probe>(
        &mut self,
        index: u32,
        slot: u32,
        (inst, m): (&Inst, &MemOp),
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let latched = self.latch_operands(slot, inst, constants, cx);
        let (sub, _) = self.place(slot);
        let place = self.placement(slot, cx.kernel, cx.mem.global());
        let warp = &self.warps[slot as usize];
        let (view, read) = match &latched {
            Some(latched) => (latched.view(warp, constants), &latched.inst),
            None => (View::of(&self.files, warp, constants), inst),
        };
        let a = &mut self.accesses[index];
        a.begin(slot, inst, Some(*m), mask, Level::Data);
        // Addresses are latched lane by lane.
        if cx.probe.breaks() || !describe_words(a, &view, read, m, mask, &place)? {
            let mut addrs = [0; WARP];
            addresses(&view, read, m, &mut addrs)?;
            self.wires.latch_addresses(sub, mask, &mut addrs, (cx.now, cx.probe));
            describe_data(a, &view, read, m, mask, &mut addrs, &place)?;
        }
        self.wires.latch_stored(sub, a, cx.now, cx.probe);
        Ok(())
    }

    /// Where the memories of a warp slot lie.
    pub(crate) fn placement<'k>(
        &self,
        slot: u32,
        kernel: &'k Kernel,
        global: &'k GlobalMemory,
    ) -> Placement<'k> {
        let cta = self.warps[slot as usize].cta as usize;
        let base = self.ctas.get(cta).and_then(Option::as_ref);
        let slot = u64::from(self.id) * self.warps.len() as u64 + u64::from(slot);
        let shared = base.map_or(0, |c| c.shared);
        Placement { shared, slot: Some(slot), line: LINE, kernel, global }
    }

    /// The same for everything else.
    // Kept apart from what most accesses go through.
    #[inline(never)]
    fn describe_other<P: Probe>(
        &mut self,
        index: u32,
        slot: u32,
        inst: &Inst,
        mask: Mask,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), TrapKind> {
        let latched = self.latch_operands(slot, inst, constants, cx);
        let (sub, _) = self.place(slot);
        let warp = &self.warps[slot as usize];
        let (view, read) = match &latched {
            Some(latched) => (latched.view(warp, constants), &latched.inst),
            None => (View::of(&self.files, warp, constants), inst),
        };
        let a = &mut self.accesses[index];
        match inst.exec {
            Exec::Tex(_) if mask == 0 => a.begin(slot, inst, None, 0, Level::Texture),
            Exec::Surface(s) if mask == 0 => a.begin(slot, inst, Some(s.mem), 0, Level::Data),
            Exec::Mem(m) if mask == 0 => a.begin(slot, inst, Some(m), 0, Level::of(inst, &m)),
            Exec::Tex(t) => {
                a.begin(slot, inst, None, mask, Level::Texture);
                let texels = crate::lsu::texture::capture(&view, *constants, inst, &t);
                let size = u64::from(self.l1t.line_bytes());
                let mut outside = None;
                let mem = &cx.mem;
                let lane = mask.trailing_zeros() as usize;
                crate::lsu::texture::addresses(
                    &t,
                    &texels,
                    mask,
                    &cx.kernel.textures,
                    &mut |addr, len| {
                        if mem.global().is_mapped(addr, len as u64) {
                            a.touch(lane, addr, len as u32, 0, false, size);
                        } else {
                            outside = outside.or(Some(addr));
                        }
                    },
                )?;
                if let Some(addr) = outside {
                    return Err(TrapKind::AddressOutOfRange { space: Space::Global, addr });
                }
                a.rows = texture_rows(inst, &t);
                a.data = [[0; WARP]; 4];
                a.tex = Some(Box::new((t, texels)));
            }
            Exec::Mem(m) if m.space == Space::Const => {
                a.begin(slot, inst, Some(m), mask, Level::Constant);
                a.clear_loaded();
                let size = u64::from(self.l1c.line_bytes());
                for lane in lanes(mask) {
                    let offset = constant_offset(&view, read, &m, lane)?;
                    let addr = match m.bank {
                        Some(ConstAddr::Bindless { ureg, .. }) => {
                            let len = u64::from(m.bytes);
                            // Zeros beyond the end, without an access.
                            match described_address(&view, ureg, offset, len, cx)? {
                                Some(addr) => addr,
                                None => continue,
                            }
                        }
                        Some(ConstAddr::Bank { bank, .. }) => {
                            constant_address(cx.kernel, bank, offset, u32::from(m.bytes))?
                        }
                        None => constant_address(cx.kernel, 0, offset, u32::from(m.bytes))?,
                    };
                    a.addrs[lane] = addr as u32;
                    a.touch(lane, addr, u32::from(m.bytes), 0, false, size);
                }
                a.rows = load_rows(inst, &m)?;
            }
            Exec::Surface(s) => {
                a.begin(slot, inst, Some(s.mem), mask, Level::Data);
                let mut addrs = [0; WARP];
                let inside = surface_addresses(&view, &s, mask, &cx.kernel.textures, &mut addrs)?;
                let (kernel, global) = (cx.kernel, cx.mem.global());
                let place = Placement { shared: 0, slot: None, line: LINE, kernel, global };
                describe_data(a, &view, inst, &s.mem, inside, &mut addrs, &place)?;
                self.wires.latch_stored(sub, a, cx.now, cx.probe);
            }
            // The texture unit has latches of its own.
            Exec::Mem(m) if Level::of(inst, &m) == Level::Texture => {
                a.begin(slot, inst, Some(m), mask, Level::Texture);
                let line = u64::from(self.l1t.line_bytes());
                let (kernel, global) = (cx.kernel, cx.mem.global());
                let place = Placement { shared: 0, slot: None, line, kernel, global };
                let mut addrs = [0; WARP];
                addresses(&view, read, &m, &mut addrs)?;
                describe_data(a, &view, read, &m, mask, &mut addrs, &place)?;
            }
            Exec::Mem(m) if matches!(m.kind, MemKind::CopiesEnd(_)) => {
                a.begin(slot, inst, Some(m), mask, Level::Data);
            }
            Exec::Mem(m @ MemOp { kind: MemKind::Bulk(to), .. }) => {
                a.begin(slot, inst, Some(m), mask, Level::Data);
                let places = BulkPlaces::of(&view, read, to, &cx.kernel.windows)?;
                let base = self.ctas.get(warp.cta as usize).and_then(Option::as_ref);
                let base = base.map_or(0, |c| c.shared);
                a.bulk = Some(Bulk::new(places, base, cx.kernel.shared_bytes)?);
                // Pages are mapped one by one, and longer than a line.
                for n in (0..u64::from(places.bytes)).step_by(LINE as usize) {
                    let at = places.global.wrapping_add(n);
                    if !cx.mem.global().is_mapped(at, BULK_UNIT.into()) {
                        return Err(TrapKind::outside(at, &cx.kernel.windows));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Access {
    /// What an access that [is plain](is_plain) touches with some operands.
    pub(crate) fn describe(
        &mut self,
        slot: u32,
        (inst, m): (&Inst, &MemOp),
        mask: Mask,
        ops: &impl Operands,
        place: &Placement<'_>,
    ) -> Result<(), TrapKind> {
        self.begin(slot, inst, Some(*m), mask, Level::Data);
        if describe_words(self, ops, inst, m, mask, place)? {
            return Ok(());
        }
        let mut addrs = [0; WARP];
        addresses(ops, inst, m, &mut addrs)?;
        describe_data(self, ops, inst, m, mask, &mut addrs, place)
    }
}

/// Where local memory of a warp slot of the chip begins.
fn local_of(kernel: &Kernel, slot: u64) -> u64 {
    kernel.local_base + slot * kernel.local_per_warp()
}

/// Whether an access is to the data cache or shared memory, lane by lane.
pub(crate) fn is_plain(inst: &Inst, m: &MemOp) -> bool {
    let apart = matches!(m.kind, MemKind::CopiesEnd(_) | MemKind::Bulk(_));
    m.space != Space::Const && Level::of(inst, m) == Level::Data && !apart
}

/// Where a warp's shared and local memory lie, how long the lines are that global
/// memory comes in, and what is there.
pub(crate) struct Placement<'k> {
    shared: u32,
    /// The warp's slot, counted over the chip: local memory is theirs.
    slot: Option<u64>,
    line: u64,
    kernel: &'k Kernel,
    global: &'k GlobalMemory,
}

/// Where an address of the CTA's shared memory lies in the SM's.
fn in_shared(at: u64, m: &MemOp, place: &Placement<'_>, kernel: &Kernel) -> Result<u32, TrapKind> {
    let end = at.checked_add(u64::from(m.bytes));
    if end.is_none_or(|end| end > u64::from(kernel.shared_bytes)) {
        return Err(TrapKind::AddressOutOfRange { space: Space::Shared, addr: at });
    }
    Ok(place.shared.wrapping_add(at as u32))
}

/// What a load or store touches whose addresses come from registers, and whose lanes all
/// lie in global memory or all in shared: most accesses. False: it is none of these, and is to
/// be described lane by lane.
#[inline]
fn describe_words(
    a: &mut Access,
    view: &impl Operands,
    inst: &Inst,
    m: &MemOp,
    mask: Mask,
    place: &Placement<'_>,
) -> Result<bool, TrapKind> {
    if matches!(m.space, Space::Local | Space::Const) {
        return Ok(false);
    }
    let touched = match m.kind {
        MemKind::Load => {
            a.rows = load_rows(inst, m)?;
            a.clear_loaded();
            load_lanes(view, inst, mask)
        }
        MemKind::Store => {
            store_rows(view, inst, m, &mut a.data)?;
            mask
        }
        _ => return Ok(false),
    };
    if m.space == Space::Shared {
        return Ok(Words::of_access(view, inst, m)
            .is_some_and(|at| a.share_words(&at, touched, m.bytes, place.shared, place.kernel)));
    }
    Ok(Pairs::of_access(view, inst, m).is_some_and(|at| touch_global(a, &at, m, touched, place)))
}

/// Notes what lanes touch if all lie in global memory.
#[inline]
fn touch_global(
    a: &mut Access,
    at: &impl Addresses,
    m: &MemOp,
    touched: Mask,
    place: &Placement<'_>,
) -> bool {
    let Placement { kernel, global, line, .. } = *place;
    let Windows { shared, local } = kernel.windows;
    // Lines lie as a whole in a page, and in a window or not.
    if (shared | local | global.page_bytes()) & (line - 1) != 0 {
        return false;
    }
    let page = !(global.page_bytes() - 1);
    let mut there = u64::MAX;
    // Lines in a page that was asked for need not ask again.
    let is_there = |at: u64| {
        let asked = at & page == there;
        if !asked && global.has_page(at) {
            there = at & page;
        }
        at & page == there
            && (m.space == Space::Global || space_of(at, &kernel.windows) == Space::Global)
    };
    a.touch_global(at, touched, u32::from(m.bytes), line, is_there)
}

/// The lanes in `mask` access `addrs`.
#[allow(clippy::too_many_arguments)]
fn describe_data(
    a: &mut Access,
    view: &impl Operands,
    inst: &Inst,
    m: &MemOp,
    mask: Mask,
    addrs: &mut [u64; WARP],
    place: &Placement<'_>,
) -> Result<(), TrapKind> {
    let Placement { kernel, global, .. } = *place;
    let touched = match m.kind {
        MemKind::Copy(to) => {
            a.clear_loaded();
            let [at, read] = copied(view, inst, (m, to), mask, addrs)?;
            for lane in lanes(mask) {
                let (_, at) = locate(Space::Shared, at[lane].into(), m.bytes, &kernel.windows)?;
                let at = in_shared(at, m, place, kernel)?;
                (a.old[0][lane], a.old[1][lane]) = (at, read[lane]);
            }
            lanes(mask).filter(|&l| read[l] != 0).fold(0, |m, l| m | 1 << l)
        }
        MemKind::PhaseCheck => {
            a.clear_loaded();
            a.old[1] = [0; WARP];
            for lane in lanes(mask) {
                a.old[0][lane] = value(view, inst.src[1], lane)? as u32;
            }
            mask
        }
        MemKind::Atomic(AtomOp::Arrive(arrival), _)
        | MemKind::Reduce(AtomOp::Arrive(arrival), _) => {
            let mut parts = [0; WARP];
            for lane in lanes(mask) {
                parts[lane] = arrival.part(value(view, inst.src[1], lane)? as u32);
            }
            let together = arrive_together(addrs, mask, &mut parts);
            a.data = [[0; WARP]; 4];
            a.old = [[0; WARP]; 2];
            for lane in lanes(mask) {
                // What is returned goes to all at the same place.
                a.addrs[lane] = place.shared.wrapping_add(addrs[lane] as u32);
                (a.data[0][lane], a.data[1][lane]) =
                    (parts[lane] as u32, (parts[lane] >> 32) as u32);
            }
            a.done = mask;
            together
        }
        MemKind::Load | MemKind::LoadLock => {
            a.rows = load_rows(inst, m)?;
            a.clear_loaded();
            load_lanes(view, inst, mask)
        }
        MemKind::Store | MemKind::StoreUnlock => {
            store_rows(view, inst, m, &mut a.data)?;
            mask
        }
        MemKind::Atomic(op, ty) | MemKind::Reduce(op, ty) => {
            a.old = [[0; WARP]; 2];
            for lane in lanes(mask) {
                let b = value(view, inst.src[1], lane)?;
                let c = value(view, inst.src[2], lane)?;
                for (i, word) in [b, b >> 32, c, c >> 32].into_iter().enumerate() {
                    a.data[i][lane] = word as u32;
                }
            }
            let returns = matches!(m.kind, MemKind::Atomic(..));
            a.done = lanes(mask)
                .filter(|&l| !returns || atomic_exists(m, op, ty, addrs[l], &kernel.windows))
                .fold(0, |m, l| m | 1 << l);
            a.done
        }
        MemKind::QuerySpace(_) | MemKind::Bulk(_) | MemKind::CopiesEnd(_) => 0,
    };
    let bytes = u32::from(m.bytes);
    if matches!(m.space, Space::Global | Space::Generic)
        && touch_global(a, &*addrs, m, touched, place)
    {
        return Ok(());
    }
    if m.space == Space::Shared && a.share(addrs, touched, m.bytes, place.shared, kernel) {
        return Ok(());
    }
    let local = place.slot.map_or(0, |slot| local_of(kernel, slot));
    for lane in lanes(touched) {
        let (space, at) = locate(m.space, addrs[lane], m.bytes, &kernel.windows)?;
        let end = at.checked_add(u64::from(bytes));
        match space {
            Space::Shared => {
                a.shared |= 1 << lane;
                a.addrs[lane] = in_shared(at, m, place, kernel)?;
            }
            Space::Local => {
                if end.is_none_or(|e| e > u64::from(kernel.local_bytes)) {
                    return Err(TrapKind::AddressOutOfRange { space: Space::Local, addr: at });
                }
                let addr = local_address(local, at, lane);
                a.addrs[lane] = addr as u32;
                for word in 0..bytes.div_ceil(4) {
                    let at = addr + u64::from(word) * LINE;
                    a.touch(lane, at, bytes.min(4), word as u8, true, LINE);
                }
            }
            Space::Global | Space::Generic | Space::Const => {
                if end.is_none() || !global.is_mapped(at, u64::from(bytes)) {
                    return Err(TrapKind::outside(at, &kernel.windows));
                }
                a.addrs[lane] = at as u32;
                a.touch(lane, at, bytes, 0, false, place.line);
            }
        }
    }
    Ok(())
}
