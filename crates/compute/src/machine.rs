//! The whole chip: SMs, memory, and the loop that moves time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upset_chip::ChipSpec;
use upset_isa::trap::{Trap, TrapKind};
use upset_mem::{FirstLevelCounters, MemoryCounters, MemorySystem, Reply, Request};
use upset_state::registry::with_array;
use upset_state::{ArrayId, By, Change, Probe, Visit, Visitor};

use crate::config::Config;
use crate::digest::Standing;
use crate::kernel::Kernel;
use crate::look::Looks;
use crate::owner::{Begun, Owned, Strikes};
use crate::sm::{Cx, Sm};
use crate::stats::SmCounters;
use crate::trace::{Span, Trace};
use crate::witness::{self, SharedWitness};

/// Bounds on a launch.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Cycle (since the machine's start) after which a launch is given up.
    pub cycle: u64,
    /// Warp instructions before a launch is given up.
    pub warp_insts: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { cycle: u64::MAX, warp_insts: u64::MAX }
    }
}

/// Who stands by while a launch runs.
pub trait Attendant {
    /// Called now and then: cycle, and warp instructions of the launch so far.
    fn progress(&mut self, cycle: u64, warp_insts: u64);

    /// The next cycle at which it wants to be asked; `u64::MAX` for never.
    fn next_pause(&self) -> u64 {
        u64::MAX
    }

    /// That cycle has come: what is to be changed and when; what is due happens
    /// before anything else in this cycle. [`Attendant::next_pause`] must move on.
    fn pause(&mut self, cycle: u64) -> Vec<(u64, Change)> {
        let _ = cycle;
        Vec::new()
    }

    /// The next cycle at which it wants to see the state; `u64::MAX` for never.
    fn next_check(&self) -> u64 {
        u64::MAX
    }

    /// That cycle has come; nothing has happened in it but changes of bits.
    /// [`Attendant::next_check`] must move on. To look changes nothing.
    fn check(&mut self, standing: &Standing<'_>) {
        let _ = standing;
    }

    /// A ghost must leave. True: this run becomes that ghost. False: it is
    /// somebody else's from now on.
    fn part(&mut self, ghost: u32, cycle: u64) -> bool {
        let _ = (ghost, cycle);
        false
    }
}

/// What one launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounters {
    /// Cycles.
    pub cycles: u64,
    /// First cycle (of the first launch, in sums).
    pub start: u64,
    /// Sums over the SMs.
    pub sm: SmCounters,
    /// Most cycles that any one SM had a CTA (sums: over launches).
    pub busiest: u64,
    /// SMs that had work (the most of any launch, in sums).
    pub sms_used: u64,
    /// First-level data cache.
    pub l1d: FirstLevelCounters,
    /// Texture cache.
    pub l1t: FirstLevelCounters,
    /// Constant cache.
    pub l1c: FirstLevelCounters,
    /// Instruction cache.
    pub l1i: FirstLevelCounters,
    /// L2, DRAM, crossbar.
    pub memory: MemoryCounters,
}

impl std::ops::AddAssign<&LaunchCounters> for LaunchCounters {
    fn add_assign(&mut self, o: &LaunchCounters) {
        if self.cycles == 0 {
            self.start = o.start;
        }
        self.cycles += o.cycles;
        self.busiest += o.busiest;
        self.sm = self.sm.plus(&o.sm);
        self.sms_used = self.sms_used.max(o.sms_used);
        self.l1d += o.l1d;
        self.l1t += o.l1t;
        self.l1c += o.l1c;
        self.l1i += o.l1i;
        self.memory += o.memory;
    }
}

