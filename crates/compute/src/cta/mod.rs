//! CTAs on an SM: what they need, what they hold, and when they are over.

mod barrier;
pub(crate) mod resident;
#[cfg(test)]
mod tests;

use upset_isa::barrier::{BarCounters, CtaBarriers};
use upset_isa::{Mask, WARP};
use upset_machine::Span;
use upset_machine::pmu::Counter;
use upset_state::{By, Probe};

use crate::cta::resident::Cta;
use crate::sm::{Cx, Sm};
use crate::todo::Todo;

impl Sm {
    /// Adds the time since the last change of occupancy.
    pub(crate) fn account(&mut self, now: u64) {
        let span = now - self.occupied_from.min(now);
        self.occupied_from = now;
        let ctas = self.ctas.iter().flatten().filter(|c| !c.ended).count() as u64;
        if span == 0 || ctas == 0 {
            return;
        }
        let warps = self.warps.iter().filter(|w| w.resident).count() as u64;
        self.counters.cta_cycles += span * ctas;
        self.counters.warp_cycles += span * warps;
        self.counters.thread_cycles += span * u64::from(self.threads);
        self.counters.active_cycles += span;
    }

    /// Takes CTA `index` of the kernel if there is room.
    pub(crate) fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, P>) -> bool {
        let kernel = cx.kernel;
        let threads = kernel.threads();
        let warps = kernel.warps();
        if self.threads + threads > cx.config.threads || cx.now < self.next_admission {
            return false;
        }
        let Some(cta) = self.ctas.iter().position(Option::is_none) else { return false };
        let Some(shared) = self.shared.room.find(kernel.shared_taken) else {
            return false;
        };
        let rows = kernel.registers.next_multiple_of(cx.config.row_granule);
        let mut slots = Vec::with_capacity(warps as usize);
        for slot in 0..cx.config.warps {
            if slots.len() == warps as usize {
                break;
            }
            // Whoever lives where nobody should keeps the slot.
            if self.warps[slot as usize].held || self.warps[slot as usize].resident {
                continue;
            }
            let file = self.file_of(slot);
            if let Some(first) = self.files[file].room.find(rows) {
                self.files[file].room.mark(first, rows, true);
                slots.push((slot, first));
            }
        }
        if slots.len() < warps as usize {
            for (slot, first) in slots {
                let file = self.file_of(slot);
                self.files[file].room.mark(first, rows, false);
            }
            return false;
        }
        self.account(cx.now);
        self.next_admission = cx.now + u64::from(cx.config.cta_interval);
        self.shared.room.mark(shared, kernel.shared_taken, true);
        if let Some(held) = &mut self.held {
            held.change(cx.now, i64::from(rows * warps), kernel.shared_taken.into());
        }
        self.threads += threads;
        self.count_launch(slots.len() as u32, threads);
        let start = cx.now + 1;
        for (id, &(slot, first)) in slots.iter().enumerate() {
            let alive = (threads - id as u32 * WARP as u32).min(WARP as u32);
            let mask = if alive == WARP as u32 { Mask::MAX } else { (1 << alive) - 1 };
            self.count_events(slot);
            let w = &mut self.warps[slot as usize];
            let flow = kernel.code.program.layout.start(kernel.entry, mask);
            w.start(flow, (cta as u32, id as u32), cx.now, cx.probe);
            w.first_row = first;
            w.rows = rows;
            let (sub, local) = self.place(slot);
            self.subs[sub].sched.admit(local, cx.now, start);
            let file = self.file_of(slot);
            self.files[file].rows.tell_taken(cx.now, first..first + rows, cx.probe);
        }
        self.shared.bytes.tell_taken(cx.now, shared, kernel.shared_taken, cx.probe);
        self.bars[cta] = BarCounters::default();
        self.ctas[cta] = Some(Cta {
            index,
            id: kernel.ctaid(index),
            shared,
            taken: kernel.shared_taken,
            slots: slots.iter().map(|&(slot, _)| slot).collect(),
            ended: false,
            threads,
            barriers: CtaBarriers::default(),
            since: cx.now,
        });
        slots.iter().for_each(|&(slot, _)| self.pass_port(slot, cx));
        self.hold_control(cx);
        self.wake = self.next_look(self.wake.min(start));
        true
    }

    /// A warp has no living threads (or its state says that it has finished) and
    /// no outstanding results: it leaves, and with the last warp its CTA.
    pub(crate) fn retire_if_done<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) {
        let w = &self.warps[slot as usize];
        if !w.resident || w.flow.live != 0 && !w.finished || w.in_flight != 0 {
            return;
        }
        let (sub, local) = self.place(slot);
        let (cta, id, since, lanes) = (w.cta as usize, w.id, w.since, w.began);
        let rows = (w.first_row, w.rows.min(cx.kernel.registers));
        self.account(cx.now);
        if let Some(trace) = &mut cx.trace {
            let cta = self.ctas.get(cta).and_then(Option::as_ref);
            trace.add(Span::Warp {
                sm: self.id,
                slot,
                cta: cta.map_or(0, |c| c.index),
                id,
                cycles: (since, cx.now),
                rows,
                lanes: lanes.into(),
            });
        }
        self.subs[sub].sched.dismiss(local, cx.now);
        let w = &mut self.warps[slot as usize];
        let lost = w.flow.live != 0;
        (w.resident, w.ready, w.finished) = (false, false, true);
        (w.flow.live, w.flow.active) = (0, 0);
        if let Some(pmu) = &mut self.pmu {
            pmu.add(Counter::WarpsExited, 1);
        }
        self.hold_control(cx);
        let cta = self.warps[slot as usize].cta as usize;
        // Nobody need wait for threads that are gone.
        if lost {
            self.settle(cta, cx);
        }
        self.end_if_finished(cta, cx);
    }

    /// Ends a CTA once the states of all its warps say that they have finished
    /// and nothing of theirs is under way.
    pub(crate) fn end_if_finished<P: Probe>(&mut self, index: usize, cx: &mut Cx<'_, P>) {
        let Some(cta) = self.ctas.get_mut(index).and_then(Option::as_mut) else { return };
        let warps = &self.warps;
        let is_over = |slot: &u32| {
            let w = &warps[*slot as usize];
            w.finished && w.in_flight == 0
        };
        if cta.ended || !cta.slots.iter().all(is_over) {
            return;
        }
        cta.ended = true;
        self.threads -= cta.threads.min(self.threads);
        self.counters.ctas += 1;
        if let Some(pmu) = &mut self.pmu {
            pmu.add(Counter::CtasExited, 1);
        }
        self.ended += 1;
        if let Some(trace) = &mut cx.trace {
            trace.add(Span::Cta {
                sm: self.id,
                place: index as u32,
                index: cta.index,
                cycles: (cta.since, cx.now),
                shared: (cta.shared, cta.taken),
            });
        }
        match cx.config.cta_latency {
            0 => self.vacate(index, cx.now, cx.probe),
            later => self.todo.push(cx.now + u64::from(later), Todo::Vacate(index as u32)),
        }
    }

    /// Gives back what a finished CTA held.
    pub(crate) fn vacate<P: Probe>(&mut self, index: usize, now: u64, probe: &mut P) {
        let finished = |c: &mut Cta| c.ended;
        let Some(cta) = self.ctas.get_mut(index).and_then(|c| c.take_if(finished)) else { return };
        probe.acting(By::Machine);
        for &slot in &cta.slots {
            let file = self.file_of(slot);
            let w = &mut self.warps[slot as usize];
            w.held = false;
            let (first, rows) = (w.first_row, w.rows);
            self.files[file].room.mark(first, rows, false);
            self.files[file].rows.tell_free(now, first..first + rows, probe);
        }
        self.shared.room.mark(cta.shared, cta.taken, false);
        if let Some(held) = &mut self.held {
            let rows: u32 = cta.slots.iter().map(|&slot| self.warps[slot as usize].rows).sum();
            held.change(now, -i64::from(rows), -i64::from(cta.taken));
        }
        self.shared.bytes.tell_free(now, cta.shared, cta.taken, probe);
        self.vacated = true;
    }

    /// Gives back what all finished CTAs held, before another kernel.
    pub(crate) fn vacate_all<P: Probe>(&mut self, now: u64, probe: &mut P) {
        for index in 0..self.ctas.len() {
            self.vacate(index, now, probe);
        }
        self.next_admission = 0;
    }
}
