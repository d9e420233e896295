//! The SM as a machine's core.

use upset_chip::{ChipError, ChipSpec};
use upset_isa::Lanes;
use upset_isa::trap::{Trap, TrapKind};
use upset_machine::{Begun, Core, Cx, GivenUp, Held, Owner, Rules, Stale};
use upset_mem::{LinesInUse, Reply, Request};
use upset_state::kind::Per;
use upset_state::{ArrayId, Digest, Ghosts, Kind, Probe, Site, Visitor};

use crate::config::Config;
use crate::kernel::Kernel;
use crate::sm::Sm;
use crate::witness::{self, SharedWitness};
use upset_machine::Sums;
use upset_machine::pmu::Counts;

impl Core for Sm {
    type Config = Config;
    type Kernel = Kernel;
    /// Thread coordinates of each warp of a CTA.
    type Prepared = Vec<[Lanes; 3]>;
    type Trap = Trap;
    type Witness = SharedWitness;
    type Counters = Sums;

    fn config(chip: &ChipSpec) -> Result<Config, ChipError> {
        Config::new(chip)
    }

    fn rules(config: &Config) -> Rules {
        Rules {
            cores: config.sms,
            kernel_latency: config.kernel_latency,
            flush_l2: config.flush_l2,
            // Perfect caches look at what is below as it is now.
            apart: !config.perfect,
            room_is_told: config.cta_latency == 0 && config.cta_interval > 0,
        }
    }

    fn new(chip: &ChipSpec, config: &Config, id: u32) -> Sm {
        Sm::new(chip, config, id)
    }

    fn prepare(kernel: &Kernel) -> Vec<[Lanes; 3]> {
        kernel.thread_ids()
    }

    fn begin(witness: &SharedWitness, cycle: u64, kernel: &Kernel) {
        witness::tell(Some(witness), |w| w.launch(cycle, kernel));
    }

    fn enter_kernel<P: Probe>(
        &mut self,
        now: u64,
        config: &Config,
        stale: &Stale<'_>,
        out: &mut Vec<Request>,
        probe: &mut P,
    ) {
        self.vacate_all(now, probe);
        if config.flush_l1 {
            self.l1d.invalidate_all(now, out, probe);
            self.l1t.invalidate_all(now, out, probe);
        }
        for level in self.levels_mut() {
            level.drop_stale(now, stale.written, out, probe);
        }
        if let Some((base, per_warp)) = stale.local {
            let own = self.warps.len() as u64 * per_warp;
            let first = base + u64::from(self.id) * own;
            self.l1d.drop_dead(now, first..first + own, probe);
        }
    }

    fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, Sm, P>) -> bool {
        Sm::admit(self, index, cx)
    }

    fn next_admission(&self) -> u64 {
        self.next_admission
    }

    fn step<P: Probe>(&mut self, cx: &mut Cx<'_, Sm, P>) -> Result<(), Trap> {
        Sm::step(self, cx)
    }

    fn receive<P: Probe>(&mut self, reply: Reply, cx: &mut Cx<'_, Sm, P>) {
        Sm::receive(self, reply, cx);
    }

    fn fill<P: Probe>(&mut self, now: u64, reply: Reply, out: &mut Vec<Request>, probe: &mut P) {
        let mut nobody = Vec::new();
        let _ = self.level_mut(reply.port.client).fill(now, reply, out, &mut nobody, probe);
    }

    fn wake(&self) -> u64 {
        self.wake
    }

    fn is_vacant(&self) -> bool {
        self.ctas.iter().flatten().all(|cta| cta.ended)
    }

    fn take_ended(&mut self) -> u32 {
        std::mem::take(&mut self.ended)
    }

    fn take_vacated(&mut self) -> bool {
        std::mem::take(&mut self.vacated)
    }

    fn rouse(&mut self, kind: Kind, now: u64) {
        self.reconsider(kind, now);
    }

    fn touched(&mut self, now: u64) {
        self.subs.iter_mut().for_each(|sub| sub.sched.forget_refusals(now));
        self.wake = self.next_look(self.wake);
    }

    fn abandon(&mut self, now: u64) {
        Sm::abandon(self, now);
    }

    fn idle_until(&mut self, now: u64) {
        Sm::idle_until(self, now);
    }

    fn account(&mut self, now: u64) {
        Sm::account(self, now);
        self.account_idle(now);
    }

    fn counters(&self) -> Sums {
        let [l1d, l1t, l1c, l1i] = self.levels().map(|level| *level.counters());
        Sums { sm: self.counters, l1d, l1t, l1c, l1i }
    }

    fn schedulers(config: &Config) -> u32 {
        config.schedulers
    }

    fn start_counting(&mut self) {
        Sm::start_counting(self);
    }

    fn counts(&self, at: u64) -> Counts {
        Sm::counts(self, at)
    }

    fn give_up(sms: &[Sm], why: GivenUp) -> Trap {
        let kind = match why {
            GivenUp::Deadlock => TrapKind::Deadlock,
            GivenUp::Cycles(n) => TrapKind::CycleLimit(n),
            GivenUp::Instructions(n) => TrapKind::InstructionLimit(n),
        };
        for sm in sms {
            if let Some(slot) = sm.warps.iter().position(|w| w.resident) {
                return sm.trap(slot as u32, kind);
            }
        }
        Trap { kind, pc: 0, cta: [0; 3], warp: 0 }
    }

    fn visit(&mut self, v: &mut dyn Visitor) {
        Sm::visit(self, v);
    }

    fn visit_hidden(&mut self, v: &mut dyn Visitor) {
        Sm::visit_hidden(self, v);
    }

    fn core_of(config: &Config, array: ArrayId) -> usize {
        let instance = array.instance as usize;
        match array.kind.about().per {
            Per::SubCore if array.kind == Kind::Rf => instance / config.subcores.max(1) as usize,
            Per::SubCore => instance / config.schedulers.max(1) as usize,
            Per::Sm | Per::Listed | Per::Chip => instance,
        }
    }

    fn digest(&self, now: u64, d: &mut Digest) {
        Sm::digest(self, now, d);
    }

    fn token(&self, client: u8, token: u32, atomic: bool) -> u64 {
        match atomic {
            true => self.waiter(token),
            false => self.level(client).miss(token),
        }
    }

    fn owner(&self, site: Site, running: Option<&Begun>) -> Owner {
        Sm::owner(self, site, running)
    }

    fn local_owner(sms: &[Sm], config: &Config, address: u64, running: &Begun, owner: &mut Owner) {
        Sm::local_owner(sms, config, address, running, owner);
    }

    fn count_in_use(&mut self) {
        self.held.get_or_insert_default();
        for level in self.levels_mut() {
            level.count_lines();
        }
    }

    fn held(&self) -> Vec<&Held> {
        self.held.as_deref().into_iter().collect()
    }

    fn lines_in_use(&self) -> Vec<(&str, &LinesInUse)> {
        let real = self.levels().into_iter().zip(self.has_level).filter(|(_, has)| *has);
        real.filter_map(|(level, _)| level.lines_in_use()).collect()
    }

    fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        Sm::become_ghost_in_flight(self, ghosts, ghost);
    }

    fn forget_ghosts(&mut self) {
        Sm::forget_ghosts(self);
    }
}
