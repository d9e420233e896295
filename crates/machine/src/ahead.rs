//! Cores one after the other: each goes on alone through the cycles in which
//! nothing that another core sends can arrive anywhere, so that what it works
//! with stays in the host's caches. Memory goes first, then the cores, and what
//! they have sent is put on its way when all have come to the same cycle.
//!
//! It happens in every cycle what would happen if all went through it together:
//! a core hears of others through memory, in its order, and through work-groups
//! that it is given. Where room was made it waits to be asked, until every
//! other that made some before it has been. Only where a launch traps the cores
//! that were ahead have done more than they would have; nobody can see that but
//! in their own arrays, and all of them are abandoned.
//!
//! Since none of them changes what another sees, they can as well go beside each
//! other, in several threads of the host ([`crate::beside`]).

use upset_mem::Below;
use upset_state::Probe;

use crate::attendant::Limits;
use crate::awake::Awake;
use crate::beside;
use crate::core::{Core, Cx, GivenUp};
use crate::grid::Grid;
use crate::lead::{Answer, Lead};
use crate::look::Looks;
use crate::machine::Machine;
use crate::stretch::{Doings, STEPS, Trapped, Until, run_one};

/// Fewer cycles are not worth it.
const SHORTEST: u64 = 8;
impl<C: Core> Machine<C> {
    /// How far cores may run ahead of each other from now on, if that is worth it.
    pub(crate) fn horizon(&self, grid: &Grid, due: u64, limits: Limits) -> Option<u64> {
        let given = grid.next == grid.total;
        let watched = self.slow || self.trace.is_some() || self.counting.is_some();
        if watched || !self.rules.apart || !(given || self.rules.room_is_told) {
            return None;
        }
        // Such a limit is looked for now and then, as cycles go by.
        if limits.warp_insts != u64::MAX {
            return None;
        }
        let wakes = self.wakes.iter().fold(self.mem.next_event(), |first, w| first.min(*w));
        let first = wakes.max(self.now);
        let mut end = first.saturating_add(self.mem.reach()).min(due).min(limits.cycle);
        end = end.min(self.looks.as_ref().map_or(u64::MAX, Looks::next));
        end = end.min(self.changes.first_key_value().map_or(u64::MAX, |(cycle, _)| *cycle));
        if !given {
            end = end.min(grid.dispatch);
        }
        (first < u64::MAX && end > first.saturating_add(SHORTEST)).then_some(end)
    }

    /// Lets memory, then every core do what it does before cycle `end`. True: the
    /// launch is over, and this is its last cycle.
    pub(crate) fn run_ahead<P: Probe>(
        &mut self,
        kernel: &C::Kernel,
        prepared: &C::Prepared,
        grid: &mut Grid,
        end: u64,
        probe: &mut P,
    ) -> Result<bool, C::Trap> {
        let Machine {
            config,
            cores,
            mem,
            now,
            wakes,
            next_core,
            closed,
            out,
            ahead,
            busy,
            backwards,
            threads,
            effort,
            beside: times,
            ..
        } = self;
        ahead.resize_with(cores.len(), Lead::new);
        // What is left to do below where no packet is concerns nobody: it waits,
        // since the launch may be over before.
        let was_idle = mem.idle();
        let mut end = end;
        let in_threads = threads.is_some_and(|steps| *effort >= steps) && P::silent().is_some();
        if !was_idle {
            let _awake = in_threads.then(Awake::new);
            end = mem.go_first(end, probe, |at, turn, reply| {
                if let Some(lead) = ahead.get_mut(usize::from(reply.port.core)) {
                    lead.tell(Answer { at, turn, reply });
                }
            });
        }
        mem.hold_back(0);
        let given = grid.next == grid.total;
        busy.clear();
        for (i, (lead, core)) in ahead.iter_mut().zip(&*cores).enumerate() {
            (lead.next, lead.asked, lead.waits) = (*now, u64::MAX, false);
            debug_assert_eq!(wakes[i], core.wake());
            // Who gets no work-group and no answer, and has nothing to do, is left alone.
            if !given || wakes[i] < end || lead.awaits() {
                lead.waits = given && core.is_vacant();
                busy.push(i);
            }
        }
        let (now, until) = (*now, Until { end, more: !given });
        let mut all = Doings::new(now);
        let launch = beside::Launch { now, kernel, prepared, config };
        let is_done =
            in_threads && beside::run(busy, cores, ahead, mem, until, &launch, &mut all, P::silent);
        *times += u64::from(is_done);
        let (trace, witness, slow) = (None, None, false);
        let below = Below::Alone(mem);
        let mut cx =
            Cx { now, kernel, prepared, config, mem: below, probe, out, trace, witness, slow };
        if !is_done {
            // Back and forth: who was the last is the first now, and what it works with may
            // still be in the host's caches.
            *backwards = !*backwards;
            for n in 0..busy.len() {
                let i = busy[if *backwards { busy.len() - 1 - n } else { n }];
                if !ahead[i].waits {
                    run_one(i, &mut cores[i], &mut ahead[i], until, &mut all, &mut cx);
                }
            }
        }
        *effort = all.steps;
        all.tell(grid);
        while grid.next < grid.total {
            let asked = ahead.iter().map(|lead| lead.asked).min().unwrap_or(u64::MAX);
            if asked >= all.trapped.as_ref().map_or(end, |t| t.at.min(end)) {
                grid.dispatch = grid.dispatch.min(asked);
                break;
            }
            hand_out(asked, cores, ahead, next_core, closed, grid, &mut cx);
            let until = Until { end, more: grid.next < grid.total };
            for (i, (lead, core)) in ahead.iter_mut().zip(cores.iter_mut()).enumerate() {
                lead.waits |= !until.more && core.is_vacant();
                if !lead.waits && lead.asked > asked {
                    run_one(i, core, lead, until, &mut all, &mut cx);
                }
            }
            all.tell(grid);
        }
        // Who has nothing to do must not go beyond the end of the launch.
        let more = grid.next < grid.total;
        let mut over = None;
        if grid.done == grid.total && was_idle && !cx.mem.holds_back() {
            let until = Until { end: all.last_end + 1, more };
            catch_up(busy, cores, ahead, until, &mut all, &mut cx);
            over = Some(all.last_end).filter(|_| !cx.mem.holds_back());
        }
        if over.is_none() {
            catch_up(busy, cores, ahead, Until { end, more }, &mut all, &mut cx);
            all.tell(grid);
            if grid.done == grid.total && !was_idle && cx.mem.idle() && !cx.mem.holds_back() {
                over = Some(end - 1);
            }
        }
        all.tell(grid);
        for &i in &self.busy {
            self.wakes[i] = self.cores[i].wake();
        }
        if let Some(trapped) = all.trapped {
            return Err(self.end_ahead(trapped, probe));
        }
        if was_idle {
            let until = over.map_or(end, |cycle| cycle + 1);
            self.mem.go_first(until, probe, |_, _, _| {});
        }
        self.mem.let_go(None);
        if over.is_none() && self.next_happening(grid) == u64::MAX {
            // Nothing will happen any more: that shows in the last cycle in which
            // something did.
            let done = self.ahead.iter().map(|lead| lead.next.saturating_sub(1));
            let last = done.fold(self.mem.last_happening(), u64::max);
            self.now = last.max(self.now);
            return Err(self.give_up(GivenUp::Deadlock));
        }
        self.now = over.unwrap_or(end);
        Ok(over.is_some())
    }

