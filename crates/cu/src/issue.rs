//! Which waves issue: one SIMD unit's turn each cycle, one instruction of each kind.

use upset_gcn::row::Unit;
use upset_gcn::sem::Does;
use upset_gcn::trap::Trap;
use upset_gcn::wave::{Next, Operands, Waits, evaluate, write};
use upset_machine::Reason;
use upset_state::{By, Probe};

use crate::code::{Decoded, Op, Route};
use crate::cu::Cu;
use crate::group::Cx;
use crate::shared::Shared;
use crate::tell::is_skipped;
use crate::view::{Target, View};

/// What became of a wave's turn.
enum Try {
    Issued,
    At(u64, Reason),
    Blocked(Reason),
    /// A ghost must leave first.
    Haunted,
}

/// The first turn of a SIMD unit at or after a cycle; it has one in so many.
fn turn_at(s: usize, cycle: u64, turn: u64) -> u64 {
    let own = s as u64 % turn;
    cycle + (own + turn - cycle % turn) % turn
}

/// The slot of a turn that a unit's instruction takes; one each, but for those
/// that need no unit.
fn slot_of(unit: Unit) -> u8 {
    match unit {
        Unit::Valu => 1,
        Unit::Salu | Unit::Smem => 2,
        Unit::Vmem => 4,
        Unit::Lds => 8,
        Unit::Branch => 16,
        Unit::Export => 32,
        Unit::Internal => 0,
    }
}

impl Cu {
    pub(crate) fn step_simd<P: Probe>(
        &mut self,
        s: usize,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        let turn = cx.config.turn;
        if turn_at(s, now, turn) != now {
            self.simds[s].wake = turn_at(s, now, turn);
            return Ok(());
        }
        if self.simds[s].taken.0 != now {
            self.simds[s].taken = (now, 0);
        }
        let (order, count) = self.simds[s].by_age();
        let n = self.simds.len();
        let mut sorted = order;
        let priority = |local: &u8| self.waves[usize::from(*local) * n + s].priority;
        if sorted[..count].iter().any(|w| priority(w) > 0) {
            sorted[..count].sort_by_key(|w| std::cmp::Reverse(priority(w)));
        }
        let (mut wake, mut why, mut issued) = (u64::MAX, None, false);
        for &local in &sorted[..count] {
            let local = usize::from(local);
            if self.simds[s].sleeps(local) {
                continue;
            }
            let ready = self.simds[s].turns[local].ready;
            if ready > now {
                wake = wake.min(ready);
                continue;
            }
            match self.try_issue(s, local, shared, cx)? {
                Try::Issued => {
                    issued = true;
                    if !self.simds[s].sleeps(local) {
                        wake = wake.min(self.simds[s].turns[local].ready);
                    }
                }
                Try::At(at, reason) => {
                    wake = wake.min(at.max(now + 1));
                    why = why.or(Some(reason));
                }
                Try::Blocked(reason) => {
                    self.simds[s].block(local, reason);
                    why = why.or(Some(reason));
                }
                Try::Haunted => {
                    self.simds[s].wake = now;
                    return Ok(());
                }
            }
        }
        let simd = &mut self.simds[s];
        if issued {
            let (why, idle) = simd.take_idle(now);
            self.counters.stalls[why as usize] += idle;
            simd.idle_from = now + turn;
        }
        // A wave that was roused while others had their turn.
        let (order, count) = simd.by_age();
        for &local in &order[..count] {
            if !simd.sleeps(local.into()) {
                wake = wake.min(simd.turns[usize::from(local)].ready.max(now + 1));
            }
        }
        simd.idle_why = match count {
            0 => Reason::NoWarp,
            _ => why.unwrap_or(simd.turns[usize::from(order[0])].why),
        };
        simd.wake = if wake == u64::MAX { wake } else { turn_at(s, wake, turn) };
        Ok(())
    }