/// The chip.
#[derive(Clone)]
pub struct Machine {
    pub(crate) config: Config,
    pub(crate) uniform: bool,
    pub(crate) sms: Vec<Sm>,
    /// Everything below the SMs.
    pub mem: MemorySystem,
    pub(crate) now: u64,
    pub(crate) wakes: Vec<u64>,
    /// Where the search for room begins.
    pub(crate) next_sm: usize,
    /// Later changes by cycle, those of a cycle in the order they were planned.
    pub(crate) changes: BTreeMap<u64, Vec<Change>>,
    pub(crate) trace: Option<Trace>,
    /// A traced kernel has accesses of less than a word.
    pub(crate) narrow: bool,
    /// Launches so far.
    pub(crate) begun: Vec<Begun>,
    /// The last of them has not ended.
    pub(crate) is_running: bool,
    /// What changed bits belonged to, if somebody wants to know.
    pub(crate) hits: Option<Strikes>,
    /// Bits that somebody wants to be told of.
    pub(crate) looks: Option<Looks>,
    /// Who is told of instructions in watched runs.
    pub(crate) witness: Option<SharedWitness>,
    pub(crate) out: Vec<Request>,
    pub(crate) replies: Vec<Reply>,
}

/// How often progress is told, in loop turns.
const TELL_EVERY: u64 = 1 << 16;

impl Machine {
    /// A chip at cycle 0, all arrays zero.
    pub fn new(chip: &ChipSpec) -> Machine {
        let config = Config::new(chip);
        let sms: Vec<Sm> = (0..config.sms).map(|i| Sm::new(chip, &config, i)).collect();
        Machine {
            uniform: chip.sm.uniform_registers > 0,
            wakes: vec![u64::MAX; sms.len()],
            mem: MemorySystem::new(chip),
            sms,
            now: 0,
            next_sm: 0,
            changes: BTreeMap::new(),
            trace: None,
            narrow: false,
            begun: Vec::new(),
            is_running: false,
            hits: None,
            looks: None,
            witness: None,
            out: Vec::new(),
            replies: Vec::new(),
            config,
        }
    }

    /// The numbers it runs by.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Cycles since its start.
    pub fn cycle(&self) -> u64 {
        self.now
    }

    /// Starts recording what runs where, and how much of the arrays it uses.
    pub fn start_trace(&mut self) {
        self.count_in_use();
        self.trace = Some(Trace::default());
    }

    /// What was recorded.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Every launch so far, in order.
    pub fn begun(&self) -> &[Begun] {
        &self.begun
    }

    pub(crate) fn running(&self) -> Option<&Begun> {
        self.begun.last().filter(|_| self.is_running)
    }

    pub(crate) fn sms(&self) -> &[Sm] {
        &self.sms
    }

    pub(crate) fn haunted_parts(&mut self) -> (&mut [Sm], &mut MemorySystem) {
        (&mut self.sms, &mut self.mem)
    }

    /// From now on remembers what the bits that are changed belong to.
    pub fn record_hits(&mut self) {
        self.hits.get_or_insert_default();
    }

    /// Tells `witness` of every instruction, as long as the arrays are watched.
    pub fn witness(&mut self, witness: SharedWitness) {
        self.witness = Some(witness);
    }

    /// The changes so far, if somebody wanted to know.
    pub fn hits(&self) -> Option<&Strikes> {
        self.hits.as_ref()
    }

    /// Plans a change of bits; it happens before anything else in its cycle.
    pub fn plan(&mut self, cycle: u64, change: Change) {
        self.changes.entry(cycle).or_default().push(change);
    }

    /// Carries out the planned changes whose cycle has come: before anything
    /// else in that cycle, be it done by a kernel or by the host.
    pub fn apply_due<P: Probe>(&mut self, probe: &mut P) {
        self.look_due();
        while let Some(soonest) = self.changes.first_entry() {
            if *soonest.key() > self.now {
                break;
            }
            let due = soonest.remove();
            self.apply(&due, probe);
        }
        if P::GHOSTS {
            self.plant_due(probe);
        }
    }

    /// Changes bits now, one after the other.
    pub fn apply<P: Probe>(&mut self, changes: &[Change], probe: &mut P) {
        for of_array in changes.chunk_by(|a, b| a.site().array == b.site().array) {
            self.apply_in(of_array[0].site().array, of_array, probe);
        }
    }

