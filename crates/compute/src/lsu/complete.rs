//! How memory instructions end.

use upset_isa::MemKind;
use upset_isa::inst::BY_SCOREBOARD;
use upset_isa::warp::{write_old, write_one, write_rows};
use upset_mem::Filled;
use upset_state::{By, Probe};

use crate::depend::counters::TEXTURES;
use crate::levels::client;
use crate::lsu::access::{Access, Form, Level};
use crate::sm::{Cx, LINE_BITS, Sm};
use crate::todo::Todo;
use crate::view::Target;

impl Sm {
    /// A memory instruction ends: its result goes to the registers.
    pub(crate) fn complete<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let a = &self.accesses[index];
        let loads = matches!(a.op.map(|m| m.kind), Some(MemKind::Load));
        let plain = loads && a.form == Form::Plain && a.part_of.is_none();
        match plain && !a.haunted {
            true => self.complete_load(index, cx),
            false => self.complete_other(index, cx),
        }
    }

    /// The same for most loads: what they collected goes to the registers.
    fn complete_load<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        self.latch_loaded(index, cx);
        let Sm { accesses, warps, files, .. } = self;
        let a = &accesses[index];
        let warp = &mut warps[a.slot as usize];
        let file = usize::from(warp.home.file);
        let mut to = Target { file: &mut files[file].rows, warp, now: cx.now, probe: cx.probe };
        write_rows(&mut to, &a.rows, a.mask, &a.data);
        self.finish(index, cx);
    }

    /// The same for everything else.
    #[inline(never)]
    fn complete_other<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let a = &self.accesses[index];
        let copied = matches!(a.op.map(|m| m.kind), Some(MemKind::Copy(_)));
        if copied || a.is_fresh_part() {
            self.latch_loaded(index, cx);
            match copied {
                true => self.store_copied(index, cx.now),
                false => self.store_part(index, cx.now),
            }
            return;
        }
        if self.follows_surface_load(index) {
            self.todo.push(cx.now + 1, Todo::Complete(index));
            return;
        }
        let ghosts = match P::GHOSTS && self.accesses[index].haunted {
            true => self.haunt_complete(index, cx),
            false => Vec::new(),
        };
        self.latch_loaded(index, cx);
        let Sm { accesses, warps, files, .. } = self;
        let a = &mut accesses[index];
        let slot = a.slot;
        let warp = &mut warps[slot as usize];
        if let Some((op, texels)) = a.tex.as_deref() {
            // The addresses passed when they were first computed.
            let textures = &cx.kernel.textures;
            let _ = crate::lsu::texture::sample(op, texels, a.mask, textures, &mut a.data);
        }
        let file = usize::from(warp.home.file);
        let mut to = Target { file: &mut files[file].rows, warp, now: cx.now, probe: cx.probe };
        match a.op.map(|m| m.kind) {
            Some(MemKind::Atomic(..)) => {
                write_old(&mut to, (a.dst, a.pdst[0]), a.mask, a.done, &a.old)
            }
            Some(MemKind::Load) | None => write_rows(&mut to, &a.rows, a.mask, &a.data),
            Some(MemKind::LoadLock) => {
                write_rows(&mut to, &a.rows, a.done, &a.data);
                write_one(&mut to, a.pdst[0], a.mask, a.done);
            }
            Some(MemKind::StoreUnlock) => write_one(&mut to, a.pdst[0], a.mask, a.done),
            Some(MemKind::PhaseCheck) => write_one(&mut to, a.pdst[0], a.mask, a.phases_past()),
            Some(_) => {}
        }
        if P::GHOSTS && !ghosts.is_empty() {
            self.haunt_written(slot, ghosts, cx);
        }
        self.finish(index, cx);
    }

    /// Loads from surfaces end in order: code of one that names no counter waits for
    /// the next one of the warp.
    fn follows_surface_load(&self, index: u32) -> bool {
        let loads = |a: &Access| a.form == Form::SurfaceLoad;
        let a = &self.accesses[index];
        loads(a) && {
            let before = self.accesses.by_age().into_iter().take_while(|i| *i != index);
            before.map(|i| &self.accesses[i]).any(|b| b.slot == a.slot && loads(b))
        }
    }

    /// An access is over: counters fall and its storage is free.
    pub(crate) fn finish<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        if self.accesses[index].ends_with_operands() {
            self.release_operands(index, cx.now);
        }
        if P::GHOSTS && self.accesses[index].haunted {
            self.end_haunted(index);
        }
        let Sm { accesses, warps, .. } = self;
        let a = &accesses[index];
        let (slot, counter) = (a.slot, a.write_sb);
        let warp = &mut warps[slot as usize];
        if counter == BY_SCOREBOARD {
            warp.scoreboard.end(&a.written);
            if a.level == Level::Texture {
                warp.counters.lower(TEXTURES);
            }
        }
        let unnamed = u32::from(a.unnamed);
        let (copies, part_of) = (a.copies(), a.part_of);
        accesses.put(index);
        warp.in_flight -= 1;
        warp.unnamed = warp.unnamed.saturating_sub(unnamed);
        self.lower(slot, counter, cx.now);
        if copies.is_some() {
            self.settle_copies(slot, cx.now);
        }
        if let Some(of) = part_of {
            self.part_done(of, cx);
            return;
        }
        self.retire_if_done(slot, cx);
    }

    /// A line that an access waited for is there.
    pub(crate) fn collect<P: Probe>(
        &mut self,
        which: u8,
        waiter: u32,
        line: u64,
        filled: &Filled,
        cx: &mut Cx<'_, P>,
    ) {
        let index = waiter >> LINE_BITS;
        let n = (waiter & ((1 << LINE_BITS) - 1)) as usize;
        if P::GHOSTS {
            self.haunt_filled(which, index, n, line, filled, cx);
        }
        let level = match which {
            client::DATA => &self.l1d,
            client::TEXTURE => &self.l1t,
            _ => &self.l1c,
        };
        let a = &mut self.accesses[index];
        match filled {
            Filled::Line(row) => {
                if P::ACTIVE {
                    cx.probe.acting(By::Warp { sm: self.id, slot: a.slot, pc: a.pc });
                    level.note_read(cx.now, *row, line, a.lines[n].bytes, cx.probe);
                }
                a.collect(n, level.line(*row).bytes, a.lines[n].addr);
            }
            Filled::Packet { bytes, .. } => a.collect(n, &bytes[..], line),
            Filled::Atomic(batch) => {
                for op in &batch.lanes {
                    a.returned(usize::from(op.lane), op.old);
                }
            }
            Filled::Done | Filled::Nothing => {}
        }
        self.line_done(index, cx);
    }

    /// One line of an access has come back.
    fn line_done<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let a = &mut self.accesses[index];
        a.pending = a.pending.saturating_sub(1);
        if a.pending == 0 && a.next as usize == a.lines.len() {
            self.gathered(index, 0, cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, mem_op};
    use upset_isa::texture::{Outside, TexHandle};
    use upset_isa::{Exec, Inst, LatencyClass, OpDef, RZ, Space, SurfaceOp, Unit};

    static SULD: OpDef = OpDef::new("SULD", Unit::Texture, LatencyClass::Variable);

    #[test]
    fn a_load_from_a_surface_ends_after_those_of_its_warp_before_it() {
        let mut bench = Bench::new(64, 16, 0);
        let mut add = |slot: u32, kind: MemKind| {
            let mem = mem_op(Space::Global, kind, 4);
            let handle = TexHandle::Register(RZ);
            let op = SurfaceOp { mem, handle, coords: [RZ; 3], outside: Outside::Trapped };
            let index = bench.sm.accesses.take();
            let inst = Inst::new(&SULD, Exec::Surface(op));
            bench.sm.accesses[index].begin(slot, &inst, Some(mem), 1, Level::Data);
            index
        };
        let first = add(1, MemKind::Load);
        let store = add(1, MemKind::Store);
        let other = add(2, MemKind::Load);
        let second = add(1, MemKind::Load);
        let late = |bench: &Bench| {
            [first, store, other, second].map(|index| bench.sm.follows_surface_load(index))
        };
        assert_eq!(late(&bench), [false, false, false, true]);
        bench.sm.accesses.put(first);
        assert!(!bench.sm.follows_surface_load(second));
    }
}