    fn try_issue<P: Probe>(
        &mut self,
        s: usize,
        local: usize,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        let now = cx.now;
        let slot = (local * self.simds.len() + s) as u32;
        let wave = &mut self.waves[slot as usize];
        if wave.at_barrier {
            return Ok(Try::Blocked(Reason::Barrier));
        }
        if wave.ended {
            return Ok(Try::Blocked(Reason::Drain));
        }
        let pc = wave.pc;
        let code = &*cx.kernel.code;
        cx.probe.acting(By::Warp { sm: self.id, slot, pc: pc.wrapping_sub(code.base) as u32 });
        if !wave.ibuf.leads_to(pc) {
            wave.ibuf.restart(pc);
        }
        let Some(index) = code.index(pc) else {
            return Err(self.trap(slot, upset_gcn::trap::TrapKind::PcOutOfRange(pc)));
        };
        let Some(first) = wave.ibuf.dword(pc) else {
            return self.wait_for_code(slot, shared, cx);
        };
        if first.ready > now {
            return Ok(Try::At(first.ready, Reason::Fetch));
        }
        // The second dword, if there is one, may come later.
        let second = wave.ibuf.dword(pc + 4);
        let expected = &code.words[index..];
        let decoded;
        let known = code.at(index);
        let known_len = match known {
            Decoded::Op(op) => op.len as usize / 4,
            Decoded::Trap(_) => 2,
        };
        let as_loaded = first.value == expected[0]
            && (known_len < 2
                || expected.len() < 2
                || second.is_none_or(|d| d.value == expected[1]));
        if !as_loaded && second.is_none() && pc + 4 < code.end() {
            // Whether it needs the next dword cannot be told without it.
            return self.wait_for_code(slot, shared, cx);
        }
        let entry = if as_loaded {
            known
        } else {
            let words = [first.value, second.map_or(0, |d| d.value)];
            decoded = Decoded::new(&words, cx.config);
            &decoded
        };
        let op = match entry {
            Decoded::Op(op) => &**op,
            Decoded::Trap(kind) => return Err(self.trap(slot, kind.clone())),
        };
        if op.len > 4 {
            match second {
                None => return self.wait_for_code(slot, shared, cx),
                Some(d) if d.ready > now => return Ok(Try::At(d.ready, Reason::Fetch)),
                Some(_) => {}
            }
        }
        if P::GHOSTS && self.wrong_code(slot, pc, op.len, cx) {
            return Ok(Try::Haunted);
        }
        if P::ACTIVE {
            let ibuf = &self.waves[slot as usize].ibuf;
            ibuf.tell_decoded(now, first.row, cx.probe);
            if let Some(second) = second.filter(|d| op.len > 4 && d.row != first.row) {
                ibuf.tell_decoded(now, second.row, cx.probe);
            }
        }
        if let Some(held) = self.held_up(s, slot, op, cx) {
            return Ok(held);
        }
        if P::GHOSTS && self.haunts(slot, op, cx) {
            return Ok(Try::Haunted);
        }
        // Decided: from here on the instruction issues.
        let simd = &mut self.simds[s];
        simd.taken.1 |= slot_of(op.unit);
        if op.unit == Unit::Valu {
            simd.vector_free = now + u64::from(op.busy);
        }
        simd.turns[local].ready = now + u64::from(op.busy);
        self.counters.warp_insts += 1;
        let exec = self.waves[slot as usize].exec;
        let lanes = u64::from(exec.count_ones());
        self.counters.thread_insts += lanes;
        self.counters.inactive_lanes +=
            u64::from((self.waves[slot as usize].began & !exec).count_ones());
        if P::ACTIVE {
            self.tell_issue(slot, op, cx);
        }
        self.issue(s, slot, op, shared, cx)?;
        self.hold_control(cx);
        Ok(Try::Issued)
    }