    /// Changes bits of one array: it is looked for once, however many they are.
    fn apply_in<P: Probe>(&mut self, array: ArrayId, changes: &[Change], probe: &mut P) {
        let owned = self.hits.as_ref().map(|hits| {
            let mut owned = Owned::default();
            let room = Strikes::KEPT.saturating_sub(hits.first.len());
            changes.iter().for_each(|c| owned.add(self.owner(c.site()), room));
            owned
        });
        let mut before = Vec::new();
        with_array(self, array, |bits| {
            for change in changes {
                if owned.is_some() {
                    before.push(bits.get(change.site().bit));
                }
                match change {
                    Change::Flip(site) => bits.flip(site.bit),
                    Change::Hold(force) => bits.set(force.bit, force.value),
                    Change::LetGo(_) => {}
                }
            }
        });
        if let (Some(hits), Some(owned)) = (&mut self.hits, owned) {
            hits.add(self.now, changes, &before, owned);
        }
        let mut changed = false;
        for change in changes {
            match change {
                Change::Flip(_) => changed = true,
                Change::Hold(force) => {
                    probe.hold(*force);
                    changed = true;
                }
                Change::LetGo(force) => probe.let_go(*force),
            }
        }
        if changed
            && array.kind.about().steers
            && let Some(sm) = self.sms.get_mut(array.instance as usize)
        {
            sm.rouse_all(self.now);
            self.wakes[array.instance as usize] = sm.wake;
        }
    }

    fn totals(&self) -> LaunchCounters {
        let mut t = LaunchCounters { memory: *self.mem.counters(), ..Default::default() };
        for sm in &self.sms {
            t.sm = t.sm.plus(&sm.counters);
            t.l1d += *sm.l1d.counters();
            t.l1t += *sm.l1t.counters();
            t.l1c += *sm.l1c.counters();
            t.l1i += *sm.l1i.counters();
        }
        t
    }

    /// What is stale in first-level caches goes, or all data where the chip says so.
    fn enter_kernel<P: Probe>(&mut self, probe: &mut P) {
        let now = self.now;
        for sm in &mut self.sms {
            sm.vacate_all(now, &self.config, probe);
            if self.config.flush_l1 {
                sm.l1d.invalidate_all(now, &mut self.out, probe);
                sm.l1t.invalidate_all(now, &mut self.out, probe);
            }
            for level in [&mut sm.l1d, &mut sm.l1t, &mut sm.l1c, &mut sm.l1i] {
                level.drop_stale(now, self.mem.stale(), &mut self.out, probe);
            }
        }
        for r in self.out.drain(..) {
            self.mem.send(now, r, probe);
        }
        self.mem.stale().clear();
        if self.config.flush_l2 {
            self.mem.flush_l2(now, probe);
        }
    }

