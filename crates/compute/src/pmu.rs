//! The SM's performance-monitoring unit.
//!
//! What it counts it counts where it happens: launches where CTAs are admitted,
//! instructions and idle lanes where the scheduler takes a warp out of the
//! pool, active lanes where operands are read, what parts and meets in the
//! warps' own control logic. So a part of the SM that goes wrong makes counters
//! disagree that agree in every fault-free run.

use upset_isa::Unit;
use upset_isa::control::barriers::Again;
use upset_isa::control::events::Events;
use upset_machine::pmu::{CLASSES, Counter, Counts, STALLS};

use crate::code::Op;
use crate::sm::Sm;

/// The counter of a unit's instructions.
pub fn class_of(unit: Unit) -> Counter {
    CLASSES[unit as usize]
}

/// Adds what warps' control logic has counted.
pub fn add_events(to: &mut Counts, events: &Events) {
    let Events {
        branches,
        diverged,
        opened,
        arrived,
        lanes_in,
        released,
        lanes_out,
        broken,
        sync_in,
        sync_out,
        switched,
        exited,
        bar_arrived,
        bar_released,
    } = *events;
    to.add(Counter::Branches, branches);
    to.add(Counter::Diverged, diverged);
    to.add(Counter::ConvOpened, opened);
    to.add(Counter::ConvArrived, arrived);
    to.add(Counter::ConvLanesIn, lanes_in);
    to.add(Counter::ConvReleased, released);
    to.add(Counter::ConvLanesOut, lanes_out);
    to.add(Counter::ConvBroken, broken);
    to.add(Counter::SyncLanesIn, sync_in);
    to.add(Counter::SyncLanesOut, sync_out);
    to.add(Counter::Switched, switched);
    to.add(Counter::ThreadsExited, exited);
    to.add(Counter::BarArrived, bar_arrived);
    to.add(Counter::BarReleased, bar_released);
}

/// Adds issues of an instruction beyond its first.
pub fn add_again(to: &mut Counts, again: Again, unit: Unit) {
    let (issues, threads) = (u64::from(again.issues), u64::from(again.threads));
    to.add(Counter::WarpInsts, issues);
    to.add(Counter::ThreadInsts, threads);
    to.add(Counter::Inactive, (32 * issues).saturating_sub(threads));
    to.add(class_of(unit), issues);
}

impl Sm {
    /// Counts from now on.
    pub(crate) fn start_counting(&mut self) {
        self.pmu.get_or_insert_default();
    }

    /// A scheduler's cycle was of use.
    #[cold]
    pub(crate) fn count_cycle(&mut self) {
        if let Some(pmu) = &mut self.pmu {
            pmu.add(Counter::IssueCycles, 1);
        }
    }

    /// An instruction is about to issue.
    #[cold]
    pub(crate) fn count_issue(&mut self, slot: u32, op: &Op) {
        let idle = self.warps[slot as usize].flow.active.count_zeros();
        if let Some(pmu) = &mut self.pmu {
            pmu.add(Counter::WarpInsts, 1);
            pmu.add(Counter::Inactive, idle.into());
            pmu.add(class_of(op.inst.op.unit), 1);
        }
    }

    /// A CTA of so many warps and threads begins.
    pub(crate) fn count_launch(&mut self, warps: u32, threads: u32) {
        if let Some(pmu) = &mut self.pmu {
            pmu.add(Counter::CtasLaunched, 1);
            pmu.add(Counter::WarpsLaunched, warps.into());
            pmu.add(Counter::ThreadsLaunched, threads.into());
        }
    }

    /// A slot's warp is about to be forgotten, and what it counted with it.
    pub(crate) fn count_events(&mut self, slot: u32) {
        if let Some(pmu) = &mut self.pmu {
            add_events(pmu, self.warps[slot as usize].flow.events());
        }
    }

    /// What was counted before cycle `at`.
    pub(crate) fn counts(&self, at: u64) -> Counts {
        let mut counts = self.pmu.as_deref().copied().unwrap_or_default();
        for warp in &self.warps {
            add_events(&mut counts, warp.flow.events());
        }
        for (&stall, &cycles) in STALLS.iter().zip(&self.counters.stalls) {
            counts.set(stall, cycles);
        }
        for sub in &self.subs {
            let (since, why) = (sub.sched.idle_from, sub.sched.idle_why);
            counts.add(STALLS[why as usize], at.saturating_sub(since));
            if since > at {
                // It issued in this very cycle, which is not over.
                counts.add(Counter::IssueCycles, u64::MAX);
            }
        }
        counts
    }
}