    /// The next instruction is not in the buffer: it is fetched.
    fn wait_for_code<P: Probe>(
        &mut self,
        slot: u32,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<Try, Trap> {
        if self.waves[slot as usize].ibuf.waiting {
            return Ok(Try::Blocked(Reason::Fetch));
        }
        match self.fetch(slot, shared, cx) {
            Ok(Some(ready)) => Ok(Try::At(ready, Reason::Fetch)),
            Ok(None) => Ok(Try::Blocked(Reason::Fetch)),
            Err(kind) => Err(self.trap(slot, kind)),
        }
    }

    /// What an instruction has to wait for, if anything.
    fn held_up<P: Probe>(&self, s: usize, slot: u32, op: &Op, cx: &Cx<'_, P>) -> Option<Try> {
        let now = cx.now;
        let (simd, wave) = (&self.simds[s], &self.waves[slot as usize]);
        if op.route == Route::Wait {
            let imm = match op.inst.detail {
                upset_gcn::Detail::Imm(imm) => imm,
                _ => 0,
            };
            if !wave.counters.allow(Waits::of(imm)) {
                return Some(Try::Blocked(Reason::Scoreboard));
            }
        }
        if simd.taken.1 & slot_of(op.unit) != 0 {
            return Some(Try::At(now + cx.config.turn, Reason::Unit));
        }
        if op.unit == Unit::Valu && simd.vector_free > now {
            return Some(Try::At(simd.vector_free, Reason::Unit));
        }
        if !wave.counters.have_room(op.inst.raises(), &cx.config.most) {
            return Some(Try::Blocked(Reason::Scoreboard));
        }
        let late = matches!(op.unit, Unit::Salu | Unit::Smem | Unit::Branch | Unit::Vmem)
            && wave.late.1 > now
            && wave.late.0 & op.reads != 0;
        if late {
            return Some(Try::At(wave.late.1, Reason::Stall));
        }
        let fresh = op.unit == Unit::Branch && wave.fresh.1 > now && wave.fresh.0 & op.reads != 0;
        if fresh {
            return Some(Try::At(wave.fresh.1, Reason::Stall));
        }
        if op.route == Route::Vector && self.pipe.queue.len() >= cx.config.vector_queue as usize {
            return Some(Try::Blocked(Reason::MemoryQueue));
        }
        None
    }

    fn issue<P: Probe>(
        &mut self,
        s: usize,
        slot: u32,
        op: &Op,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<(), Trap> {
        let now = cx.now;
        let next = self.waves[slot as usize].pc.wrapping_add(u64::from(op.len));
        let skipped = is_skipped(&self.waves[slot as usize], op);
        let jump = match op.route {
            _ if skipped => None,
            Route::Compute => self.compute(s, slot, op, next, shared, cx)?,
            Route::Wait => None,
            Route::Scalar => {
                self.issue_scalar(slot, op, cx).map_err(|kind| self.trap(slot, kind))?;
                None
            }
            Route::Share => {
                self.issue_share(s, slot, op, cx).map_err(|kind| self.trap(slot, kind))?;
                None
            }
            Route::Vector => {
                self.issue_vector(slot, op, cx).map_err(|kind| self.trap(slot, kind))?;
                None
            }
        };
        let wave = &mut self.waves[slot as usize];
        if op.writes != 0 {
            if op.unit == Unit::Valu {
                wave.late = (op.writes, now + u64::from(cx.config.scalar_delay));
            }
            wave.fresh = (op.writes, now + u64::from(op.busy) + u64::from(cx.config.flag_delay));
        }
        let local = slot as usize / self.simds.len();
        match jump {
            Some(target) => {
                wave.pc = target & ((1 << crate::wave::PC_BITS) - 1);
                if !wave.ibuf.leads_to(wave.pc) || wave.ibuf.dword(wave.pc).is_none() {
                    wave.ibuf.restart(wave.pc);
                }
                let after = now + u64::from(cx.config.branch_taken);
                self.simds[s].turns[local].ready = after;
            }
            None if !wave.ended => wave.pc = next,
            None => {}
        }
        let wave = &mut self.waves[slot as usize];
        wave.ibuf.pass(wave.pc);
        if wave.resident && !wave.ended {
            self.fetch_ahead(slot, shared, cx);
        }
        Ok(())
    }

    /// An instruction that needs no memory; gives back where it jumps to.
    fn compute<P: Probe>(
        &mut self,
        s: usize,
        slot: u32,
        op: &Op,
        next: u64,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, Trap> {
        let Cu { simds, waves, outcome, .. } = self;
        let view = View::of(&simds[s], &waves[slot as usize]);
        let exec = view.exec();
        if let Err(kind) = evaluate(&view, &op.inst, next, outcome) {
            return Err(self.trap(slot, kind));
        }
        let ghosts = match P::GHOSTS {
            true => self.haunt_compute(),
            false => Vec::new(),
        };
        let Cu { simds, waves, outcome, .. } = self;
        let simd = &mut simds[s];
        let wave = &mut waves[slot as usize];
        let mut to = Target {
            vector: &mut simd.vector,
            scalar: &mut simd.scalar,
            wave,
            now: cx.now,
            probe: cx.probe,
        };
        write(&mut to, outcome);
        let after = outcome.next;
        if P::GHOSTS && !ghosts.is_empty() {
            self.haunt_written(slot, ghosts, cx);
        }
        if self.waves[slot as usize].exec != exec && matches!(op.inst.row.does, Does::Scalar(_)) {
            self.counters.diverged += 1;
        }
        self.go_on(s, slot, after, shared, cx)
    }

    /// Where a wave goes after an instruction.
    fn go_on<P: Probe>(
        &mut self,
        s: usize,
        slot: u32,
        after: Next,
        shared: &mut Shared,
        cx: &mut Cx<'_, P>,
    ) -> Result<Option<u64>, Trap> {
        let now = cx.now;
        let local = slot as usize / self.simds.len();
        match after {
            Next::Step | Next::Wait(_) => {}
            Next::Jump(target) => return Ok(Some(target)),
            Next::End => {
                self.waves[slot as usize].ended = true;
                self.simds[s].block(local, Reason::Drain);
                let place = self.waves[slot as usize].group as usize;
                self.settle(place, cx);
                self.retire_if_done(slot, cx);
            }
            Next::Barrier => {
                self.arrive_at_barrier(slot, cx);
            }
            Next::Pause(slots) => {
                self.simds[s].turns[local].ready = now + cx.config.turn * (1 + u64::from(slots));
            }
            Next::Sleep(naps) => {
                let asleep = u64::from(naps) * u64::from(cx.config.core.cycles.sleep);
                self.simds[s].turns[local].ready = now + cx.config.turn + asleep;
            }
            Next::Priority(p) => self.waves[slot as usize].priority = p,
            // It never goes on: a deadlock unless others do.
            Next::Halt => self.simds[s].block(local, Reason::Drain),
            Next::InvalidateCode => shared.l1i.invalidate_all(now, cx.out, cx.probe),
        }
        Ok(None)
    }
}
