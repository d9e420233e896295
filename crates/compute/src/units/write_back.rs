//! Results on their way to the registers.

use upset_isa::inst::BY_SCOREBOARD;
use upset_isa::warp::{write_back, write_codes, write_preds};
use upset_state::Probe;

use crate::code::Op;
use crate::depend::counters::is_counted;
use crate::sm::{Cx, Sm};
use crate::todo::Todo;
use crate::units::latency::ends_in_order;
use crate::units::result::{Flags, WriteBack, begin_write};
use crate::view::Target;
use crate::warp::Warp;

impl Sm {
    pub(crate) fn write<P: Probe>(&mut self, index: u32, cx: &mut Cx<'_, P>) {
        let wb = &self.writes[index];
        if wb.behind {
            let warp = &self.warps[wb.slot as usize];
            if warp.unnamed > 0 && warp.in_flight > 1 {
                self.todo.push(cx.now + 1, Todo::Write(index));
                return;
            }
        }
        let ghosts = match P::GHOSTS && wb.haunted {
            true => self.haunt_write(index, cx),
            false => Vec::new(),
        };
        let Sm { writes, warps, files, .. } = self;
        let wb = &writes[index];
        let slot = wb.slot;
        let warp = &mut warps[slot as usize];
        if wb.writes {
            let file = usize::from(warp.home.file);
            let mut to = Target {
                file: &mut files[file].rows,
                warp: &mut *warp,
                now: cx.now,
                probe: cx.probe,
            };
            match &wb.flags {
                Flags::Predicates(value, select) => {
                    write_preds(&mut to, &wb.inst, wb.mask, value, select);
                }
                Flags::None => write_back(&mut to, &wb.inst, wb.mask, &wb.results),
                Flags::Codes(value, select) => {
                    write_back(&mut to, &wb.inst, wb.mask, &wb.results);
                    write_codes(&mut to, wb.mask, value, select);
                }
            }
            if cfg!(debug_assertions) {
                warp.unwritten.arrived(&wb.inst);
            }
        }
        let counter = wb.inst.ctl.write_sb;
        if P::GHOSTS && !ghosts.is_empty() {
            self.haunt_written(slot, ghosts, cx);
        }
        let Sm { writes, warps, .. } = self;
        let warp = &mut warps[slot as usize];
        if counter == BY_SCOREBOARD {
            warp.scoreboard.end(&writes[index].written);
        }
        warp.in_flight -= 1;
        writes.put(index);
        let may_end = warp.may_end();
        if is_counted(counter) {
            self.lower(slot, counter, cx.now);
        }
        if may_end {
            self.retire_if_done(slot, cx);
        }
    }

    /// Counters of an instruction without results: both fall after its latency.
    pub(super) fn raise_both(&mut self, slot: u32, op: &Op, now: u64) {
        if op.inst.ctl.write_sb < 6 {
            let index = begin_write(&mut self.writes, slot, &op.inst, 0, false);
            self.launch_write(index, op, now);
        }
        self.raise_read(slot, op.inst.ctl.read_sb, op, now);
    }

    /// Sends a result on its way.
    pub(crate) fn launch_write(&mut self, index: u32, op: &Op, now: u64) {
        let wb = &mut self.writes[index];
        launch(&mut self.warps[wb.slot as usize], wb, op);
        self.todo.push(now + u64::from(op.latency), Todo::Write(index));
    }

    /// Raises the counter that falls when operands have been read.
    pub(crate) fn raise_read(&mut self, slot: u32, counter: u8, op: &Op, now: u64) {
        if counter < 6 {
            self.warps[slot as usize].counters.raise(counter);
            let at = now + u64::from(op.read);
            self.todo.push(at, Todo::Lower { slot: slot as u16, counter });
        }
    }
}

/// A result is on its way: who waits for it can see that.
#[inline]
pub(super) fn launch(warp: &mut Warp, wb: &mut WriteBack, op: &Op) {
    warp.in_flight += 1;
    warp.awaits(op);
    wb.behind = warp.unnamed > 0 && ends_in_order(&op.inst);
    wb.leaves(op);
    if cfg!(debug_assertions) && wb.writes {
        warp.unwritten.started(&op.inst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::testing::op;
    use crate::testing::{Bench, mem_op};
    use crate::units::latency::is_unnamed;
    use upset_isa::{Exec, MemKind, Results, Sources, Space, Unit};
    use upset_state::Quiet;

    fn nothing(_: u32, _: &Sources<'_>, _: &mut Results) {}

    /// Compilers wait for the shuffle and take the load's result with it.
    #[test]
    fn a_shuffle_ends_after_loads_that_name_no_counter() {
        let mut bench = Bench::new(32, 16, 1024);
        let mut shuffle = op(Unit::LoadStore);
        shuffle.inst.exec = Exec::Alu(nothing);
        let mut launched = |loads: u32| {
            let warp = &mut bench.sm.warps[0];
            (warp.unnamed, warp.in_flight) = (loads, loads);
            let index = begin_write(&mut bench.sm.writes, 0, &shuffle.inst, 0, false);
            bench.sm.launch_write(index, &shuffle, bench.now);
            bench.with(&mut Quiet, |sm, cx| sm.write(index, cx));
            let early = bench.sm.warps[0].in_flight == loads;
            if !early {
                let warp = &mut bench.sm.warps[0];
                (warp.unnamed, warp.in_flight) = (0, 1);
                bench.with(&mut Quiet, |sm, cx| sm.write(index, cx));
                assert_eq!(bench.sm.warps[0].in_flight, 0);
            }
            early
        };
        assert!(launched(0));
        assert!(!launched(1));
    }

    #[test]
    fn only_loads_from_shared_memory_without_a_counter_are_waited_for() {
        let unnamed = |space, kind, counter| {
            let mut op = op(Unit::LoadStore);
            op.inst.exec = Exec::Mem(mem_op(space, kind, 4));
            op.inst.ctl.write_sb = counter;
            is_unnamed(&op.inst)
        };
        assert!(unnamed(Space::Shared, MemKind::Load, 7));
        assert!(!unnamed(Space::Shared, MemKind::Load, 5));
        assert!(!unnamed(Space::Shared, MemKind::Load, BY_SCOREBOARD));
        assert!(!unnamed(Space::Shared, MemKind::Store, 7));
        assert!(!unnamed(Space::Global, MemKind::Load, 7));
    }
}
