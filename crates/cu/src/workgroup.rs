//! Work-groups on a compute unit: what they need, what they hold, when they are over.

use upset_gcn::wave::WAVE;
use upset_machine::{Reason, Span};
use upset_state::{By, Probe};

use crate::cu::Cu;
use crate::group::Cx;
use crate::kernel::Kernel;
use crate::resident::WorkGroup;
use crate::todo::Todo;

/// Where a wave of a new work-group goes.
struct Berth {
    slot: u32,
    vgpr: u32,
    sgpr: u32,
}

impl Cu {
    /// Adds the time since the last change of occupancy.
    pub(crate) fn account(&mut self, now: u64) {
        let span = now - self.occupied_from.min(now);
        self.occupied_from = now;
        let alive = || self.groups.iter().flatten().filter(|g| g.left > 0);
        let (groups, items) =
            (alive().count() as u64, alive().map(|g| u64::from(g.items)).sum::<u64>());
        if span == 0 || groups == 0 {
            return;
        }
        let waves = self.waves.iter().filter(|w| w.resident).count() as u64;
        self.counters.cta_cycles += span * groups;
        self.counters.warp_cycles += span * waves;
        self.counters.thread_cycles += span * items;
        self.counters.active_cycles += span;
    }

    /// Takes work-group `index` of the kernel if there is room.
    pub(crate) fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, P>) -> bool {
        let kernel = cx.kernel;
        let waves = kernel.waves();
        if cx.now < self.next_admission {
            return false;
        }
        let barriers = self.groups.iter().flatten().filter(|g| g.has_barrier()).count() as u32;
        if waves > 1 && barriers >= cx.config.barriers {
            return false;
        }
        let Some(place) = self.groups.iter().position(Option::is_none) else { return false };
        let Some(lds) = self.lds_room.find(kernel.lds_taken) else { return false };
        let Some(berths) = self.find_berths(kernel, cx) else { return false };
        self.account(cx.now);
        self.next_admission = cx.now + u64::from(cx.config.group_interval);
        self.lds_room.mark(lds, kernel.lds_taken, true);
        if let Some(held) = &mut self.held {
            let rows = i64::from(2 * kernel.vgprs * waves);
            held.change(cx.now, rows, kernel.lds_taken.into());
            held.change_scalars(cx.now, i64::from(kernel.sgprs * waves));
        }
        let id = kernel.group_id(index);
        for (n, berth) in berths.iter().enumerate() {
            self.start_wave(n as u32, berth, (place as u32, id), cx);
        }
        self.lds.tell_taken(cx.now, lds, kernel.lds_taken, cx.probe);
        self.bars[place] = 0;
        self.groups[place] = Some(WorkGroup {
            index,
            id,
            lds,
            taken: kernel.lds_taken,
            slots: berths.iter().map(|b| b.slot).collect(),
            left: waves,
            items: kernel.items(),
            since: cx.now,
        });
        self.hold_control(cx);
        self.wake = self.wake.min(cx.now + 1);
        true
    }

    /// Finds slots and registers for all waves of a work-group, SIMD units in turn.
    fn find_berths<P: Probe>(&mut self, kernel: &Kernel, cx: &Cx<'_, P>) -> Option<Vec<Berth>> {
        let simds = self.simds.len() as u32;
        let mut berths: Vec<Berth> = Vec::with_capacity(kernel.waves() as usize);
        let first = self.next_simd;
        'waves: for _ in 0..kernel.waves() {
            for k in 0..simds {
                let s = (self.next_simd + k) % simds;
                let free = (0..cx.config.waves).map(|local| local * simds + s).find(|slot| {
                    !self.waves[*slot as usize].held && berths.iter().all(|b| b.slot != *slot)
                });
                let simd = &mut self.simds[s as usize];
                let found = free
                    .zip(simd.vector_room.find(kernel.vgprs))
                    .zip(simd.scalar_room.find(kernel.sgprs));
                if let Some(((slot, vgpr), sgpr)) = found {
                    simd.vector_room.mark(vgpr, kernel.vgprs, true);
                    simd.scalar_room.mark(sgpr, kernel.sgprs, true);
                    berths.push(Berth { slot, vgpr, sgpr });
                    self.next_simd = (s + 1) % simds;
                    continue 'waves;
                }
            }
            for b in berths {
                let simd = &mut self.simds[(b.slot % simds) as usize];
                simd.vector_room.mark(b.vgpr, kernel.vgprs, false);
                simd.scalar_room.mark(b.sgpr, kernel.sgprs, false);
            }
            self.next_simd = first;
            return None;
        }
        Some(berths)
    }

    /// A wave starts: the dispatcher fills its first registers.
    fn start_wave<P: Probe>(
        &mut self,
        n: u32,
        berth: &Berth,
        (place, id): (u32, [u32; 3]),
        cx: &mut Cx<'_, P>,
    ) {
        let (kernel, now) = (cx.kernel, cx.now);
        let alive = (kernel.items() - n * WAVE as u32).min(WAVE as u32);
        let lanes = if alive == WAVE as u32 { u64::MAX } else { (1 << alive) - 1 };
        let (s, local) = self.place(berth.slot);
        let simd = &mut self.simds[s];
        let wave = &mut self.waves[berth.slot as usize];
        wave.start(kernel.entry, lanes, kernel.mode, now, cx.probe);
        wave.first_row = 2 * berth.vgpr;
        wave.vgprs = kernel.vgprs;
        wave.first_sgpr = berth.sgpr;
        wave.sgprs = kernel.sgprs;
        wave.group = place;
        wave.id = n;
        let rows = wave.first_row..wave.first_row + 2 * kernel.vgprs;
        simd.vector.tell_taken(now, rows, cx.probe);
        simd.scalar.tell_taken(now, berth.sgpr..berth.sgpr + kernel.sgprs, cx.probe);
        let coordinates = &cx.prepared[n as usize % cx.prepared.len().max(1)];
        for (r, halves) in coordinates.iter().enumerate().take(kernel.item_ids as usize) {
            for (half, value) in halves.iter().enumerate() {
                let row = wave.first_row + (2 * r + half) as u32;
                if (r as u32) < kernel.vgprs {
                    simd.vector.write(now, row, !0, value, cx.probe);
                }
            }
        }
        let ids = kernel.group_ids.iter().zip(id).filter(|(wanted, _)| **wanted).map(|(_, id)| id);
        let slot = u64::from(self.id) * self.waves.len() as u64 + u64::from(berth.slot);
        let offset = (slot * kernel.scratch.per_wave) as u32;
        let size = kernel.group_size.then(|| kernel.size_word(n));
        let user = kernel.user.iter().copied().chain(ids).chain(size);
        let all = user.chain(kernel.scratch_offset.then_some(offset));
        for (n, value) in all.enumerate().take(kernel.sgprs as usize) {
            simd.scalar.write(now, berth.sgpr + n as u32, !0, &value, cx.probe);
        }
        simd.admit(local, now + 1);
    }

    /// A wave has ended and nothing of it is under way: it leaves, and with the
    /// last wave its work-group.
    pub(crate) fn retire_if_done<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) {
        let w = &self.waves[slot as usize];
        if !w.resident || !w.ended || w.in_flight != 0 {
            return;
        }
        self.account(cx.now);
        let (s, local) = self.place(slot);
        let w = &mut self.waves[slot as usize];
        w.resident = false;
        let (place, id, since, lanes) = (w.group as usize, w.id, w.since, w.began);
        let rows = (w.first_row, 2 * w.vgprs);
        self.simds[s].dismiss(local);
        let Some(group) = self.groups.get_mut(place).and_then(Option::as_mut) else { return };
        if let Some(trace) = &mut cx.trace {
            trace.add(Span::Warp {
                sm: self.id,
                slot,
                cta: group.index,
                id,
                cycles: (since, cx.now),
                rows,
                lanes,
            });
        }
        group.left = group.left.saturating_sub(1);
        if group.left > 0 {
            self.settle(place, cx);
            return;
        }
        self.counters.ctas += 1;
        self.ended += 1;
        if let Some(trace) = &mut cx.trace {
            trace.add(Span::Cta {
                sm: self.id,
                place: place as u32,
                index: group.index,
                cycles: (group.since, cx.now),
                shared: (group.lds, group.taken),
            });
        }
        match cx.config.group_latency {
            0 => self.vacate(place, cx.now, cx.probe),
            later => self.todo.push(cx.now + u64::from(later), Todo::Vacate(place as u32)),
        }
    }

    /// Gives back what a finished work-group held.
    pub(crate) fn vacate<P: Probe>(&mut self, index: usize, now: u64, probe: &mut P) {
        let finished = |g: &mut WorkGroup| g.left == 0;
        let Some(group) = self.groups.get_mut(index).and_then(|g| g.take_if(finished)) else {
            return;
        };
        probe.acting(By::Machine);
        let (mut rows, mut scalars) = (0, 0);
        for &slot in &group.slots {
            let (s, _) = self.place(slot);
            let (w, simd) = (&mut self.waves[slot as usize], &mut self.simds[s]);
            w.held = false;
            rows += 2 * w.vgprs;
            scalars += w.sgprs;
            simd.vector_room.mark(w.first_row / 2, w.vgprs, false);
            simd.scalar_room.mark(w.first_sgpr, w.sgprs, false);
            simd.vector.tell_free(now, w.first_row..w.first_row + 2 * w.vgprs, probe);
            simd.scalar.tell_free(now, w.first_sgpr..w.first_sgpr + w.sgprs, probe);
        }
        self.lds_room.mark(group.lds, group.taken, false);
        if let Some(held) = &mut self.held {
            held.change(now, -i64::from(rows), -i64::from(group.taken));
            held.change_scalars(now, -i64::from(scalars));
        }
        self.lds.tell_free(now, group.lds, group.taken, probe);
        self.vacated = true;
    }

    /// Gives back what all finished work-groups held, before another kernel.
    pub(crate) fn vacate_all<P: Probe>(&mut self, now: u64, probe: &mut P) {
        for index in 0..self.groups.len() {
            self.vacate(index, now, probe);
        }
        self.next_admission = 0;
    }

    /// A wave has come to the barrier.
    pub(crate) fn arrive_at_barrier<P: Probe>(&mut self, slot: u32, cx: &mut Cx<'_, P>) {
        let place = self.waves[slot as usize].group as usize;
        let lone = self.groups.get(place).and_then(Option::as_ref).is_none_or(|g| !g.has_barrier());
        if lone {
            return;
        }
        self.waves[slot as usize].at_barrier = true;
        let (s, local) = self.place(slot);
        self.simds[s].block(local, Reason::Barrier);
        self.bars[place] = self.bars[place].wrapping_add(1);
        self.hold_control(cx);
        self.settle(place, cx);
    }

    /// Lets the waves of a work-group go on when all that are left have come.
    pub(crate) fn settle<P: Probe>(&mut self, place: usize, cx: &mut Cx<'_, P>) {
        let Some(group) = self.groups.get(place).and_then(Option::as_ref) else { return };
        let ended = |slot: &u32| self.waves[*slot as usize].ended;
        let expected = group.slots.iter().filter(|s| !ended(s)).count() as u32;
        if expected == 0 || u32::from(self.bars[place]) < expected {
            return;
        }
        self.bars[place] = 0;
        for slot in group.slots.clone() {
            let wave = &mut self.waves[slot as usize];
            if wave.resident && wave.at_barrier {
                wave.at_barrier = false;
                let (s, local) = self.place(slot);
                self.simds[s]
                    .rouse(local, cx.now + u64::from(cx.config.core.cycles.barrier).max(1));
            }
        }
        self.hold_control(cx);
        self.wake = self.simds.iter().map(|s| s.wake).fold(self.wake, u64::min);
    }
}
