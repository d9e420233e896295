//! Launches: the loop that moves time.

use upset_mem::Below;
use upset_state::{By, Probe, Quiet};

use crate::attendant::{Attendant, Limits};
use crate::core::{Core, Cx, GivenUp, Stale};
use crate::counters::{LaunchCounters, Tally};
use crate::digest::Standing;
use crate::ghosts::let_go;
use crate::grid::Grid;
use crate::launch::{Begun, Kernel};
use crate::look::Looks;
use crate::machine::Machine;
use crate::trace::Span;

/// How often progress is told, in loop turns.
const TELL_EVERY: u64 = 1 << 16;
/// And where cores run ahead of each other in between.
const TELL_EVERY_LEAD: u64 = 1 << 10;

/// Cycles that a run which left goes through with all cores together: many trap at once,
/// and what cores were ahead is lost then.
const TOGETHER: u64 = 64;

/// When the attendant wants to be asked again.
struct Appointments {
    pause: u64,
    check: u64,
}

/// A launch under way.
struct Underway {
    grid: Grid,
    due: Appointments,
    /// Loop turns so far, and instructions issued before them.
    turns: u64,
    issued: u64,
    /// The host of this run has got other bytes than the fault-free one's.
    is_told_otherwise: bool,
    /// Cores stay together before this cycle.
    together_until: u64,
}

/// Why a launch's loop ends.
enum Ends {
    /// The launch is over.
    Over,
    /// Nobody follows this run any more.
    Alone,
}

impl<C: Core> Machine<C> {
    /// Runs a kernel to its end.
    pub fn run<P: Probe>(
        &mut self,
        kernel: &C::Kernel,
        limits: Limits,
        probe: &mut P,
        attendant: &mut dyn Attendant<C>,
    ) -> Result<LaunchCounters<C::Counters>, C::Trap> {
        let start = self.now;
        let every = self.reading_every(kernel, limits);
        self.apply_due(probe);
        if P::GHOSTS {
            self.let_ghosts_go(probe, &mut |ghost, cycle| attendant.part(ghost, cycle));
        }
        probe.acting(By::Machine);
        self.begun.push(Begun::new(self.begun.len() as u64, start, kernel));
        self.is_running = true;
        self.note_kernel(kernel);
        if P::ACTIVE
            && let Some(witness) = &self.witness
        {
            C::begin(witness, start, kernel);
        }
        self.mem.restart_clocks(start);
        self.enter_kernel(kernel, probe);
        let memory = *self.mem.counters();
        let before: Vec<_> = self.cores.iter().map(|c| (c.counters(), c.active_cycles())).collect();
        let result = self.cycles(kernel, limits, every, probe, attendant);
        self.is_running = false;
        let now = self.now;
        // Before the last cycle's issues are forgotten.
        self.end_reading(result.is_ok());
        for (core, wake) in self.cores.iter_mut().zip(&mut self.wakes) {
            core.account(now);
            *wake = core.wake();
        }
        if let Err(trap) = result {
            for core in &mut self.cores {
                core.abandon(now);
            }
            self.wakes.fill(u64::MAX);
            self.drain(probe);
            return Err(trap);
        }
        if let Some(trace) = &mut self.trace {
            let name = kernel.name().to_string();
            let local_bytes = kernel.local_bytes();
            trace.add(Span::Kernel { name, cycles: (start, now), local_bytes });
        }
        let mut c: LaunchCounters<C::Counters> = LaunchCounters {
            cycles: now - start,
            start,
            memory: *self.mem.counters() - memory,
            ..LaunchCounters::default()
        };
        for (core, (before, active)) in self.cores.iter().zip(&before) {
            for (after, before) in core.active_cycles().iter().zip(active) {
                c.busiest = c.busiest.max(after - before);
                c.sms_used += u64::from(after > before);
            }
            c.cores = c.cores.plus(&core.counters().minus(before));
        }
        Ok(c)
    }

    /// What is stale in the cores' caches goes.
    fn enter_kernel<P: Probe>(&mut self, kernel: &C::Kernel, probe: &mut P) {
        let now = self.now;
        // The last of them is this one.
        let mut before = self.begun.iter().rev().skip(1).map(|b| b.local_memory);
        let (local, old) = (kernel.local_memory(), before.find(|(_, bytes)| *bytes > 0));
        let local = old.filter(|old| local.1 > 0 && *old != local);
        let stale = Stale { written: self.mem.stale(), local };
        for core in &mut self.cores {
            core.enter_kernel(now, &self.config, &stale, &mut self.out, probe);
        }
        for r in self.out.drain(..) {
            self.mem.send(now, r, probe);
        }
        self.mem.stale().clear();
        if self.rules.flush_l2 {
            self.mem.flush_l2(now, probe);
        }
    }