    /// Runs a kernel to its end.
    pub fn run<P: Probe>(
        &mut self,
        kernel: &Kernel,
        limits: Limits,
        probe: &mut P,
        attendant: &mut dyn Attendant,
    ) -> Result<LaunchCounters, Trap> {
        let start = self.now;
        self.apply_due(probe);
        probe.acting(By::Machine);
        self.begun.push(Begun::new(self.begun.len() as u64, start, kernel));
        self.is_running = true;
        self.note_kernel(kernel);
        if P::ACTIVE {
            witness::tell(self.witness.as_ref(), |w| w.launch(start, kernel));
        }
        self.mem.restart_clocks(start);
        self.enter_kernel(probe);
        let before = self.totals();
        let busy: Vec<_> = self.sms.iter().map(|s| s.counters).collect();
        let result = self.cycles(kernel, limits, probe, attendant);
        self.is_running = false;
        let now = self.now;
        for sm in &mut self.sms {
            sm.account(now);
            sm.account_idle(now);
        }
        if let Err(trap) = result {
            for sm in &mut self.sms {
                sm.abandon(now);
            }
            self.wakes.fill(u64::MAX);
            self.drain(probe);
            return Err(trap);
        }
        if let Some(trace) = &mut self.trace {
            let name = kernel.name.clone();
            trace.add(Span::Kernel { name, cycles: (start, now), local_bytes: kernel.local_bytes });
        }
        let mut c = self.totals();
        c.start = start;
        c.cycles = now - start;
        let active = |(s, b): (&Sm, &SmCounters)| s.counters.active_cycles - b.active_cycles;
        let each = self.sms.iter().zip(&busy).map(active);
        c.sms_used = each.clone().filter(|&n| n > 0).count() as u64;
        c.busiest = each.max().unwrap_or(0);
        c.sm = c.sm.minus(&before.sm);
        c.l1d = c.l1d - before.l1d;
        c.l1t = c.l1t - before.l1t;
        c.l1c = c.l1c - before.l1c;
        c.l1i = c.l1i - before.l1i;
        c.memory = c.memory - before.memory;
        Ok(c)
    }

    fn cycles<P: Probe>(
        &mut self,
        kernel: &Kernel,
        limits: Limits,
        probe: &mut P,
        attendant: &mut dyn Attendant,
    ) -> Result<(), Trap> {
        let tids = kernel.thread_ids();
        let total = kernel.ctas();
        let mut next_cta = 0;
        let mut done = 0;
        let mut dispatch = self.now + u64::from(self.config.kernel_latency);
        let first = self.sms.iter().map(|s| s.counters.warp_insts).sum::<u64>();
        for sm in &mut self.sms {
            sm.idle_until(self.now);
        }
        let start = self.now;
        let mut pause = attendant.next_pause();
        let mut check = attendant.next_check();
        for turn in 1u64.. {
            self.apply_due(probe);
            while pause <= self.now {
                let changes = attendant.pause(self.now);
                if P::GHOSTS
                    && !changes.is_empty()
                    && let Some(g) = probe.ghosts()
                {
                    // This run has become that of the changes.
                    self.sms.iter_mut().for_each(Sm::forget_ghosts);
                    g.clear_all();
                }
                let mut due = Vec::new();
                for (cycle, change) in changes {
                    match cycle <= self.now {
                        true => due.push(change),
                        false => self.plan(cycle, change),
                    }
                }
                self.apply(&due, probe);
                pause = attendant.next_pause();
                check = attendant.next_check();
            }
            // A ghost may have left in the last turn, and wants to be seen.
            if P::GHOSTS {
                check = attendant.next_check();
            }
            if check <= self.now {
                let holds = probe.held().is_some_and(|held| !held.is_empty());
                attendant.check(&Standing {
                    machine: self,
                    kernel,
                    start,
                    next_cta,
                    done,
                    dispatch,
                    holds,
                });
                check = attendant.next_check();
            }
            if P::GHOSTS {
                self.let_ghosts_go(probe, &mut |ghost, cycle| attendant.part(ghost, cycle));
            }
            let Machine {
                config, sms, mem, now, wakes, next_sm, trace, out, replies, witness, ..
            } = self;
            let now = *now;
            macro_rules! cx {
                () => {
                    Cx {
                        now,
                        kernel,
                        tids: &tids,
                        config,
                        mem,
                        probe,
                        out,
                        trace: trace.as_mut(),
                        witness: witness.as_ref(),
                    }
                };
            }
            if mem.next_event() <= now {
                mem.advance(now, replies, probe);
                for reply in replies.drain(..) {
                    let i = usize::from(reply.sm);
                    if let Some(sm) = sms.get_mut(i) {
                        sm.receive(reply, &mut cx!());
                        wakes[i] = sm.wake;
                    }
                }
            }
            if next_cta < total && dispatch <= now {
                probe.acting(By::Machine);
                let n = sms.len();
                let from = *next_sm;
                for k in 0..n {
                    let i = (from + k) % n;
                    if next_cta < total && sms[i].admit(next_cta, &mut cx!()) {
                        next_cta += 1;
                        *next_sm = (i + 1) % n;
                        wakes[i] = sms[i].wake;
                    }
                }
                // An SM without room is asked again when a CTA ends.
                let later = sms.iter().map(|s| s.next_admission).filter(|&t| t > now);
                dispatch = later.min().unwrap_or(u64::MAX);
            }
            for i in 0..wakes.len() {
                if wakes[i] <= now {
                    sms[i].step(&mut cx!())?;
                    if P::GHOSTS {
                        while probe.ghosts().is_some_and(|g| g.wants_out()) {
                            let mut part = |ghost, cycle| attendant.part(ghost, cycle);
                            crate::haunt::machine::let_go(sms, mem, now, probe, &mut part);
                            sms[i].step(&mut cx!())?;
                        }
                    }
                    let sm = &mut sms[i];
                    wakes[i] = sm.wake;
                    if sm.ended > 0 {
                        done += u64::from(std::mem::take(&mut sm.ended));
                    }
                    if std::mem::take(&mut sm.vacated) {
                        dispatch = dispatch.min(now + 1);
                    }
                }
            }
            if done == total && mem.idle() {
                return Ok(());
            }
            let mut next = mem.next_event();
            for &w in wakes.iter() {
                next = next.min(w);
            }
            if next_cta < total {
                next = next.min(dispatch);
            }
            if let Some((&cycle, _)) = self.changes.first_key_value() {
                next = next.min(cycle);
            }
            if next == u64::MAX {
                return Err(self.deadlock());
            }
            let look = self.looks.as_ref().map_or(u64::MAX, Looks::next);
            self.now = next.min(pause).min(check).min(look).max(now + 1);
            if self.now > limits.cycle {
                self.now = limits.cycle.max(now);
                return Err(self.first_warp_trap(TrapKind::CycleLimit(limits.cycle)));
            }
            if turn.is_multiple_of(TELL_EVERY) {
                let issued = self.sms.iter().map(|s| s.counters.warp_insts).sum::<u64>() - first;
                if issued > limits.warp_insts {
                    return Err(self.first_warp_trap(TrapKind::InstructionLimit(limits.warp_insts)));
                }
                attendant.progress(self.now, issued);
            }
        }
        Ok(())
    }