    /// A core trapped: the launch ends in that cycle.
    fn end_ahead<P: Probe>(&mut self, trapped: Trapped<C::Trap>, probe: &mut P) -> C::Trap {
        let Trapped { at, core, trap, out } = trapped;
        self.now = at;
        self.mem.let_go(Some((at, STEPS + core as u32)));
        for (lead, core) in self.ahead.iter_mut().zip(&mut self.cores) {
            for answer in lead.take_answers() {
                core.fill(answer.at.max(at), answer.reply, &mut self.out, probe);
            }
        }
        for request in self.out.drain(..) {
            self.mem.send(at, request, probe);
        }
        self.out = out;
        trap
    }
}

/// Gives work-groups to the cores that are asked in a cycle, one to each in turn.
fn hand_out<C: Core, P: Probe>(
    cycle: u64,
    cores: &mut [C],
    ahead: &mut [Lead],
    next_core: &mut usize,
    closed: &[bool],
    grid: &mut Grid,
    cx: &mut Cx<'_, C, P>,
) {
    let (n, from) = (cores.len(), *next_core);
    cx.now = cycle;
    let mut asked = Vec::new();
    for i in (0..n).map(|k| (from + k) % n) {
        if ahead[i].asked != cycle {
            continue;
        }
        ahead[i].answer(&mut cores[i], cx);
        asked.push(i);
        let open = closed.get(i) != Some(&true) && grid.next < grid.total;
        if open && cores[i].admit(grid.next, cx) {
            grid.next += 1;
            *next_core = (i + 1) % n;
        }
    }
    let later = cores.iter().map(C::next_admission).filter(|&t| t > cycle);
    grid.dispatch = later.min().unwrap_or(u64::MAX);
    let more = grid.next < grid.total;
    for i in asked {
        let again = Some(cores[i].next_admission()).filter(|&t| more && t > cycle);
        ahead[i].asked = again.unwrap_or(u64::MAX);
    }
    if !more {
        for lead in ahead {
            grid.dispatch = grid.dispatch.min(lead.asked);
            lead.asked = u64::MAX;
        }
    }
}

/// Lets those of some cores that waited do what they do before some cycle.
fn catch_up<C: Core, P: Probe>(
    busy: &[usize],
    cores: &mut [C],
    ahead: &mut [Lead],
    until: Until,
    all: &mut Doings<C::Trap>,
    cx: &mut Cx<'_, C, P>,
) {
    for &i in busy {
        if ahead[i].waits {
            run_one(i, &mut cores[i], &mut ahead[i], until, all, cx);
        }
    }
}