    fn cycles<P: Probe>(
        &mut self,
        kernel: &C::Kernel,
        limits: Limits,
        every: u64,
        probe: &mut P,
        attendant: &mut dyn Attendant<C>,
    ) -> Result<(), C::Trap> {
        let prepared = C::prepare(kernel);
        let grid = Grid {
            start: self.now,
            total: kernel.groups(),
            next: 0,
            done: 0,
            dispatch: self.now + u64::from(self.rules.kernel_latency),
        };
        for core in &mut self.cores {
            core.idle_until(self.now);
        }
        self.begin_reading(kernel, every);
        let due = Appointments { pause: attendant.next_pause(), check: attendant.next_check() };
        let (issued, is_told_otherwise) = (self.issued(), false);
        let mut launch =
            Underway { grid, due, turns: 0, issued, is_told_otherwise, together_until: 0 };
        match self.turns(kernel, &prepared, &mut launch, limits, probe, attendant)? {
            Ends::Over => {}
            // What ghosts cost nobody has to pay from here on.
            Ends::Alone => {
                launch.together_until = self.now + TOGETHER;
                self.turns(kernel, &prepared, &mut launch, limits, &mut Quiet, attendant)?;
            }
        }
        Ok(())
    }

    fn turns<P: Probe>(
        &mut self,
        kernel: &C::Kernel,
        prepared: &C::Prepared,
        launch: &mut Underway,
        limits: Limits,
        probe: &mut P,
        attendant: &mut dyn Attendant<C>,
    ) -> Result<Ends, C::Trap> {
        loop {
            self.apply_due(probe);
            self.attend(kernel, launch, probe, attendant);
            // Ghosts are planted and leave in cycles of their own.
            if P::GHOSTS
                && let Some(ghosts) = probe.ghosts().filter(|g| g.are_none())
            {
                launch.is_told_otherwise = ghosts.was_told_otherwise();
                return Ok(Ends::Alone);
            }
            launch.turns += 1;
            let Underway { grid, due, turns, issued, together_until, .. } = launch;
            if !P::ACTIVE
                && !P::GHOSTS
                && self.now >= *together_until
                && let Some(end) = self.horizon(grid, due.pause.min(due.check), limits)
            {
                if self.run_ahead(kernel, prepared, grid, end, probe)? {
                    return Ok(Ends::Over);
                }
                if turns.is_multiple_of(TELL_EVERY_LEAD) {
                    attendant.progress(self.now, self.issued() - *issued);
                }
                continue;
            }
            self.turn(kernel, prepared, grid, probe, attendant)?;
            if grid.done == grid.total && self.mem.idle() {
                return Ok(Ends::Over);
            }
            self.pass(grid, due, limits)?;
            self.read_due();
            if turns.is_multiple_of(TELL_EVERY) {
                let issued = self.issued() - *issued;
                if issued > limits.warp_insts {
                    return Err(self.give_up(GivenUp::Instructions(limits.warp_insts)));
                }
                attendant.progress(self.now, issued);
            }
        }
    }

    fn issued(&self) -> u64 {
        self.cores.iter().map(|core| core.counters().issued()).sum()
    }

    pub(crate) fn give_up(&self, why: GivenUp) -> C::Trap {
        C::give_up(&self.cores, why)
    }

    /// Lets the attendant change bits and look, and ghosts leave.
    fn attend<P: Probe>(
        &mut self,
        kernel: &C::Kernel,
        launch: &mut Underway,
        probe: &mut P,
        attendant: &mut dyn Attendant<C>,
    ) {
        let Underway { grid, due, is_told_otherwise, .. } = launch;
        while due.pause <= self.now {
            let changes = attendant.pause(self.now);
            if P::GHOSTS
                && !changes.is_empty()
                && let Some(g) = probe.ghosts()
            {
                // This run has become that of the changes.
                self.cores.iter_mut().for_each(C::forget_ghosts);
                g.clear_all();
            }
            let mut now = Vec::new();
            for (cycle, change) in changes {
                match cycle <= self.now {
                    true => now.push(change),
                    false => self.plan(cycle, change),
                }
            }
            self.apply(&now, probe);
            due.pause = attendant.next_pause();
            due.check = attendant.next_check();
        }
        // A ghost may have left in the last turn, and wants to be seen.
        if P::GHOSTS {
            due.check = attendant.next_check();
        }
        if due.check <= self.now {
            let mut holds = probe.held().is_some_and(|held| !held.is_empty());
            // Its host has other bytes: it is not the fault-free run in any state.
            holds |= *is_told_otherwise;
            holds |= probe.ghosts().is_some_and(|g| g.was_told_otherwise());
            attendant.check(&Standing { machine: self, kernel, grid, holds });
            due.check = attendant.next_check();
        }
        if P::GHOSTS {
            self.let_ghosts_go(probe, &mut |ghost, cycle| attendant.part(ghost, cycle));
        }
    }