    /// Lets what is under way arrive, for nobody: the state after a trap is
    /// that of a chip that has come to rest.
    fn drain<P: Probe>(&mut self, probe: &mut P) {
        let mut nobody = Vec::new();
        while !self.mem.idle() && self.mem.next_event() != u64::MAX {
            let at = self.mem.next_event();
            self.mem.advance(at, &mut self.replies, probe);
            for reply in self.replies.drain(..) {
                if let Some(sm) = self.sms.get_mut(usize::from(reply.sm)) {
                    let level = sm.level_mut(reply.client);
                    let _ = level.fill(at, reply, &mut self.out, &mut nobody, probe);
                    nobody.clear();
                }
            }
            for r in self.out.drain(..) {
                self.mem.send(at, r, probe);
            }
        }
    }

    /// Nothing can ever happen again.
    fn deadlock(&self) -> Trap {
        self.first_warp_trap(TrapKind::Deadlock)
    }

    /// A trap that concerns the launch, told at its first resident warp.
    fn first_warp_trap(&self, kind: TrapKind) -> Trap {
        for sm in &self.sms {
            if let Some(slot) = sm.warps.iter().position(|w| w.resident) {
                return sm.trap(slot as u32, kind);
            }
        }
        Trap { kind, pc: 0, cta: [0; 3], warp: 0 }
    }
}

impl Visit for Machine {
    fn visit(&mut self, v: &mut dyn Visitor) {
        for sm in &mut self.sms {
            sm.visit(self.uniform, v);
        }
        self.mem.visit(v);
    }
}