    /// All that happens in this cycle.
    fn turn<P: Probe>(
        &mut self,
        kernel: &C::Kernel,
        prepared: &C::Prepared,
        grid: &mut Grid,
        probe: &mut P,
        attendant: &mut dyn Attendant<C>,
    ) -> Result<(), C::Trap> {
        let Machine {
            config,
            cores,
            mem,
            now,
            wakes,
            next_core,
            closed,
            trace,
            out,
            replies,
            witness,
            slow,
            ..
        } = self;
        let (now, slow) = (*now, *slow);
        let (trace, witness) = (trace.as_mut(), witness.as_ref());
        if mem.next_event() <= now {
            mem.advance(now, replies, probe);
        }
        let below = Below::Alone(mem);
        let mut cx =
            Cx { now, kernel, prepared, config, mem: below, probe, out, trace, witness, slow };
        for reply in replies.drain(..) {
            let i = usize::from(reply.port.core);
            if let Some(core) = cores.get_mut(i) {
                core.receive(reply, &mut cx);
                wakes[i] = core.wake();
            }
        }
        if grid.next < grid.total && grid.dispatch <= now {
            dispatch(cores, wakes, next_core, closed, grid, &mut cx);
        }
        for i in 0..wakes.len() {
            if wakes[i] <= now || slow {
                cores[i].step(&mut cx)?;
                if P::GHOSTS {
                    while cx.probe.ghosts().is_some_and(|g| g.wants_out()) {
                        let mut part = |ghost, cycle| attendant.part(ghost, cycle);
                        if let Below::Alone(mem) = &mut cx.mem {
                            let_go(cores, cx.config, mem, now, cx.probe, &mut part);
                        }
                        cores[i].step(&mut cx)?;
                    }
                }
                let core = &mut cores[i];
                wakes[i] = core.wake();
                grid.done += u64::from(core.take_ended());
                if core.take_vacated() {
                    grid.dispatch = grid.dispatch.min(now + 1);
                }
            }
        }
        Ok(())
    }

    /// The next cycle in which something happens by itself.
    pub(crate) fn next_happening(&self, grid: &Grid) -> u64 {
        let mut next = self.mem.next_event();
        for &w in &self.wakes {
            next = next.min(w);
        }
        if grid.next < grid.total {
            next = next.min(grid.dispatch);
        }
        if let Some((&cycle, _)) = self.changes.first_key_value() {
            next = next.min(cycle);
        }
        next
    }

    /// On to the next cycle in which something happens.
    fn pass(&mut self, grid: &Grid, due: &Appointments, limits: Limits) -> Result<(), C::Trap> {
        let next = self.next_happening(grid);
        if next == u64::MAX {
            self.count_stillness(limits.cycle);
            return Err(self.give_up(GivenUp::Deadlock));
        }
        let now = self.now;
        let look = self.looks.as_ref().map_or(u64::MAX, Looks::next);
        let next = if self.slow { now + 1 } else { next };
        self.now = next.min(due.pause).min(due.check).min(look).max(now + 1);
        if self.now > limits.cycle {
            self.now = limits.cycle.max(now);
            return Err(self.give_up(GivenUp::Cycles(limits.cycle)));
        }
        Ok(())
    }

    /// Lets what is under way arrive, for nobody: the state after a trap is
    /// that of a chip that has come to rest.
    fn drain<P: Probe>(&mut self, probe: &mut P) {
        while !self.mem.idle() && self.mem.next_event() != u64::MAX {
            let at = self.mem.next_event();
            self.mem.advance(at, &mut self.replies, probe);
            for reply in self.replies.drain(..) {
                if let Some(core) = self.cores.get_mut(usize::from(reply.port.core)) {
                    core.fill(at, reply, &mut self.out, probe);
                }
            }
            for r in self.out.drain(..) {
                self.mem.send(at, r, probe);
            }
        }
    }
}

/// Gives work-groups to cores that have room, one to each in turn.
fn dispatch<C: Core, P: Probe>(
    cores: &mut [C],
    wakes: &mut [u64],
    next_core: &mut usize,
    closed: &[bool],
    grid: &mut Grid,
    cx: &mut Cx<'_, C, P>,
) {
    cx.probe.acting(By::Machine);
    let n = cores.len();
    let from = *next_core;
    for k in 0..n {
        let i = (from + k) % n;
        if closed.get(i) == Some(&true) {
            continue;
        }
        if grid.next < grid.total && cores[i].admit(grid.next, cx) {
            grid.next += 1;
            *next_core = (i + 1) % n;
            wakes[i] = cores[i].wake();
        }
    }
    // A core without room is asked again when a work-group ends.
    let later = cores.iter().map(C::next_admission).filter(|&t| t > cx.now);
    grid.dispatch = later.min().unwrap_or(u64::MAX);
}
